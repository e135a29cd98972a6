"""Ratings: Glicko-2 for games of two, with the value of the side, and OpenSkill for tables of three to five.

Both are computed from scratch from the games in a fixed order (by day, then by number), so the same games always give
the same numbers, whatever the time. Both are shown on one scale: a new player has 1500 with a deviation of 350, and one
whom a club's list knows that list's rating with `KNOWN_DEVIATION`.

Glicko-2 is M. E. Glickman, "Example of the Glicko-2 system" (Boston University, 2013; glicko.net/glicko/glicko2.pdf).
Games that end on the same day (UTC) are one *rating period*: they are rated as if played at once, from the ratings of
the evening before. By mail that is rarely more than a game or two, while the paper assumes periods of 10 to 15 games.
So one point is changed: a player's deviation grows with the days since their last rated day, by one volatility for
each `GROWTH_DAYS`, not for each period. A deviation of 60 is 96 after a year without a game.

The value of the side (Acres is asymmetric): the expected score of the first seat is that of a player with a rating
higher by an offset. The offset is a rating of its own that belongs to the title, begins as 0 with a deviation of
`SIDE_DEVIATION`, and is updated by the same formula by every game of the title: few games leave it near 0, many make
it what they show. Each day is rated with the offset of the evening before. A constant offset can be given instead.

OpenSkill is the Plackett-Luce model of the package `openskill`, with its usual constants, game after game; shared
places are ties. Seats have no offset there, since the turn order is balanced over a season.

A seat that a substitute took over is shared as the event says (`CountedGame.shares`): each holder gets that share of
the game's effect, in rating and in certainty, and the others have played against the holders' mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from math import exp, log, pi, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

NEW, NEW_DEVIATION, NEW_VOLATILITY = 1500.0, 350.0, 0.06
SCALE = 173.7178
"""Rating points in one of Glicko-2's own units."""
TAU = 0.5
"""How far a volatility can change in one period (the paper's example)."""
KNOWN_DEVIATION = 120.0
"""Of a player whose rating begins where their club's own list has it (`known`)."""
LEAST_KNOWN, MOST_KNOWN = 500.0, 2500.0
"""Ratings of such lists beyond these begin here."""
GROWTH_DAYS = 7.0
SIDE_DEVIATION = 100.0
FLOOR = 100.0
"""No rating falls below this."""
_PRECISION = 1e-6
_MU, _SIGMA = 25.0, 25.0 / 3
_POINTS = NEW_DEVIATION / _SIGMA
"""Rating points in one of OpenSkill's own units."""


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """A player's rating at a title."""

    rating: float = NEW
    deviation: float = NEW_DEVIATION
    volatility: float | None = NEW_VOLATILITY
    """None in OpenSkill."""
    games: int = 0
    day: int | None = None
    """The last rated day."""


@dataclass(frozen=True, slots=True)
class CountedGame:
    """A game that counts, with everybody's place. The caller leaves out games not played to a result."""

    game: int
    """Its number; orders games of one day."""
    day: int
    """The day it ended, counted from any day (`date.toordinal`)."""
    players: tuple[int, ...]
    """In the order of seats."""
    places: tuple[int, ...]
    """1 is the first; equal places are shared."""
    shares: tuple[tuple[tuple[int, float], ...], ...] = ()
    """For each seat its holders with their shares; empty if no seat was taken over.

    Shares of 0 are left out; those of a seat add up to 1 or, if both get all of it, are 1 each.
    """

    def holders(self) -> tuple[tuple[tuple[int, float], ...], ...]:
        """Return for each seat its players with their shares."""
        if not self.shares:
            return tuple(((who, 1.0),) for who in self.players)
        return tuple(tuple((who, part) for who, part in seat if part > 0) for seat in self.shares)


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of a game on a player's rating. The games of a day have one deviation, that of the evening."""

    player: int
    game: int
    day: int
    before: float
    after: float
    deviation: float
    volatility: float | None


@dataclass(frozen=True, slots=True)
class Side:
    """The value of a title's first seat in rating points; a constant has no deviation."""

    advantage: float = 0.0
    deviation: float = SIDE_DEVIATION


@dataclass(frozen=True, slots=True)
class Ratings:
    """Everybody's rating, and how it came about in the order of games."""

    players: Mapping[int, PlayerRating]
    history: tuple[Change, ...]
    side: Side = Side(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class GameAgainst:
    """A game from one player's point of view: the opponent before the period, the score (1, ½, 0), and the advantage of
    the player's own side in rating points (negative on the other side).
    """

    opponent: PlayerRating
    score: float
    advantage: float = 0.0
    weight: float = 1.0
    """The part of the game that counts for this player."""


def expected(one: PlayerRating, other: PlayerRating, advantage: float = 0.0) -> float:
    """Return the expected score of `one` against `other`, with the advantage of that player's side."""
    return _expected((one.rating + advantage - other.rating) / SCALE, _g(other.deviation / SCALE))


def period(
    player: PlayerRating, games: Sequence[GameAgainst], *, elapsed: float = 1.0, tau: float = TAU
) -> PlayerRating:
    """Return a player's rating after a rating period (steps 2 to 8 of the paper).

    `elapsed` says for how many periods the deviation has grown. Without games only the deviation grows (step 6).
    """
    phi, sigma = player.deviation / SCALE, player.volatility or NEW_VOLATILITY
    if not games:
        grown = sqrt(phi * phi + elapsed * sigma * sigma) * SCALE
        return replace(player, deviation=min(grown, NEW_DEVIATION))
    weights = [_g(game.opponent.deviation / SCALE) for game in games]
    hopes = [expected(player, game.opponent, game.advantage) for game in games]
    v = 1 / sum(game.weight * g * g * hope * (1 - hope) for g, hope, game in zip(weights, hopes, games, strict=True))
    gained = sum(game.weight * g * (game.score - hope) for g, hope, game in zip(weights, hopes, games, strict=True))
    sigma = _volatility(phi, sigma, v, v * gained, tau)
    phi = 1 / sqrt(1 / (phi * phi + elapsed * sigma * sigma) + 1 / v)
    rating = max(player.rating + phi * phi * gained * SCALE, FLOOR)
    return replace(player, rating=rating, deviation=min(phi * SCALE, NEW_DEVIATION), volatility=sigma)


def _g(phi: float) -> float:
    return 1 / sqrt(1 + 3 * phi * phi / (pi * pi))


def _expected(difference: float, g: float) -> float:
    hope = 1 / (1 + exp(-min(max(g * difference, -30.0), 30.0)))
    return min(max(hope, 1e-9), 1 - 1e-9)


def _volatility(phi: float, sigma: float, v: float, delta: float, tau: float) -> float:
    """Return the new volatility (step 5), by the Illinois variant of regula falsi."""
    start = log(sigma * sigma)

    def f(x: float) -> float:
        e = exp(x)
        spread = phi * phi + v + e
        return e * (delta * delta - spread) / (2 * spread * spread) - (x - start) / (tau * tau)

    low = start
    if delta * delta > phi * phi + v:
        high = log(delta * delta - phi * phi - v)
    else:
        k = 1
        while f(start - k * tau) < 0:
            k += 1
        high = start - k * tau
    at_low, at_high = f(low), f(high)
    while abs(high - low) > _PRECISION:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = f(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return exp(low / 2)


def _begun(known: Mapping[int, float], volatility: float | None) -> dict[int, PlayerRating]:
    """Return the players whose ratings begin with a number that is known of them."""
    return {
        who: PlayerRating(min(max(rating, LEAST_KNOWN), MOST_KNOWN), KNOWN_DEVIATION, volatility)
        for who, rating in known.items()
    }


NOBODY: Mapping[int, float] = {}


def rate_two(
    games: Iterable[CountedGame], *, known: Mapping[int, float] = NOBODY, advantage: float | None = None
) -> Ratings:
    """Return Glicko-2 ratings of all players from their games of two at one title, from the first game on.

    `known` are the ratings of players who have played and are known from elsewhere, before their first game.
    `advantage` is the value of the first seat in rating points; None learns it from the games.
    """
    side = Side() if advantage is None else Side(advantage, 0.0)
    players = _begun(known, NEW_VOLATILITY)
    history: list[Change] = []
    for day, today in _days(games):
        met: list[tuple[PlayerRating, PlayerRating, float]] = []
        mine: dict[int, list[tuple[CountedGame, GameAgainst]]] = {}
        for played in today:
            seats = [_together(seat, players, NEW_VOLATILITY) for seat in played.holders()]
            score = _score(played)
            for at, seat in enumerate(played.holders()):
                mine_is, own = (score, side.advantage) if at == 0 else (1 - score, -side.advantage)
                for who, part in seat:
                    mine.setdefault(who, []).append((played, GameAgainst(seats[1 - at], mine_is, own, part)))
            met.append((seats[0], seats[1], score))
        made: dict[int, PlayerRating] = {}
        changes: dict[tuple[int, int], Change] = {}
        for who, its in mine.items():
            before = players.get(who, PlayerRating())
            elapsed = 0.0 if before.day is None else (day - before.day) / GROWTH_DAYS
            after = period(before, [against for _, against in its], elapsed=elapsed)
            made[who] = replace(after, games=before.games + len(its), day=day)
            reached = before.rating
            for played, step in zip([played for played, _ in its], _steps(before, after, its), strict=True):
                changes[played.game, who] = Change(
                    who, played.game, day, reached, reached + step, after.deviation, after.volatility
                )
                reached += step
        history += [changes[played.game, who] for played in today for seat in played.holders() for who, _ in seat]
        players |= made
        side = _learnt(side, met)
    return Ratings(players, tuple(history), side)


def _together(
    seat: Sequence[tuple[int, float]], players: Mapping[int, PlayerRating], volatility: float | None
) -> PlayerRating:
    """Return the holders of a seat as one player."""
    rated = [(players.get(who, PlayerRating(volatility=volatility)), part) for who, part in seat]
    if len(rated) == 1:
        return rated[0][0]
    parts = sum(part for _, part in rated)
    rating = sum(one.rating * part for one, part in rated) / parts
    deviation = sqrt(sum(one.deviation**2 * part for one, part in rated) / parts)
    return PlayerRating(rating, deviation, volatility)


def _steps(before: PlayerRating, after: PlayerRating, its: Sequence[tuple[CountedGame, GameAgainst]]) -> list[float]:
    """Return the effect of each game of a day: in Glicko-2 a day's change is a sum over its games."""
    gains = []
    for _, game in its:
        hope = expected(before, game.opponent, game.advantage)
        gains.append(game.weight * _g(game.opponent.deviation / SCALE) * (game.score - hope))
    total, moved = sum(gains), after.rating - before.rating
    return [moved * gain / total if total else 0.0 for gain in gains]


def _learnt(side: Side, games: Sequence[tuple[PlayerRating, PlayerRating, float]]) -> Side:
    """Return the offset after a day's games (first seat, second seat, score of the first).

    By Glickman's update without volatility: each game is one against an opponent whose rating is the difference of the
    two, with both their deviations.
    """
    if not side.deviation:
        return side
    phi = side.deviation / SCALE
    known = gained = 0.0
    for one, two, score in games:
        g = _g(sqrt(one.deviation**2 + two.deviation**2) / SCALE)
        hope = _expected((one.rating + side.advantage - two.rating) / SCALE, g)
        known += g * g * hope * (1 - hope)
        gained += g * (score - hope)
    phi = 1 / sqrt(1 / (phi * phi) + known)
    return Side(side.advantage + phi * phi * gained * SCALE, phi * SCALE)


def _score(played: CountedGame) -> float:
    one, two = played.places
    return 0.5 if one == two else float(one < two)


def _days(games: Iterable[CountedGame]) -> Iterable[tuple[int, list[CountedGame]]]:
    ordered = sorted(games, key=lambda played: (played.day, played.game))
    return ((day, list(today)) for day, today in groupby(ordered, key=lambda played: played.day))


@cache
def _model() -> PlackettLuce:
    from openskill.models import PlackettLuce  # noqa: PLC0415  slow to load, and few pages need it

    return PlackettLuce(mu=_MU, sigma=_SIGMA, beta=_MU / 6, kappa=0.0001, tau=_MU / 300)


def rate_tables(games: Iterable[CountedGame], *, known: Mapping[int, float] = NOBODY) -> Ratings:
    """Return OpenSkill ratings of all players from their games at one title, from the first game on; places may be
    shared. `known` as in `rate_two`.
    """
    players = _begun(known, None)
    history: list[Change] = []
    for day, today in _days(games):
        for played in today:
            holders = played.holders()
            seats = [_together(seat, players, None) for seat in holders]
            rated = _rated(seats, played.places)
            made: dict[int, PlayerRating] = {}
            for at, seat in enumerate(holders):
                for who, part in seat:
                    old = players.get(who, PlayerRating(volatility=None))
                    new = rated[at]
                    if len(seat) > 1:
                        new = _rated([*seats[:at], old, *seats[at + 1 :]], played.places)[at]
                    rating = max(old.rating + part * (new.rating - old.rating), FLOOR)
                    deviation = sqrt(old.deviation**2 + part * (new.deviation**2 - old.deviation**2))
                    made[who] = PlayerRating(rating, deviation, None, old.games + 1, day)
                    history.append(Change(who, played.game, day, old.rating, rating, deviation, None))
            players |= made
    return Ratings(players, tuple(history))


def _rated(seats: Sequence[PlayerRating], places: Sequence[int]) -> list[PlayerRating]:
    """Return the ratings of the seats after one game."""
    model = _model()
    teams = [[model.rating(mu=_MU + (one.rating - NEW) / _POINTS, sigma=one.deviation / _POINTS)] for one in seats]
    return [
        PlayerRating(NEW + (new.mu - _MU) * _POINTS, new.sigma * _POINTS, None)
        for (new,) in model.rate(teams, ranks=list(places))
    ]
