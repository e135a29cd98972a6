"""Standing orders: turns played for a seat when the rules leave it one choice or none.

A line is one of the two orders below. Nothing is ever chosen for the seat: if there are two places for the tile, or two
orders of scoring, it is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.kernel.notation import closest, fold
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text
from engine.new_world.actions import Action, Place
from engine.new_world.placement import placements
from engine.new_world.rules import decision, legal
from engine.new_world.state import State

ONLY_ACTION = "play my only action"
ONLY_PLACE = "lay my only place without settler"


@dataclass(frozen=True, slots=True)
class StandingOrders:
    """What the seat wants played for it."""

    only_action: bool = False
    """A turn in which exactly one action is legal: one place for the tile, and no settler can go there."""
    only_place: bool = False
    """A turn in which the tile has exactly one place, laid without a settler even if one could go there."""


_FIELDS = {ONLY_ACTION: "only_action", ONLY_PLACE: "only_place"}


def read(lines: Sequence[str]) -> StandingOrders:
    """Return the orders; case and empty lines do not matter. Raises `Unreadable` (`standing.line`)."""
    by_fold = {fold(line): name for line, name in _FIELDS.items()}
    given = {}
    for line in lines:
        folded = fold(line)
        if not folded:
            continue
        if folded not in by_fold:
            near = closest(line, by_fold)
            meant = [known for known in _FIELDS if near and fold(known) == near[0]] or list(_FIELDS)
            why = Text(
                "“{line}” is not a standing order; write “{meant}”.", line=line.strip()[:80], meant="” / “".join(meant)
            )
            raise Unreadable("standing.line", why, word=(0, len(line)))
        given[by_fold[folded]] = True
    return StandingOrders(**given)


def write(orders: StandingOrders) -> list[str]:
    """Return the canonical lines."""
    return [line for line, name in _FIELDS.items() if getattr(orders, name)]


def answer(state: State, seat: str, orders: StandingOrders) -> Action | None:
    """Return the action that the orders give; None if the seat must be asked."""
    owed = decision(state)
    if owed is None or owed.seat != seat or owed.kind != "place" or state.tile is None:
        return None
    places: list[Place] = placements(state.board, state.tile)
    if len(places) != 1:
        return None
    if orders.only_place or (orders.only_action and len(legal(state)) == 1):
        return places[0]
    return None
