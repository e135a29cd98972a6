"""What a tile would bring at once wherever it fits, best first, found by scoring it (new_world R6 to R9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine.new_world import events as ev
from engine.new_world.actions import Place
from engine.new_world.board import Gap
from engine.new_world.features import find
from engine.new_world.orders import gained, results
from engine.new_world.references import Reference
from engine.new_world.rules import decision, with_settler, with_tile
from engine.new_world.scoring import completed, is_complete
from engine.new_world.state import State


class Merit(NamedTuple):
    """The best that a cell has for the deciding seat."""

    x: int
    y: int
    rotation: int
    points: int
    """What the seat gets at once, the surveyors' bonus included, in its best order of scoring."""
    home: bool
    """Whether a settler of the seat comes back."""
    grows: bool
    """Whether a feature with a settler of the seat grows."""
    gives: Mapping[str, int]
    """What the others get as well."""


def merits(state: State) -> list[Merit]:
    """Return a merit for each cell where the drawn tile fits: most points first, then a settler that comes back, then a
    growing feature of the seat's own, then nothing, and last what gives points away."""
    owed = decision(state)
    if owed is None or owed.kind != "place" or state.tile is None:
        return []
    fits = state.board.tiles.kinds[state.tile].fits
    found = [_cell(state, owed.seat, gap, fits[gap.pattern]) for gap in state.board.gaps if fits[gap.pattern]]
    return sorted(found, key=_rank)


def _rank(one: Merit) -> tuple[object, ...]:
    given = sum(one.gives.values())
    return -one.points, bool(given) and not one.points, not one.home, not one.grows, given, one.x, one.y


def _cell(state: State, seat: str, gap: Gap, rotations: tuple[int, ...]) -> Merit:
    board = state.board
    met = {find(board.links, number) for _, number in gap.contacts}
    grows = any(settler.seat == seat for number in met for settler in board.features[number].settlers)
    ways = [way for rotation in rotations for way in _ways(state, seat, Place(gap.x, gap.y, rotation), grows)]
    return min(ways, key=_rank)


def _ways(state: State, seat: str, place: Place, grows: bool) -> Iterator[Merit]:
    """Yield what a placement brings with each settler that would score at once, and without one."""
    bare = with_tile(state, place)
    for segment in (None, *_closed(bare, seat, place)):
        laid = with_settler(bare, place._replace(segment=segment))
        complete = completed(laid)
        if not complete:
            yield Merit(place.x, place.y, place.rotation, 0, False, grows, {})
            continue
        for result in results(laid, complete):
            scores = gained(result.events)["scores"]
            home = any(
                settler[0] == seat
                for event in result.events
                if isinstance(event, (ev.FeatureScored, ev.StragglersRemoved))
                for settler in event.home
            )
            others = {who: points for who, points in scores.items() if who != seat}
            yield Merit(place.x, place.y, place.rotation, scores.get(seat, 0), home, grows, others)


def _closed(bare: State, seat: str, place: Place) -> list[str]:
    """Return the parts of the tile that it completes and nobody holds, if the seat has a settler for them."""
    if not bare.supply[seat]:
        return []
    board, found = bare.board, dict[int, str]()
    kind = board.kind_at(place.x, place.y)
    for segment, number in zip(kind.segments, board.laid[place.x, place.y].numbers, strict=True):
        whole = find(board.links, number)
        feature = board.features[whole]
        if not feature.settlers and is_complete(board, feature, Reference(place.x, place.y, segment.id)):
            found.setdefault(whole, segment.id)
    return list(found.values())
