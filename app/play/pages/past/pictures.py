"""Pictures of a game with their own addresses: the board after each turn, and the small one for lists of games, which
so cost only their rows; a browser asks for a small board once as long as nothing happens in its game."""

from __future__ import annotations

from datetime import timedelta

from flask import Blueprint, Response, abort, request

from app.base.process.recent import Recent
from app.base.stored import limits
from app.base.words.i18n import LANGUAGES
from app.base.words.numbers import whole
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore
from app.play.past import replay
from app.post.letters import picture_process
from app.titles import pictures
from app.titles.boards import has_drawing
from app.web import visit
from app.web.public import public
from app.web.reader import server

blueprint = Blueprint("pictures", __name__)

NOTHING = frozenset({"-"})
"""No place at all: nothing is marked as changed."""
A_DAY = 24 * 3600
PICTURES = limits.OfProcess(limits.Limit("pictures", 120, timedelta(hours=1)))
"""What has to be drawn for one network whose readers have no account."""
_painted = Recent[bytes](50)
"""Of some 120 KB each; the public view of an entry of a log never changes."""
A_WEEK = 7 * 24 * 3600
_small = Recent[str](300)


def shared(game: GameNow, turn: int, voice: Voice) -> str:
    """Return the address of the picture for a shared link; empty if none can be drawn."""
    return f"/games/{game.id}/turns/{turn}.png?lang={voice.lang}" if has_drawing(game.title.id) else ""


@blueprint.get("/games/<number:game_id>/turns/<number:turn>.<any(svg, png):kind>")
@public
def of_turn(game_id: int, turn: int, kind: str) -> Response:
    """Draw the board after a turn as everybody may see it."""
    asked = _AskedPicture(game_id, turn)
    return _bitmap(asked) if kind == "png" else _drawing(asked)


def _drawing(asked: _AskedPicture) -> Response:
    response = Response(visit.there(asked.svg() or None), mimetype="image/svg+xml")
    response.headers["Content-Security-Policy"] = pictures.policy(asked.game.title.id)
    return _cached(response, asked.game)


def _bitmap(asked: _AskedPicture) -> Response:
    """Draw the same as a bitmap, for programs that show previews of links: in the painter's process, once for each
    turn. 503 while the painter has something else to draw, 429 for a network without an account that asks for many."""
    if not has_drawing(asked.game.title.id):
        abort(404)
    key = (server().config.database_url, asked.game.id, asked.entry, asked.voice.lang)
    png = _painted.find(key)
    if png is None:
        if visit.person() is None:
            PICTURES.count(visit.place_of_request(), visit.now())
        png = picture_process.paint_at_once(asked.svg, pictures.WIDTH)
        if png is None:
            return Response(status=503, headers={"Retry-After": "5"})
        _painted.keep(key, png)
    return _cached(Response(png, mimetype="image/png"), asked.game)


class _AskedPicture:
    """The picture of a turn that an address asks for, drawn only if it has to be."""

    def __init__(self, game_id: int, turn: int) -> None:
        with server().database.read() as session:
            self.game = GameStore(session).load(game_id)
            self._course = replay.course_of(session, game_id)
        self.entry = visit.there(self._course.end_of_turn(turn))
        self.voice = pictures.voice_for(request.args.get("lang"), visit.voice()).about(self.game.title)

    def svg(self) -> str:
        """Return the drawing; empty for a title without one."""
        game, at = self.game, self.entry
        with server().database.read() as session:
            changed: set[str] = set()
            for _, events in GameStore(session).events(game.title, game.id, self._course.turn_before(at) or 0, at):
                changed |= replay.places_of(replay.seen(game, events, None))
            view = game.title.view(replay.state_after(session, game, self._course, at), None)
        return pictures.document(game.title, view, self.voice, frozenset(changed) or NOTHING)


def _cached(response: Response, game: GameNow) -> Response:
    """Let it be kept: a finished game never changes; a running one may grow or be taken back."""
    if game.is_over and request.args.get("lang"):
        response.cache_control.max_age = A_DAY
    return response


# -- small boards -------------------------------------------------------------------------------------


def address(game_id: int, title_id: str, entries: int, lang: str) -> str:
    """Return the address of a game's small board with so many log entries; empty for a title without a drawing."""
    return f"/games/{game_id}/small.svg?at={entries}&lang={lang}" if has_drawing(title_id) else ""


@blueprint.get("/games/<number:game_id>/small.svg")
def small(game_id: int) -> Response:
    """Show the current board as everybody may see it, cut to what is newest."""
    lang = request.args.get("lang", "")
    lang = lang if lang in LANGUAGES else "en"
    asked = whole(request.args.get("at", ""))
    with server().database.read() as session:
        store = GameStore(session)
        game = store.load(game_id)
        key = (server().config.database_url, game_id, game.entries, lang)
        svg = visit.there(_small.find(key) or _drawn(store, game, lang) or None)
    _small.keep(key, svg)
    response = Response(svg, mimetype="image/svg+xml")
    response.headers["Content-Security-Policy"] = pictures.policy(game.title.id, small=True)
    if asked == game.entries:  # the log never changes, so this address always means this board
        response.headers["Cache-Control"] = f"private, max-age={A_WEEK}, immutable"
    return response


def _drawn(store: GameStore, game: GameNow, lang: str) -> str:
    voice = Voice(lang).about(game.title)
    newest = replay.newest_places(store, game)
    return pictures.document(game.title, game.view(None), voice, newest, small=True)
