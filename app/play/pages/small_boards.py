"""Small boards for lists of games: pictures with their own addresses, so that a list costs only its rows, and a browser
asks for a board once as long as nothing happens in its game."""

from __future__ import annotations

from flask import Blueprint, Response, request

from app.base.process.recent import Recent
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
_kept = Recent[str](300)


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
        svg = visit.there(_kept.find(key) or _drawn(store, game, lang) or None)
    _kept.keep(key, svg)
    response = Response(svg, mimetype="image/svg+xml")
    response.headers["Content-Security-Policy"] = pictures.policy(game.title.id, small=True)
    if asked == game.entries:  # the log never changes, so this address always means this board
        response.headers["Cache-Control"] = f"private, max-age={A_WEEK}, immutable"
    return response


def _drawn(store: GameStore, game: GameNow, lang: str) -> str:
    voice = Voice(lang).about(game.title)
    newest = replay.newest_places(store, game)
    return pictures.document(game.title, game.title.view(game.state, None), voice, newest, small=True)
