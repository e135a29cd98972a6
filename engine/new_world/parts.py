"""How the parts of a laid tile are distinguished in words: which way they lie, and where they lead."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from engine.kernel.text import Name, Text, names
from engine.new_world.board import Board
from engine.new_world.features import find
from engine.new_world.geometry import FIRST_SIDE_PORT, HALF_EDGES, HALVES_OF_SIDE, SIDES, STEPS
from engine.new_world.tiles import SETTLER_OF, TileKind

_WINDS = ("NNW", "NNE", "ENE", "ESE", "SSE", "SSW", "WSW", "WNW")
"""The half-edges as points of the compass, in the order of their ports."""
_CORNERS = {"NE": (1, 2), "SE": (3, 4), "SW": (5, 6), "NW": (7, 0)}
POINTS = (*SIDES, *_CORNERS, *_WINDS)
"""Every point of the compass that a part of a tile can reach."""


@lru_cache(maxsize=4096)
def rim(kind: TileKind, rotation: int, segments: tuple[str, ...]) -> tuple[str, ...]:
    """Return where these segments of a turned tile reach its rim, as points of the compass.

    Roads and towns have whole sides (`N`). Plains have whole sides, corners (`NE`) where they hold the two halves
    beside it, and single halves (`NNE`). Two parts of one tile never have the same points: each point stands for ports
    of its own. A farm, of which a tile has at most one, has none.
    """
    piece = kind.pieces[rotation // 90]
    mask = 0
    for segment in segments:
        mask |= piece.masks[kind.index[segment]]
    found = [side for number, side in enumerate(SIDES) if mask >> (FIRST_SIDE_PORT + number) & 1]
    halves = {port for port in range(len(HALF_EDGES)) if mask >> port & 1}
    for side, pair in zip(SIDES, HALVES_OF_SIDE, strict=True):
        if halves.issuperset(pair):
            found.append(side)
            halves.difference_update(pair)
    for corner, pair in _CORNERS.items():
        if halves.issuperset(pair):
            found.append(corner)
            halves.difference_update(pair)
    return (*found, *(_WINDS[port] for port in sorted(halves)))


def ports_of(point: str) -> tuple[int, ...]:
    """Return the half-edges of a point of the compass."""
    if point in tuple(SIDES):
        return HALVES_OF_SIDE[SIDES.index(point)]
    return _CORNERS.get(point) or (_WINDS.index(point),)


def part_at(kind: TileKind, rotation: int, feature: str, point: str) -> str | None:
    """Return the part with this kind of feature that the turned tile has at a point of the compass; None if it has
    none."""
    piece = kind.pieces[rotation // 90]
    if feature == "plain":
        found = {piece.segment_at[port] for port in ports_of(point)}
    else:
        found = {piece.segment_at[FIRST_SIDE_PORT + SIDES.index(point)]} if point in tuple(SIDES) else set()
    segments = [kind.segments[place] for place in found if place >= 0]
    return segments[0].id if len(found) == 1 and segments and segments[0].kind == feature else None


def part_as_written(kind: TileKind, rotation: int, segment: str) -> str:
    """Return a part of a turned tile as the notation writes it: its settler and, if the tile has several parts of the
    kind, a point of the compass that it reaches."""
    feature = kind.segments[kind.index[segment]].kind
    if sum(one.kind == feature for one in kind.segments) == 1:
        return SETTLER_OF[feature]
    return f"{SETTLER_OF[feature]} {rim(kind, rotation, (segment,))[0]}"


def parts_as_written(kind: TileKind, rotation: int) -> tuple[str, ...]:
    """Return all parts of a turned tile, in the same way."""
    return tuple(part_as_written(kind, rotation, one.id) for one in kind.segments)


def part_text(kind: TileKind, rotation: int, segment: str) -> Name | Text:
    """Return a part of a turned tile in words."""
    feature = Name("feature", kind.segments[kind.index[segment]].kind)
    points = rim(kind, rotation, (segment,))
    if not points:
        return feature
    return Text("{feature}, {sides}", feature=feature, sides=names("side", points))


def leads(board: Board, x: int, y: int, points: Iterable[str]) -> list[dict[str, Any]]:
    """Return the cell beyond each whole side among these points of the tile at x, y.

    `space` is the key of a coast space there; `empty` means that a tile can still be laid there, `sea` that none ever
    can.
    """
    found = []
    for point in points:
        if point not in SIDES:
            continue
        dx, dy = STEPS[SIDES.index(point)]
        cell = x + dx, y + dy
        on_coast = cell[0] == 0
        filled = board.is_filled(*cell)
        found.append(
            {
                "side": point,
                "cell": f"{cell[0]},{cell[1]}",
                "space": board.tiles.start[cell[1]].key if on_coast and filled else None,
                "empty": not filled and not on_coast,
                "sea": on_coast and not filled,
            }
        )
    return found


def open_cells(board: Board) -> dict[int, list[str]]:
    """Return for each feature, by number, the empty cells beside it, once for each port that something has to meet."""
    found: dict[int, list[str]] = {}
    for gap in board.gaps:
        for _, number in gap.contacts:
            found.setdefault(find(board.links, number), []).append(f"{gap.x},{gap.y}")
    return found
