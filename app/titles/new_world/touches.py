"""The touches that make up an action of New World: a cell, how the tile lies there, and the settler; or the features to
be scored, one after another."""

from __future__ import annotations

from app.titles.contract import AT, KIND, ActionPart
from engine.new_world.actions import Place, ScoreOrder
from engine.new_world.places import cell_name, letter
from engine.new_world.state import State

TURN, SETTLER, NOBODY = "turn", "settler", "none"


def touches(state: State, action: Place | ScoreOrder) -> tuple[ActionPart, ...]:
    """Return the parts of a legal action."""
    if isinstance(action, Place):
        return (
            ActionPart(KIND, "place"),
            ActionPart(AT, cell_name(action.x, action.y)),
            ActionPart(TURN, str(action.rotation)),
            ActionPart(SETTLER, action.segment or NOBODY),
        )
    letters = {reference: letter(n) for n, reference in enumerate(state.pending)}
    named = [ActionPart(str(n), letters[one]) for n, one in enumerate(action.features, 1)]
    return ActionPart(KIND, "score"), *named


def selection(cell: str, rotation: int | None = None, settler: str | None = None) -> str:
    """Return their selection, as it stands in an address."""
    found = [f"{AT}.{cell}"]
    if rotation is not None:
        found.append(f"{TURN}.{rotation}")
    if settler is not None:
        found.append(f"{SETTLER}.{settler or NOBODY}")
    return ",".join(found)
