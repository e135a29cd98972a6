"""What New World puts into the common record format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.kernel.chance import ChanceOutcome
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text
from engine.kernel.title import Event, Outcome
from engine.new_world.ending import BY_POINTS
from engine.new_world.events import Opened, TileDrawn
from engine.new_world.options import Options
from engine.new_world.options import write as write_options
from engine.new_world.state import SURVEYORS, State
from engine.new_world.tiles import tile_set

SEATS = ("red", "blue", "green", "yellow", "black")
"""All colours, in the order in which a record lists settlers."""


def heading(opened: Opened) -> dict[str, Any]:
    """Return a record's `options`, `seats` and `setup`; nothing in them is hidden."""
    return {"options": write_options(opened.options), "seats": list(opened.seats), "setup": _setup(opened)}


def _setup(opened: Opened) -> dict[str, Any]:
    return {
        "start": opened.start,
        "surveyors": dict.fromkeys(SURVEYORS, 0),
        "bag": len(tile_set(opened.options.tile_set).bag),
    }


def opened_from_record(options: Options, seats: Sequence[str], setup: Mapping[str, Any]) -> Opened:
    """Return the first event. Raises `Unreadable` for a setup that this game cannot begin with."""
    start = setup.get("start", seats[0])
    if start not in seats:
        why = Text(
            "setup.start must be one of the seats {seats}, not “{start}”.", seats=", ".join(seats), start=str(start)
        )
        raise Unreadable("setup.start", why, rule="R3.4")
    opened = Opened(options, tuple(seats), start)
    right = _setup(opened)
    for key, value in setup.items():
        if key not in right:
            raise Unreadable("setup.unknown", Text("setup has no key “{key}”.", key=str(key)))
        if value != right[key]:
            why = Text("setup.{key} must be {right}, not {value}.", key=key, right=str(right[key]), value=str(value))
            raise Unreadable(f"setup.{key}", why, rule="R3.3" if key == "surveyors" else "R1.1")
    return opened


def after(state: State) -> dict[str, Any]:
    """Return the state as a record writes it after a turn."""
    settlers = sorted(state.settlers, key=lambda one: (SEATS.index(one.seat), one.x, one.y, one.segment))
    return {
        "to_move": state.to_move,
        "bag": len(state.bag),
        "set_aside": len(state.set_aside),
        "surveyors": dict(zip(SURVEYORS, state.surveyors, strict=True)),
        "scores": dict(state.scores),
        "supply": dict(state.supply),
        "settlers": [{"seat": one.seat, "at": one.at, "segment": one.segment} for one in settlers],
        "over": state.over,
    }


def read_chance(text: str) -> ChanceOutcome:
    """`draw nw-19`. Raises `Unreadable` for other lines."""
    words = text.lower().split()
    if len(words) != 2 or words[0] != "draw":
        raise Unreadable("chance.line", Text("Chance is written as “draw nw-19”, not as “{line}”.", line=text[:80]))
    return ChanceOutcome("draw", "bag", (words[1],))


def chance_of(event: Event) -> str | None:
    """Return the chance line of a drawn tile."""
    return f"draw {event.tile}" if isinstance(event, TileDrawn) else None


def result_to_record(outcome: Outcome) -> dict[str, Any]:
    """Scores and winners; the reason when it is not the end by the rules."""
    result: dict[str, Any] = {"scores": dict(outcome.scores), "winners": list(outcome.winners)}
    if outcome.reason != BY_POINTS:
        result["reason"] = outcome.reason
    return result | dict(outcome.detail)
