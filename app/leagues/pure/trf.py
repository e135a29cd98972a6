"""FIDE's report file of a tournament (TRF16, Handbook C.04.A annex 2, with the XX lines of pairing programs).

Other programs check a round by it. It knows games of two worth 1, ½ or 0; a person has a line with everything about
them, and a round takes ten characters of it: opponent, side (w is the first), result.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text

from .model import (
    DOUBLE_FORFEIT,
    FULL_BYE,
    HALF_BYE,
    NOTHING,
    PAIRING_BYE,
    PLAYED,
    VOID,
    WALKOVER,
    ZERO_BYE,
    Entrant,
    Points,
    Result,
)
from .swiss import pair_round
from .swiss_weights import PAIRED_BY

WHOLE, HALF = Points(1), Points(1, 2)
BYES = {"U": (PAIRING_BYE, WHOLE), "F": (FULL_BYE, WHOLE), "H": (HALF_BYE, HALF), "Z": (ZERO_BYE, NOTHING)}
BYE_CODES: dict[str, str] = {kind: code for code, (kind, _) in BYES.items()}
GAMES = {"1": WHOLE, "=": HALF, "0": NOTHING, "W": WHOLE, "D": HALF, "L": NOTHING, "+": WHOLE, "-": NOTHING}
"""By result; W, D and L are games that are not rated, + and - games that were not played."""
UNPLAYED = "+-"
SIDES = "wb"
FIRST_ROUND, ROUND_WIDTH = 91, 10


@dataclass(frozen=True, slots=True)
class EventFile:
    """An event as such a file has it: entrants are known by their pairing numbers."""

    name: str
    rounds: int
    """As many as are to be played."""
    entrants: tuple[Entrant, ...]
    """In the order of numbers; rounds in which somebody was not to be paired are `away`, or `byes`."""
    results: tuple[Result, ...]
    first_side: int = 0
    """The side that the lot gave to number 1."""

    @property
    def played(self) -> int:
        """The last round with a result."""
        return max((result.round for result in self.results), default=0)


@dataclass(frozen=True, slots=True)
class CheckedRound:
    """A round of a file, and FIDE's: pairs in the order of sides, somebody alone for the bye."""

    number: int
    here: frozenset[tuple[int, ...]]
    fide: frozenset[tuple[int, ...]]


def report(name: str, rounds: int, entrants: Iterable[Entrant], results: Iterable[Result]) -> EventFile:
    """An event as a report. Unreadable where it has what such a file cannot say: games of more than two, points other
    than 1, ½ and 0, two games of the same people in a round, points of a seat that are divided."""
    people = sorted(entrants, key=lambda entrant: entrant.seed)
    number = {entrant.id: at for at, entrant in enumerate(people, start=1)}
    found: list[Result] = []
    for result in results:
        values = (WHOLE, HALF, NOTHING)
        if len(result.seats) > 2 or result.parts or any(points not in values for points in result.points):
            raise _cannot_say()
        if result.ended in BYE_CODES and result.points[0] != BYES[BYE_CODES[result.ended]][1]:
            raise _cannot_say()
        if result.ended != VOID and all(who in number for who in result.seats):
            seats = tuple(number[who] for who in result.seats)
            found.append(Result(result.round, seats, result.points, result.ended))
    if len({(result.round, who) for result in found for who in result.seats}) < sum(len(one.seats) for one in found):
        raise _cannot_say()
    made = EventFile(" ".join(name.split()), rounds, (), tuple(sorted(found, key=lambda one: (one.round, one.seats))))
    lines = tuple(
        Entrant(number[one.id], " ".join(one.name.split())[:33], number[one.id], _rating(one)) for one in people
    )
    return replace(made, rounds=max(rounds, made.played), entrants=_absent(lines, made))


def _cannot_say() -> Unreadable:
    return Unreadable(
        "trf.points", Text("A TRF file holds one game of two players a round, with 1, ½ or 0 for each, and no more.")
    )


def _rating(entrant: Entrant) -> float | None:
    return None if entrant.rating is None else float(max(0, round(entrant.rating)))


def _absent(people: Sequence[Entrant], made: EventFile) -> tuple[Entrant, ...]:
    """The entrants with the rounds in which they were not to be paired, as the results tell."""
    byes: dict[int, set[int]] = defaultdict(set)
    paired: dict[int, set[int]] = defaultdict(set)
    for result in made.results:
        for who in result.seats:
            if result.ended in (HALF_BYE, FULL_BYE):
                byes[who].add(result.round)
            elif result.ended != ZERO_BYE:
                paired[who].add(result.round)
    rounds = range(1, made.played + 1)
    return tuple(
        replace(
            one,
            byes=frozenset(byes[one.id]),
            away=frozenset(round for round in rounds if round not in byes[one.id] | paired[one.id]),
        )
        for one in people
    )


def write(made: EventFile) -> str:
    """The file."""
    cells: dict[tuple[int, int], str] = {}
    points: dict[int, Points] = defaultdict(Points)
    for result in made.results:
        for at, who in enumerate(result.seats):
            cells[who, result.round] = _cell(result, at)
            points[who] += result.points[at]
    order = sorted(made.entrants, key=lambda one: (-points[one.id], one.id))
    rank = {one.id: at for at, one in enumerate(order, start=1)}
    lines = [f"012 {made.name}", f"062 {len(made.entrants)}", "092 Individual: Swiss-System", f"XXR {made.rounds}"]
    lines.append(f"XXC {'black1' if made.first_side else 'white1'}")
    for one in made.entrants:
        rating = "" if one.rating is None else str(int(one.rating))
        head = f"001 {one.id:4} {'':4} {one.name:33} {rating:>4}".ljust(80)
        head = f"{head}{float(points[one.id]):4.1f} {rank[one.id]:4}".ljust(FIRST_ROUND)
        rounds = "".join(cells.get((one.id, round), "").ljust(ROUND_WIDTH) for round in range(1, made.played + 1))
        lines.append((head + rounds).rstrip())
    return "\n".join(lines) + "\n"


def _cell(result: Result, at: int) -> str:
    if len(result.seats) == 1:
        return f"0000 - {BYE_CODES[result.ended]}"
    points = result.points[at]
    won, lost = ("1", "0") if result.was_played else ("+", "-")
    code = won if points == WHOLE else lost if not points else "="
    return f"{result.seats[1 - at]:4} {SIDES[at]} {code}"


def read(text: str) -> EventFile:
    """The event of a file. Unreadable names the line that is wrong."""
    name, rounds, first_side = "", 0, 0
    people: list[Entrant] = []
    cells: dict[tuple[int, int], tuple[int, str, str]] = {}
    for at, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        code, said = line[:3], line[4:].strip()
        if code == "012":
            name = said
        elif code in ("XXR", "142"):
            rounds = whole_number(said, at)
        elif code == "XXC":
            first_side = int("black1" in said.split())
        elif code == "001":
            number = whole_number(line[4:8], at)
            rating = line[48:52].strip()
            people.append(
                Entrant(
                    number, line[14:47].strip(), number, float(whole_number(rating, at)) if rating.strip("0") else None
                )
            )
            for round, start in enumerate(range(FIRST_ROUND, len(line), ROUND_WIDTH), start=1):
                cell = line[start : start + ROUND_WIDTH].split()
                if cell:
                    cells[number, round] = _read_cell(cell, at)
    if not people or len({one.id for one in people}) < len(people):
        raise Unreadable("trf.people", Text("A TRF file has a line 001 for each player, with a number of their own."))
    made = EventFile(name, rounds, (), tuple(_results(cells)))
    made = replace(made, rounds=max(rounds, made.played), first_side=first_side)
    return replace(made, entrants=_absent(sorted(people, key=lambda one: one.seed), made))


def whole_number(said: str, line: int) -> int:
    """A number of up to four digits in a line; Unreadable."""
    said = said.strip()
    if not re.fullmatch("[0-9]{1,4}", said):
        raise bad_line(line)
    return int(said)


def bad_line(line: int) -> Unreadable:
    """What is said of a line that is wrong."""
    return Unreadable("trf.line", Text("Line {n} is not as TRF16 has it.", n=line))


def _read_cell(cell: Sequence[str], line: int) -> tuple[int, str, str]:
    if len(cell) != 3 or (cell[2] not in GAMES and cell[2] not in BYES):
        raise bad_line(line)
    return whole_number(cell[0], line), cell[1], cell[2]


def _results(cells: dict[tuple[int, int], tuple[int, str, str]]) -> list[Result]:
    """Games are said by both players, who have to agree."""
    found = []
    for (who, round), (other, side, code) in sorted(cells.items(), key=lambda cell: (cell[0][1], cell[0][0])):
        if code in BYES:
            kind, points = BYES[code]
            found.append(Result(round, (who,), (points,), kind))
            continue
        theirs = cells.get((other, round))
        unlike = theirs is None or theirs[0] != who or theirs[2] not in GAMES
        if unlike or theirs is None or {side, theirs[1]} != set(SIDES) or (code in UNPLAYED) != (theirs[2] in UNPLAYED):
            raise Unreadable(
                "trf.pair", Text("In round {n} the lines of {one} and {other} disagree.", n=round, one=who, other=other)
            )
        if side == SIDES[0]:
            points, their_points = GAMES[code], GAMES[theirs[2]]
            ended = PLAYED if code not in UNPLAYED else WALKOVER if points or their_points else DOUBLE_FORFEIT
            found.append(Result(round, (who, other), (points, their_points), ended))
    return sorted(found, key=lambda one: (one.round, one.seats))


def check(made: EventFile) -> list[CheckedRound]:
    """Every round of a report beside the one that FIDE's rules make of what was played before it."""
    terms = replace(PAIRED_BY["fide"], first_side=made.first_side)
    found = []
    for number in range(1, made.played + 1):
        here = frozenset(
            result.seats
            for result in made.results
            if result.round == number and (len(result.seats) == 2 or result.ended == PAIRING_BYE)
        )
        paired = pair_round(made.entrants, made.results, number, terms=terms, last=number == made.rounds)
        fide = {pairing.seats for pairing in paired.pairings}
        fide |= {(bye.entrant,) for bye in paired.byes if bye.kind == PAIRING_BYE}
        found.append(CheckedRound(number, here, frozenset(fide)))
    return found
