"""What a term of an event is: a kind of value, read from plain data, and what its form and its event say of it."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from string import Formatter
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.kernel.refusals import Unreadable
from engine.kernel.text import Counted, Text, quoted

if TYPE_CHECKING:
    from .terms import Terms


class WrongTerm(Unreadable):
    """A value that a term cannot have.

    `key` is the term in the data, `part` the part of it (a size of table), and `right` says what it should be. The
    sentence is for people who write data; a form calls the term by its label, and `shown` is the expected value with
    the names of choices.
    """

    def __init__(self, key: str, right: Text, part: str = "", *, shown: Text | None = None) -> None:
        said = f"{key[:40]}.{part}" if part else key[:40]
        super().__init__("terms.value", Text("“{label}” should be {right}.", label=said, right=right))
        self.key = key
        self.part = part
        self.shown = shown or right


# -- kinds of values ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of value; `name` decides how a form shows it."""

    name: str
    right: Text
    """What a value should be."""
    read: Callable[[Any], Any]
    """A value from plain data. Raises ValueError; WrongTerm if only a part is wrong."""
    words: Callable[[Any], object] = lambda value: value
    """What a sentence says of a value."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The choices of a form: what it sends, and how it calls that."""
    shown: Text | None = None
    """`right` beside the list of choices."""
    bounds: tuple[int, int] | None = None


def _checked(value: Any, right: object) -> Any:  # noqa: ANN401  plain data
    if not right:
        raise ValueError(value)
    return value


def _within(value: Any, kinds: Any, least: float, most: float) -> Any:  # noqa: ANN401  plain data
    return _checked(value, isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most)


def number(least: int, most: int, *, optional: bool = False, names: Mapping[str, str] | None = None) -> Kind:
    """A whole number in these bounds; with `optional` also none, with `names` chosen from a list."""
    return Kind(
        name="number",
        right=Text("a whole number from {least} to {most}", least=least, most=most),
        read=lambda value: None if value is None and optional else _within(value, int, least, most),
        names=names or {},
        bounds=(least, most),
    )


_POINTS = re.compile(r"[0-9]{0,9}\.[0-9]{1,20}|[0-9]{1,9}(?:\.|/[0-9]{1,9})?")


def _points(value: object) -> Fraction:
    text = str(value).strip()
    # Not everything that Fraction can read: 1e9999999 is a number of ten million digits.
    points = Fraction(_checked(text, _POINTS.fullmatch(text) and not re.search(r"/0+$", text)))
    _checked(points, points <= 1000)
    return points


class Worth(NamedTuple):
    """What an event gives for a game, and for a round without one."""

    win: Fraction
    draw: Fraction
    loss: Fraction
    bye: Fraction
    half_bye: Fraction


def _worth(value: object) -> Worth:
    given = [_points(one) for one in _checked(value, isinstance(value, list) and len(value) in (3, 5))]
    return Worth(*given, *given[: 5 - len(given)])


WORTH = Kind(
    name="worth",
    right=Text("three or five points such as 1, 0.5 or 1/3"),
    read=_worth,
)


def read_points(key: str, value: object, part: str = "") -> Fraction:
    """Read points from 0 to 1000, as a number or a fraction such as 1/2. Raises WrongTerm."""
    try:
        return _points(value)
    except ValueError:
        raise WrongTerm(key, Text("points such as 1, 0.5 or 1/3"), part) from None


def _line(value: object) -> str:
    text = _checked(value, isinstance(value, str)).strip()
    return str(_checked(text, len(text) <= LONGEST_QUESTION and text.isprintable()))


LONGEST_QUESTION = 120
QUESTION = Kind(name="line", right=Text("one line of at most {n} characters", n=LONGEST_QUESTION), read=_line)


def choice(names: Mapping[str, str]) -> Kind:
    """One of these words."""
    return Kind(
        name="choice",
        right=Text("one of {known}", known=quoted(tuple(names))),
        read=lambda value: _checked(value, isinstance(value, str) and value in names),
        words=lambda value: Text(names[value]),
        names=names,
        shown=Text("one of the list"),
    )


def flag(names: Mapping[str, str]) -> Kind:
    """Yes or no, which the form calls by these names; what it sends for no is `no` or `everybody`."""
    right = Text("“true” or “false”")
    return Kind(name="flag", right=right, read=lambda value: _checked(value, isinstance(value, bool)), names=names)


def _selection(value: Any, known: Collection[str | int]) -> tuple[Any, ...]:  # noqa: ANN401  plain data
    """Return a list of some of these, each once."""
    known_ones = isinstance(value, list) and all(isinstance(one, str | int) and one in known for one in value)
    return tuple(_checked(value, known_ones and value and len(set(value)) == len(value)))


def order(names: Mapping[str, str]) -> Kind:
    """Some of these words, each once, in any order."""
    return Kind(
        name="order",
        right=Text("some of {known}, each once, in the order in which they count", known=quoted(names)),
        read=lambda value: _selection(value, names),
        words=lambda value: tuple(Text(names[one]) for one in value),
        names=names,
        shown=Text("some of the list, each once, in the order in which they count"),
    )


SIZES = Kind(
    name="sizes",
    right=Text("some of 2, 3, 4 and 5, the best size first"),
    read=lambda value: _selection(value, (2, 3, 4, 5)),
)
_DATE = re.compile(r"(20[0-9]{2}|2[1-9][0-9]{2})-(0[1-9]|1[0-2])-([0-3][0-9])[ T]([01][0-9]|2[0-3]):([0-5][0-9])")


def _dates(value: object) -> tuple[str, ...]:
    given = _checked(value, isinstance(value, list | tuple) and len(value) < 100)
    found = [_DATE.fullmatch(str(one).strip()) for one in given]
    there = [one for one in found if one and 1 <= int(one[3]) <= monthrange(int(one[1]), int(one[2]))[1]]
    read = [one[0].replace("T", " ") for one in there]
    return tuple(_checked(read, len(read) == len(given) and all(one < other for one, other in pairwise(read))))


DATES = Kind(
    name="dates",
    right=Text("dates with an hour, one after the other, such as 2027-01-31 20:00"),
    read=_dates,
    words=", ".join,
)
USUAL_PLACES: Mapping[int, tuple[Fraction, ...]] = {
    size: tuple(Fraction(size - 1 - place, size - 1) for place in range(size)) for size in (2, 3, 4, 5)
}
"""1 for the first, 0 for the last, evenly between: a win is worth the same at each table."""


def _places(value: object) -> Mapping[int, tuple[Fraction, ...]]:
    made = dict(USUAL_PLACES)
    right_sizes = isinstance(value, Mapping) and {str(size) for size in value} <= {"2", "3", "4", "5"}
    for size, given in _checked(value, right_sizes).items():
        if not isinstance(given, list) or len(given) != int(size):
            right = Text("the points of its {n} places, those of the first place first", n=int(size))
            raise WrongTerm("places", right, str(size))
        made[int(size)] = tuple(read_points("places", points, str(size)) for points in given)
    return made


PLACES = Kind(
    name="places",
    right=Text("for each size of table the points of its places, such as 4: 3, 2, 1, 0"),
    read=_places,
)


# -- a term ---------------------------------------------------------------------------------------------


class Plural(NamedTuple):
    """A sentence whose wording depends on the `{n}` in it."""

    one: str
    many: str


Said = str | Plural | Mapping[Any, str] | Callable[["Terms", str], Iterable[Text]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One term of an event: all that is known of it but its name and its usual value."""

    kind: Kind
    label: str = ""
    """What its form calls it; empty if no form has it."""
    group: str
    """The sentence of the form that it belongs to."""
    formats: Collection[str] | None = None
    """None: all."""
    teams: bool | None = None
    """Whether it is for teams only (True) or for players only (False)."""
    said: Said = ""
    """What the event's page says: a sentence with the value in its one place, one for each value, or what a function of
    the terms and the format gives. Of none nothing is said."""
    zero: str | None = None
    """What is said of 0 instead."""
    where: Callable[[Terms], bool] = lambda terms: True
    """Under which other terms it is said."""

    def fits(self, format: str, *, teams: bool) -> bool:
        """Whether events of this format have it."""
        return (self.formats is None or format in self.formats) and self.teams in (None, teams)

    def read(self, key: str, value: object) -> Any:  # noqa: ANN401  a value of its kind
        """Return the value from plain data. Raises WrongTerm."""
        try:
            return self.kind.read(value)
        except ValueError:
            raise WrongTerm(key, self.kind.right, shown=self.kind.shown) from None

    def sentences(self, value: Any, terms: Terms, format: str) -> Iterator[Text]:  # noqa: ANN401  a value of its kind
        """Yield what is said of a value."""
        said = self.zero if self.zero is not None and value == 0 else self.said
        if value in (None, (), "") or not said or not self.where(terms):
            return
        if isinstance(said, Plural):
            yield Counted(*said, n=value)
        elif isinstance(said, str):
            place = {key: self.kind.words(value) for _, key, _, _ in Formatter().parse(said) if key}
            yield Text(said, **place)
        elif isinstance(said, Mapping):
            if value in said:
                yield Text(said[value])
        else:
            yield from said(terms, format)


def term(group: str, label: str, usual: object, kind: Kind, said: Said = "", **more: Any) -> Any:  # noqa: ANN401
    """Declare a term, a field of a dataclass, with its usual value; see `Term`, which has also what `more` can be."""
    declared = Term(group=group, label=label, kind=kind, said=said, **more)
    return field(default_factory=lambda: usual, metadata={"term": declared})
