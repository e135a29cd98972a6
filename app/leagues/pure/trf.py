"""FIDE's report file of a tournament (TRF16, Handbook C.04.A annex 2, with the XX lines of pairing programs, and what
TRF26 has for the rounds to come: byes, line 240, and who must not meet, line 260).

Other programs check a round by it. It knows games of two worth 1, ½ or 0; a person has a line with everything about
them, and a round takes ten characters of it: opponent, side (w is the first), result.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

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
    Competitor,
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


@dataclass(frozen=True, slots=True, order=True)
class ProhibitedPairs:
    """Entrants of whom no two meet from one round to another."""

    first: int
    last: int
    numbers: tuple[int, ...]

    def pairs(self, round: int) -> set[frozenset[int]]:
        """Who must not meet in a round."""
        return set(map(frozenset, combinations(self.numbers, 2))) if self.first <= round <= self.last else set()


@dataclass(frozen=True, slots=True)
class CompetitionFile:
    """An event as such a file has it: entrants are known by their pairing numbers."""

    name: str
    rounds: int
    """As many as are to be played."""
    entrants: tuple[Competitor, ...]
    """In the order of numbers; rounds in which somebody was not to be paired are `away`, or `byes`."""
    results: tuple[Result, ...]
    first_side: int = 0
    """The side that the lot gave to number 1."""
    apart: tuple[ProhibitedPairs, ...] = ()

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


def report(
    name: str,
    rounds: int,
    entrants: Iterable[Competitor],
    results: Iterable[Result],
    blocks: Iterable[frozenset[int]] = (),
) -> CompetitionFile:
    """An event as a report, with who is not to be paired in the rounds to come and pairs that are never to meet
    (`blocks`). Unreadable where it has what such a file cannot say: games of more than two, points other
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
    made = CompetitionFile(
        " ".join(name.split()), rounds, (), tuple(sorted(found, key=lambda one: (one.round, one.seats)))
    )
    lines = tuple(
        Competitor(number[one.id], " ".join(one.name.split())[:33], number[one.id], _rating(one)) for one in people
    )
    last = max(rounds, made.played)
    to_come: dict[tuple[int, int], str] = {}
    for one in people:
        for round in range(made.played + 1, last + 1):
            if not one.is_paired_in(round):
                to_come[number[one.id], round] = "H" if one.is_in(round) and round in one.byes else "Z"
    pairs = [sorted(number[who] for who in pair) for pair in blocks if pair <= number.keys()]
    apart = tuple(sorted(ProhibitedPairs(1, last, tuple(pair)) for pair in pairs))
    return replace(made, rounds=last, entrants=_absent(lines, made, to_come), apart=apart)


def _cannot_say() -> Unreadable:
    return Unreadable(
        "trf.points", Text("A TRF file holds one game of two players a round, with 1, ½ or 0 for each, and no more.")
    )


def _rating(entrant: Competitor) -> float | None:
    return None if entrant.rating is None else float(max(0, round(entrant.rating)))


def _absent(
    people: Sequence[Competitor], made: CompetitionFile, to_come: Mapping[tuple[int, int], str]
) -> tuple[Competitor, ...]:
    """The entrants with the rounds in which they were not to be paired, as the results tell, and those in which they
    will not be (by number and round, with the kind of bye)."""
    byes: dict[int, set[int]] = defaultdict(set)
    paired: dict[int, set[int]] = defaultdict(set)
    for result in made.results:
        for who in result.seats:
            if result.ended in (HALF_BYE, FULL_BYE):
                byes[who].add(result.round)
            elif result.ended != ZERO_BYE:
                paired[who].add(result.round)
    away = {
        one.id: {round for round in range(1, made.played + 1) if round not in byes[one.id] | paired[one.id]}
        for one in people
    }
    for (who, round), kind in to_come.items():
        if round > made.played:
            (away if kind == "Z" else byes)[who].add(round)
    return tuple(replace(one, byes=frozenset(byes[one.id]), away=frozenset(away[one.id])) for one in people)


def write(made: CompetitionFile) -> str:
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
    lines += [f"142 {made.rounds}", f"152 {'B' if made.first_side else 'W'}", *_to_come(made), *_apart(made)]
    for one in made.entrants:
        rating = "" if one.rating is None else str(int(one.rating))
        head = f"001 {one.id:4} {'':4} {one.name:33} {rating:>4}".ljust(80)
        head = f"{head}{float(points[one.id]):4.1f} {rank[one.id]:4}".ljust(FIRST_ROUND)
        rounds = "".join(cells.get((one.id, round), "").ljust(ROUND_WIDTH) for round in range(1, made.played + 1))
        lines.append((head + rounds).rstrip())
    return "\n".join(lines) + "\n"


def _to_come(made: CompetitionFile) -> list[str]:
    """Who is not to be paired: in the next round as XXZ has it, and for every round with the kind of bye."""
    lines = []
    absent = [one.id for one in made.entrants if made.played + 1 in one.away | one.byes]
    if absent:
        lines.append(" ".join(["XXZ", *map(str, absent)]))
    for round in range(made.played + 1, made.rounds + 1):
        for kind, there in (
            ("H", [one.id for one in made.entrants if round in one.byes]),
            ("Z", [one.id for one in made.entrants if round in one.away]),
        ):
            if there:
                lines.append(" ".join([f"240 {kind} {round:03}", *(f"{who:4}" for who in there)]))
    return lines


def _apart(made: CompetitionFile) -> list[str]:
    """Who must not meet: as XXP has it where that holds for the whole event, and with the rounds."""
    whole = [
        " ".join(["XXP", *map(str, one.numbers)]) for one in made.apart if (one.first, one.last) == (1, made.rounds)
    ]
    return whole + [
        " ".join([f"260 {one.first:03} {one.last:03}", *(f"{who:4}" for who in one.numbers)]) for one in made.apart
    ]


def _cell(result: Result, at: int) -> str:
    if len(result.seats) == 1:
        return f"0000 - {BYE_CODES[result.ended]}"
    points = result.points[at]
    won, lost = ("1", "0") if result.was_played else ("+", "-")
    code = won if points == WHOLE else lost if not points else "="
    return f"{result.seats[1 - at]:4} {SIDES[at]} {code}"


@dataclass(slots=True)
class _Lines:
    """What was read of a file so far. Numbers of entrants that a line names are judged at its end."""

    name: str = ""
    rounds: int = 0
    first_side: int = 0
    people: list[Competitor] = field(default_factory=list)
    cells: dict[tuple[int, int], tuple[int, str, str]] = field(default_factory=dict)
    absent: set[int] = field(default_factory=set)
    byes: dict[tuple[int, int], str] = field(default_factory=dict)
    apart: set[ProhibitedPairs] = field(default_factory=set)
    named: dict[int, int] = field(default_factory=dict)
    """Numbers that a line names, with the line."""

    def take(self, line: str, at: int) -> None:
        """Read a line; what is not known is left out. Unreadable."""
        code, said = line[:3], line[4:].strip()
        parts = said.split()
        if code == "012":
            self.name = said
        elif code in ("XXR", "142"):
            self.rounds = whole_number(said, at)
        elif code == "XXC":
            self.first_side = int("black1" in parts)
        elif code == "152":
            self.first_side = int(said.upper() == "B")
        elif code == "001":
            self._person(line, at)
        elif code == "XXZ":
            self.absent |= set(self._numbers(parts, at))
        elif code == "XXP":
            self.apart.add(ProhibitedPairs(1, 0, tuple(sorted(self._numbers(parts, at)))))
        elif code == "240":
            self._bye(parts, at)
        elif code == "260":
            first, last, *numbers = [*parts, "", ""]
            there = tuple(sorted(self._numbers(numbers[:-2], at)))
            if len(there) < 2:
                raise bad_line(at)
            self.apart.add(ProhibitedPairs(whole_number(first, at), whole_number(last, at), there))

    def _numbers(self, parts: Sequence[str], at: int) -> list[int]:
        found = [whole_number(part, at) for part in parts]
        self.named |= dict.fromkeys(found, at)
        return found

    def _bye(self, parts: Sequence[str], at: int) -> None:
        kind, round, *numbers = [*parts, "", ""]
        if kind.upper() not in ("F", "H", "Z"):
            raise bad_line(at)
        for who in self._numbers(numbers[:-2], at):
            self.byes[who, whole_number(round, at)] = kind.upper()

    def _person(self, line: str, at: int) -> None:
        number, rating = whole_number(line[4:8], at), line[48:52].strip()
        rated = float(whole_number(rating, at)) if rating.strip("0") else None
        self.people.append(Competitor(number, line[14:47].strip(), number, rated))
        for round, start in enumerate(range(FIRST_ROUND, len(line), ROUND_WIDTH), start=1):
            cell = line[start : start + ROUND_WIDTH].split()
            if cell:
                self.cells[number, round] = _read_cell(cell, at)


def read(text: str) -> CompetitionFile:
    """The event of a file. Unreadable names the line that is wrong."""
    there = _Lines()
    for at, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        there.take(line, at)
    numbers = {one.id for one in there.people}
    if not there.people or len(numbers) < len(there.people):
        raise Unreadable("trf.people", Text("A TRF file has a line 001 for each player, with a number of their own."))
    unknown = sorted(at for who, at in there.named.items() if who not in numbers)
    if unknown:
        raise bad_line(unknown[0])
    played = max((round for _, round in there.cells), default=0)
    for (who, round), kind in there.byes.items():
        if round <= played:
            there.cells.setdefault((who, round), (0, "-", kind))
    made = CompetitionFile(there.name, there.rounds, (), tuple(_results(there.cells)), there.first_side)
    last = max(there.rounds, made.played)
    to_come = {(who, made.played + 1): "Z" for who in there.absent} | there.byes
    people = _absent(sorted(there.people, key=lambda one: one.seed), made, to_come)
    apart = {ProhibitedPairs(one.first, one.last or last, one.numbers) for one in there.apart}
    return replace(made, rounds=last, entrants=people, apart=tuple(sorted(apart)))


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


def check(made: CompetitionFile) -> list[CheckedRound]:
    """Every round of a report beside the one that FIDE's rules make of what was played before it."""
    terms = replace(PAIRED_BY["fide"], first_side=made.first_side)
    found = []
    for number in range(1, made.played + 1):
        here = frozenset(
            result.seats
            for result in made.results
            if result.round == number and (len(result.seats) == 2 or result.ended == PAIRING_BYE)
        )
        blocks = {pair for one in made.apart for pair in one.pairs(number)}
        last = number == made.rounds
        paired = pair_round(made.entrants, made.results, number, terms=terms, blocks=blocks, last=last)
        fide = {pairing.seats for pairing in paired.pairings}
        fide |= {(bye.entrant,) for bye in paired.byes if bye.kind == PAIRING_BYE}
        found.append(CheckedRound(number, here, frozenset(fide)))
    return found
