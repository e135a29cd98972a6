"""The public list of numbered seeds: what each number was given to, without gaps, and the roots."""

from __future__ import annotations

from flask import Blueprint, Response, abort, request

from app.base.numbers import whole
from app.games import seeds
from app.play import seed_list
from app.titles.registry import TITLES
from app.web import visit
from app.web.reader import house

blueprint = Blueprint("seeds", __name__)


@blueprint.get("/chance")
def given() -> Response:
    """The numbers, newest first, a hundred on a page; `from` is the highest one shown."""
    asked = request.args.get("from")
    highest = None if asked is None else whole(asked, least=1)
    if asked is not None and highest is None:
        abort(404)
    with house().database.read() as session:
        roots = seeds.all_roots(session)
        shown = seed_list.lines(session, highest)
    titles = {id: title.name for id, title in TITLES.items()}
    older = shown[-1].first - 1 if shown else 0
    return visit.show("play/game/seeds.html", roots=roots, lines=shown, titles=titles, older=older)
