"""The levels at which the computer plays Acres."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.acres.mind.drawn import drawn
from engine.acres.mind.ranking import ranked
from engine.acres.mind.standing import worth
from engine.acres.mind.weights import BEGINNER, CLUB, Weights
from engine.acres.state import State
from engine.kernel.chance import Chance
from engine.kernel.search.minds import Level, Mind, Ranked
from engine.kernel.text import N_


@dataclass(frozen=True, slots=True)
class AcresMind:
    """`engine.kernel.search.minds.Mind` by a table of weights."""

    weights: Weights
    swing: float = 10.0

    def drawn(self, state: State, seat: str, chance: Chance) -> State:
        return drawn(state, seat, chance)

    def ranked(self, state: State, seat: str) -> list[Ranked]:
        return ranked(self.weights, state, seat)

    def worth(self, state: State) -> Mapping[str, float]:
        return worth(self.weights, state)


_CLUB = AcresMind(CLUB)
LEVELS = (
    Level(
        "beginner",
        N_("Beginner"),
        N_("Sees its own turn and takes what lies before it; forgets how the game ends."),
        AcresMind(BEGINNER),
        noise=1.0,
    ),
    Level(
        "club",
        N_("Club player"),
        N_("Plays for points and sieges by good rules of thumb, without looking ahead."),
        _CLUB,
    ),
    Level(
        "strong",
        N_("Strong"),
        N_("Imagines hands you may hold and plays its best plans on against them before it decides."),
        _CLUB,
        width=10,
        playouts=256,
        turns=6,
        doubt=0.5,
    ),
)

if TYPE_CHECKING:
    _fulfils_the_contract: Mind = _CLUB
