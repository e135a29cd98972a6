"""The gate before everything under `/games/NUMBER`: private games are only for their players.

It stands before all views that have a `game_id`, so that a view added later cannot forget it.
"""

from __future__ import annotations

from flask import Flask, request

from app.base.words.refusals import NotAllowed
from app.play.lists import privacy
from app.web import visit
from app.web.reader import server, wants_json
from engine.kernel.text import Text

PRIVATE = NotAllowed("game.private", Text("A private game: only those who play in it see it."))


def register(app: Flask) -> None:
    """Keep everybody else out."""
    app.before_request(_look)


def _look() -> None:
    game_id = (request.view_args or {}).get("game_id")
    if not isinstance(game_id, int) or not privacy.is_private(server().database, game_id):
        return
    with server().database.read() as session:
        me = visit.person(session)
        if me is not None and privacy.may_see(session, game_id, me):
            return
    if me is None and not wants_json():
        raise visit.NotSignedIn
    raise PRIVATE
