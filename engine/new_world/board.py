"""The laid area: tiles, the features they form, and the empty cells beside them (new_world R2, R5).

A board is a value. Laying a tile gives a new one that shares the records of what did not change.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from engine.new_world.features import Feature, Settler, find, join
from engine.new_world.geometry import Cell, around
from engine.new_world.tiles import Piece, TileKind, TileSet


class Laid(NamedTuple):
    """A tile on the table: its kind, how it is turned, who laid it in which turn."""

    tile: str
    rotation: int
    seat: str
    turn: int
    numbers: tuple[int, ...]
    """For each segment a number of its feature; `Board.feature_at` finds the whole from it."""


class Gap(NamedTuple):
    """An empty cell where a tile may touch something (new_world R5.2).

    `pattern` says what each touching side requires; `contacts` are the ports of a tile laid here that would meet a
    feature, with the feature's number.
    """

    x: int
    y: int
    pattern: int
    contacts: tuple[tuple[int, int], ...]


class Board(NamedTuple):
    """Everything on the table but the surveyors."""

    tiles: TileSet
    laid: Mapping[Cell, Laid]
    """In the order of laying."""
    gaps: tuple[Gap, ...]
    """The frontier, sorted by x and y."""
    links: tuple[int, ...]
    features: tuple[Feature, ...]
    """By number; only those that link to themselves are meaningful."""
    west: int
    """The westernmost column with a tile, 0 before the first (new_world R9.3)."""

    def kind_at(self, x: int, y: int) -> TileKind:
        """Return the kind of the tile on a cell; KeyError for an empty one."""
        return self.tiles.kinds[self.laid[x, y].tile]

    def number_at(self, x: int, y: int, segment: str) -> int:
        """Return the number of the whole feature to which a segment of a laid tile belongs."""
        laid = self.laid[x, y]
        return find(self.links, laid.numbers[self.tiles.kinds[laid.tile].index[segment]])

    def feature_at(self, x: int, y: int, segment: str) -> Feature:
        """Return the whole feature to which a segment of a laid tile belongs."""
        return self.features[self.number_at(x, y, segment)]

    def gap_at(self, x: int, y: int) -> Gap | None:
        """Return the empty cell at the frontier, None when the cell is taken or touches nothing."""
        index = bisect_left(self.gaps, (x, y))
        if index < len(self.gaps):
            gap = self.gaps[index]
            if gap.x == x and gap.y == y:
                return gap
        return None

    def is_filled(self, x: int, y: int) -> bool:
        """Return whether a tile or a start space lies there (new_world R7.3)."""
        return (x, y) in self.laid or (x == 0 and 0 <= y < len(self.tiles.start))

    def filled_around(self, x: int, y: int) -> int:
        """Return how many of the eight cells around a cell are filled; start spaces count (new_world RULING-A)."""
        return sum(self.is_filled(*cell) for cell in around(x, y))


def start_board(tiles: TileSet) -> Board:
    """Return the eastern coast before the first tile, its spaces joined from north to south (new_world R10.3)."""
    return _coast(tiles)[0]


def coast_numbers(tiles: TileSet) -> tuple[tuple[int, ...], ...]:
    """Return for each space of the coast what `Laid.numbers` is for a tile; the numbers hold on every board of the
    set."""
    return _coast(tiles)[1]


@lru_cache(maxsize=16)
def _coast(tiles: TileSet) -> tuple[Board, tuple[tuple[int, ...], ...]]:
    links: list[int] = []
    features: list[Feature] = []
    gaps, found = [], []
    from_north: tuple[tuple[int, int], ...] = ()
    for space in tiles.start:
        touching: list[list[int]] = [[] for _ in space.segments]
        for port, number in from_north:
            touching[space.piece.segment_at[port]].append(number)
        numbers = join(links, features, space.segments, touching, 1 << space.row)
        found.append(tuple(numbers))
        _, _, south, west = space.piece.faces
        from_north = tuple((port, numbers[segment]) for port, segment in south.touches)
        contacts = tuple((port, numbers[segment]) for port, segment in west.touches)
        gaps.append(Gap(1, space.row, west.letter, contacts))
    return Board(tiles, {}, tuple(gaps), tuple(links), tuple(features), 0), tuple(found)


def lay(board: Board, x: int, y: int, tile: str, rotation: int, seat: str, turn: int) -> Board:
    """Return the board with one more tile. The cell must be a gap; whether the edges match is not checked here."""
    tiles, laid, old_gaps, old_links, old_features, west = board
    kind = tiles.kinds[tile]
    piece: Piece = kind.pieces[rotation // 90]
    gaps = list(old_gaps)
    index = bisect_left(gaps, (x, y))
    segment_at = piece.segment_at
    touching: list[list[int]] = [[] for _ in kind.segments]
    for port, number in gaps.pop(index).contacts:
        touching[segment_at[port]].append(number)
    links, features = list(old_links), list(old_features)
    numbers = join(links, features, kind.segments, touching, 1 << (len(tiles.start) + len(laid)))
    now_laid = dict(laid)
    now_laid[x, y] = Laid(tile, rotation, seat, turn, tuple(numbers))
    for dx, dy, letter, touches in piece.faces:
        cell = (x + dx, y + dy)
        # Column 0 is the coast: nothing is ever laid there (new_world R2.2).
        if cell[0] < 1 or cell in laid:
            continue
        contacts = tuple([(port, numbers[segment]) for port, segment in touches])
        index = bisect_left(gaps, cell)
        if index < len(gaps) and (gap := gaps[index])[:2] == cell:
            gaps[index] = Gap(gap.x, gap.y, gap.pattern | letter, gap.contacts + contacts)
        else:
            gaps.insert(index, Gap(cell[0], cell[1], letter, contacts))
    return Board(tiles, now_laid, tuple(gaps), tuple(links), tuple(features), x if x > west else west)


def with_settler(board: Board, settler: Settler) -> Board:
    """Return the board with one settler more on the feature of its segment."""
    number = board.number_at(settler.x, settler.y, settler.segment)
    feature = board.features[number]
    features = list(board.features)
    features[number] = feature._replace(settlers=tuple(sorted((*feature.settlers, settler))))
    return board._replace(features=tuple(features))


def without_settlers(board: Board, gone: tuple[Settler, ...]) -> Board:
    """Return the board after these settlers went home."""
    features = list(board.features)
    for settler in gone:
        number = board.number_at(settler.x, settler.y, settler.segment)
        feature = features[number]
        features[number] = feature._replace(settlers=tuple(one for one in feature.settlers if one != settler))
    return board._replace(features=tuple(features))
