"""Reads FIDE's report file (`trf`): every usual spelling of a cell; lines that are not applied here are reported.

Cells are as TRF16 and TRF26 have them, player section, positions 92 to 99: blanks are 0000 and -, letters small or
large; without an opponent the result is the bye that brings its points. A game without a result, or with * or ?, is
still running.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text

from .model import DOUBLE_FORFEIT, FULL_BYE, HALF_BYE, PLAYED, WALKOVER, ZERO_BYE, Competitor, Points, Result
from .trf_file import (
    BYES,
    FIRST_ROUND,
    ROUND_WIDTH,
    SIDES,
    USUAL,
    CompetitionFile,
    OpenPair,
    ProhibitedPairs,
    Scoring,
    bad_line,
    whole_number,
)

TEAMS = "trf.teams"
"""The code of the refusal of a file of teams where one of players is read."""
_WON, _DRAWN, _LOST, _UNPLAYED, _RUNNING = "1W+", "=D", "0L-", "+-", ("", "*", "?")
_TEAM_RECORDS = (
    *("013", "300", "310", "320", "330", "352", "362", "801", "802"),
    *("PAB", "FPB", "HPB", "ZPB", "MFO", "DFM", "TSE"),
)
_NOT_SWISS = re.compile(
    r"round.?robin|berger|all.play.all|knock|eliminat|ladder|scheveningen|schiller|rundenturnier|todos contra todos"
    r"|all.italiana|toutes rondes",
    re.I,
)
_POINTS = re.compile(r"[0-9]{1,3}(\.[0-9]{0,2})?|\.[0-9]{1,2}")
_DUTCH = re.compile(r"FIDE_DUTCH(_20\d\d)?")
_KINDS = ("WW", "BW", "FW", "FPB", "WD", "BD", "HPB", "WL", "BL", "FL", "ZPB", "PAB")
"""Results as JaVaFo's XXS calls them; `_MEANS` says which of them a letter of XXS, 162 or BB? stands for."""
_MEANS = {
    "XXS": {
        "W": ("WW", "BW", "FW", "FPB"),
        "D": ("WD", "BD", "HPB"),
        "L": ("WL", "BL"),
        **{at: (at,) for at in _KINDS},
    },
    "162": {
        "W": ("WW", "BW", "FW", "FPB", "PAB"),
        "D": ("WD", "BD", "HPB"),
        "L": ("WL", "BL"),
        "A": ("FL", "ZPB"),
        "P": ("PAB",),
        "X": (),
    },
    "BB": {
        "W": ("WW", "BW", "FW", "FPB"),
        "D": ("WD", "BD", "HPB"),
        "L": ("WL", "BL"),
        "Z": ("ZPB",),
        "F": ("FL",),
        "U": ("PAB",),
    },
}
_SAME = {"win": _KINDS[:4], "draw": _KINDS[4:7], "loss": _KINDS[7:9], "absent": _KINDS[9:11], "bye": _KINDS[11:]}


@dataclass(frozen=True, slots=True)
class _Cell:
    """A round in a line: the opponent or 0, the side or -, and the result, a letter of BYES without one."""

    other: int
    side: str
    code: str


@dataclass(slots=True)
class _Lines:
    """What has been read of a file so far. Numbers of entrants in its lines are checked at the end."""

    name: str = ""
    rounds: int = 0
    first_side: int | None = None
    kind: str = ""
    by_rank: bool = False
    people: list[Competitor] = field(default_factory=list)
    ranks: dict[int, int] = field(default_factory=dict)
    points: dict[int, Points] = field(default_factory=dict)
    cells: dict[tuple[int, int], _Cell] = field(default_factory=dict)
    absent: set[int] = field(default_factory=set)
    byes: dict[tuple[int, int], str] = field(default_factory=dict)
    apart: set[ProhibitedPairs] = field(default_factory=set)
    worth: dict[str, Points] = field(default_factory=dict)
    against: list[Unreadable] = field(default_factory=list)
    named: dict[int, int] = field(default_factory=dict)
    """The numbers that a line names, with the line."""

    def take(self, line: str, at: int) -> None:
        """Read a line; lines that say nothing about rounds and points are skipped. Raises Unreadable."""
        code, said = line[:3].upper(), line[4:].strip()
        if code in _RECORDS:
            _RECORDS[code](self, line, at)
        elif code in _TEAM_RECORDS or (code == "082" and said.strip("0")):
            self._object(
                TEAMS, Text("Line {n} belongs to a team event; only events of single players are read here.", n=at)
            )
        elif code[:2] == "BB" and code[2:] in _MEANS["BB"]:
            self._worth("BB", {code[2]: said}, at)
        elif code == "XXA" and not re.search("[1-9]", line[8:]):
            return
        elif code in ("250", "XXA", "ACC"):
            self._object(
                "trf.accelerated", Text("Line {n} asks for accelerated rounds, which are not supported.", n=at)
            )
        elif code == "299":
            self._object("trf.given", Text("Line {n} gives points by hand, which is not supported.", n=at))
        elif code.startswith(("XX", "BB")):
            why = Text(
                "Line {n} begins with “{code}”, which is not known here and could change the pairings.", n=at, code=code
            )
            self._object("trf.unknown", why)

    def _object(self, code: str, why: Text) -> None:
        self.against.append(Unreadable(code, why))

    def _title(self, line: str, _: int) -> None:
        self.name = line[4:].strip()

    def _rounds(self, line: str, at: int) -> None:
        self.rounds = whole_number(line[4:], at)

    def _lot(self, line: str, at: int) -> None:
        said = line[4:].strip().lower()
        if said not in ("w", "b", "white", "black", ""):
            raise bad_line(at)
        self.first_side = SIDES.index(said[0]) if said else self.first_side

    def _configuration(self, line: str, at: int) -> None:
        for part in line[4:].lower().split():
            if part in ("white1", "black1"):
                self.first_side = SIDES.index(part[0])
            elif part == "rank":
                self.by_rank = True
            else:
                raise bad_line(at)

    def _kind(self, line: str, at: int) -> None:
        self.kind = line[4:].strip()
        if re.match("team", self.kind, re.I):
            self._object(
                TEAMS, Text("Line {n} belongs to a team event; only events of single players are read here.", n=at)
            )
        elif _NOT_SWISS.search(self.kind):
            self._object("trf.system", _other_system(self.kind, at))

    def _system(self, line: str, at: int) -> None:
        system = line[4:].strip().upper()
        if system.startswith("FIDE_TEAM"):
            self._object(
                TEAMS, Text("Line {n} belongs to a team event; only events of single players are read here.", n=at)
            )
        elif system and not _DUTCH.fullmatch(system):
            self._object("trf.system", _other_system(system, at))

    def _scoring(self, line: str, at: int) -> None:
        found = re.findall(r"([A-Z])\s*([0-9.]+)", line[4:].upper())
        if "".join(map("".join, found)) != "".join(line[4:].upper().split()):
            raise bad_line(at)
        self._worth("162", dict(found), at)

    def _scores(self, line: str, at: int) -> None:
        found = [part.partition("=")[::2] for part in line[4:].upper().split()]
        for code, value in found:
            self._worth("XXS", {code: value}, at)

    def _worth(self, record: str, found: Mapping[str, str], at: int) -> None:
        for letter in sorted(found, key="WDLAPX".find):
            if letter not in _MEANS[record]:
                raise bad_line(at)
            self.worth |= dict.fromkeys(_MEANS[record][letter], _points(found[letter], at))

    def _numbers(self, said: str, at: int) -> list[int]:
        found = [whole_number(part, at) for part in re.split(r"[\s,/]+", said.strip()) if part]
        self.named |= dict.fromkeys(found, at)
        return found

    def _absent(self, line: str, at: int) -> None:
        self.absent |= set(self._numbers(line[4:], at))

    def _apart(self, line: str, at: int) -> None:
        self.apart.add(ProhibitedPairs(1, 0, tuple(sorted(self._numbers(line[4:], at)))))

    def _apart_in(self, line: str, at: int) -> None:
        first, last, *numbers = [*line[4:].split(), "", ""]
        there = tuple(sorted(self._numbers(" ".join(numbers), at)))
        if len(there) < 2:
            raise bad_line(at)
        self.apart.add(ProhibitedPairs(whole_number(first, at), whole_number(last, at), there))

    def _bye(self, line: str, at: int) -> None:
        kind, round, *numbers = [*line[4:].upper().split(), "", ""]
        if kind not in ("F", "H", "Z"):
            raise bad_line(at)
        for who in self._numbers(" ".join(numbers), at):
            self.byes[who, whole_number(round, at)] = kind

    def _person(self, line: str, at: int) -> None:
        line = _in_columns(line)
        number, rating = whole_number(line[4:8], at), line[48:52].strip()
        rated = float(whole_number(rating, at)) if re.search("[1-9]", rating) else None
        name = _as_utf8(line[14:47])
        self.people.append(Competitor(number, name.strip(), number, rated))
        if _POINTS.fullmatch(points := line[80:84].strip().replace(",", ".")):
            self.points[number] = Fraction(points)
        if re.fullmatch("[0-9]{1,4}", rank := line[85:89].strip()):
            self.ranks[number] = int(rank)
        for round, start in enumerate(range(FIRST_ROUND, len(line), ROUND_WIDTH), start=1):
            cell = line[start : start + ROUND_WIDTH]
            if cell.strip():
                self.cells[number, round] = _read_cell(cell, at)


_RECORDS: Mapping[str, Callable[[_Lines, str, int], None]] = {
    "001": _Lines._person,
    "012": _Lines._title,
    "092": _Lines._kind,
    "142": _Lines._rounds,
    "152": _Lines._lot,
    "162": _Lines._scoring,
    "192": _Lines._system,
    "240": _Lines._bye,
    "260": _Lines._apart_in,
    "XXC": _Lines._configuration,
    "XXP": _Lines._apart,
    "XXR": _Lines._rounds,
    "XXS": _Lines._scores,
    "XXZ": _Lines._absent,
}


def _other_system(system: str, line: int) -> Text:
    return Text("Line {n} names another system than FIDE’s Dutch one: {system}.", n=line, system=system)


def _points(said: str, line: int) -> Points:
    """Return points such as 11.5. Raises Unreadable."""
    said = said.replace(",", ".")
    if not _POINTS.fullmatch(said):
        raise bad_line(line)
    return Fraction(said)


def _in_columns(line: str) -> str:
    """Return a line 001 whose columns were counted in bytes of UTF-8 as bytes: only then are those between its fields
    blank.
    """
    as_bytes = line.encode().decode("latin-1")
    between = slice(47, 48), slice(52, 53), slice(84, 85), slice(89, 91)
    by_characters, by_bytes = (all(not text[at].strip() for at in between) for text in (line, as_bytes))
    return as_bytes if by_bytes and not by_characters else line


def _as_utf8(name: str) -> str:
    """Return a name from such a line as text; any other is unchanged."""
    try:
        return name.encode("latin-1").decode()
    except ValueError:
        return name


def _read_cell(cell: str, line: int) -> _Cell:
    """Read a cell of ten columns: opponent, side and result in these places, or all three in this order."""
    parts = [(found.start(), found[0]) for found in re.finditer(r"\S+", cell.upper())]
    places = range(3) if len(parts) == 3 else [0 if at < 4 else 1 if at < 6 else 2 for at, _ in parts]
    said = ["", "", ""]
    for place, (_, part) in zip(places, parts, strict=True):
        said[place] += part
    other = whole_number(said[0] or "0", line)
    side, code = said[1].lower() or "-", said[2]
    known = code in (*_RUNNING, *_WON, *_DRAWN, *_LOST) if other else code in (*_WON, *_DRAWN, *_LOST, *BYES, "")
    if side not in (*SIDES, "-") or not known:
        raise bad_line(line)
    if other or (code and code in BYES):
        return _Cell(other, side, code)
    return _Cell(0, "-", "F" if code and code in _WON else "H" if code and code in _DRAWN else "Z")


# -- the whole file -----------------------------------------------------------------------------------


def read(text: str) -> CompetitionFile:
    """Return the event of a file. Raises Unreadable, which names the bad line."""
    there = _Lines()
    for at, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        there.take(line, at)
    numbers = {one.id for one in there.people}
    if not there.people or len(numbers) < len(there.people):
        raise Unreadable("trf.people", Text("A TRF file has a line 001 for each player, with a number of their own."))
    unknown = sorted(at for who, at in there.named.items() if who not in numbers)
    if unknown:
        raise bad_line(unknown[0])
    played = _move_byes_to_come(there, numbers)
    for (who, round), kind in there.byes.items():
        if round <= played:
            there.cells.setdefault((who, round), _Cell(0, "-", kind))
    results, running = _results(there.cells, scoring := _scoring_of(there))
    made = CompetitionFile(
        there.name,
        there.rounds,
        (),
        results,
        _first_side(there),
        kind=there.kind,
        scoring=scoring,
        running=running,
        against=tuple(there.against),
    )
    last = max(there.rounds or max((round for _, round in there.byes), default=0), made.played)
    to_come = {(who, made.played + 1): "Z" for who in there.absent} | there.byes
    apart = {ProhibitedPairs(one.first, one.last or last, one.numbers) for one in there.apart}
    return replace(
        made,
        rounds=last,
        entrants=absent(_in_order(there), made, to_come),
        apart=tuple(sorted(apart)),
        full=tuple(
            sorted((round, who) for (who, round), kind in to_come.items() if kind == "F" and round > made.played)
        ),
        differing=_differing(there, made),
    )


def _move_byes_to_come(there: _Lines, numbers: set[int]) -> int:
    """Turn the last column into byes of a future round, as pairing programs do; repeat, and return the last remaining
    round.

    This applies if nobody has a game or a pairing-allocated bye in it and some players have no entry.
    """
    while there.cells:
        last = max(round for _, round in there.cells)
        column = {who: cell for (who, round), cell in there.cells.items() if round == last}
        if column.keys() == numbers or any(cell.other or cell.code == "U" for cell in column.values()):
            return last
        for who, cell in column.items():
            there.byes.setdefault((who, last), cell.code)
            del there.cells[who, last]
    return 0


def _scoring_of(there: _Lines) -> Scoring:
    """Return the points of each result; results that line 162 treats as one bring the same."""
    usual = {"win": USUAL.win, "draw": USUAL.draw, "loss": USUAL.loss, "bye": USUAL.bye, "absent": USUAL.absent}
    found = {what: {there.worth.get(kind, usual[what]) for kind in kinds} for what, kinds in _SAME.items()}
    if any(len(values) > 1 for values in found.values()):
        why = Text(
            "The file gives different points for the same result, by side or by kind of bye, which is not supported."
        )
        there.against.append(Unreadable("trf.scoring", why))
    return Scoring(**{what: max(values) for what, values in found.items()})


def _results(
    cells: Mapping[tuple[int, int], _Cell], scoring: Scoring
) -> tuple[tuple[Result, ...], tuple[OpenPair, ...]]:
    """Return the finished games, and those that run. The lines of both players of a game have to agree."""
    found, running = [], []
    for (who, round), cell in sorted(cells.items(), key=lambda one: (one[0][1], one[0][0])):
        if not cell.other:
            found.append(Result(round, (who,), (scoring.of(cell.code),), BYES[cell.code]))
            continue
        theirs = cells.get((cell.other, round))
        if theirs is None or theirs.other != who or not _agree(cell, theirs):
            why = Text("In round {n} the lines of {one} and {other} disagree.", n=round, one=who, other=cell.other)
            raise Unreadable("trf.pair", why)
        if not _is_first(who, cell, theirs):
            continue
        if cell.code in _RUNNING:
            running.append(OpenPair(round, (who, cell.other)))
            continue
        won = cell.code in _WON or theirs.code in _WON
        ended = PLAYED if cell.code not in _UNPLAYED else WALKOVER if won else DOUBLE_FORFEIT
        found.append(Result(round, (who, cell.other), (scoring.of(cell.code), scoring.of(theirs.code)), ended))
    return tuple(sorted(found, key=lambda one: (one.round, one.seats))), tuple(sorted(running))


def _agree(one: _Cell, other: _Cell) -> bool:
    """Whether two lines can be about the same game."""
    codes = (one.code, other.code)
    if any(code in _RUNNING for code in codes):
        return all(code in _RUNNING for code in codes) and {one.side, other.side} == set(SIDES)
    if (one.code in _UNPLAYED) != (other.code in _UNPLAYED):
        return False
    if any(code in _WON for code in codes) and not any(code in _LOST for code in codes):
        return False
    sides = {one.side, other.side}
    return sides == set(SIDES) or (one.code in _UNPLAYED and (sides == {"-"} or len(sides) == 2))


def _is_first(who: int, cell: _Cell, theirs: _Cell) -> bool:
    """Whether a line is that of the first side; for a forfeit without sides, of the lower number."""
    if cell.side == theirs.side:
        return who < cell.other
    return cell.side == SIDES[0] or theirs.side == SIDES[1]


def _first_side(there: _Lines) -> int:
    """Return the initial colour: as stated, else that of the highest ranked player with one in round 1 (TRF26, 152)."""
    if there.first_side is not None:
        return there.first_side
    sided = {who: cell.side for (who, round), cell in there.cells.items() if round == 1 and cell.side in SIDES}
    return SIDES.index(next((sided[one.id] for one in _in_order(there) if one.id in sided), SIDES[0]))


def _in_order(there: _Lines) -> list[Competitor]:
    """Return the players by their numbers, or by the rank in their lines if XXC says so (JaVaFo)."""
    people = sorted(there.people, key=lambda one: one.id)
    if there.by_rank:
        if len(set(there.ranks.values())) < len(people):
            raise Unreadable(
                "trf.rank", Text("The file is paired by rank, but not every player has a rank of their own.")
            )
        people.sort(key=lambda one: there.ranks[one.id])
        people = [replace(one, seed=at) for at, one in enumerate(people, 1)]
    return people


def _differing(there: _Lines, made: CompetitionFile) -> Text | None:
    """Return whose points do not follow from their games. Running games may count as drawn or not, future byes too."""
    won: dict[int, Points] = defaultdict(Points)
    perhaps: dict[int, Points] = defaultdict(Points)
    for result in made.results:
        for who, points in zip(result.seats, result.points, strict=True):
            won[who] += points
    for who in [who for game in made.running for who in game.seats]:
        perhaps[who] += made.scoring.win
    for (who, round), kind in there.byes.items():
        perhaps[who] += made.scoring.of(kind) if round > made.played else 0
    wrong = tuple(
        f"{one.id} {one.name}: {float(there.points[one.id]):g} ≠ {float(won[one.id]):g}"
        for one in sorted(there.people, key=lambda one: one.id)
        if one.id in there.points and not won[one.id] <= there.points[one.id] <= won[one.id] + perhaps[one.id]
    )
    return Text("The points in the file are not those of its games: {players}.", players=wrong) if wrong else None


def absent(
    people: Sequence[Competitor], made: CompetitionFile, to_come: Mapping[tuple[int, int], str]
) -> tuple[Competitor, ...]:
    """Return the entrants with the rounds in which they were not to be paired.

    Past ones follow from the results, future ones are given by number and round, with the kind of bye.
    """
    byes: dict[int, set[int]] = defaultdict(set)
    paired: dict[int, set[int]] = defaultdict(set)
    for result in made.results:
        for who in result.seats:
            if result.ended in (HALF_BYE, FULL_BYE):
                byes[who].add(result.round)
            elif result.ended != ZERO_BYE:
                paired[who].add(result.round)
    for game in made.running:
        for who in game.seats:
            paired[who].add(game.round)
    away = {
        one.id: {round for round in range(1, made.played + 1) if round not in byes[one.id] | paired[one.id]}
        for one in people
    }
    for (who, round), kind in to_come.items():
        if round > made.played:
            (away if kind == "Z" else byes)[who].add(round)
    return tuple(replace(one, byes=frozenset(byes[one.id]), away=frozenset(away[one.id])) for one in people)
