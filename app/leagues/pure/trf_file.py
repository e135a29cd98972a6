"""The contents of FIDE's report file (`trf`): its players by number, its results, and the points of each result."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import combinations

from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text

from .model import FULL_BYE, HALF_BYE, NOTHING, PAIRING_BYE, ZERO_BYE, Competitor, Points, Result

WHOLE, HALF = Points(1), Points(1, 2)
BYES = {"U": PAIRING_BYE, "F": FULL_BYE, "H": HALF_BYE, "Z": ZERO_BYE}
SIDES = "wb"
FIRST_ROUND, ROUND_WIDTH = 91, 10
SWISS = "Individual: Swiss-System"


@dataclass(frozen=True, slots=True)
class Scoring:
    """The points of each result, as line 162 of TRF26 has them."""

    win: Points = WHOLE
    """Also without playing, and a full-point bye."""
    draw: Points = HALF
    """Also a half-point bye."""
    loss: Points = NOTHING
    bye: Points = WHOLE
    """Of the pairing-allocated bye."""
    absent: Points = NOTHING
    """A loss without playing, and a zero-point bye."""

    def of(self, code: str) -> Points:
        """Return the points of a result, by its letter or sign."""
        if code in "1W+F":
            return self.win
        if code in "=DH":
            return self.draw
        return self.loss if code in "0L" else self.bye if code == "U" else self.absent

    @property
    def can_be_written(self) -> bool:
        """Whether a file can express it: three different results, in tenths of a point."""
        values = (self.win, self.draw, self.loss, self.bye, self.absent)
        return self.win > self.draw > self.loss and all((10 * one).denominator == 1 and one < 100 for one in values)


USUAL = Scoring()


@dataclass(frozen=True, slots=True, order=True)
class ProhibitedPairs:
    """Entrants of whom no two may meet from one round to another."""

    first: int
    last: int
    numbers: tuple[int, ...]

    def pairs(self, round: int) -> set[frozenset[int]]:
        """Return the pairs that must not meet in a round."""
        return set(map(frozenset, combinations(self.numbers, 2))) if self.first <= round <= self.last else set()


@dataclass(frozen=True, slots=True, order=True)
class OpenPair:
    """A game whose result the file does not know yet."""

    round: int
    seats: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CompetitionFile:
    """An event in such a file: entrants are identified by their pairing numbers."""

    name: str
    rounds: int
    """The number of rounds to be played; 0 if the file does not say."""
    entrants: tuple[Competitor, ...]
    """In the order of numbers; rounds in which an entrant was not to be paired are `away`, or `byes`."""
    results: tuple[Result, ...]
    first_side: int = 0
    """The side that the lot gave to number 1."""
    apart: tuple[ProhibitedPairs, ...] = ()
    kind: str = SWISS
    """The type of tournament in words (line 092)."""
    scoring: Scoring = USUAL
    running: tuple[OpenPair, ...] = ()
    full: tuple[tuple[int, int], ...] = ()
    """Full-point byes in future rounds: the round, and the entrant; they are `byes` of an entrant, too."""
    against: tuple[Unreadable, ...] = field(default=(), compare=False)
    """Lines of the file that are not applied here: its rounds can neither be checked nor continued."""
    differing: Text | None = field(default=None, compare=False)
    """The players whose points in the file do not follow from their games."""

    @property
    def lost(self) -> Text | None:
        """Return the first thing that an event made from the file could not keep."""
        if self.running:
            game = self.running[0]
            one, other = game.seats
            return Text(
                "In round {n} the game of {one} and {other} is still running.", n=game.round, one=one, other=other
            )
        if self.full:
            round, who = self.full[0]
            return Text("Player {who} has a full-point bye in round {n}, which is still to come.", n=round, who=who)
        return None

    @property
    def played(self) -> int:
        """Return the last round with a result."""
        return max((result.round for result in self.results), default=0)


def whole_number(said: str, line: int) -> int:
    """Return a number of up to four digits in a line. Raises Unreadable."""
    said = said.strip()
    if not re.fullmatch("[0-9]{1,4}", said):
        raise bad_line(line)
    return int(said)


def bad_line(line: int) -> Unreadable:
    """Return the refusal of a bad line."""
    return Unreadable("trf.line", Text("Line {n} is not as TRF16 has it.", n=line))
