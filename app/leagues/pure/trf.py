"""FIDE's report file of a tournament (TRF16, Handbook C.04.A annex 2, with the XX lines of pairing programs, and the
additions of TRF26: points of results, line 162, byes, line 240, and prohibited pairs, line 260).

Other programs check a round by it. It covers games of two won, drawn or lost; each person has a line, and a round takes
ten characters of it: opponent, side (w is the first), result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text

from .model import PAIRING_BYE, VOID, Competitor, Points, Result
from .swiss import pair_round
from .swiss_weights import PAIRED_BY
from .trf_file import (
    BYES,
    FIRST_ROUND,
    HALF,
    ROUND_WIDTH,
    SIDES,
    SWISS,
    USUAL,
    WHOLE,
    CompetitionFile,
    ProhibitedPairs,
    Scoring,
    bad_line,
    whole_number,
)
from .trf_read import TEAMS, absent, read

__all__ = [
    "HALF", "SWISS", "TEAMS", "USUAL", "WHOLE", "CheckedRound", "CompetitionFile", "ProhibitedPairs", "Scoring",
    "bad_line", "check", "read", "report", "whole_number", "write",
]  # fmt: skip
BYE_CODES: dict[str, str] = {kind: code for code, kind in BYES.items()}


@dataclass(frozen=True, slots=True)
class CheckedRound:
    """A round of a file, and FIDE's: pairs in the order of sides, a player alone for the bye."""

    number: int
    here: frozenset[tuple[int, ...]]
    fide: frozenset[tuple[int, ...]]


def report(
    name: str,
    rounds: int,
    entrants: Iterable[Competitor],
    results: Iterable[Result],
    blocks: Iterable[frozenset[int]] = (),
    *,
    scoring: Scoring = USUAL,
    kind: str = SWISS,
    first_side: int = 0,
) -> CompetitionFile:
    """Return an event as a report, with players not to be paired in future rounds and pairs that must never meet
    (`blocks`).

    `rounds` is 0 if unknown. Raises Unreadable for anything such a file cannot express: games of more than two, points
    that are not those of `scoring`, two games of the same people in a round, divided points of a seat.
    """
    people = sorted(entrants, key=lambda entrant: entrant.seed)
    number = {entrant.id: at for at, entrant in enumerate(people, start=1)}
    found = [
        replace(
            result, seats=tuple(number[who] for who in result.seats), scores=(), timeouts=frozenset(), is_ruled=False
        )
        for result in results
        if _is_said(result, scoring, number)
    ]
    if len({(result.round, who) for result in found for who in result.seats}) < sum(len(one.seats) for one in found):
        raise _cannot_say()
    found, to_come = _byes_to_come(found, len(people))
    lines = tuple(
        Competitor(number[one.id], " ".join(one.name.split())[:33], number[one.id], _rating(one)) for one in people
    )
    made = CompetitionFile(
        " ".join(name.split()), rounds, (), tuple(sorted(found, key=lambda one: (one.round, one.seats))),
        first_side, kind=kind, scoring=scoring,
    )  # fmt: skip
    last = max(rounds, made.played)
    for one in people:
        for round in range(made.played + 1, last + 1):
            if not one.is_paired_in(round):
                code = "H" if one.is_in(round) and round in one.byes else "Z"
                to_come.setdefault((number[one.id], round), code)
    pairs = [sorted(number[who] for who in pair) for pair in blocks if pair <= number.keys()]
    apart = tuple(sorted(ProhibitedPairs(1, last, tuple(pair)) for pair in pairs))
    full = tuple(sorted((round, who) for (who, round), kind in to_come.items() if kind == "F"))
    return replace(made, rounds=last, entrants=absent(lines, made, to_come), apart=apart, full=full)


def _byes_to_come(found: Sequence[Result], count: int) -> tuple[list[Result], dict[tuple[int, int], str]]:
    """Return the results without those of a last round in which nobody has played yet, and its byes by number and
    round.
    """
    left, to_come = list(found), dict[tuple[int, int], str]()
    while left:
        round = max(one.round for one in left)
        last = [one for one in left if one.round == round]
        if len(last) == count or any(len(one.seats) > 1 or one.ended == PAIRING_BYE for one in last):
            break
        left = [one for one in left if one.round != round]
        to_come |= {(one.seats[0], one.round): BYE_CODES[one.ended] for one in last}
    return left, to_come


def _is_said(result: Result, scoring: Scoring, number: Mapping[int, int]) -> bool:
    """Whether a result belongs in the file. Raises Unreadable for one it cannot express."""
    if len(result.seats) > 2 or result.parts or not scoring.can_be_written:
        raise _cannot_say()
    if result.ended == VOID:
        return False
    if any(scoring.of(_code(result, at, scoring)) != points for at, points in enumerate(result.points)):
        raise _cannot_say()
    return all(who in number for who in result.seats)


def _cannot_say() -> Unreadable:
    return Unreadable(
        "trf.points",
        Text("A TRF file holds one game of two players a round, worth a win, a draw or a loss for each, and no more."),
    )


def _rating(entrant: Competitor) -> float | None:
    return None if entrant.rating is None else float(max(0, round(entrant.rating)))


def _code(result: Result, at: int, scoring: Scoring) -> str:
    """Return the letter or sign of an entrant's result."""
    if len(result.seats) == 1:
        return BYE_CODES[result.ended]
    points = result.points[at]
    if result.was_played:
        return "1" if points == scoring.win else "=" if points == scoring.draw else "0"
    return "+" if points == scoring.win else "-"


def write(made: CompetitionFile) -> str:
    """Return the text of the file."""
    cells: dict[tuple[int, int], str] = {}
    points: dict[int, Points] = defaultdict(Points)
    for result in made.results:
        for at, who in enumerate(result.seats):
            cells[who, result.round] = _cell(result, at, made.scoring)
            points[who] += result.points[at]
    for game in made.running:
        for at, who in enumerate(game.seats):
            cells[who, game.round] = f"{game.seats[1 - at]:4} {SIDES[at]}"
    last = max((round for _, round in cells), default=0)
    order = sorted(made.entrants, key=lambda one: (-points[one.id], one.seed))
    rank = {one.id: at for at, one in enumerate(order, start=1)}
    if _is_by_rank(made):
        rank = {one.id: one.seed for one in made.entrants}
    lines = [*_head(made), *_to_come(made), *_apart(made)]
    for one in sorted(made.entrants, key=lambda one: one.id):
        rating = "" if one.rating is None else str(int(one.rating))
        head = f"001 {one.id:4} {'':4} {one.name:33} {rating:>4}".ljust(80)
        head = f"{head}{float(points[one.id]):4.1f} {rank[one.id]:4}".ljust(FIRST_ROUND)
        rounds = "".join(cells.get((one.id, round), "").ljust(ROUND_WIDTH) for round in range(1, last + 1))
        lines.append((head + rounds).rstrip())
    return "\n".join(lines) + "\n"


def _is_by_rank(made: CompetitionFile) -> bool:
    """Whether players are paired by a rank that is not their number."""
    return any(one.id != one.seed for one in made.entrants)


def _head(made: CompetitionFile) -> list[str]:
    """Return the lines about the whole event; the lot only if sides depend on it."""
    lines = [f"012 {made.name}", f"062 {len(made.entrants)}"]
    lines += [f"092 {made.kind}"] if made.kind else []
    rounds = made.rounds if "Ladder" not in made.kind else 0
    lines += [f"XXR {rounds}"] if rounds else []
    is_swiss = not made.kind or "swiss" in made.kind.lower()
    by_rank = " rank" if _is_by_rank(made) else ""
    lines += [f"XXC {'black1' if made.first_side else 'white1'}{by_rank}"] if is_swiss else []
    lines += [f"142 {rounds}"] if rounds else []
    lines += [f"152 {'B' if made.first_side else 'W'}"] if is_swiss else []
    if made.scoring != USUAL:
        its = made.scoring
        values = {"W": its.win, "D": its.draw, "L": its.loss, "A": its.absent, "P": its.bye}
        lines.append("162  " + "    ".join(f"{letter}{float(value):4.1f}" for letter, value in values.items()))
    return lines


def _to_come(made: CompetitionFile) -> list[str]:
    """Return the lines about players not to be paired: in the next round as XXZ has it, and for every round with the
    kind of bye.
    """
    lines = []
    absent = [one.id for one in made.entrants if made.played + 1 in one.away | one.byes]
    if absent:
        lines.append(" ".join(["XXZ", *map(str, absent)]))
    for round in range(made.played + 1, made.rounds + 1):
        for kind, there in (
            ("F", [one.id for one in made.entrants if (round, one.id) in made.full]),
            ("H", [one.id for one in made.entrants if round in one.byes and (round, one.id) not in made.full]),
            ("Z", [one.id for one in made.entrants if round in one.away]),
        ):
            if there:
                lines.append(" ".join([f"240 {kind} {round:03}", *(f"{who:4}" for who in there)]))
    return lines


def _apart(made: CompetitionFile) -> list[str]:
    """Return the lines about prohibited pairs: as XXP if they hold for the whole event, and with the rounds."""
    whole = [
        " ".join(["XXP", *map(str, one.numbers)]) for one in made.apart if (one.first, one.last) == (1, made.rounds)
    ]
    return whole + [
        " ".join([f"260 {one.first:03} {one.last:03}", *(f"{who:4}" for who in one.numbers)]) for one in made.apart
    ]


def _cell(result: Result, at: int, scoring: Scoring) -> str:
    code = _code(result, at, scoring)
    return f"0000 - {code}" if len(result.seats) == 1 else f"{result.seats[1 - at]:4} {SIDES[at]} {code}"


def check(made: CompetitionFile) -> list[CheckedRound]:
    """Return every round of a report beside the one that FIDE's rules make from the earlier results.

    Raises Unreadable if the file has lines that are not applied here, or points that do not follow from its games.
    """
    if made.against:
        raise made.against[0]
    if made.differing:
        raise Unreadable("trf.differs", made.differing)
    terms = replace(PAIRED_BY["fide"], first_side=made.first_side)
    found = []
    for number in range(1, made.played + 1):
        here = frozenset(
            result.seats
            for result in made.results
            if result.round == number and (len(result.seats) == 2 or result.ended == PAIRING_BYE)
        ) | {game.seats for game in made.running if game.round == number}
        blocks = {pair for one in made.apart for pair in one.pairs(number)}
        last = number == made.rounds
        paired = pair_round(made.entrants, made.results, number, terms=terms, blocks=blocks, last=last)
        fide = {pairing.seats for pairing in paired.pairings}
        fide |= {(bye.entrant,) for bye in paired.byes if bye.kind == PAIRING_BYE}
        found.append(CheckedRound(number, here, frozenset(fide)))
    return found
