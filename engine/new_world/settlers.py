"""Who may put a settler where (new_world R6)."""

from __future__ import annotations

from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text
from engine.new_world.actions import Place
from engine.new_world.board import lay
from engine.new_world.parts import part_text, parts_as_written
from engine.new_world.placement import placements_with_settlers
from engine.new_world.places import cell_name
from engine.new_world.state import SETTLERS_EACH, State
from engine.new_world.tiles import SETTLER_OF, TileKind


def settler_kind(kind: TileKind, segment: str) -> str:
    """Return the settler that stands on a segment: robber, trader, farmer or trapper (new_world R6.1)."""
    return SETTLER_OF[kind.segments[kind.index[segment]].kind]


def check_settler(state: State, seat: str, x: int, y: int, rotation: int, segment: str) -> None:
    """Refuse a settler of the seat on a segment of its drawn tile, laid at a legal cell (new_world R4.2, R6)."""
    board = state.board
    assert state.tile is not None
    kind = board.tiles.kinds[state.tile]
    if segment not in kind.index:
        raise IllegalAction(
            "settle.segment",
            Text(
                "The tile has no such part; a settler can be one of these: {parts}.",
                parts=parts_as_written(kind, rotation),
            ),
            rule="R6.1",
        )
    if not state.supply[seat]:
        raise no_settler_left()
    gap = board.gap_at(x, y)
    assert gap is not None
    listed = placements_with_settlers(board, kind.id, (gap,))
    if Place(x, y, kind.smallest[rotation], segment) not in listed:
        raise _occupied(state, seat, x, y, rotation, segment)


def _occupied(state: State, seat: str, x: int, y: int, rotation: int, segment: str) -> IllegalAction:
    """Return the refusal that names a settler on the feature: the tile is laid to find out."""
    assert state.tile is not None
    kinds = state.board.tiles.kinds
    kind = kinds[state.tile]
    after = lay(state.board, x, y, kind.id, rotation, seat, state.turn)
    other = after.feature_at(x, y, segment).settlers[0]
    return IllegalAction(
        "settle.occupied",
        Text(
            "This part ({part}) is connected with the {settler} of {seat} at {at}; "
            "a settler can only go to a part where none stands.",
            part=part_text(kind, rotation, segment),
            settler=Name("settler", settler_kind(kinds[after.laid[other.x, other.y].tile], other.segment)),
            seat=Name("seat", other.seat),
            at=cell_name(other.x, other.y),
        ),
        rule="R6.2",
    )


def no_settler_left() -> IllegalAction:
    """Return the refusal for a seat whose supply is empty."""
    return IllegalAction(
        "settle.supply",
        Text("All {n} settlers are on the table, so the tile is laid without one.", n=SETTLERS_EACH),
        rule="R4.2",
    )
