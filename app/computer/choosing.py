"""What the computer does in a decision, from what its seat knows and nothing else: this module knows no server."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

from engine.kernel.search import Level, Sight, is_lost, levels_of, think
from engine.kernel.search.thinking import standing
from engine.kernel.title import Title

RESIGNS = ""
"""The line of a computer that gives up."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The line to play, how the seat stands (0 to 1) by what was found, and the CPU seconds that it took."""

    line: str
    expected: float
    cpu_seconds: float


def level_named(title: Title, name: str) -> Level:
    """Return a level of a title; one that it does not have (any more) is its first."""
    levels = levels_of(title)
    return next((level for level in levels if level.name == name), levels[0])


def choose(title: Title, sight: Sight, level: Level, seed: bytes, *, searches: bool, may_resign: bool) -> Chosen:
    """Return what the seat plays: without `searches`, what the level thinks best at first sight. It `may_resign` where
    nobody else would be left alone by that."""
    start = process_time()
    expected = standing(title, level.mind, sight.world, sight.seat)
    if may_resign and is_lost(title, sight, level, seed):
        return Chosen(RESIGNS, expected, process_time() - start)
    thought = think(title, sight, level, seed, None if searches else 0)
    best = thought.tried[0] if thought.tried else None
    if best is not None and best.playouts:
        expected = best.expected
    return Chosen(title.write(sight.world, thought.action), expected, process_time() - start)
