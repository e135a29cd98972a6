"""The search: sequential halving over the best actions, each played out in the same drawn worlds with the same chance.

Karnin, Koren, Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013, section 3. Playouts go on by the
title's own ranking and are cut off by its judgement: random ones to the end say little in games of this length.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.kernel.search.minds import Level, Mind, Ranked
from engine.kernel.search.sights import Sight
from engine.kernel.search.streams import Stream
from engine.kernel.title import Title

MOST_STEPS = 200
"""Decisions after which a playout ends even if no turn does."""
LOST_WORLDS, LOST_TURNS, LOST_BELOW = 12, 12, 0.1
"""A game is lost if in every one of so many worlds, played on for so many turns, the seat stands worse than this."""


@dataclass(frozen=True, slots=True)
class Tried:
    """An action that was considered: its rank in points, and the mean standing (0 to 1) at the end of its playouts."""

    action: Any
    points: float
    expected: float
    playouts: int


@dataclass(frozen=True, slots=True)
class Thought:
    """What a search found: the action, and all that were played out, the best first."""

    action: Any
    tried: tuple[Tried, ...]

    @property
    def playouts(self) -> int:
        """How many playouts it took."""
        return sum([one.playouts for one in self.tried])


def standing(title: Title, mind: Mind, state: Any, seat: str) -> float:
    """Return how the seat stands, from 0 (lost) to 1 (won); a shared win is its share."""
    outcome = title.outcome(state)
    if outcome is not None:
        return 1 / len(outcome.winners) if seat in outcome.winners else 0.0
    worth = mind.worth(state)
    ahead = worth[seat] - max([points for other, points in worth.items() if other != seat])
    return 0.5 + 0.5 * ahead / (mind.swing + abs(ahead))


def play_out(title: Title, level: Level, state: Any, chance: Stream) -> Any:
    """Return the state after as many turns as the level looks ahead, all seats playing by its ranking."""
    due = title.decision(state)
    if due is None:
        return state
    last, mind, doubt = due.turn + level.turns, level.mind, level.doubt
    for _ in range(MOST_STEPS):
        ranked = mind.ranked(state, due.seat)
        state = title.unfold(state, due.seat, _pick(ranked, doubt, chance), chance)[-1][1]
        due = title.decision(state)
        if due is None or due.turn >= last:
            break
    return state


def _pick(ranked: Any, noise: float, chance: Stream) -> Any:
    """Return the best action when each judgement is off by some noise."""
    if not noise or len(ranked) == 1:
        return ranked[0].action
    best, found = None, None
    reach = ranked[0].points - 3 * noise  # what is further behind cannot come out first
    for points, action in ranked:
        if points < reach:
            break
        points += chance.error(noise)
        if best is None or points > best:
            best, found = points, action
    return found


def think(title: Title, sight: Sight, level: Level, seed: bytes, playouts: int | None = None) -> Thought:
    """Return what the seat does now, which must be its decision; `playouts` instead of the level's own number.

    The same sight, level, seed and number give the same thought on every machine.
    """
    seat, mind = sight.seat, level.mind
    budget = level.playouts if playouts is None else playouts
    ranked = mind.ranked(mind.drawn(sight.world, seat, Stream(seed, "first")), seat)
    if not budget or level.width < 2 or len(ranked) < 2:
        action = _pick(ranked, level.noise, Stream(seed, "noise"))
        return Thought(action, tuple(Tried(one.action, one.points, 0.0, 0) for one in ranked if one.action == action))
    return _halve(title, sight, level, seed, list(ranked[: level.width]), budget)


@dataclass(slots=True)
class _Arm:
    ranked: Ranked
    total: float = 0.0
    count: int = 0

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0


def _halve(title: Title, sight: Sight, level: Level, seed: bytes, candidates: list[Ranked], budget: int) -> Thought:
    """Play the candidates out in rounds; the worse half of them is left out after each."""
    arms = [_Arm(one) for one in candidates]
    left, number = arms, 0
    rounds = (len(arms) - 1).bit_length()
    for _ in range(rounds):
        for _ in range(max(1, budget // (rounds * len(left)))):
            _try_all(title, sight, level, left, (seed, number))
            number += 1
        left = sorted(left, key=lambda arm: -arm.mean)[: (len(left) + 1) // 2]
    order = sorted(arms, key=lambda arm: (arm is not left[0], -arm.count, -arm.mean))
    tried = tuple(Tried(arm.ranked.action, arm.ranked.points, arm.mean, arm.count) for arm in order)
    return Thought(left[0].ranked.action, tried)


def _try_all(title: Title, sight: Sight, level: Level, arms: list[_Arm], drawn_by: tuple[bytes, int]) -> None:
    """Play each action out once, in the same world and with the same chance."""
    seed, number = drawn_by
    world = level.mind.drawn(sight.world, sight.seat, Stream(seed, "world", number))
    for arm in arms:
        chance = Stream(seed, "chance", number)
        after = title.unfold(world, sight.seat, arm.ranked.action, chance)[-1][1]
        arm.total += standing(title, level.mind, play_out(title, level, after, chance), sight.seat)
        arm.count += 1


def is_lost(title: Title, sight: Sight, level: Level, seed: bytes) -> bool:
    """Return whether the game is lost for the seat, so that the computer resigns: it stands badly now, and however the
    hidden things lie it does after some turns more."""
    seat, mind = sight.seat, level.mind
    ahead = replace(level, turns=LOST_TURNS)
    for number in range(LOST_WORLDS):
        chance = Stream(seed, "lost", number)
        world = mind.drawn(sight.world, seat, chance)
        if standing(title, mind, world, seat) > 2 * LOST_BELOW:
            return False
        if standing(title, mind, play_out(title, ahead, world, chance), seat) > LOST_BELOW:
            return False
    return True
