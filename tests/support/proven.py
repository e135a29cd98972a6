"""Short random games whose chance is proven, as records."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from app.play.commands.simulate import choose
from engine.kernel.chance import SeededChance, WatchedChance, commitment
from engine.kernel.records import SIDES, Entry, export, opening_of, write_proof


def proven_game(
    title: Any, seed: bytes, *, salts: Mapping[str, str] | None = None, seats: int = 2, steps: int = 60,
    drawn: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """The record of a random game of so many steps, then ended as agreed. The same for the same arguments."""
    source = random.Random(seed)
    chance = WatchedChance(SeededChance(seed, 0, salts))
    places = title.seats[:seats]
    if drawn:
        chance.shuffle(SIDES, places)
    log = [Entry(None, None, title.open(title.read_options({}), places, chance))]
    opening = opening_of(title, log[0].events, len(chance.uses))
    state: Any = None
    for event in log[0].events:
        state = title.apply(state, event)
    for _ in range(steps):
        due = title.decision(state)
        if due is None:
            break
        action = choose(title, title.legal(state), source)
        happened = title.unfold(state, due.seat, action, chance)
        log.append(Entry(due.seat, action, tuple(event for event, _ in happened)))
        state = happened[-1][1]
    if title.outcome(state) is None:
        log.append(Entry(None, None, tuple(title.conclude(state, "agreed", []))))
    proof = write_proof(commitment(seed), salts or {}, seed=seed.hex(), uses=chance.uses, opening=opening)
    return {**export(title, log), "proof": proof}
