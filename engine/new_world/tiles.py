"""Tile sets: the land tiles and the start board as data, ready to be laid (new_world R1.1, R1.2).

The shipped set is a reconstruction and says so in its data. Another set in the same schema is checked and installed
with `install`, or taken from the surrounding program's shelf when it is asked for; a game names its set in the option
`tile_set`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from engine.new_world.geometry import (
    FACING,
    FIRST_SIDE_PORT,
    HALF_EDGES,
    HALVES_OF_SIDE,
    LETTERS,
    PATTERNS,
    PORTS,
    ROTATIONS,
    SIDES,
    STEPS,
    letter_at,
    pattern,
    turned,
)
from engine.new_world.tile_checks import check_tiles as check_tiles  # offered here too

SHIPPED = "nw-reconstruction-1"
EXTRAS = {"town": "shields", "road": "posts", "plain": "animals"}
KIND_OF_PART = {"r": "road", "t": "town", "f": "farm", "p": "plain"}
"""What a part of a tile is, by the first letter of its id."""
SETTLER_OF = {"road": "robber", "town": "trader", "farm": "farmer", "plain": "trapper"}
"""Which settler stands on which kind of feature (new_world R6.1)."""


class Segment(NamedTuple):
    """One part of a tile: a stretch of road, a piece of town, a plain, a farm."""

    id: str
    kind: str
    ports: tuple[int, ...]
    """Where it reaches the rim of the unturned tile."""
    open: int
    """The number of sides to which it is open: roads and towns only (new_world R7.1, R7.2)."""
    extras: int
    """Relay posts, shields or animals."""
    ends: str | None
    """Where a road stops on this tile; `open` if it passes through."""


class Side(NamedTuple):
    """What a piece shows on one side to the neighbouring cell."""

    dx: int
    dy: int
    letter: int
    """The letter's number, already shifted to its place in the neighbour's pattern."""
    touches: tuple[tuple[int, int], ...]
    """The neighbour's port and the number of the segment that lies there."""


class Piece(NamedTuple):
    """A tile turned by 0, 90, 180 or 270 degrees."""

    rotation: int
    edges: str
    segment_at: tuple[int, ...]
    """For each port the number of the segment there, -1 for none."""
    masks: tuple[int, ...]
    """For each segment its ports, a bit each."""
    faces: tuple[Side, ...]


def _piece(edges: str, segments: Sequence[Segment], rotation: int) -> Piece:
    quarters = rotation // 90
    segment_at = [-1] * PORTS
    masks = []
    for number, segment in enumerate(segments):
        ports = [turned(port, quarters) for port in segment.ports]
        masks.append(sum(1 << port for port in ports))
        for port in ports:
            segment_at[port] = number
    shown = edges[4 - quarters :] + edges[: 4 - quarters]
    faces = []
    for side, (dx, dy) in enumerate(STEPS):
        ports = [port for port in (*HALVES_OF_SIDE[side], FIRST_SIDE_PORT + side) if segment_at[port] >= 0]
        faces.append(
            Side(
                dx,
                dy,
                LETTERS.index(shown[side]) << (2 * ((side + 2) % 4)),
                tuple((FACING[port], segment_at[port]) for port in ports),
            )
        )
    return Piece(rotation, shown, tuple(segment_at), tuple(masks), tuple(faces))


class TileKind:
    """One kind of tile with everything known about it before it is laid."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.id: str = data["id"]
        self.count: int = data["count"]
        self.edges: str = data["edges"]
        self.segments = tuple(_segment(segment) for segment in data["segments"])
        self.pieces = tuple(_piece(self.edges, self.segments, rotation) for rotation in ROTATIONS)
        self.index = {segment.id: number for number, segment in enumerate(self.segments)}
        self.by_number = tuple(sorted(range(len(self.segments)), key=lambda place: int(self.segments[place].id[1:])))
        """The places of the segments, lowest-numbered ids first."""
        looks = [(piece.edges, piece.segment_at) for piece in self.pieces]
        self.smallest = {rotation: ROTATIONS[looks.index(looks[rotation // 90])] for rotation in ROTATIONS}
        """For each rotation the smallest one that gives the same oriented piece."""
        self.rotations = tuple(rotation for rotation in ROTATIONS if self.smallest[rotation] == rotation)

    @cached_property
    def fits(self) -> tuple[tuple[int, ...], ...]:
        """Return, for each pattern of neighbours, the rotations whose edges match on every touching side (new_world
        R5.3)."""
        shown = [(rotation, pattern(self.pieces[rotation // 90].edges)) for rotation in self.rotations]
        masks = [sum(3 << (2 * side) for side in range(4) if letter_at(p, side) != "-") for p in range(PATTERNS)]
        return tuple(
            tuple(rotation for rotation, edges in shown if edges & mask == wanted) for wanted, mask in enumerate(masks)
        )


class StartSpace:
    """A printed space of the eastern coast (new_world R1.2)."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.row: int = data["row"]
        self.name: str = data["name"]
        self.key = "-".join(self.name.lower().split())
        self.segments = tuple(_segment(segment) for segment in data["segments"])
        self.piece = _piece(data["edges"], self.segments, 0)


def _segment(data: Mapping[str, Any]) -> Segment:
    kind = data["kind"]
    if kind == "plain":
        ports = tuple(HALF_EDGES.index(half) for half in data["sides"])
    else:
        ports = tuple(FIRST_SIDE_PORT + SIDES.index(side) for side in data.get("edges", ()))
    return Segment(
        id=data["id"],
        kind=kind,
        ports=ports,
        open=len(ports) if kind in ("road", "town") else 0,
        extras=data[EXTRAS[kind]] if kind in EXTRAS else 0,
        ends=data.get("ends"),
    )


class TileSet:
    """All tiles and the start board of one set. Two sets are the same when they have the same name."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        """`data` must have passed `check_tiles`."""
        self.id: str = data["set_id"]
        self.exact: bool = data["exact"]
        self.provenance: str = data["provenance"]
        self.spaces_count_as_tiles: bool = data["start"]["spaces_count_as_tiles"]
        self.kinds = {tile["id"]: TileKind(tile) for tile in data["tiles"]}
        self.start = tuple(StartSpace(row) for row in data["start"]["rows"])
        self.bag = tuple(sorted(kind.id for kind in self.kinds.values() for _ in range(kind.count)))
        """The ids of all tiles, sorted."""
        self.data = data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TileSet) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"TileSet({self.id!r})"


class InvalidTileSet(ValueError):
    """The data cannot be used in a game; `problems` says why, a sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class Shelf(Protocol):
    """Where a program keeps further sets. What it returns has passed `check_tiles`, and never changes."""

    def names(self) -> Sequence[str]:
        """Return the names of all sets on it."""

    def data(self, set_id: str) -> Mapping[str, Any] | None:
        """Return the data of one set; None when it is not there."""


_installed: dict[str, TileSet] = {}
_shelves: list[Shelf] = []


def ask_also(shelf: Shelf | None) -> None:
    """Look for unknown sets on this shelf from now on, instead of any set before."""
    _shelves[:] = [] if shelf is None else [shelf]


def install(data: Mapping[str, Any]) -> TileSet:
    """Add a set to this process. Raises `InvalidTileSet`, also when another set has the same name."""
    problems = check_tiles(data)
    known = find_tile_set(data["set_id"]) if not problems else None
    if known is not None and known.data != data:
        problems = [f"Another set named {known.id} is installed; give this one a name of its own."]
    if problems:
        raise InvalidTileSet(problems)
    return known or _known_from_now_on(data)


def _known_from_now_on(data: Mapping[str, Any]) -> TileSet:
    tiles = TileSet(data)
    _installed[tiles.id] = tiles
    return tiles


def installed() -> tuple[str, ...]:
    """Return the names of the sets that can be played, the shipped one first."""
    return tuple(dict.fromkeys((*_installed, *(name for shelf in _shelves for name in shelf.names()))))


def known_kinds(tile: str) -> list[TileKind]:
    """Return the tiles of this name in all sets that this process has read."""
    return [tiles.kinds[tile] for tiles in _installed.values() if tile in tiles.kinds]


def find_tile_set(set_id: str) -> TileSet | None:
    """Return an installed set by its name; None when there is none."""
    known = _installed.get(set_id)
    for shelf in _shelves if known is None else ():
        data = shelf.data(set_id)
        if data is not None:
            return _known_from_now_on(data)
    return known


def tile_set(set_id: str) -> TileSet:
    """Return an installed set by its name; KeyError for others."""
    found = find_tile_set(set_id)
    if found is None:
        raise KeyError(set_id)
    return found


def shipped_data() -> dict[str, Any]:
    """Return the data of the shipped set, to copy from."""
    text = (Path(__file__).parent / "data" / "tiles.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


install(shipped_data())
