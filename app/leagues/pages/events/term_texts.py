"""Converts the terms of an event to the texts of its form, and typed texts back to data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.base.words.numbers import whole
from app.base.words.texts import read_date
from app.leagues.pure import terms as pure
from app.leagues.pure.model import plain_points, said_points
from app.leagues.pure.tiebreaks import RECIPES

TERMS = {name: one for name, one in pure.TERMS.items() if one.label and one.kind.name != "places"}
"""The terms that have a field. An order has one for each place, from `NAME.1` on; empty ones are left out."""
OWN_ORDER = "own"
"""Tie-breaks in an order of the organisers' own, not one of `RECIPES`."""
SIZES = (3, 4, 5)
"""Points by place have a field for each of these sizes of a table, `places_SIZE`."""


def _number(given: str) -> int | str:
    read = whole(given)
    return given if read is None else read


def _dates(given: Sequence[str]) -> list[str]:
    """Return each date with its hour as the terms have it, from a field for each or from several in one."""
    parts = [part.strip() for text in given for part in re.split("[,;\n]", text) if part.strip()]
    found = [(part, read_date(part)) for part in parts]
    return [part if read is None or read[1] is None else f"{read[0]} {read[1]:%H:%M}" for part, read in found]


_NO = ("no", "everybody")
_READ: Mapping[str, Callable[[Any], object]] = {
    "number": _number,
    "worth": lambda given: list(map(plain_points, given.replace(";", " ").split())),
    "choice": str,
    "line": str,
    "flag": lambda given: given not in _NO,
    "order": lambda given: [given[n] for n in map(str, range(1, 100)) if given.get(n)],
    "sizes": lambda given: [_number(part) for part in given.replace(",", " ").split()],
    "dates": _dates,
}
"""By kind of term: its data from typed text. Unreadable text stays as it is, to be refused under the term's label."""
_SHOWN: Mapping[str, Callable[[Any], object]] = {
    "number": lambda value: "" if value is None else f"{value:g}",
    "worth": lambda value: " ".join(map(said_points, value if value != (*value[:3], *value[:2]) else value[:3])),
    "choice": str,
    "line": str,
    "order": lambda value: {str(n): one for n, one in enumerate(value, 1)},
    "sizes": lambda value: " ".join(map(str, value)),
    "dates": lambda value: [one.replace(" ", "T") for one in value],
}


def read(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the terms as plain data, from the content of each field.

    Empty fields have their usual value and are left out.
    """
    made: dict[str, Any] = {}
    for name, term in TERMS.items():
        given = typed[name].strip() if isinstance(typed[name], str) else typed[name]
        made |= {name: _READ[term.kind.name](given)} if given else {}
    if typed["recipe"] in RECIPES:
        made["tie_breaks"] = list(RECIPES[typed["recipe"]])
    points = {str(size): typed[f"places_{size}"].replace(";", " ").split() for size in SIZES}
    made["places"] = {size: list(map(plain_points, each)) for size, each in points.items() if each}
    return {name: value for name, value in made.items() if value not in ([], {})}


def shown(terms: pure.Terms) -> dict[str, object]:
    """Return the content of each field for these terms."""
    found: dict[str, object] = {f"places_{size}": " ".join(map(said_points, terms.places[size])) for size in SIZES}
    found["recipe"] = next((key for key, order in RECIPES.items() if order == terms.tie_breaks), OWN_ORDER)
    for name, term in TERMS.items():
        value, kind = getattr(terms, name), term.kind
        if kind.name == "flag":
            found[name] = next(text for text in kind.names if (text not in _NO) == value)
        else:
            found[name] = _SHOWN[kind.name](value)
    return found
