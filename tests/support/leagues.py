"""Events for the tests: rounds written as pairs, results by a rule, whole tournaments played."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from app.leagues.model import PAIRING_BYE, Entrant, Result, Round

WIN, DRAW, LOSS = Fraction(1), Fraction(1, 2), Fraction(0)
Decide = Callable[[int, int, int], Fraction]
"""Round, first side, second side: the points of the first side."""


def field_of(count: int) -> list[Entrant]:
    """Entrants 1 to count; the number is also the seed."""
    return [Entrant(number, f"P{number}", number) for number in range(1, count + 1)]


def stronger_wins(round: int, first: int, second: int) -> Fraction:
    return WIN if first < second else LOSS


def played(
    round: int, pairs: Iterable[tuple[int, int]], bye: int | None = None, *, by: Decide = stronger_wins
) -> list[Result]:
    """The results of a round."""
    found = []
    for first, second in pairs:
        points = by(round, first, second)
        found.append(Result(round, (first, second), (points, 1 - points)))
    if bye is not None:
        found.append(Result(round, (bye,), (WIN,), PAIRING_BYE))
    return found


def finished(paired: Round, by: Decide = stronger_wins) -> list[Result]:
    """The results of a paired round, with a point for the bye and nothing for other rounds without a game."""
    found = played(paired.number, [(pairing.seats[0], pairing.seats[1]) for pairing in paired.pairings], by=by)
    for bye in paired.byes:
        points = {"pairing_bye": WIN, "full_bye": WIN, "half_bye": DRAW}.get(bye.kind, LOSS)
        found.append(Result(paired.number, (bye.entrant,), (points,), bye.kind))
    return found
