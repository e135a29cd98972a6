"""How the computer plays Ferry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.kernel.chance import Chance
from engine.kernel.search import Level, Ranked
from engine.kernel.text import N_
from postroad_ferry.engine.things import Block, Drop, DropChoice, Keep, Rob, State, Yield, legal

LOW = 3
"""A card of fewer points is dropped for another."""


def _points(card: str) -> int:
    return int(card[-1])


@dataclass(frozen=True)
class FerryMind:
    """Keeps what counts most, robs with an empty action, and yields the lowest card."""

    swing: float = 6.0

    def drawn(self, state: State, seat: str, chance: Chance) -> State:
        """All that the seat cannot see, dealt anew; a card that it has looked at stays on top of the pile."""
        known = state.pile[: state.peeked and state.on_turn == seat]
        others = [other for other in state.seats if other != seat]
        hidden = [card for other in others for card in state.sides[other].hand] + [*state.pile, *state.discard]
        cards = list(chance.shuffle("unseen", sorted(card for card in hidden if card not in known)))
        sides = dict(state.sides)
        for other in others:
            count = len(sides[other].hand)
            sides[other] = replace(sides[other], hand=tuple(sorted(cards[:count])))
            cards = cards[count:]
        left = len(state.pile) - len(known)
        return replace(state, sides=sides, pile=(*known, *cards[:left]), discard=tuple(sorted(cards[left:])))

    def ranked(self, state: State, seat: str) -> list[Ranked]:
        actions: list[Any] = []
        for entry in legal(state):
            actions += entry.smallest() if isinstance(entry, DropChoice) else [entry]
        return sorted([Ranked(_worth(action), action) for action in actions], key=lambda one: -one.points)

    def worth(self, state: State) -> Mapping[str, float]:
        found = {}
        for seat, side in state.sides.items():
            found[seat] = float(sum([_points(card) for card in side.kept]))
            found[seat] += 0.3 * sum([_points(card) for card in side.hand])
        return found


def _worth(action: Any) -> float:
    match action:
        case Keep(card):
            return _points(card)
        case Drop(cards):
            return 0.5 * sum([LOW - _points(card) for card in cards])
        case Rob():
            return 2.0
        case Yield(card):
            return -2.0 * _points(card)
        case Block(card):
            return -1.0 * _points(card)
    return 0.1


LEVELS = (
    Level("beginner", N_("Beginner"), N_("Keeps high cards, and errs."), FerryMind(), noise=3.0),
    Level("strong", N_("Strong"), N_("Plays on before it decides."), FerryMind(), 0.0, 5, 40, 4, 0.5),
)
