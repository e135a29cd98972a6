"""What everybody can check: a game's record, its chance, and the public list of numbered seeds."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, abort, jsonify, request, url_for

from app.base.stored.columns import moment
from app.base.words.numbers import whole
from app.games import seeds
from app.games.store import NoSuchGame
from app.lobby import listing
from app.play.fairness import seed_list
from app.play.fairness.seed_list import SeedLine
from app.play.past.records import proof_now, proof_of_called_off, record_of
from app.titles.registry import TITLES
from app.web import visit
from app.web.public import public
from app.web.reader import server
from engine.kernel.records import Derived

blueprint = Blueprint("proof", __name__)


@blueprint.get("/games/<number:game_id>/proof")
def proof(game_id: int) -> Response:
    """Show what was committed to; after the end the seed and every outcome, and whether everything agrees."""
    database = server().database
    try:
        shown = proof_now(database, game_id)
    except NoSuchGame:
        with database.read() as session:
            try:
                shown = listing.proof_now(session, game_id)
            except listing.NoSuchTable:
                shown = proof_of_called_off(session, game_id)
    voice = visit.voice().about(shown.title)
    holds = shown.failed is None and all(outcome.holds for outcome in shown.outcomes)
    rows = [(outcome.ordinal, line_of(outcome), outcome.holds) for outcome in shown.outcomes]
    return visit.show("play/game/proof.html", voice=voice, number=game_id, proof=shown, rows=rows, holds=holds)


def line_of(outcome: Derived) -> str:
    """Return an outcome as records write it."""
    kind, purpose, value = outcome.use.outcome.kind, outcome.use.outcome.purpose, outcome.use.outcome.value
    return f"{kind} {purpose}: {', '.join(value)}"


@blueprint.get("/games/<number:game_id>/record.json")
@public
def record(game_id: int) -> Response:
    """Send the record as a file."""
    try:
        data = record_of(server().database, game_id)
    except NoSuchGame:
        abort(404)
    response = jsonify(data)
    response.headers["Content-Disposition"] = f'attachment; filename="{data["game"]}-{game_id}.json"'
    return response


# -- the list of seeds --------------------------------------------------------------------------------


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
@public
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
    older = url_for("proof.as_json", **further) if further["from"] else None
    return jsonify({"roots": roots, "numbers": numbers, "older": older})


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
