"""Small boards for lists of games: pictures with their own addresses, so that a list costs only its rows, and a browser
asks for a board once as long as nothing happens in its game."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from flask import Blueprint, Response, request

from app.base.words.i18n import LANGUAGES
from app.base.words.numbers import whole
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore
from app.play.past import replay
from app.titles import pictures
from app.titles.boards import has_drawing
from app.web import visit
from app.web.reader import server

blueprint = Blueprint("small_boards", __name__)

A_WEEK = 7 * 24 * 3600
MOST_KEPT = 300
_kept: OrderedDict[tuple[str, int, int, str], str] = OrderedDict()
_lock = Lock()


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
        with _lock:
            svg = _kept.get(key)
        if svg is None:
            svg = _drawn(store, game, lang)
    svg = visit.there(svg or None)
    with _lock:
        _kept[key] = svg
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    response = Response(svg, mimetype="image/svg+xml")
    response.headers["Content-Security-Policy"] = pictures.policy(game.title.id, small=True)
    if asked == game.entries:  # the log never changes, so this address always means this board
        response.headers["Cache-Control"] = f"private, max-age={A_WEEK}, immutable"
    return response


def _drawn(store: GameStore, game: GameNow, lang: str) -> str:
    voice = Voice(lang).about(game.title)
    newest = replay.newest_places(store, game)
    return pictures.document(game.title, game.title.view(game.state, None), voice, newest, small=True)
