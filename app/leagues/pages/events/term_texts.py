"""Converts the terms of an event to the texts of its form, and typed texts back to data."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from app.base.numbers import whole
from app.leagues.events.term_words import TERM_LABELS, points_in_words
from app.leagues.pure import terms as pure
from app.leagues.pure.model import plain_points
from app.web.written_dates import read_date

ORDERS = {"tie_breaks": pure.TIE_BREAK_NAMES, "drawn": pure.DRAWN_NAMES}
"""Terms that are an ordered list of choices: a field for each place, from `NAME.1` on; empty ones are left out."""
SIZES = (3, 4, 5)
"""Points by place have a field for each of these sizes of a table, `places_SIZE`."""


class TermText(NamedTuple):
    """A kind of term: its data from typed text, if any, and the text shown for its value.

    Unreadable text is kept as it is, to be refused under the label of its term.
    """

    read: Callable[[Any], object]
    shown: Callable[[Any], object]


def _number(given: str) -> int | str:
    read = whole(given)
    return given if read is None else read


def _is_meant(given: str) -> bool:
    return given not in ("no", "everybody")


_WORD = TermText(str, str)
_NUMBER = TermText(_number, lambda value: "" if value is None else f"{value:g}")
_POINTS = TermText(plain_points, points_in_words)
_FLAG = TermText(_is_meant, lambda value: "yes" if value else "no")
_MEMBERS = TermText(_is_meant, lambda value: "members" if value else "everybody")
_SIZES = TermText(
    lambda given: [_number(part) for part in given.replace(",", " ").split()], lambda value: " ".join(map(str, value))
)


def _dates(given: Sequence[str]) -> list[str]:
    """Return each date with its hour as the terms have it, from a field for each or from several in one."""
    parts = [part.strip() for text in given for part in re.split("[,;\n]", text) if part.strip()]
    found = [(part, read_date(part)) for part in parts]
    return [part if read is None or read[1] is None else f"{read[0]} {read[1]:%H:%M}" for part, read in found]


_DATES = TermText(_dates, lambda value: [one.replace(" ", "T") for one in value])


def _order(known: Collection[str]) -> TermText:
    """Return the kind of a list of some of these values, with a field for each place."""
    places = [str(n) for n in range(1, len(known) + 1)]
    return TermText(
        lambda given: [one for place in places if (one := given.get(place))],
        lambda value: dict(zip(places, value, strict=False)),
    )


def _kind_of(name: str) -> TermText:
    usual = getattr(pure.USUAL, name)
    kinds = ((bool, _FLAG), (Fraction, _POINTS), (str, _WORD))
    return next((kind for of, kind in kinds if isinstance(usual, of)), _NUMBER)


TERMS: Mapping[str, TermText] = {
    **{name: _kind_of(name) for name in TERM_LABELS if name not in (*ORDERS, "places", "sizes", "round_dates")},
    "members_only": _MEMBERS,
    **{name: _order(known) for name, known in ORDERS.items()},
    "sizes": _SIZES,
    "round_dates": _DATES,
}
"""All terms but points by place, in the order in which the first bad one is reported."""


def read(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the terms as plain data, from the content of each field.

    Empty fields have their usual value and are left out.
    """
    made: dict[str, Any] = {}
    for name, kind in TERMS.items():
        given = typed[name].strip() if isinstance(typed[name], str) else typed[name]
        made |= {name: kind.read(given)} if given else {}
    points = {str(size): typed[f"places_{size}"].replace(";", " ").split() for size in SIZES}
    made["places"] = {size: list(map(plain_points, each)) for size, each in points.items() if each}
    return {name: value for name, value in made.items() if value not in ([], {})}


def shown(terms: pure.Terms) -> dict[str, object]:
    """Return the content of each field for these terms."""
    places = {f"places_{size}": " ".join(map(points_in_words, terms.places[size])) for size in SIZES}
    return {name: kind.shown(getattr(terms, name)) for name, kind in TERMS.items()} | places
