"""Twins for the computer: positions and others that look the same to the seat, which must give the same thoughts.

    python -m bench.trials.computer_twins [--positions N]

plays games of Acres in all editions, and prints how many twins made a difference: none may. Then it does the same with
two minds that peek on purpose, which must be caught.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from engine.acres import ACRES
from engine.acres.data import OTHER
from engine.acres.mind.levels import LEVELS, AcresMind
from engine.kernel.search import Level, Stream, see, think
from engine.kernel.title import Title
from tests.support.twins import acres_twin

BEGINNER, CLUB, STRONG = LEVELS
QUICK = replace(STRONG, width=3, playouts=6, turns=2)
"""A search that is quick, and shows every peek by what it expects."""
EDITIONS = ("second", "first", "first-revised")


@dataclass(frozen=True, slots=True)
class OtherHand(AcresMind):
    """Peeks at the other hand."""

    def drawn(self, state: Any, seat: str, chance: Any) -> Any:
        own = AcresMind.drawn(self, state, seat, chance).players[seat]
        return state._replace(players={**state.players, seat: own})


@dataclass(frozen=True, slots=True)
class OwnDeck(AcresMind):
    """Peeks at the order of its own deck."""

    def drawn(self, state: Any, seat: str, chance: Any) -> Any:
        other = OTHER[seat]
        theirs = AcresMind.drawn(self, state, seat, chance).players[other]
        return state._replace(players={**state.players, other: theirs})


def positions(
    title: Title, level: Level, options: dict[str, Any], seats: tuple[str, ...], seed: int
) -> Iterator[tuple[Any, str, Any, Any]]:
    """Play a game and yield each decision: the state, its seat, the action, the state after it."""
    chance = Stream(b"positions", seed)
    state: Any = None
    for event in title.open(title.read_options(options), seats, chance):
        state = title.apply(state, event)
    number = 0
    while (due := title.decision(state)) is not None:
        action = think(title, see(level.mind, state, due.seat), level, f"{seed} {number}".encode()).action
        after = title.unfold(state, due.seat, action, chance)[-1][1]
        yield state, due.seat, action, after
        state, number = after, number + 1


def acres_positions(count: int, every: int = 1) -> Iterator[tuple[Any, str]]:
    """Yield so many decisions of games in all editions."""
    game = 0
    while True:
        options = {"edition": EDITIONS[game % len(EDITIONS)]}
        decisions = positions(ACRES, BEGINNER, options, ACRES.seats, game)
        for number, (state, seat, _, _) in enumerate(decisions):
            if number % every == game % every:
                yield state, seat
                count -= 1
                if not count:
                    return
        game += 1


def differences(count: int, level: Level, every: int = 1, twin: Callable[..., Any] = acres_twin) -> tuple[int, int]:
    """Return how many of so many twins that really differ gave another sight, ranking or thought; and their number."""
    chooser, found, twins = random.Random(3), 0, 0
    for state, seat in acres_positions(count, every):
        other = twin(state, seat, chooser)
        if other == state:
            continue
        twins += 1
        found += _thoughts(state, seat, level) != _thoughts(other, seat, level)
    return found, twins


def _thoughts(state: Any, seat: str, level: Level) -> tuple[Any, Any]:
    world = level.mind.drawn(state, seat, Stream(b"ranking"))
    return level.mind.ranked(world, seat), think(ACRES, see(level.mind, state, seat), level, b"twins")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--positions", type=int, default=2000)
    given = parser.parse_args()
    for mind in (STRONG.mind, OtherHand(STRONG.mind.weights), OwnDeck(STRONG.mind.weights)):
        found, twins = differences(given.positions, replace(QUICK, mind=mind))
        print(f"{type(mind).__name__}: {found} of {twins} twins made a difference")


if __name__ == "__main__":
    main()
