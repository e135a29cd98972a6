"""Random games for the tests."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from engine.kernel.records import Entry
from engine.new_world import NEW_WORLD
from engine.new_world.actions import Resign
from engine.new_world.state import State


class RandomChance:
    """Random draws from a seed."""

    def __init__(self, source: random.Random) -> None:
        self._source = source

    def draw(self, purpose: str, items: Any) -> str:
        assert list(items) == sorted(items)
        drawn: str = self._source.choice(items)
        return drawn

    def shuffle(self, purpose: str, items: Any) -> tuple[str, ...]:
        raise AssertionError("nothing is shuffled in this game")


def random_game(
    seed: int,
    seats: int = 2,
    *,
    options: dict[str, Any] | None = None,
    greedy: bool = False,
    sample: int = 12,
    resign_every: int = 0,
    look: Callable[[State], None] | None = None,
) -> list[Entry]:
    """Return the log of a random game; `look` is shown every state, with `greedy` the best-scoring of a `sample` is
    laid.
    """
    source = random.Random(seed)
    chance = RandomChance(source)
    events = NEW_WORLD.open(NEW_WORLD.read_options(options or {}), NEW_WORLD.seats[:seats], chance)
    log = [Entry(None, None, events)]
    state: Any = None
    for event in events:
        state = NEW_WORLD.apply(state, event)
    while (owed := NEW_WORLD.decision(state)) is not None:
        if look:
            look(state)
        actions = NEW_WORLD.legal(state)
        action, seat = source.choice(actions), owed.seat
        if greedy and owed.kind == "place":
            action = max(
                source.sample(actions, min(sample, len(actions))),
                key=lambda one: NEW_WORLD.preview(state, one)["scores"].get(owed.seat, 0),
            )
        if resign_every and len(log) % resign_every == 0:
            action, seat = Resign(), source.choice(state.playing)
        events = NEW_WORLD.play(state, seat, action, chance)
        log.append(Entry(seat, action, events))
        for event in events:
            state = NEW_WORLD.apply(state, event)
    if look:
        look(state)
    return log
