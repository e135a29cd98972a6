"""Estimates when a game and a round will be over, from the answer times so far. Times are seconds from now.

Unknowns are estimated from past data: the number of decisions left from the title's finished games that were longer
than this one is by now; the time of an answer from the player's own answers, mixed with everybody's as if those were
`PRIOR` answers of theirs, so that two quick replies prove nothing. The slowest fortieth of the answers, at least one,
count as no longer than the slowest of the others, so that one long absence does not delay a whole season.

The distribution of the time left combines both: the quantiles of the decisions left, and for each those of a sum of so
many answers (a gamma distribution of the same mean and variance, by Wilson and Hilferty's formula; the variance
includes the uncertainty of the mean). The results are the median, before which half of such games end, and the time
before which four in five end. With fewer than `LEAST_GAMES` games or `LEAST_ANSWERS` answers there is no forecast, only
the reason why. Planned leave and future outages are not considered.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean

from .why import Reason

PRIOR = 5
LEAST_ANSWERS = 10
LEAST_GAMES = 5
SLOWEST = 0.975
_STEPS = 15
_LEVELS = tuple((step + 0.5) / _STEPS for step in range(_STEPS))
_NORMAL = tuple(NormalDist().inv_cdf(level) for level in _LEVELS)


@dataclass(frozen=True, slots=True)
class Times:
    """Answer times of a player, or of everybody at a title."""

    count: int
    mean: float
    square: float
    """The mean of the squares."""
    ordered: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RunningGame:
    """A game that is not over."""

    made: int
    """Decisions so far, of all seats."""
    players: tuple[int, ...]
    """The seats that still play."""
    deciding: int | None = None
    """The seat that owes the decision now."""
    waited: float = 0.0
    """The time since then."""
    clock_left: float | None = None
    """How long they have left; None without a deadline."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """When it is over. Without `ends` nothing is known, and `why_not` says what is missing."""

    ends: tuple[float, ...] = ()
    """Equally probable times, in order."""
    why_not: Reason | None = None
    games: int = 0
    """The number of finished games it is based on."""
    answers: int = 0
    """The number of these players' answers it is based on, besides everybody's."""
    unknown: int = 0
    """For a round: the number of games without data, so that it ends no earlier than stated."""

    @property
    def median(self) -> float | None:
        return quantile(self.ends, 0.5) if self.ends else None

    @property
    def likely(self) -> float | None:
        """Return the time before which four in five end."""
        return quantile(self.ends, 0.8) if self.ends else None


def times(answers: Sequence[float]) -> Times:
    """Summarise a list of answer times; the slowest fortieth is reduced to the slowest of the others."""
    ordered = tuple(sorted(max(answer, 0.0) for answer in answers))
    if not ordered:
        return Times(0, 0.0, 0.0, ())
    most = _slowest(ordered)
    held = [min(answer, most) for answer in ordered]
    return Times(len(held), fmean(held), fmean(answer * answer for answer in held), ordered)


def _slowest(ordered: Sequence[float]) -> float:
    """Return the longest answer that counts in full."""
    return ordered[int(SLOWEST * (len(ordered) - 1))]


def quantile(ordered: Sequence[float], level: float) -> float:
    """Return a quantile of values in order, interpolating between neighbours. Raises ValueError if there are none."""
    if not ordered:
        raise ValueError("no values to take a quantile of")
    at = level * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def forecast_game(running: RunningGame, own: Mapping[int, Times], everybody: Times, lengths: Sequence[int]) -> Forecast:
    """Estimate when a game ends.

    `own` are the answer times of its players, `everybody` those of all at the title, `lengths` the numbers of decisions
    of its finished games, in any order.
    """
    left = sorted(length - running.made for length in lengths if length > running.made)
    if len(left) < LEAST_GAMES:
        return Forecast(why_not=Reason("forecast.few_games"))
    if everybody.count < LEAST_ANSWERS:
        return Forecast(why_not=Reason("forecast.few_answers"))
    mixed = [_mixed(own.get(who), everybody) for who in running.players] or [_mixed(None, everybody)]
    mean = fmean(one for one, _, _ in mixed)
    variance = max(fmean(square for _, square, _ in mixed) - mean * mean, 0.0)
    doubt = sum(max(square - one * one, 0.0) / count for one, square, count in mixed) / len(mixed) ** 2
    now = _rest_of_this(running, own, everybody)
    found = []
    for level in _LEVELS:
        others = max(quantile(left, level) - (running.deciding is not None), 0.0)
        found += [now + time for time in _sums(others, mean, others * variance + others * others * doubt)]
    answers = sum(own[who].count for who in running.players if who in own)
    return Forecast(tuple(sorted(found)), None, len(left), answers)


def forecast_round(games: Sequence[Forecast]) -> Forecast:
    """Estimate when the last of several games ends, assuming they are independent.

    Games without data are counted in `unknown`; a round without any has no forecast.
    """
    known = [game for game in games if game.ends]
    unknown = len(games) - len(known)
    if not known:
        return Forecast(why_not=games[0].why_not if games else None, unknown=unknown)
    levels = sorted({end for game in known for end in game.ends})
    ends: list[float] = []
    for end in levels:
        share = 1.0
        for game in known:
            share *= bisect_right(game.ends, end) / len(game.ends)
        while len(ends) < _STEPS * _STEPS and share >= (len(ends) + 0.5) / (_STEPS * _STEPS):
            ends.append(end)
    return Forecast(
        tuple(ends),
        None,
        min(game.games for game in known),
        sum(game.answers for game in known),
        unknown + sum(game.unknown for game in known),
    )


def _mixed(own: Times | None, everybody: Times) -> tuple[float, float, int]:
    """Return the mean and mean square of a player's answers, with everybody's as `PRIOR` of theirs, and how many that
    makes.
    """
    if own is None:
        return everybody.mean, everybody.square, PRIOR
    weight = own.count / (own.count + PRIOR)
    return (
        weight * own.mean + (1 - weight) * everybody.mean,
        weight * own.square + (1 - weight) * everybody.square,
        own.count + PRIOR,
    )


def _rest_of_this(running: RunningGame, own: Mapping[int, Times], everybody: Times) -> float:
    """Return how long the pending decision will still take.

    It is the mean remainder of the answers that took longer than this one already has; as long again if there are none;
    at most the time left on the clock.
    """
    if running.deciding is None:
        return 0.0
    waited = max(running.waited, 0.0)
    mine = own.get(running.deciding)
    for known in (mine, everybody):
        if known is None:
            continue
        longer = known.ordered[bisect_right(known.ordered, waited) :]
        if len(longer) >= PRIOR:
            most = max(_slowest(known.ordered), waited)
            rest = fmean(min(answer, most) for answer in longer) - waited
            break
    else:
        rest = waited
    return rest if running.clock_left is None else min(rest, max(running.clock_left, 0.0))


def _sums(count: float, mean: float, variance: float) -> list[float]:
    """Return quantiles of the sum of so many answers; `variance` is that of the sum."""
    total = count * mean
    if total <= 0 or variance <= 0:
        return [max(total, 0.0)] * _STEPS
    shape = total * total / variance
    return [max(total * max(1 - 1 / (9 * shape) + z / (3 * sqrt(shape)), 0.0) ** 3, 0.0) for z in _NORMAL]
