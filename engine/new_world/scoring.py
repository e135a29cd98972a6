"""When a feature is complete, what it is worth, and who gets it (new_world R7, R8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.new_world.board import Board
from engine.new_world.events import FeatureScored
from engine.new_world.features import Feature, Settler, find
from engine.new_world.options import Options
from engine.new_world.references import Reference, parse_reference
from engine.new_world.state import State
from engine.new_world.surveyors import bonuses

CELLS_AROUND_A_FARM = 8


def completed(state: State) -> tuple[str, ...]:
    """Return the completed features with settlers after the last placement, in the order in which they stand on the
    tile.

    A road or town is named by the tile just laid and its lowest-numbered segment there, a farm by its own tile
    (new_world R7, R8.7).
    """
    board = state.board
    if state.last is None:
        return ()
    x, y = state.last
    found = []
    seen = set()
    kind = board.kind_at(x, y)
    numbers = board.laid[x, y].numbers
    for place in kind.by_number:
        number = find(board.links, numbers[place])
        feature = board.features[number]
        if feature.settlers and not feature.open and feature.kind in ("road", "town") and number not in seen:
            seen.add(number)
            found.append(f"{x},{y}:{kind.segments[place].id}")
    for settler in state.settlers:
        is_near = settler.segment[0] == "f" and abs(settler.x - x) <= 1 and abs(settler.y - y) <= 1
        if is_near and board.filled_around(settler.x, settler.y) == CELLS_AROUND_A_FARM:
            found.append(f"{settler.x},{settler.y}:{settler.segment}")
    return tuple(found)


def is_complete(board: Board, feature: Feature, at: Reference) -> bool:
    """Return whether nothing is missing; plains are never complete (new_world R7)."""
    if feature.kind == "plain":
        return False
    if feature.kind == "farm":
        return board.filled_around(at.x, at.y) == CELLS_AROUND_A_FARM
    return feature.open == 0


def tiles_of(board: Board, options: Options, feature: Feature) -> int:
    """Return how many tiles the feature lies on, each counted once; start spaces by option (new_world R8.1, R8.2,
    R8.4)."""
    cells = feature.cells
    if not options.spaces_count_as_tiles:
        cells >>= len(board.tiles.start)
    return cells.bit_count()


def completed_value(board: Board, options: Options, feature: Feature) -> int:
    """Return what a completed road, town or farm is worth without bonus (new_world R8.1 to R8.3)."""
    if feature.kind == "road":
        return tiles_of(board, options, feature) + 2 * feature.extras
    if feature.kind == "town":
        return 2 * tiles_of(board, options, feature) + 2 * feature.extras
    return 1 + CELLS_AROUND_A_FARM


def majority(seats: Iterable[str], settlers: Sequence[Settler]) -> tuple[str, ...]:
    """Return the seats with the most settlers, all of them if tied, in turn order (new_world R8.5)."""
    if len(settlers) == 1:
        return (settlers[0].seat,)
    counts = Counter(settler.seat for settler in settlers)
    most = max(counts.values())
    return tuple(seat for seat in seats if counts[seat] == most)


def score(state: State, reference: str) -> FeatureScored:
    """Return the scoring of one completed feature that holds a settler (new_world R8, R9.4)."""
    board, options = state.board, state.options
    feature = board.feature_at(*parse_reference(reference))
    value = completed_value(board, options, feature)
    scoring = majority(state.seats, feature.settlers)
    bonus = bonuses(feature.settlers, scoring, state.surveyors, per_settler=options.bonus_per_settler)
    return FeatureScored(
        feature=reference,
        kind=feature.kind,
        value=value,
        gains={seat: value + bonus.get(seat, 0) for seat in scoring},
        bonus=bonus,
        home=tuple((*settler,) for settler in feature.settlers),
    )
