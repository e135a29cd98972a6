"""The vocabulary of pairing and standings: entrants, results, pairings, byes, and reasons.

The words are FIDE's (Handbook C.04): an entrant is *paired* in a *round*, floats down or up when the scores differ, has
a *side* (FIDE's colour) and, if the number is odd, a *bye*. An entrant is a `Competitor` here, a player or a team,
identified by number; sides are seats of a game, counted from 0, so that a game of two is `(first side, second side)`
and a table of five has seats 0 to 4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from .why import Reason

Points = Fraction
"""Exact, so that three thirds are one point."""
NOTHING = Points(0)


class Ending(StrEnum):
    """How a match got its points; empty while it is open."""

    OPEN = ""
    PLAYED = "played"
    WALKOVER = "walkover"
    DOUBLE_FORFEIT = "double_forfeit"
    PAIRING_BYE = "pairing_bye"
    FULL_BYE = "full_bye"
    HALF_BYE = "half_bye"
    ZERO_BYE = "zero_bye"
    VOID = "void"


PLAYED = Ending.PLAYED
WALKOVER = Ending.WALKOVER
DOUBLE_FORFEIT = Ending.DOUBLE_FORFEIT
PAIRING_BYE = Ending.PAIRING_BYE
FULL_BYE = Ending.FULL_BYE
HALF_BYE = Ending.HALF_BYE
ZERO_BYE = Ending.ZERO_BYE
VOID = Ending.VOID
ENDINGS = (PLAYED, WALKOVER, DOUBLE_FORFEIT, PAIRING_BYE, FULL_BYE, HALF_BYE, ZERO_BYE, VOID)
"""How a game got its points: played to a result (also by resignation); won because the other side did not play; lost by
both; the pairing-allocated bye; requested byes; a missed round; annulled, which counts for nobody.
"""
BYES = (PAIRING_BYE, FULL_BYE, HALF_BYE, ZERO_BYE)


@dataclass(frozen=True, slots=True)
class Competitor:
    """An entrant as pairing and standings know one: a player or a team of an event.

    `seed` is the pairing number, 1 for the strongest; it is unique in the event. Rounds count from 1.
    """

    id: int
    name: str
    seed: int
    joined: int = 1
    """The first round to be paired for: later than 1 for a late entry."""
    withdrawn_after: int | None = None
    """The last round that counts; 0 for an entrant who never started."""
    away: frozenset[int] = frozenset()
    """Rounds without a game and without points (FIDE's zero-point bye)."""
    byes: frozenset[int] = frozenset()
    """Rounds for which a bye was requested and granted."""
    substitute: int | None = None
    """The substitute who took the place over: earlier results stand, and open games are the substitute's."""

    def is_in(self, round: int) -> bool:
        """Whether the entrant belongs to the event in this round, with or without a game."""
        return self.joined <= round and (self.withdrawn_after is None or round <= self.withdrawn_after)

    def is_paired_in(self, round: int) -> bool:
        """Whether the entrant is to be given an opponent in this round."""
        return self.is_in(round) and round not in self.away and round not in self.byes


@dataclass(frozen=True, slots=True)
class Part:
    """A share of the points of a seat that changed hands during the game."""

    seat: int
    """From 0."""
    entrant: int
    part: Points
    """1 is all of them. The shares of a seat add up to 1, or to more if the event gives all to each."""


class Gain(NamedTuple):
    """An entrant's points from a game."""

    seat: int
    entrant: int
    points: Points
    is_divided: bool = False
    """The seat changed hands, and these are a share of its points."""


@dataclass(frozen=True, slots=True)
class Result:
    """A finished game, or a round without one: who sat where, and the points of each in the same order.

    For a bye there is one seat. `scores` are the victory points of the game if it has any, `timeouts` those who lost on
    time. The player of a seat is its final holder; if it changed hands and its points are divided, `parts` name
    everybody with a share, and the holder even with none.
    """

    round: int
    seats: tuple[int, ...]
    points: tuple[Points, ...]
    ended: str = PLAYED
    scores: tuple[int, ...] = ()
    timeouts: frozenset[int] = frozenset()
    parts: tuple[Part, ...] = ()
    is_ruled: bool = False
    """Set by a ruling; it counts like any other."""

    def __post_init__(self) -> None:
        if len(self.seats) != len(self.points) or len(set(self.seats)) != len(self.seats):
            raise ValueError("each seat has one entrant and one number of points")
        if self.ended not in ENDINGS:
            raise ValueError(f"{self.ended!r} is not an ending")
        if (self.ended in BYES) != (len(self.seats) == 1):
            raise ValueError("a bye has one seat, a game more")
        for seat in {part.seat for part in self.parts}:
            held = [part.entrant for part in self.parts if part.seat == seat]
            if self.seats[seat] not in held or len(set(held)) != len(held):
                raise ValueError("a divided seat has one part for each entrant with a share, and one for its holder")

    def gains(self) -> list[Gain]:
        """Return everybody's points from the game: a seat belongs to its entrant, a divided one to several."""
        divided = {part.seat for part in self.parts}
        whole = [
            Gain(seat, who, points)
            for seat, (who, points) in enumerate(zip(self.seats, self.points, strict=True))
            if seat not in divided
        ]
        shared = [Gain(one.seat, one.entrant, self.points[one.seat] * one.part, True) for one in self.parts]
        return sorted([*whole, *shared], key=lambda gain: gain.seat)

    @property
    def was_played(self) -> bool:
        """Whether the game was played; only such games count for sides and for meetings (C.04.2, games not
        played).
        """
        return self.ended == PLAYED


@dataclass(frozen=True, slots=True)
class RejectedOpponent:
    """An opponent that was considered first, and the reason against."""

    opponent: int
    why: Reason


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game to be played: entrants in the order of seats, and why."""

    seats: tuple[int, ...]
    table: int
    """Numbered from 1 within the round; the highest scores sit at the first tables."""
    why: tuple[Reason, ...] = ()
    rejected: tuple[RejectedOpponent, ...] = ()
    leg: int = 1
    """Which game it is of a match of several."""


@dataclass(frozen=True, slots=True)
class Bye:
    """A round without a game for an entrant of the event."""

    entrant: int
    kind: str
    """One of `BYES`."""
    why: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """A paired round: every entrant of the event is in one pairing or has one bye."""

    number: int
    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...] = ()
    warnings: tuple[Reason, ...] = ()
    """What the organiser should see before publishing: unavoidable repeats, players who block each other, repeated
    byes, unbalanced sides.
    """
    totals: Mapping[str, int] = field(default_factory=dict)
    """The sum of each criterion over the round, most important first; less is better."""

    def everybody(self) -> list[int]:
        """Return all entrants of the round, each once if the round is valid."""
        return [who for pairing in self.pairings for who in pairing.seats] + [bye.entrant for bye in self.byes]


def requested_byes(entrants: Sequence[Competitor], round: int) -> list[Bye]:
    """Return the byes of those who are in the event but not to be paired in this round."""
    found = []
    for entrant in entrants:
        if not entrant.is_in(round) or entrant.is_paired_in(round):
            continue
        if round in entrant.byes:
            found.append(Bye(entrant.id, HALF_BYE, (Reason("bye.requested", entrant=entrant.id),)))
        else:
            found.append(Bye(entrant.id, ZERO_BYE, (Reason("bye.away", entrant=entrant.id),)))
    return found


_PARTS = {
    Points(1, 2): "½",
    Points(1, 4): "¼",
    Points(3, 4): "¾",
    Points(1, 3): "⅓",
    Points(2, 3): "⅔",
    Points(1, 6): "⅙",
    Points(5, 6): "⅚",
    Points(1, 8): "⅛",
    Points(3, 8): "⅜",
    Points(5, 8): "⅝",
    Points(7, 8): "⅞",
}


def said_points(points: Points) -> str:
    """Return points as people write them: 2, ½, 2½; a fraction without a sign of its own as 4 1/7."""
    whole, part = divmod(points, 1)
    if not part:
        return str(whole)
    if part in _PARTS:
        return f"{whole or ''}{_PARTS[part]}"
    return f"{whole}\N{NO-BREAK SPACE}{part}" if whole else str(part)


def plain_points(given: str) -> str:
    """Return typed points as numbers and fractions are written: ½ and 2½ are understood, and a decimal comma."""
    text = given.strip().replace(",", ".")
    before = text[:-1].strip()
    part = next((part for part, sign in _PARTS.items() if sign == text[-1:]), None)
    if part is None or not re.fullmatch(r"[0-9]{0,9}", before):
        return text
    return str(part + int(before or 0))
