"""What people call a cell, a column, a feature: the names on the map, everywhere the same.

Columns have letters, A beside the coast; rows have numbers from north to south. The first space of the coast is in row
50, so that there is room north of it and a name never changes in a game: `A54`, and `A48` two rows north of the coast.
Raw coordinates, `1,-2`, are for records. Earlier names, with rows from 0 and `An2` north of them, are still read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from engine.kernel.text import Counted, Text
from engine.new_world.geometry import Cell
from engine.new_world.references import Reference, parse_reference
from engine.new_world.tiles import KIND_OF_PART

_CELL = re.compile(r"([a-z]{1,3})(\d{1,6})", re.ASCII | re.IGNORECASE)

ALPHABET = 26
FIRST_ROW, LEAST_ROW = 50, 25
"""The number of the first row of the coast; and of the first row that has a number. Smaller ones are earlier names."""


def column_name(column: int) -> str:
    """Return the letters of a column: A beside the coast, Z, AA; nothing for the coast itself."""
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, ALPHABET)
        letters = chr(ord("A") + rest) + letters
    return letters


def row_name(row: int) -> str:
    """Return the number of a row; n26 and so on for rows that no game with tiles enough for them has reached."""
    number = FIRST_ROW + row
    return str(number) if number >= LEAST_ROW else f"n{-row}"


def row_numbered(number: int) -> int:
    """Return the row with this number; a small one counts from the first row of the coast, as in earlier names."""
    return number - FIRST_ROW if number >= LEAST_ROW else number


def cell_name(x: int, y: int) -> str:
    """Return a cell as the map calls it, such as `B55`."""
    return column_name(x) + row_name(y)


def name_at(at: str) -> str:
    """Return the same from raw coordinates, `2,5`, or from a part of a tile, `2,5:r0`."""
    x, y = at.partition(":")[0].split(",")
    return cell_name(int(x), int(y))


def letter(n: int) -> str:
    """Return the letter of the nth feature (from 0) in a list that the map shows as well."""
    return column_name(n + 1)


def read_cell(text: str, west: int = 0) -> Cell | None:
    """Return the cell that a name means; None for other words. `west` is the westernmost column where something lies.

    Case does not matter. `an2` is north of A, unless the board reaches column AN and the case says so.
    """
    match = _CELL.fullmatch(text)
    if match is None:
        return None
    letters, row = match[1], int(match[2])
    if len(letters) > 1 and letters[-1] in "nN" and row > 0:
        if row < LEAST_ROW:
            is_north = letters[-1] == "n" or _column(letters) > west + 1
        else:
            is_north = letters[-1] == "n" and letters[:-1].isupper()
        if is_north:
            return _column(letters[:-1]), -row
    return _column(letters), row_numbered(row)


def _column(letters: str) -> int:
    column = 0
    for one in letters.upper():
        column = column * ALPHABET + ord(one) - ord("A") + 1
    return column


# -- features ---------------------------------------------------------------------------------------


def feature_at(reference: str) -> Text:
    """Name a feature by its kind and place."""
    at, _, part = reference.partition(":")
    cell = name_at(at)
    match KIND_OF_PART[part[0]]:
        case "road":
            return Text("the road at {at}", at=cell)
        case "town":
            return Text("the town at {at}", at=cell)
        case "farm":
            return Text("the farm at {at}", at=cell)
        case _:
            return Text("the plain at {at}", at=cell)


def features_at(references: Iterable[str]) -> tuple[Text, ...]:
    """Return features in their order, to be said as a list; consecutive ones with the same name are counted."""
    said: list[Text] = []
    for (at, kind), alike in groupby(map(parse_reference, references), lambda one: (one[:2], one.segment[0])):
        found: Sequence[Reference] = list(alike)
        n, cell = len(found), cell_name(*at)
        if n == 1:
            said.append(feature_at(str(found[0])))
        elif KIND_OF_PART[kind] == "road":
            said.append(Counted("{n} road at {at}", "{n} roads at {at}", n=n, at=cell))
        else:
            said.append(Counted("{n} town at {at}", "{n} towns at {at}", n=n, at=cell))
    return tuple(said)


def lettered(references: Iterable[str]) -> tuple[Text, ...]:
    """Return features that wait for scoring, with their letters on the map."""
    return tuple(
        Text("{letter} {feature}", letter=letter(n), feature=feature_at(one)) for n, one in enumerate(references)
    )


# -- surveyors --------------------------------------------------------------------------------------


def surveyors_stand(north: int, south: int) -> Text:
    """Return where the surveyors stand, in a sentence."""
    if not north and not south:
        return Text("Both surveyors stand on the coast.")
    if north == south:
        return Text("Both surveyors stand in column {column}.", column=column_name(north))
    if not north or not south:
        return Text(
            "One surveyor stands on the coast, the other one in column {column}.", column=column_name(north or south)
        )
    return Text(
        "The surveyors stand in the columns {north} and {south}.", north=column_name(north), south=column_name(south)
    )
