"""Counts the games everybody has played, won, drawn and lost, and results that already count for future rounds.

A game counts for the final holder of the seat. Byes and games won or lost without playing are counted separately, so
that two points of three games and two of two look different.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .formats import Format
from .model import PLAYED, Competitor, Result
from .standings import settled
from .terms import Terms


@dataclass(slots=True)
class Tally:
    """One entrant's games."""

    played: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    given: int = 0
    """Byes and unplayed games that brought points."""


def tallies(
    entrants: Sequence[Competitor], results: Sequence[Result], terms: Terms, *, format: str = Format.ROUND_ROBIN
) -> dict[int, Tally]:
    """Count everybody's games.

    Won: alone with the most points of the game; drawn: with others who have as many, if that is more than a loss
    brings.
    """
    counted, void = settled(entrants, results, terms, format=format)
    found = {entrant.id: Tally() for entrant in entrants}
    for result in counted:
        best = max(result.points)
        for who, points in zip(result.seats, result.points, strict=True):
            mine = found.get(who)
            if mine is None or who in void:
                continue
            if result.ended != PLAYED:
                mine.given += points > 0
                continue
            mine.played += 1
            if points < best or points <= terms.worth.loss:
                mine.lost += 1
            elif result.points.count(best) == 1:
                mine.won += 1
            else:
                mine.drawn += 1
    return found


def ahead(
    entrants: Sequence[Competitor], results: Sequence[Result], terms: Terms, *, format: str = Format.ROUND_ROBIN
) -> tuple[Result, ...]:
    """Return the games of a round robin that already count, though they are in no round: those that a leaver lost
    without playing.

    With these the results add up to the points.
    """
    counted, _ = settled(entrants, results, terms, format=format)
    there = {id(result) for result in results}
    return tuple(result for result in counted if id(result) not in there)
