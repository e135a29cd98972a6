"""The levels at which the computer plays New World."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.kernel.chance import Chance
from engine.kernel.search.minds import Level, Mind, Ranked
from engine.kernel.text import N_
from engine.new_world.mind.ranking import ranked
from engine.new_world.mind.standing import worth
from engine.new_world.mind.weights import BEGINNER, CLUB, Weights
from engine.new_world.state import State


@dataclass(frozen=True, slots=True)
class NewWorldMind:
    """`engine.kernel.search.minds.Mind` by a table of weights. Nothing is hidden: the state is what a seat knows."""

    weights: Weights
    swing: float = 15.0

    def drawn(self, state: State, seat: str, chance: Chance) -> State:
        return state

    def ranked(self, state: State, seat: str) -> list[Ranked]:
        return ranked(self.weights, state, seat)

    def worth(self, state: State) -> Mapping[str, float]:
        return worth(self.weights, state)


_CLUB = NewWorldMind(CLUB)
LEVELS = (
    Level(
        "beginner",
        N_("Beginner"),
        N_("Takes the points that it sees; does not reckon with the surveyors, nor with the end."),
        NewWorldMind(BEGINNER),
        noise=4.0,
    ),
    Level(
        "club",
        N_("Club player"),
        N_("Weighs every place and every settler by good rules of thumb, without looking ahead."),
        _CLUB,
    ),
    Level(
        "strong",
        N_("Strong"),
        N_("Draws tiles in its mind and plays its best plans on with them before it decides."),
        _CLUB,
        width=8,
        playouts=128,
        turns=4,
    ),
)

if TYPE_CHECKING:
    _fulfils_the_contract: Mind = _CLUB
