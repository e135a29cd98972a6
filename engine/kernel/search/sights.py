"""What one seat knows, in the form of a state: the only thing that a search is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.kernel.search.minds import Mind
from engine.kernel.search.streams import Stream


@dataclass(frozen=True, slots=True)
class Sight:
    """A view as a state that can be played on: of all states that look the same to the seat, one that depends on the
    view alone. It may be stored as a state is (`Title.state_to_json`), and says nothing that the seat does not know."""

    seat: str
    world: Any


def see(mind: Mind, state: Any, seat: str) -> Sight:
    """Return what the seat knows of a state: the one place where the computer meets a true state.

    States that look the same to the seat give equal sights.
    """
    return Sight(seat, mind.drawn(state, seat, Stream(b"sight")))
