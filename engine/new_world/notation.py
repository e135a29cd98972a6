"""The text notation: `place 1,5 270 settle r0`, `score 8,5:t0, 8,5:r0`, `resign`.

Written canonically, read tolerantly: case, spaces, accents and small words do not matter, a settler may be named
(`1,5 270 robber`), a rotation may be left out where only one fits. What is misread is pointed at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from engine.kernel.notation import LONGEST_LINE, closest, fold
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Name, Text
from engine.new_world.actions import Action, Place, Resign, ScoreOrder
from engine.new_world.geometry import ROTATIONS
from engine.new_world.names import names_of
from engine.new_world.placement import placements_with_settlers
from engine.new_world.references import parse_reference
from engine.new_world.state import State
from engine.new_world.tiles import SETTLER_OF, TileKind

_TOKEN = re.compile(r"[-−–]?\d+|[^\W\d_]+\d*|\S")
_SEGMENT = re.compile(r"[trpf]\d+")
_IGNORED_SIGNS = frozenset("()[].@°=")
_SMALL_WORDS = (
    "at to on the a an by turned turn rotated rotation rot degrees deg tile settler with and then x y as order"
)
_IGNORED_WORDS = frozenset(_SMALL_WORDS.split())
_NOBODY = frozenset(("none", "nobody", "alone", "without", "no"))
_VERBS = {"place": "place", "lay": "place", "put": "place", "score": "score", "resign": "resign"}
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
        if text.lstrip("-").isdecimal() and len(text) <= MOST_DIGITS:
            return int(text)
        return None


def write(action: Action) -> str:
    """The canonical line of an action; its rotation must be the smallest that gives the same piece."""
    if isinstance(action, Resign):
        return "resign"
    if isinstance(action, ScoreOrder):
        return "score " + ", ".join(action.features)
    settle = "" if action.segment is None else f" settle {action.segment}"
    return f"place {action.x},{action.y} {action.rotation}{settle}"


def canonical(state: State, action: Action) -> Action:
    """The action with the smallest rotation that gives the same oriented piece."""
    if isinstance(action, Place) and state.tile is not None and action.rotation in ROTATIONS:
        smallest = state.board.tiles.kinds[state.tile].smallest[action.rotation]
        return action._replace(rotation=smallest)
    return action


def read(state: State, line: str) -> Action:
    """The action that a line means. Raises `Unreadable` (`notation.*`), pointing at the word."""
    if len(line) > LONGEST_LINE:
        why = Text("The line has {n} characters; the limit is {most}.", n=len(line), most=LONGEST_LINE)
        raise Unreadable("notation.too_long", why)
    words = [Word(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(line) if m.group() not in _IGNORED_SIGNS]
    if not words:
        raise Unreadable(
            "notation.empty", Text("The line is empty; write for example “{example}”.", example=_example(state))
        )
    verb = _VERBS.get(fold(words[0].text))
    if verb is None and (words[0].number is not None or (state.pending and _names_a_part(words[0]))):
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
    return "score " + ", ".join(state.pending) if state.pending else "place 1,5 270 settle r0"


def _unknown_verb(state: State, word: Word) -> Unreadable:
    meant = closest(word.text, _VERBS)
    if meant:
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
    rest = [word for word in words if word.text not in ",;:" and fold(word.text) not in _IGNORED_WORDS]
    numbers: list[Word] = []
    while rest and rest[0].number is not None and len(numbers) < 3:
        numbers.append(rest.pop(0))
    if len(numbers) < 2:
        found = rest[0] if rest else None
        raise Unreadable(
            "notation.cell",
            Text("A cell is column and row with a comma, as in “place 1,5 270”."),
            word=found.span if found else (end, end),
        )
    x, y = (_number(word) for word in numbers[:2])
    segment = _read_settler(state, rest, end, (x, y))
    rotation = _rotation(numbers[2]) if len(numbers) == 3 else _only_rotation(state, x, y, end)
    return Place(x, y, rotation, segment)


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
    """The rotation where it was not written and only one fits."""
    fitting: tuple[int, ...] = ()
    gap = state.board.gap_at(x, y)
    if gap is not None and state.tile is not None:
        fitting = state.board.tiles.kinds[state.tile].fits[gap.pattern]
    if len(fitting) == 1:
        return fitting[0]
    choices = ", ".join(str(rotation) for rotation in fitting or ROTATIONS)
    why = Text("Say behind the cell by how many degrees the tile is turned: {choices}.", choices=choices)
    raise Unreadable("notation.rotation_missing", why, rule="R5.1", word=(end, end))


def _read_settler(state: State, words: list[Word], end: int, cell: tuple[int, int]) -> str | None:
    """The segment for the settler, None for no settler."""
    settle = bool(words) and fold(words[0].text) in ("settle", "place", "put")
    rest = words[1:] if settle else words
    if not rest:
        if settle:
            raise Unreadable("notation.part_missing", _where(state), rule="R6.1", word=(end, end))
        return None
    word, *surplus = rest
    if surplus:
        raise _surplus(surplus[0])
    folded = fold(word.text)
    if folded in _NOBODY and not settle:
        return None
    kind = state.board.tiles.kinds[state.tile] if state.tile else None
    if _SEGMENT.fullmatch(folded):
        if kind is not None and folded not in kind.index:
            raise Unreadable("notation.part", _where(state), rule="R6.1", word=word.span)
        return folded
    feature = _feature_words().get(folded)
    if feature is None or kind is None:
        meant = closest(word.text, _feature_words())
        if meant and kind is not None:
            why = Text("“{word}” is no part of the tile; perhaps “{meant}”?", word=word.text, meant=meant[0])
        else:
            why = _where(state)
        raise Unreadable("notation.part", why, rule="R6.1", word=word.span)
    return _part_of_kind(state, kind, feature, word, cell)


def _part_of_kind(state: State, kind: TileKind, feature: str, word: Word, cell: tuple[int, int]) -> str:
    """The one part of the tile that a word such as "robber" or "road" means."""
    parts = [segment.id for segment in kind.segments if segment.kind == feature]
    if len(parts) > 1:
        free = {p.segment for p in placements_with_settlers(state.board, kind.id) if (p.x, p.y) == cell}
        parts = [part for part in parts if part in free] or parts
    if len(parts) == 1:
        return parts[0]
    if not parts:
        why = Text("The tile {tile} has no {feature}.", tile=kind.id, feature=Name("feature", feature))
        raise Unreadable("notation.part", why, rule="R6.1", word=word.span)
    why = Text("The tile has several parts of this kind: {parts}; write one of them.", parts=", ".join(parts))
    raise Unreadable("notation.which_part", why, rule="R6.1", word=word.span)


def _where(state: State) -> Text:
    if state.tile is None:
        return Text("A settler goes to a part of the tile just laid, as in “settle r0”.")
    parts = ", ".join(state.board.tiles.kinds[state.tile].index)
    return Text("A settler goes to a part of the tile {tile}: {parts}.", tile=state.tile, parts=parts)


@cache
def _feature_words() -> dict[str, str]:
    """Settlers and features in all languages, to the kind of feature."""
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


def _read_order(state: State, words: Sequence[Word], end: int) -> ScoreOrder:
    """Features as `X,Y:SEGMENT`; where it is clear, a segment or the kind of feature is enough."""
    rest = [word for word in words if word.text not in ",;:" and fold(word.text) not in _IGNORED_WORDS]
    found: list[str] = []
    while rest:
        first = rest[0]
        if first.number is None:
            found.append(_pending_by_part(state, rest.pop(0)))
            continue
        if len(rest) < 3 or rest[1].number is None or not _SEGMENT.fullmatch(fold(rest[2].text)):
            stop = rest[min(2, len(rest) - 1)].end
            why = Text("A feature is written as cell and part, as in “8,5:t0”.")
            raise Unreadable("notation.feature", why, rule="R9.7", word=(first.start, stop))
        x, y = _number(first), _number(rest[1])
        found.append(_pending_at(state, x, y, fold(rest[2].text)))
        del rest[:3]
    if not found:
        why = Text(
            "Name the completed features in the order of scoring, as in “{example}”.", example="score 8,5:t0, 8,5:r0"
        )
        raise Unreadable("notation.order_missing", why, rule="R9.7", word=(end, end))
    return ScoreOrder(tuple(found))


def _pending_at(state: State, x: int, y: int, segment: str) -> str:
    """The name under which a feature waits; another of its parts may have been written."""
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
    why = Text(
        "“{word}” does not name one feature; they are {features}.",
        word=word.text,
        features=", ".join(state.pending) or "-",
    )
    raise Unreadable("notation.feature", why, rule="R9.7", word=word.span)
