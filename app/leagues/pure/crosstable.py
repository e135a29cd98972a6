"""What follows from the results that count: everybody against everybody, and who has won how many games. Plain
data for pages and files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .model import PLAYED, WALKOVER, Competitor, Points, Result
from .standings import Place, Settled
from .terms import Terms


@dataclass(frozen=True, slots=True)
class Cell:
    """A game or a bye from one entrant's point of view."""

    round: int
    opponents: tuple[int, ...]
    """The opponents: empty for a bye; at a table everybody else, in the order of seats."""
    seat: int
    """From 0; the side in a game of two."""
    points: Points
    """The entrant's points from it."""
    ended: str
    """One of `model.ENDINGS`."""
    is_divided: bool = False
    """The seat changed hands during the game, and others have a share of its points."""
    is_ruled: bool = False
    """Set by a ruling."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the crosstable, in the order of places."""

    place: Place
    by_opponent: Mapping[int, Sequence[Cell]]
    """The games against each opponent, in the order of rounds; opponents without a game are missing."""
    by_round: Mapping[int, Sequence[Cell]]
    """The games and byes of each round."""


@dataclass(frozen=True, slots=True)
class DividedSeat:
    """A seat that changed hands during a game, with the shares of its points."""

    round: int
    points: Points
    """The points of the seat."""
    gains: tuple[tuple[int, Points], ...]
    """Entrants with their shares, in the order in which they held the seat."""


@dataclass(slots=True)
class Tally:
    """One entrant's games."""

    played: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    given: int = 0
    """Byes and unplayed games that brought points."""
    walked_over: int = 0
    """Unplayed games that were won."""


def crosstable(places: Sequence[Place], counted: Settled) -> tuple[Row, ...]:
    """Return the crosstable of the games that count, in the order of the standings.

    Void games are left out; games lost by a withdrawal are included.
    """
    cells: dict[int, list[Cell]] = {place.entrant: [] for place in places}
    for result in counted.results:
        for gain in result.gains():
            who, holder = gain.entrant, result.seats[gain.seat]
            if who in cells and who not in counted.void:
                opponents = tuple(other for other in result.seats if other != holder)
                cells[who].append(
                    Cell(
                        result.round, opponents, gain.seat, gain.points, result.ended, gain.is_divided, result.is_ruled
                    )
                )
    rows = []
    for place in places:
        against: dict[int, list[Cell]] = {}
        rounds: dict[int, list[Cell]] = {}
        for cell in cells[place.entrant]:
            rounds.setdefault(cell.round, []).append(cell)
            for other in cell.opponents:
                against.setdefault(other, []).append(cell)
        rows.append(Row(place, against, rounds))
    return tuple(rows)


def divided(counted: Settled) -> tuple[DividedSeat, ...]:
    """Return the seats that changed hands in the games that count, in the order of rounds."""
    return tuple(
        DividedSeat(
            result.round,
            result.points[seat],
            tuple((gain.entrant, gain.points) for gain in result.gains() if gain.seat == seat),
        )
        for result in counted.results
        for seat in sorted({part.seat for part in result.parts})
    )


def tallies(entrants: Sequence[Competitor], counted: Settled, terms: Terms) -> dict[int, Tally]:
    """Count everybody's games. A game counts for the final holder of the seat.

    Won: alone with the most points of the game; drawn: with others who have as many, if that is more than a loss
    brings.
    """
    found = {entrant.id: Tally() for entrant in entrants}
    for result in counted.results:
        best = max(result.points)
        for who, points in zip(result.seats, result.points, strict=True):
            mine = found.get(who)
            if mine is None or who in counted.void:
                continue
            if result.ended != PLAYED:
                mine.given += points > 0
                mine.walked_over += result.ended == WALKOVER and points > terms.worth.loss
                continue
            mine.played += 1
            if points < best or points <= terms.worth.loss:
                mine.lost += 1
            elif result.points.count(best) == 1:
                mine.won += 1
            else:
                mine.drawn += 1
    return found


def ahead(results: Sequence[Result], counted: Settled) -> tuple[Result, ...]:
    """Return the games of a round robin that already count, though they are in no round: those that a leaver lost
    without playing.

    With these the results add up to the points.
    """
    there = {id(result) for result in results}
    return tuple(result for result in counted.results if id(result) not in there)
