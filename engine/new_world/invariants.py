"""What holds in every state, for the simulator and tests."""

from __future__ import annotations

from collections import Counter

from engine.new_world.features import find
from engine.new_world.geometry import FACING, FIRST_SIDE_PORT, STEPS
from engine.new_world.state import SETTLERS_EACH, State
from engine.new_world.tiles import Piece


def check(state: State) -> None:
    """Raise AssertionError when tiles, settlers or surveyors do not add up, or edges do not match."""
    board = state.board
    tiles = [*state.bag, *state.set_aside, *(one.tile for one in board.laid.values())]
    if state.tile is not None:
        tiles.append(state.tile)
    assert sorted(tiles) == list(board.tiles.bag), "a tile was lost or doubled"
    standing = Counter(settler.seat for settler in state.settlers)
    for seat in state.seats:
        assert state.supply[seat] + standing[seat] == SETTLERS_EACH, f"settlers of {seat}"
        assert state.supply[seat] >= 0 and state.scores[seat] >= 0, f"supply or points of {seat}"
    assert abs(state.surveyors[0] - state.surveyors[1]) <= 1, "surveyors are more than a column apart"
    assert max(state.surveyors) <= max(board.west, 0), "a surveyor stands west of all tiles"
    on_features = sorted(s for n, f in enumerate(board.features) if board.links[n] == n for s in f.settlers)
    assert on_features == list(state.settlers), "the settlers of the features are not those on the table"
    if state.last is not None:
        _check_edges(state, *state.last)


def _check_edges(state: State, x: int, y: int) -> None:
    """Check that edges match around a cell, and that what meets at a port is one feature (new_world R5.3, R10.1)."""
    board = state.board

    def shown(x: int, y: int) -> tuple[Piece, tuple[int, ...]] | None:
        one = board.laid.get((x, y))
        return None if one is None else (board.tiles.kinds[one.tile].pieces[one.rotation // 90], one.numbers)

    own = shown(x, y)
    assert own is not None
    for side, (dx, dy) in enumerate(STEPS):
        other = shown(x + dx, y + dy)
        if other is None:
            continue
        assert own[0].edges[side] == other[0].edges[(side + 2) % 4], f"edges at {x},{y}"
        for port in (2 * side, 2 * side + 1, FIRST_SIDE_PORT + side):
            here, there = own[0].segment_at[port], other[0].segment_at[FACING[port]]
            assert (here < 0) == (there < 0), f"half-edges at {x},{y}"
            if here >= 0:
                ends = find(board.links, own[1][here]), find(board.links, other[1][there])
                assert ends[0] == ends[1], f"features at {x},{y}"
