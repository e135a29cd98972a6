"""The text notation: `place A55 270 robber`, `place A49 90 trapper NW`, `score town H55, road H55`, `resign`.

Cells are named as on the map; a part of the tile is named by its settler, with a point of the compass where there are
several; a feature to be scored by its kind and cell, or by its letter on the map. Read tolerantly: case, spaces,
accents and small words do not matter, a rotation may be left out if only one fits. Errors point at the word.

Records are written with raw coordinates and the ids of parts: `place 1,5 270 settle r0`, `score 8,5:t0, 8,5:r0`. These
are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from engine.kernel.notation import LONGEST_LINE, closest, fold
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text
from engine.new_world.actions import Action, Place, Resign, ScoreOrder
from engine.new_world.geometry import ROTATIONS, Cell
from engine.new_world.names import names_of
from engine.new_world.parts import POINTS, part_as_written, part_at, parts_as_written, rim
from engine.new_world.placement import placements_with_settlers
from engine.new_world.places import cell_name, letter, lettered, read_cell, row_numbered
from engine.new_world.references import parse_reference
from engine.new_world.state import State
from engine.new_world.tiles import KIND_OF_PART, SETTLER_OF, TileKind

_TOKEN = re.compile(r"[-−–]?[0-9]+|[^\W\d_]+[0-9]*|\S")
_SEGMENT = re.compile(r"[trpf]\d+")
_COLUMN = re.compile(r"[a-wz]", re.ASCII | re.IGNORECASE)
_IGNORED_SIGNS = frozenset("()[].@°=")
_SMALL_WORDS = (
    "at to on the a an by turned turn rotated rotation rot degrees deg tile settler with and then x y as order"
)
_IGNORED_WORDS = frozenset(_SMALL_WORDS.split())
_NOBODY = frozenset(("none", "nobody", "alone", "without", "no"))
_SETTLE = frozenset(("settle", "place", "put"))
_VERBS = {"place": "place", "lay": "place", "put": "place", "score": "score", "resign": "resign"}
_PASSES = frozenset(("pass", "skip", "end", "done", "next"))
_EXAMPLE = "place A55 270 robber"
_EXAMPLE_ORDER = "score town H55, road H55"
MOST_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Word:
    """A word, number or sign of the line and where it stands."""

    text: str
    start: int
    end: int

    @property
    def span(self) -> tuple[int, int]:
        return (self.start, self.end)

    @property
    def number(self) -> int | None:
        """The whole number, None for other words."""
        text = self.text.replace("−", "-").replace("–", "-")
        if text.isascii() and text.lstrip("-").isdecimal() and len(text) <= MOST_DIGITS:
            return int(text)
        return None


def write(state: State, action: Action) -> str:
    """Return the line of an action as people read it; its rotation must be the smallest that gives the same piece. An
    action that is not legal may have no such line, and gets that of a record."""
    if isinstance(action, Place) and state.tile is not None and action.x > 0:
        line = f"place {cell_name(action.x, action.y)} {action.rotation}"
        kind = state.board.tiles.kinds[state.tile]
        if action.segment is None:
            return line
        if action.segment in kind.index and action.rotation in ROTATIONS:
            return f"{line} {part_as_written(kind, action.rotation, action.segment)}"
    if isinstance(action, ScoreOrder) and set(action.features) <= set(state.pending):
        return "score " + ", ".join(_feature_as_written(state, one) for one in action.features)
    return write_raw(action)


def write_raw(action: Action) -> str:
    """Return the line of an action as a record has it."""
    if isinstance(action, Resign):
        return "resign"
    if isinstance(action, ScoreOrder):
        return "score " + ", ".join(action.features)
    settle = "" if action.segment is None else f" settle {action.segment}"
    return f"place {action.x},{action.y} {action.rotation}{settle}"


def _feature_as_written(state: State, reference: str) -> str:
    """`road C53`, and with a point of the compass where two roads wait at one cell."""
    at = parse_reference(reference)
    said = f"{KIND_OF_PART[at.segment[0]]} {cell_name(at.x, at.y)}"
    beginning = f"{at.x},{at.y}:{at.segment[0]}"
    if sum(one.startswith(beginning) for one in state.pending) == 1:
        return said
    laid = state.board.laid[at.x, at.y]
    return f"{said} {rim(state.board.kind_at(at.x, at.y), laid.rotation, (at.segment,))[0]}"


def canonical(state: State, action: Action) -> Action:
    """Return the action with the smallest rotation that gives the same oriented piece."""
    if isinstance(action, Place) and state.tile is not None and action.rotation in ROTATIONS:
        smallest = state.board.tiles.kinds[state.tile].smallest[action.rotation]
        return action._replace(rotation=smallest)
    return action


def read(state: State, line: str) -> Action:
    """Return the action that a line means. Raises `Unreadable` (`notation.*`), pointing at the word."""
    if len(line) > LONGEST_LINE:
        why = Text("The line has {n} characters; the limit is {most}.", n=len(line), most=LONGEST_LINE)
        raise Unreadable("notation.too_long", why)
    words = [Word(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(line) if m.group() not in _IGNORED_SIGNS]
    if not words:
        raise Unreadable(
            "notation.empty", Text("The line is empty; write for example “{example}”.", example=_example(state))
        )
    verb = _VERBS.get(fold(words[0].text))
    if verb is None and _begins_without_verb(state, words[0]):
        verb = "score" if state.pending else "place"
    elif verb is None:
        raise _unknown_verb(state, words[0])
    else:
        words = words[1:]
    if verb == "place":
        return canonical(state, _read_place(state, words, len(line)))
    if verb == "score":
        return _read_order(state, words, len(line))
    if words:
        raise _surplus(words[0])
    return Resign()


def _example(state: State) -> str:
    return write(state, ScoreOrder(state.pending)) if state.pending else _EXAMPLE


def _begins_without_verb(state: State, word: Word) -> bool:
    if word.number is not None or read_cell(word.text) is not None:
        return True
    return bool(state.pending) and (_names_a_part(word) or _letter(state, word) is not None)


def _unknown_verb(state: State, word: Word) -> Unreadable:
    meant = closest(word.text, _VERBS)
    if fold(word.text) in _PASSES:
        why = Text("No order passes or ends a turn; lay the tile, for example “{example}”.", example=_example(state))
    elif meant:
        why = Text("“{word}” is not understood; perhaps “{meant}”?", word=word.text, meant=_VERBS[meant[0]])
    else:
        why = Text(
            "“{word}” is not understood; write for example “{example}”.", word=word.text, example=_example(state)
        )
    return Unreadable("notation.verb", why, word=word.span)


def _surplus(word: Word) -> Unreadable:
    why = Text("“{word}” is too much here; the line is complete before it.", word=word.text)
    return Unreadable("notation.surplus", why, word=word.span)


# -- place ------------------------------------------------------------------------------------------


def _read_place(state: State, words: Sequence[Word], end: int) -> Place:
    rest = [word for word in words if word.text not in ",;:"]
    while rest and fold(rest[0].text) in _IGNORED_WORDS and not _is_column(rest):
        rest.pop(0)
    cell = _take_cell(state, rest)
    if cell is None:
        found = rest[0] if rest else None
        raise Unreadable(
            "notation.cell",
            Text("A cell is written as it is named on the map, as in “{example}”.", example=_EXAMPLE),
            word=found.span if found else (end, end),
        )
    rest = [word for word in rest if fold(word.text) not in _IGNORED_WORDS]
    turned = rest.pop(0) if rest and rest[0].number is not None else None
    rotation = _rotation(turned) if turned else _only_rotation(state, *cell, end)
    return Place(*cell, rotation, _read_settler(state, rest, end, (*cell, rotation)))


def _is_column(words: Sequence[Word]) -> bool:
    """Return whether a cell begins here whose column and row are two words: `a 55`."""
    return len(words) > 1 and bool(_COLUMN.fullmatch(words[0].text)) and words[1].number is not None


def _take_cell(state: State, words: list[Word]) -> Cell | None:
    """Take off and return the cell that the words begin with: `B55`, `b 55`, `2,5`."""
    if not words:
        return None
    if _is_column(words):
        column = read_cell(words[0].text + "0")
        row = row_numbered(_number(words[1]))
        del words[:2]
        return None if column is None else (column[0], row)
    if words[0].number is not None:
        if len(words) < 2 or words[1].number is None:
            return None
        x, y = (_number(word) for word in words[:2])
        del words[:2]
        return x, y
    cell = read_cell(words[0].text, state.board.west)
    if cell is not None:
        del words[0]
    return cell


def _number(word: Word) -> int:
    number = word.number
    assert number is not None
    return number


def _rotation(word: Word) -> int:
    number = _number(word)
    if number not in ROTATIONS:
        raise Unreadable(
            "notation.rotation",
            Text("A tile is turned by 0, 90, 180 or 270 degrees, not by {rotation}.", rotation=word.text),
            rule="R5.1",
            word=word.span,
        )
    return number


def _only_rotation(state: State, x: int, y: int, end: int) -> int:
    """Return the rotation when it was not written and only one fits."""
    fitting: tuple[int, ...] = ()
    gap = state.board.gap_at(x, y)
    if gap is not None and state.tile is not None:
        fitting = state.board.tiles.kinds[state.tile].fits[gap.pattern]
    if len(fitting) == 1:
        return fitting[0]
    choices = ", ".join(str(rotation) for rotation in fitting or ROTATIONS)
    why = Text("Say behind the cell by how many degrees the tile is turned: {choices}.", choices=choices)
    raise Unreadable("notation.rotation_missing", why, rule="R5.1", word=(end, end))


def _read_settler(state: State, words: list[Word], end: int, lies: tuple[int, int, int]) -> str | None:
    """Return the segment for the settler, None for no settler; `lies` is the cell and the rotation."""
    settle = bool(words) and fold(words[0].text) in _SETTLE
    rest = words[1:] if settle else words
    if not rest:
        if settle:
            raise Unreadable("notation.part_missing", _where(state, lies), rule="R6.1", word=(end, end))
        return None
    word, *surplus = rest
    folded = fold(word.text)
    kind = state.board.tiles.kinds[state.tile] if state.tile else None
    feature = _feature_words().get(folded)
    point = _points().get(fold(surplus[0].text)) if surplus and feature else None
    if surplus[1:] or (surplus and point is None):
        raise _surplus(surplus[0 if point is None else 1])
    if folded in _NOBODY and not settle:
        return None
    if _SEGMENT.fullmatch(folded):
        if kind is not None and folded not in kind.index:
            raise Unreadable("notation.part", _where(state, lies), rule="R6.1", word=word.span)
        return folded
    if feature is None or kind is None:
        meant = closest(word.text, _feature_words())
        if meant and kind is not None:
            why = Text("“{word}” is not a part of the tile; perhaps “{meant}”?", word=word.text, meant=meant[0])
        else:
            why = _where(state, lies)
        raise Unreadable("notation.part", why, rule="R6.1", word=word.span)
    if point is None:
        return _part_of_kind(state, kind, feature, word, lies)
    part = part_at(kind, lies[2], feature, point)
    if part is None:
        raise Unreadable("notation.part", _where(state, lies), rule="R6.1", word=surplus[0].span)
    return part


def _part_of_kind(state: State, kind: TileKind, feature: str, word: Word, lies: tuple[int, int, int]) -> str:
    """Return the one part of the tile that a word such as "robber" or "road" means."""
    parts = [segment.id for segment in kind.segments if segment.kind == feature]
    if len(parts) > 1:
        free = {p.segment for p in placements_with_settlers(state.board, kind.id) if (p.x, p.y) == lies[:2]}
        parts = [part for part in parts if part in free] or parts
    if len(parts) == 1:
        return parts[0]
    if not parts:
        raise Unreadable("notation.part", _where(state, lies), rule="R6.1", word=word.span)
    written = tuple(part_as_written(kind, lies[2], part) for part in parts)
    why = Text("The tile has several parts of this kind; write one of these: {parts}.", parts=written)
    raise Unreadable("notation.which_part", why, rule="R6.1", word=word.span)


def _where(state: State, lies: tuple[int, int, int]) -> Text:
    if state.tile is None:
        return Text("A settler goes to a part of the tile just laid, as in “{example}”.", example=_EXAMPLE)
    parts = parts_as_written(state.board.tiles.kinds[state.tile], lies[2])
    return Text("The settlers that could go with the tile, as it lies, are written so: {parts}.", parts=parts)


@cache
def _points() -> dict[str, str]:
    """Map the letters and the names in all languages to the points of the compass."""
    return {fold(word): point for point in POINTS for word in (*names_of("side", point), point)}


@cache
def _feature_words() -> dict[str, str]:
    """Map settlers and features in all languages to the kind of feature."""
    found = {}
    for feature, settler in SETTLER_OF.items():
        for word in (feature, settler, *names_of("feature", feature), *names_of("settler", settler)):
            found[fold(word)] = feature
    # "cacciatore di pelli" is three words; its first is enough.
    return {word.split("-")[0]: feature for word, feature in found.items()}


# -- score ------------------------------------------------------------------------------------------


def _names_a_part(word: Word) -> bool:
    folded = fold(word.text)
    return bool(_SEGMENT.fullmatch(folded)) or folded in _feature_words()


def _letter(state: State, word: Word) -> str | None:
    """Return the feature that carries this letter on the map."""
    by_letter = {letter(n): one for n, one in enumerate(state.pending)}
    return by_letter.get(word.text.upper())


def _read_order(state: State, words: Sequence[Word], end: int) -> ScoreOrder:
    """Read features as `road C53`, by letter, or as `X,Y:SEGMENT`; if it is clear, a cell or the kind is enough."""
    rest = [
        word
        for word in words
        if word.text not in ",;:" and (_letter(state, word) or fold(word.text) not in _IGNORED_WORDS)
    ]
    found: list[str] = []
    while rest:
        first = rest[0]
        if first.number is not None:
            found.append(_pending_raw(state, rest))
        elif (one := _letter(state, first)) is not None:
            found.append(one)
            rest.pop(0)
        else:
            found.append(_pending_named(state, rest))
    if not found:
        why = Text("Name the completed features in the order of scoring, as in “{example}”.", example=_EXAMPLE_ORDER)
        raise Unreadable("notation.order_missing", why, rule="R9.7", word=(end, end))
    return ScoreOrder(tuple(found))


def _pending_raw(state: State, words: list[Word]) -> str:
    """Take off a feature as a record writes it."""
    first = words[0]
    if len(words) < 3 or words[1].number is None or not _SEGMENT.fullmatch(fold(words[2].text)):
        stop = words[min(2, len(words) - 1)].end
        why = Text("A feature is written as what it is and its cell, as in “{example}”.", example="town H55")
        raise Unreadable("notation.feature", why, rule="R9.7", word=(first.start, stop))
    x, y = _number(first), _number(words[1])
    segment = fold(words[2].text)
    del words[:3]
    return _pending_at(state, x, y, segment)


def _pending_named(state: State, words: list[Word]) -> str:
    """Take off a feature given by its kind, its cell and a point of the compass, as far as they are needed."""
    first = words[0]
    kind = _feature_words().get(fold(first.text))
    cell = words[1 if kind else 0 :][:1]
    at = read_cell(cell[0].text, state.board.west) if cell else None
    there = [one for one in state.pending if at and one.startswith(f"{at[0]},{at[1]}:")]
    if kind:
        there = [one for one in there if KIND_OF_PART[parse_reference(one).segment[0]] == kind]
    if not there:
        if kind and at and state.pending and not _SEGMENT.fullmatch(fold(cell[0].text)):
            raise _no_such_feature(state, first, cell[0])
        return _pending_by_part(state, words.pop(0))
    del words[: 2 if kind else 1]
    point = _points().get(fold(words[0].text)) if words and len(there) > 1 else None
    if point is not None:
        words.pop(0)
        there = [one for one in there if _reaches(state, one, point)]
    if len(there) != 1:
        raise _no_such_feature(state, first, cell[0])
    return there[0]


def _reaches(state: State, reference: str, point: str) -> bool:
    at = parse_reference(reference)
    kind, laid = state.board.kind_at(at.x, at.y), state.board.laid[at.x, at.y]
    part = part_at(kind, laid.rotation, KIND_OF_PART[at.segment[0]], point)
    if part is None:
        return False
    return state.board.number_at(at.x, at.y, part) == state.board.number_at(*at)


def _no_such_feature(state: State, first: Word, last: Word) -> Unreadable:
    why = Text("This does not name one feature; they are {features}.", features=lettered(state.pending))
    return Unreadable("notation.feature", why, rule="R9.7", word=(first.start, last.end))


def _pending_at(state: State, x: int, y: int, segment: str) -> str:
    """Return the name under which a feature waits; another of its parts may have been written."""
    written = f"{x},{y}:{segment}"
    if written in state.pending or (x, y) not in state.board.laid:
        return written
    if segment in state.board.kind_at(x, y).index:
        number = state.board.number_at(x, y, segment)
        for reference in state.pending:
            if state.board.number_at(*parse_reference(reference)) == number:
                return reference
    return written


def _pending_by_part(state: State, word: Word) -> str:
    folded = fold(word.text)
    feature = _feature_words().get(folded)
    initial = None if feature is None else feature[0]
    fitting = [r for r in state.pending if r.endswith(":" + folded) or r.split(":")[1][0] == initial]
    if len(fitting) == 1:
        return fitting[0]
    raise _no_such_feature(state, word, word)
