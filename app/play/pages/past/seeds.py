"""The public list of numbered seeds: what each number was given to, without gaps, and the roots."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, abort, jsonify, request, url_for

from app.base.stored.columns import moment
from app.base.words.numbers import whole
from app.games import seeds
from app.play.fairness import seed_list
from app.play.fairness.seed_list import SeedLine
from app.titles.registry import TITLES
from app.web import visit
from app.web.public import public
from app.web.reader import server

blueprint = Blueprint("seeds", __name__)


@blueprint.get("/chance")
def given() -> Response:
    """Show the numbers, newest first, a hundred per page; `from` is the highest one shown."""
    highest = _highest()
    with server().database.read() as session:
        roots = seeds.all_roots(session)
        shown = seed_list.lines(session, highest)
    titles = {id: title.name for id, title in TITLES.items()}
    older = shown[-1].first - 1 if shown else 0
    return visit.show("play/game/seeds.html", roots=roots, lines=shown, titles=titles, older=older, highest=highest)


@blueprint.get("/chance.json")
def as_json() -> Response:
    """Return the same as data, with who sat where, so that anybody can count what each player got; `older` links to the
    next page."""
    highest = _highest()
    with server().database.read() as session:
        roots = [{"root": one.root, "first": one.first, "last": one.last} for one in seeds.all_roots(session)]
        shown = seed_list.lines(session, highest)
        seats = seed_list.sat_at(session, shown)
    numbers = [_as_data(line, seats) for line in shown]
    further: dict[str, Any] = {"from": shown[-1].first - 1 if shown else 0}
    older = url_for("seeds.as_json", **further) if further["from"] else None
    return public(jsonify({"roots": roots, "numbers": numbers, "older": older}))


def _highest() -> int | None:
    asked = request.args.get("from")
    highest = None if asked is None else whole(asked, least=1)
    if asked is not None and highest is None:
        abort(404)
    return highest


def _as_data(line: SeedLine, seats: dict[int, dict[str, str]]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "first": line.first,
        "last": line.last,
        "at": moment(line.taken_at),
        "event": line.event_id,
        "left_out": line.is_left_out,
    }
    if line.game_id is None:
        return data
    return data | {
        "game": line.game_id,
        "title": line.title,
        "state": line.status,
        "private": line.is_private,
        "opened_by": line.opened_by or None,
        "seats": seats.get(line.game_id, {}),
        "seed": line.seed,
        "ended": moment(line.ended_at),
        "end": line.end,
    }
