"""Outlined features of the map: those that were touched, with what they lack.

A touch is a part of the address, `feature.C4` for what lies on that tile, `feature.C4.r0` for one of its parts, in
addition to whatever else is chosen there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from app.titles.new_world.tile_art import Art, Line, Spot, path, turned
from engine.new_world.places import name_at

FEATURE = "feature"
Placed = tuple[Art, int]
"""A tile's art and rotation."""
Feature = Mapping[str, Any]


def token(at: str) -> str:
    """Return the touch of a feature by one of its parts, `3,-1:r0`, or of a tile, `3,-1`."""
    part = at.partition(":")[2]
    return f"{FEATURE}.{name_at(at)}" + (f".{part}" if part else "")


def all_of(view: Mapping[str, Any]) -> list[Feature]:
    """Return every feature of the board, the listed ones first."""
    return [*view["features"], *view["quiet"]]


def touched(features: Iterable[Feature], tokens: Iterable[str]) -> list[Feature]:
    """Return the outlined features: touching a tile outlines the first one on it."""
    by_part: dict[str, Feature] = {}
    for one in features:
        for part in one["parts"]:
            by_part[token(part)] = one
            by_part.setdefault(token(part.partition(":")[0]), one)
    found = {by_part[given]["at"]: by_part[given] for given in tokens if given in by_part}
    return list(found.values())


def beside(features: Sequence[Feature], tokens: Sequence[str]) -> list[tuple[Feature, str]]:
    """Return what else lies on the touched tiles, each with its part there."""
    shown = [one["at"] for one in touched(features, tokens)]
    tiles = {".".join(given.split(".")[:2]) for given in tokens}
    found = []
    for one in features:
        here = next((part for part in one["parts"] if token(part.partition(":")[0]) in tiles), None)
        if here is not None and one["at"] not in shown:
            found.append((one, here))
    return found


def laid_in(view: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the laid tiles, by their cells `x,y`."""
    return {f"{one['x']},{one['y']}": one for one in view["laid"]}


def cell_of(at: str) -> tuple[int, int]:
    """Return the cell of a part, `3,-1:r0`, or of a cell as it is written."""
    x, y = at.partition(":")[0].split(",")
    return int(x), int(y)


def links(view: Mapping[str, Any], kept: Sequence[str] = ()) -> dict[str, str]:
    """Return where each tile with one of the features links to, by its cell `x,y`; `kept` are the other touches."""
    cells = {part.partition(":")[0]: None for one in all_of(view) for part in one["parts"]}
    return {cell: _at([token(cell)], kept) for cell in cells}


def to(tokens: Sequence[str], kept: Sequence[str] = ()) -> str:
    """Return the address of the page with these touches, at the board."""
    return f"{_at(tokens, kept)}#board"


def _at(tokens: Sequence[str], kept: Sequence[str]) -> str:
    return f"?at={','.join((*kept, *tokens))}"


def drawn(features: Sequence[Feature], art: Mapping[tuple[int, int], Placed], at: Callable[[int, int], Spot]) -> str:
    """Draw these features as they lie on the map, with `art` for every non-empty cell, and `at` giving the middle of a
    cell."""
    return "".join(f'<g class="nw-outlined">{_one(one, art, at)}</g>' for one in features)


def _one(one: Feature, art: Mapping[tuple[int, int], Placed], at: Callable[[int, int], Spot]) -> str:
    shapes, walls = "", ""
    for part in one["parts"]:
        cell, segment = cell_of(part), part.partition(":")[2]
        look, rotation = art[cell]
        shapes += _placed(look.shape[segment], rotation, at(*cell))
        if segment in look.walls:
            walls += _placed(look.walls[segment], rotation, at(*cell))
    edge = f'<path class="nw-edge" d="{walls}"/>' if walls else ""
    ground = "nw-course" if one["kind"] == "road" else "nw-ground"
    return f'<path class="{ground}" d="{shapes}"/>{edge}{_missing(one, at)}'


def _placed(line: Line, rotation: int, middle: Spot) -> str:
    """Return a line of a tile moved to where the tile lies."""
    letters, spots = line
    there = [turned(spot, rotation) for spot in spots]
    return path(letters, [(x + middle[0], y + middle[1]) for x, y in there])


def _missing(one: Feature, at: Callable[[int, int], Spot]) -> str:
    """Return the empty cells that the feature lacks; a plain is never complete."""
    if one["kind"] == "plain" or not one["open_at"]:
        return ""
    middles = [at(*cell_of(cell)) for cell in one["open_at"]]
    return f'<path class="nw-missing" d="{"".join(f"M{x - 26} {y - 26}h52v52h-52Z" for x, y in middles)}"/>'
