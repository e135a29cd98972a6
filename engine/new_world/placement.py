"""Where the drawn tile may be laid, and which of its parts may then take a settler (new_world R5, R6).

The lists are made from the frontier alone: their cost grows with the empty cells beside the laid area, not with the
number of tiles in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text
from engine.new_world.actions import Place
from engine.new_world.board import Board, Gap
from engine.new_world.features import find
from engine.new_world.geometry import LETTERS, SIDES, letter_at, pattern
from engine.new_world.places import cell_name
from engine.new_world.tiles import TileKind

FEATURE_OF_LETTER = {"P": "plain", "R": "road", "T": "town"}


def fits_somewhere(board: Board, tile: str) -> bool:
    """Return whether the tile has any legal place (new_world R5.4)."""
    fits = board.tiles.kinds[tile].fits
    return any(fits[gap.pattern] for gap in board.gaps)


def placements(board: Board, tile: str) -> list[Place]:
    """Return all legal cells and rotations of a tile, sorted by x, y and rotation; no settlers (new_world R5.2,
    R5.3)."""
    fits = board.tiles.kinds[tile].fits
    found: list[Place] = []
    for x, y, wanted, _ in board.gaps:
        rotations = fits[wanted]
        if rotations:
            for rotation in rotations:
                found += _places(x, y, rotation, _NOBODY)
    return found


def placements_with_settlers(board: Board, tile: str, gaps: Iterable[Gap] | None = None) -> list[Place]:
    """Return the same list, each place followed by those that also put a settler on a free part (new_world R6.1, R6.2);
    only for these gaps, if any are given."""
    links, features = board.links, board.features
    kind = board.tiles.kinds[tile]
    fits = kind.fits
    found: list[Place] = []
    for x, y, wanted, contacts in board.gaps if gaps is None else gaps:
        rotations = fits[wanted]
        if not rotations:
            continue
        occupied = 0
        for port, number in contacts:
            while (further := links[number]) != number:
                number = further
            if features[number][4]:
                occupied |= 1 << port
        joined = _joined(board, contacts, occupied) if occupied else ()
        for rotation in rotations:
            found += _places(x, y, rotation, _free(kind, rotation, occupied, joined))
    return found


_NOBODY = (None,)


@lru_cache(maxsize=1 << 15)
def _places(x: int, y: int, rotation: int, segments: tuple[str | None, ...]) -> tuple[Place, ...]:
    """Return the actions themselves, made once: the same values come up in every game."""
    return tuple(Place(x, y, rotation, segment) for segment in segments)


def _joined(board: Board, contacts: Iterable[tuple[int, int]], occupied: int) -> tuple[int, ...]:
    """Return, as bits, each feature without a settler that a tile meets at several ports."""
    met: dict[int, int] = {}
    for port, number in contacts:
        if not occupied & 1 << port:
            number = find(board.links, number)
            met[number] = met.get(number, 0) | 1 << port
    return tuple(sorted([ports for ports in met.values() if ports & (ports - 1)]))


@lru_cache(maxsize=1 << 14)
def _free(kind: TileKind, rotation: int, occupied: int, joined: tuple[int, ...]) -> tuple[str | None, ...]:
    """Return None (no settler) and the segments that belong to no feature with a settler once everything is joined.

    `occupied` has a bit for each port that meets a feature with a settler; for `joined` see `_joined`. A segment that
    meets an occupied and a free feature makes the free one occupied, and through it perhaps another segment of the tile
    (new_world R6.2: the whole connected feature counts).
    """
    masks = kind.pieces[rotation // 90].masks
    before = -1
    while occupied != before:
        before = occupied
        for ports in (*joined, *masks):
            if ports & occupied:
                occupied |= ports
    return (None, *[segment.id for segment, ports in zip(kind.segments, masks, strict=True) if not ports & occupied])


def check_cell(board: Board, tile: str, x: int, y: int, rotation: int) -> None:
    """Refuse a cell or a rotation that is against the rules, saying which side does not match."""
    kind = board.tiles.kinds[tile]
    cell = cell_name(x, y)
    if x < 1:
        raise IllegalAction(
            "place.coast",
            Text("Tiles lie west of the coast, in column A or beyond it; nothing can be laid further east."),
            rule="R2.2",
        )
    if (x, y) in board.laid:
        raise IllegalAction(
            "place.taken", Text("A tile lies at {cell} already; choose an empty cell.", cell=cell), rule="R5.2"
        )
    gap = board.gap_at(x, y)
    if gap is None:
        raise IllegalAction(
            "place.apart",
            Text("The cell {cell} has no side in common with a tile or a start space; one side must touch.", cell=cell),
            rule="R5.2",
        )
    if kind.smallest[rotation] in kind.fits[gap.pattern]:
        return
    shown = pattern(kind.pieces[rotation // 90].edges)
    for side, name in enumerate(SIDES):
        wanted, own = letter_at(gap.pattern, side), letter_at(shown, side)
        if wanted not in (LETTERS[0], own):
            raise IllegalAction(
                "place.edges",
                Text(
                    "Turned by {rotation} degrees at {cell}, the tile shows a side of kind {own} to the {side}, "
                    "where a side of kind {wanted} lies; the two must be alike.",
                    rotation=rotation,
                    cell=cell,
                    own=Name("feature", FEATURE_OF_LETTER[own]),
                    side=Name("side", name),
                    wanted=Name("feature", FEATURE_OF_LETTER[wanted]),
                ),
                rule="R5.3",
            )
