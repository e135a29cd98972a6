"""Positions for the tests: tiles laid by the rules, settlers placed anywhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from engine.kernel.chance import ChanceOutcome, ScriptedChance
from engine.kernel.refusals import Refusal
from engine.new_world import NEW_WORLD
from engine.new_world.board import lay, start_board
from engine.new_world.options import EVERY_MOVE
from engine.new_world.placement import check_cell
from engine.new_world.state import SETTLERS_EACH, State
from engine.new_world.tiles import SHIPPED, install, shipped_data, tile_set

RED_BLUE = ("red", "blue")


class FirstOfBag:
    """Chance for tests in which it does not matter which tile comes next."""

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        return items[0]

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        return tuple(items)


def drawing(*tiles: str) -> ScriptedChance:
    """Return chance that gives these tiles."""
    return ScriptedChance(ChanceOutcome("draw", "bag", (tile,)) for tile in tiles)


def position(
    laid: str = "",
    *,
    tile: str | None = None,
    settlers: str = "",
    to_move: str = "red",
    seats: Sequence[str] = RED_BLUE,
    surveyors: tuple[int, int] = (0, 0),
    bag: Sequence[str] | None = None,
    supply: dict[str, int] | None = None,
    scores: dict[str, int] | None = None,
    **options: Any,
) -> State:
    """Return a position: `laid` has `tile x,y rotation` with semicolons, `settlers` has `seat x,y:segment` with commas.

    Every tile must fit where it is laid. `bag` is what is left to draw; the rest of the set if it is not given.
    """
    chosen = {"tile_set": SHIPPED, "stragglers": EVERY_MOVE, **options}
    tiles = tile_set(chosen["tile_set"])
    board = start_board(tiles)
    rows = []
    rest = list(tiles.bag)
    for number, one in enumerate(part.split() for part in laid.split(";") if part.strip()):
        kind, (x, y), rotation = one[0], map(int, one[1].split(",")), int(one[2])
        check_cell(board, kind, x, y, rotation)
        seat = seats[number % len(seats)]
        board = lay(board, x, y, kind, rotation, seat, number + 1)
        rows.append([x, y, kind, rotation, seat, number + 1])
        rest.remove(kind)
    standing = []
    for part in settlers.split(";"):
        if part.strip():
            seat, at = part.split()
            cell, segment = at.split(":")
            x, y = map(int, cell.split(","))
            standing.append([seat, x, y, segment])
    if tile is not None:
        rest.remove(tile)
    table = {seat: SETTLERS_EACH - sum(one[0] == seat for one in standing) for seat in seats}
    data = {
        "options": chosen,
        "seats": list(seats),
        "start": seats[0],
        "laid": rows,
        "bag": list(rest if bag is None else sorted(bag)),
        "set_aside": [],
        "tile": tile,
        "turn": len(rows) + 1,
        "to_move": to_move,
        "surveyors": list(surveyors),
        "scores": dict.fromkeys(seats, 0) | (scores or {}),
        "supply": table | (supply or {}),
        "settlers": sorted(standing),
        "last": rows[-1][:2] if rows else None,
        "pending": [],
        "resigned": [],
        "outcome": None,
    }
    return NEW_WORLD.state_from_json(json.loads(json.dumps(data)))


def plains_and_a_town() -> str:
    """Return a set in which 94 tiles are plains on every side and one is town on every side, on a coast of plains."""
    data = shipped_data()
    data["set_id"] = "plains-and-a-town"
    data["tiles"] = [tile | {"count": 94} for tile in data["tiles"] if tile["id"] == "nw-01"] + [
        tile for tile in data["tiles"] if tile["id"] == "nw-07"
    ]
    halves = ["Nw", "Ne", "Se", "Sw", "Ws", "Wn"]
    for row in data["start"]["rows"]:
        edges = ("-" if row["row"] == 0 else "P") + "-" + ("-" if row["row"] == 9 else "P") + "P"
        sides = [half for half in halves if edges["NESW".index(half[0])] == "P"]
        row |= {"edges": edges, "west": "P", "segments": [{"id": "p0", "kind": "plain", "sides": sides, "animals": 0}]}
    return install(data).id


def happenings(state: State, line: str, chance: Any = None, *, seat: str | None = None) -> tuple[Any, ...]:
    """Return the events of a line said by the seat to decide."""
    owed = NEW_WORLD.decision(state)
    by = seat or (owed.seat if owed else state.seats[0])
    return NEW_WORLD.play(state, by, NEW_WORLD.read(state, by, line), chance or FirstOfBag())


def after(state: State, events: Sequence[Any]) -> State:
    """Return the state after the events."""
    for event in events:
        state = NEW_WORLD.apply(state, event)
    return state


def play(state: State, line: str, chance: Any = None, *, seat: str | None = None) -> State:
    """Return the state after a line said by the seat to decide."""
    return after(state, happenings(state, line, chance, seat=seat))


def refusal(state: State, line: str, *, seat: str | None = None) -> str:
    """Return the code with which a line is refused; empty if it is accepted."""
    owed = NEW_WORLD.decision(state)
    by = seat or (owed.seat if owed else state.seats[0])
    try:
        NEW_WORLD.check(state, by, NEW_WORLD.read(state, by, line))
    except Refusal as refused:
        assert refused.why.template.endswith((".", "?"))
        return refused.code
    return ""


def lines(state: State) -> list[str]:
    """Return the legal actions in the notation."""
    return [NEW_WORLD.write_record(state, action) for action in NEW_WORLD.legal(state)]


def standing(state: State) -> list[str]:
    """Return the settlers on the table as `seat x,y:segment`."""
    return [f"{one.seat} {one.at}:{one.segment}" for one in state.settlers]


FARM = "nw-01 1,3 0; nw-43 1,2 90; nw-21 1,4 0; nw-02 2,3 0; nw-43 2,2 90; nw-03 3,3 0; nw-26 3,4 90"


def three_completed() -> State:
    return position(FARM, tile="nw-22", settlers="blue 1,3:f0; red 1,4:t0", to_move="blue")
