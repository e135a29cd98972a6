"""A position to try things out in depends only on what its seat knows (acres R1.5, new_world R5.1)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.acres import ACRES
from engine.kernel.chance import SeededChance
from engine.kernel.title import Choice
from engine.new_world.title import NEW_WORLD
from tests.support.acres_games import positions, reshuffled


@pytest.mark.parametrize("edition", ["first", "second"])
def test_nothing_hidden_is_in_an_imagined_position_of_acres(edition: str) -> None:
    source = random.Random(3)
    differing = 0
    for state in positions(edition):
        for seat in ACRES.seats:
            twin = reshuffled(state, seat, source)
            differing += twin != state
            imagined = ACRES.imagined(state, seat)
            assert ACRES.imagined(twin, seat) == imagined
            before, after = ACRES.view(state, seat), ACRES.view(imagined, seat)
            other = next(one for one in ACRES.seats if one != seat)
            assert after["seats"][seat] == before["seats"][seat]
            assert after["seats"][other]["unseen"] == before["seats"][other]["unseen"]
            known = ("turn", "on_turn", "actions_left", "decision", "neutral", "board", "sieges", "score", "outcome")
            assert all(after[key] == before[key] for key in known)
    assert differing > 100


@pytest.mark.parametrize("edition", ["first", "second"])
def test_whatever_the_other_side_can_do_can_be_tried_out(edition: str) -> None:
    """Each legal action of the seat to decide is legal in what the other seat imagines, with the same judgement."""
    tried = 0
    for state in positions(edition):
        due = ACRES.decision(state)
        if due is None:
            continue
        other = next(one for one in ACRES.seats if one != due.seat)
        imagined = ACRES.imagined(state, other)
        for item in ACRES.legal(state):
            for action in item.smallest() if isinstance(item, Choice) else [item]:
                if ACRES.write(state, action) in ("show-hand", "home-support"):
                    continue  # nothing to lose is not known, and what is drawn would not be either
                ACRES.check(imagined, due.seat, action)
                tried += 1
    assert tried > 1_000


def played(title: Any, seats: int, seed: int, steps: int) -> Any:
    chance, source = SeededChance(bytes([seed]) * 32), random.Random(seed)
    state: Any = None
    for event in title.open(title.read_options({}), title.seats[:seats], chance):
        state = title.apply(state, event)
    for _ in range(steps):
        due = title.decision(state)
        if due is None:
            break
        item = source.choice(title.legal(state))
        action = item.smallest()[0] if isinstance(item, Choice) else item
        for event in title.play(state, due.seat, action, chance):
            state = title.apply(state, event)
    return state


def test_nothing_of_new_world_has_to_be_imagined() -> None:
    assert NEW_WORLD.all_open and not ACRES.all_open
    state = played(NEW_WORLD, 3, 5, 20)
    assert NEW_WORLD.imagined(state, "red") == state
