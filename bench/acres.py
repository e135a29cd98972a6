"""Measures the speed of the engine of Acres, as ratios to python-chess in one interleaved run.

    python -m bench.acres [--rounds N] [--seconds S] [RECORD...]

One round measures, one after another, each for about S CPU-seconds on one core: random chess games (list the legal
moves, choose, push), random Acres games (list the legal actions, choose, play, apply), records verified (those given,
or the project's own), listings, and views. It prints the medians of the rounds and their spread, and the memory of one
state of a game.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import chess  # noqa: E402

from engine.acres import ACRES  # noqa: E402
from engine.kernel import records  # noqa: E402
from engine.kernel.title import Choice  # noqa: E402

LONGEST_CHESS_GAME = 300  # plies; random games without an end in sight repeat themselves
EDITIONS = ("second", "first", "first-revised")


class Draws:
    """Random draws for the bench: fast, reproducible."""

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def shuffle(self, purpose: str, items: Any) -> tuple[str, ...]:
        order = list(items)
        self.source.shuffle(order)
        return tuple(order)

    def draw(self, purpose: str, items: Any) -> str:
        return self.source.choice(items)


def chess_decisions(source: random.Random) -> Iterator[None]:
    """Yield decisions of random chess games endlessly."""
    while True:
        board = chess.Board()
        # The yardstick is listing, choosing and pushing alone: asking `is_game_over` would make chess slower.
        for _ in range(LONGEST_CHESS_GAME):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(source.choice(moves))
            yield


def acres_decisions(source: random.Random) -> Iterator[None]:
    """Yield decisions of random Acres games endlessly, the editions in turn; a free subset is one of the smallest or
    random.
    """
    chance = Draws(source)
    for edition in cycle(EDITIONS):
        state: Any = None
        for event in ACRES.open(ACRES.read_options({"edition": edition}), ACRES.seats, chance):
            state = ACRES.apply(state, event)
        idle = 0
        while idle < 12:  # a position in which everybody can only pass never ends, and is fast
            due = ACRES.decision(state)
            if due is None:
                break
            legal = ACRES.legal(state)
            idle = idle + 1 if len(legal) == 1 else 0
            entry = source.choice(legal)
            action = entry if not isinstance(entry, Choice) else subset(entry, source)
            state = ACRES.unfold(state, due.seat, action, chance)[-1][1]
            yield


def subset(choice: Any, source: random.Random) -> Any:
    """Return a random legal subset."""
    picked = source.sample(choice.items, source.randint(choice.least, choice.most))
    return choice.action(picked) if choice.allows(picked) else source.choice(choice.smallest())


def verified_steps(paths: list[Path]) -> Iterator[int]:
    """Load and verify records endlessly; one step is one record, its size the number of its steps."""
    data = [path.read_bytes() for path in paths]
    while True:
        for raw in data:
            yield records.verify(records.load(raw, {"acres": ACRES})).steps


def some_states(count: int) -> list[Any]:
    """Return states from the middle of random games in which the seat on turn may act."""
    source = random.Random(7)
    chance = Draws(source)
    found: list[Any] = []
    while len(found) < count:
        state: Any = None
        for event in ACRES.open(ACRES.read_options({}), ACRES.seats, chance):
            state = ACRES.apply(state, event)
        for _ in range(source.randint(40, 250)):
            due = ACRES.decision(state)
            if due is None:
                break
            entry = source.choice(ACRES.legal(state))
            action = entry if not isinstance(entry, Choice) else subset(entry, source)
            for event in ACRES.play(state, due.seat, action, chance):
                state = ACRES.apply(state, event)
        due = ACRES.decision(state)
        if due is not None and due.kind == "action":
            found.append(state)
    return found


def calls(function: Callable[[Any], Any], states: list[Any]) -> Iterator[None]:
    """Call the function on each state in turn, endlessly."""
    for state in cycle(states):
        function(state)
        yield


def rate(steps: Iterator[Any], seconds: float) -> float:
    """Return steps per CPU-second."""
    done = 0
    began = time.process_time()
    while (taken := time.process_time() - began) < seconds:
        for _ in range(20):
            size = next(steps)
            done += 1 if size is None else size
    return done / taken


def size_of(state: Any) -> int:
    """Return the bytes a state holds, without shared tables of the engine (cards, places, editions) and classes."""
    seen: set[int] = set()
    shared = {id(obj) for obj in gc.get_objects() if isinstance(obj, (type, type(sys)))}
    total, todo = 0, [state]
    while todo:
        obj = todo.pop()
        if id(obj) in seen or id(obj) in shared or type(obj).__name__ in ("Edition",):
            continue
        seen.add(id(obj))
        total += sys.getsizeof(obj)
        if isinstance(obj, dict):
            todo += [*obj.keys(), *obj.values()]
        elif isinstance(obj, (tuple, list, frozenset, set)):
            todo += list(obj)
        elif hasattr(type(obj), "__slots__"):
            todo += [getattr(obj, name) for name in type(obj).__slots__ if hasattr(obj, name)]
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("records", nargs="*", type=Path)
    given = parser.parse_args()
    paths = given.records or sorted((ROOT / "tests" / "records" / "acres").glob("*.json"))
    states = some_states(60)
    runs: dict[str, Iterator[Any]] = {
        "chess decisions": chess_decisions(random.Random(1)),
        "acres decisions": acres_decisions(random.Random(2)),
        "acres listings": calls(ACRES.legal, states),
        "acres views": calls(lambda state: ACRES.view(state, state.on_turn), states),
    }
    if paths:
        runs["acres steps verified"] = verified_steps(paths)
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(given.rounds):
        for name, steps in runs.items():
            found[name].append(rate(steps, given.seconds))
    base = found["chess decisions"]
    for name, rates in found.items():
        ratios = sorted(one / other for one, other in zip(rates, base, strict=True))
        print(
            f"{name:<22}{statistics.median(rates):>10.0f} a CPU-second   "
            f"ratio to chess {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        )
    sizes = [size_of(state) for state in states]
    print(f"one state of a game: {statistics.median(sizes) / 1024:.1f} KB, at most {max(sizes) / 1024:.1f} KB")


if __name__ == "__main__":
    main()
