"""Looking back on a game that is over: who stood better when, and the decisions that changed most."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from engine.kernel.search.minds import Level
from engine.kernel.search.sights import see
from engine.kernel.search.streams import Stream
from engine.kernel.search.thinking import standing, think
from engine.kernel.title import Title

WORLDS = 6
"""Drawn worlds in which a position is judged."""
TURNING_POINTS, LOOKED_AT = 3, 30
"""How many are named, and among how many of the greatest changes those are looked for that could have been avoided."""
EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Judged:
    """A decision: how its seat stood before and after it (0 to 1), judged each time from what that seat knew then."""

    number: int
    seat: str
    turn: int
    action: Any
    before: float
    after: float
    better: Any = None
    """What the computer would have played instead; None where it was not asked, or would have done the same."""

    @property
    def change(self) -> float:
        """By how much the seat stands better afterwards."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class LookedBack:
    """The course of a game, and the turning points in it, the greatest first: decisions of different turns in which the
    computer would have done something else, and others only if it finds too few."""

    course: tuple[Judged, ...]
    turning_points: tuple[Judged, ...]


def look_back(title: Title, played: Iterable[tuple[Any, str, Any, Any]], level: Level, seed: bytes) -> LookedBack:
    """Judge a finished game: each decision as the state before it, its seat, the action, the state after it.

    What has changed between two decisions of others is theirs; so a change is that of the decision alone. The end of a
    game that was lost before does not count as a turning point.
    """
    decisions = list(played)
    course = [
        Judged(
            number,
            seat,
            _turn(title, before),
            action,
            _judged(title, before, seat, level, Stream(seed, number, "before")),
            _judged(title, after, seat, level, Stream(seed, number, "after")),
        )
        for number, (before, seat, action, after) in enumerate(decisions)
    ]
    turned = [
        one
        for one, (*_, after) in zip(course, decisions, strict=True)
        if title.outcome(after) is None or (one.before < EVEN) != (one.after < EVEN)
    ]
    greatest = sorted(turned, key=_by_change)[:LOOKED_AT]
    avoidable, others = list[Judged](), list[Judged]()
    for one in greatest:
        if len(avoidable) < TURNING_POINTS and one.turn not in [known.turn for known in avoidable]:
            asked = _with_better(title, one, decisions[one.number][0], level, seed)
            (others if asked.better is None else avoidable).append(asked)
    return LookedBack(tuple(course), tuple(sorted((avoidable + others)[:TURNING_POINTS], key=_by_change)))


def _by_change(one: Judged) -> tuple[float, int]:
    return -abs(one.change), one.number


def _turn(title: Title, state: Any) -> int:
    due = title.decision(state)
    return due.turn if due is not None else 0


def _judged(title: Title, state: Any, seat: str, level: Level, chance: Stream) -> float:
    """Return the mean standing over some worlds that the seat takes for possible."""
    if title.outcome(state) is not None:
        return standing(title, level.mind, state, seat)
    world = see(level.mind, state, seat).world
    total = 0.0
    for _ in range(WORLDS):
        total += standing(title, level.mind, level.mind.drawn(world, seat, chance), seat)
    return total / WORLDS


def _with_better(title: Title, one: Judged, state: Any, level: Level, seed: bytes) -> Judged:
    action = think(title, see(level.mind, state, one.seat), level, seed).action
    better = None if action == one.action else action
    return replace(one, better=better)
