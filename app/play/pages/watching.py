"""The list of running games that anybody may watch."""

from __future__ import annotations

from flask import Blueprint, Response, request

from app.base.words.numbers import whole
from app.play.lists import my_games
from app.play.pages.game_rows import rows, stand
from app.web import visit
from app.web.reader import server

blueprint = Blueprint("watching", __name__)

ON_A_PAGE = 30
MOST_PAGES = 1000


@blueprint.get("/watch")
def games() -> Response:
    """Show public games that are being played, the most recently moved first."""
    given = whole(request.args.get("page", ""), MOST_PAGES)
    page, database = max(1, given or 1), server().database
    with database.read() as session:
        found = my_games.to_watch(session, ON_A_PAGE, page)
        standings = stand(session, found, visit.voice())
    following = page + 1 if len(found) == ON_A_PAGE else None
    shown = rows(found, visit.voice(), visit.now(), standings)
    return visit.show("play/game/watch.html", rows=shown, following=following)
