"""Short random games with provable chance, as records."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from engine.kernel import seeds
from engine.kernel.chance import FIRST, NUMBERED, SeededChance, WatchedChance, commitment
from engine.kernel.random_play import choose
from engine.kernel.records import SIDES, Entry, Place, export, opening_of, write_proof

COUNT = 64
"""Of numbers in the trees of these games."""


def proven_game(
    title: Any, seed: bytes, *, salts: Mapping[str, str] | None = None, seats: int = 2, steps: int = 60,
    drawn: bool = False, number: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the record of a random game of this many steps, then ended by agreement. The same for the same arguments.

    With a `number`, `seed` is the secret of a server, whose seed of this number the game has.
    """
    source = random.Random(seed)
    committed: str | Place = commitment(seed)
    if number is not None:
        tops = list(seeds.tops_of_slices(seed, 1, COUNT))
        root, path = seeds.root_of(1, COUNT, tops), seeds.path_of(seed, 1, COUNT, tops, number)
        committed, seed = Place(number, 1, COUNT, root, path), seeds.seed_of(seed, number)
    algorithm = FIRST if number is None else NUMBERED
    chance = WatchedChance(SeededChance(seed, 0, salts, algorithm=algorithm))
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
    proof = write_proof(committed, salts, seed=seed.hex(), uses=chance.uses, opening=opening)
    record = {**export(title, log), "proof": proof}
    if number is not None:
        dates = {"started": "2026-03-01T10:00:00+00:00", "ended": "2026-03-20T10:00:00+00:00"}
        record["played"] = {"number": number + 100, "state": "over", **dates}
    return record
