"""Makes the records in tests/records/new_world: games of the engine itself, for 2 to 5 seats and each way to end.

    python -m tests.records.make_new_world

Run it again only when a rule was corrected and the old records no longer hold. All but those of stragglers predate that
option, which they do not name; they stay as they are, since they are read as they were begun.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.kernel.records import Entry, export
from engine.new_world import NEW_WORLD
from engine.new_world.actions import ScoreOrder
from engine.new_world.events import TileSetAside
from tests.support.new_world_games import random_game

FOLDER = Path(__file__).resolve().parents[1] / "records" / "new_world"


def last_state(log: list[Entry]) -> Any:
    state: Any = None
    for entry in log:
        for event in entry.events:
            state = NEW_WORLD.apply(state, event)
    return state


def first(seats: int, wanted: Any, **how: Any) -> list[Entry]:
    """Return the first greedy game that matches."""
    for seed in range(1, 200):
        log = random_game(seed, seats, greedy=True, sample=60, **how)
        if wanted(log):
            return log
    raise LookupError("no such game was found")


def orders(log: list[Entry]) -> int:
    return sum(isinstance(entry.action, ScoreOrder) for entry in log)


def sets_aside(log: list[Entry]) -> bool:
    return any(isinstance(event, TileSetAside) for entry in log for event in entry.events)


def shared(log: list[Entry]) -> bool:
    return len(last_state(log).outcome.winners) > 1


def cut_and_concluded(log: list[Entry], turns: int, reason: str, winners: tuple[str, ...]) -> list[Entry]:
    """Return the beginning of a game, ended from outside."""
    part = log[:turns]
    return [*part, Entry(None, None, NEW_WORLD.conclude(last_state(part), reason, winners))]


def games() -> dict[str, list[Entry]]:
    """Return the records by name."""
    odd = {
        "spaces_count_as_tiles": False,
        "bonus_per_settler": False,
        "posts_count_unfinished": True,
    }
    return {
        "two-orders-of-scoring": first(2, lambda log: orders(log) >= 2),
        "three-tile-set-aside": first(3, sets_aside),
        "four-shared-win": first(4, shared),
        "five-orders-of-scoring": first(5, orders),
        "two-other-rulings": random_game(11, 2, greedy=True, options=odd),
        "three-stragglers": random_game(1, 3, greedy=True, sample=60),
        "three-stragglers-column-left": random_game(
            1, 3, greedy=True, sample=60, options={"stragglers": "column-left"}
        ),
        "three-random": random_game(12, 3),
        "four-resignations": random_game(13, 4, greedy=True, resign_every=17),
        "five-one-resigns": random_game(14, 5, greedy=True, resign_every=60),
        "two-on-time": cut_and_concluded(random_game(15, 2, greedy=True), 40, "time", ("blue",)),
        "three-agreed": cut_and_concluded(random_game(16, 3, greedy=True), 50, "agreed", ("red", "green")),
    }


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, log in games().items():
        data = export(NEW_WORLD, log)
        (FOLDER / f"nw-{name}.json").write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
