"""Events for the tests: rounds written as pairs, results by a rule, whole tournaments played."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction

from app.leagues.pure.model import DOUBLE_FORFEIT, PAIRING_BYE, PLAYED, VOID, WALKOVER, Competitor, Result, Round
from app.leagues.pure.pairing import berger, swiss, table_rounds

WIN, DRAW, LOSS = Fraction(1), Fraction(1, 2), Fraction(0)
Decide = Callable[[int, int, int], Fraction]
"""Round, first side, second side: the points of the first side."""


def field_of(count: int) -> list[Competitor]:
    """Return entrants 1 to count; the number is also the seed."""
    return [Competitor(number, f"P{number}", number) for number in range(1, count + 1)]


def stronger_wins(round: int, first: int, second: int) -> Fraction:
    return WIN if first < second else LOSS


def played(
    round: int, pairs: Iterable[tuple[int, int]], bye: int | None = None, *, by: Decide = stronger_wins
) -> list[Result]:
    """Return the results of a round."""
    found = []
    for first, second in pairs:
        points = by(round, first, second)
        found.append(Result(round, (first, second), (points, 1 - points)))
    if bye is not None:
        found.append(Result(round, (bye,), (WIN,), PAIRING_BYE))
    return found


def finished(paired: Round, by: Decide = stronger_wins) -> list[Result]:
    """Return the results of a paired round, with a point for the bye and nothing for other rounds without a game."""
    found = played(paired.number, [(pairing.seats[0], pairing.seats[1]) for pairing in paired.pairings], by=by)
    for bye in paired.byes:
        points = {"pairing_bye": WIN, "full_bye": WIN, "half_bye": DRAW}.get(bye.kind, LOSS)
        found.append(Result(paired.number, (bye.entrant,), (points,), bye.kind))
    return found


def some_event(seed: int) -> tuple[list[Competitor], list[Result], str]:
    """Return an event of some format under way, with withdrawals, absences, walkovers, scores and games still open."""
    chance = random.Random(seed)
    format = chance.choice(["round_robin", "swiss", "tables"])
    entrants = [
        replace(
            one,
            withdrawn_after=chance.choice([0, 1, 2, 3]) if chance.random() < 0.15 else None,
            away=frozenset(number for number in (1, 2, 3) if chance.random() < 0.05),
            byes=frozenset(number for number in (1, 2, 3) if chance.random() < 0.05),
        )
        for one in field_of(chance.randint(3, 11))
    ]
    results: list[Result] = []
    if format == "round_robin":
        for paired in berger.schedule(field_of(len(entrants)), double=chance.random() < 0.5):
            results += some_results(chance, paired)
    else:
        for number in (1, 2, 3):
            pair = swiss.pair_round if format == "swiss" else table_rounds.pair_round
            results += some_results(chance, pair(entrants, results, number))
    return entrants, results, format


def some_results(chance: random.Random, paired: Round) -> list[Result]:
    found = []
    for pairing in paired.pairings:
        size = len(pairing.seats)
        if chance.random() < 0.1:
            continue  # still open
        ended = chance.choices([PLAYED, WALKOVER, DOUBLE_FORFEIT, VOID], [16, 2, 1, 1])[0]
        scores = tuple(chance.randint(0, 40) for _ in range(size)) if ended == PLAYED else ()
        if size == 2:
            points: tuple[Fraction, ...] = {
                PLAYED: chance.choice([(WIN, LOSS), (LOSS, WIN), (DRAW, DRAW)]),
                WALKOVER: (LOSS, WIN),
            }.get(ended, (LOSS, LOSS))
        else:
            ended = PLAYED
            scores = tuple(chance.randint(0, 9) for _ in range(size))
            points = tuple(Fraction(sum(one > other for other in scores), size - 1) for one in scores)
        late = frozenset([pairing.seats[0]]) if points[0] == LOSS and chance.random() < 0.3 else frozenset()
        found.append(Result(paired.number, pairing.seats, points, ended, scores, late))
    return found + [result for result in finished(Round(paired.number, (), paired.byes))]
