"""An event as FIDE's report file has it (`trf`): its players by number, its results, and what its results are worth."""

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
    """What results bring, as line 162 of TRF26 has it."""

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
        """The points of a result, by its letter or sign."""
        if code in "1W+F":
            return self.win
        if code in "=DH":
            return self.draw
        return self.loss if code in "0L" else self.bye if code == "U" else self.absent

    @property
    def can_be_written(self) -> bool:
        """Whether a file can say it: three different results, in tenths of a point."""
        values = (self.win, self.draw, self.loss, self.bye, self.absent)
        return self.win > self.draw > self.loss and all((10 * one).denominator == 1 and one < 100 for one in values)


USUAL = Scoring()


@dataclass(frozen=True, slots=True, order=True)
class ProhibitedPairs:
    """Entrants of whom no two meet from one round to another."""

    first: int
    last: int
    numbers: tuple[int, ...]

    def pairs(self, round: int) -> set[frozenset[int]]:
        """Who must not meet in a round."""
        return set(map(frozenset, combinations(self.numbers, 2))) if self.first <= round <= self.last else set()


@dataclass(frozen=True, slots=True, order=True)
class OpenPair:
    """A game whose result the file does not know yet."""

    round: int
    seats: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CompetitionFile:
    """An event as such a file has it: entrants are known by their pairing numbers."""

    name: str
    rounds: int
    """As many as are to be played; 0 where the file does not say."""
    entrants: tuple[Competitor, ...]
    """In the order of numbers; rounds in which somebody was not to be paired are `away`, or `byes`."""
    results: tuple[Result, ...]
    first_side: int = 0
    """The side that the lot gave to number 1."""
    apart: tuple[ProhibitedPairs, ...] = ()
    kind: str = SWISS
    """The type of tournament in words (line 092)."""
    scoring: Scoring = USUAL
    running: tuple[OpenPair, ...] = ()
    full: tuple[tuple[int, int], ...] = ()
    """Full-point byes in rounds to come: the round, and who has it; they are `byes` of an entrant, too."""
    against: tuple[Unreadable, ...] = field(default=(), compare=False)
    """What the file says and nothing here applies: its rounds can neither be checked nor gone on with."""
    differing: Text | None = field(default=None, compare=False)
    """Whose points in the file are not those of their games."""

    @property
    def lost(self) -> Text | None:
        """The first thing that an event made of the file could not keep."""
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
        """The last round with a result."""
        return max((result.round for result in self.results), default=0)


def whole_number(said: str, line: int) -> int:
    """A number of up to four digits in a line; Unreadable."""
    said = said.strip()
    if not re.fullmatch("[0-9]{1,4}", said):
        raise bad_line(line)
    return int(said)


def bad_line(line: int) -> Unreadable:
    """What is said of a line that is wrong."""
    return Unreadable("trf.line", Text("Line {n} is not as TRF16 has it.", n=line))
