"""Settlers: new_world R6."""

from __future__ import annotations

import pytest

from engine.new_world.events import SettlerPlaced
from engine.new_world.state import State
from tests.support.new_world import happenings, lines, play, position, refusal, standing


def settled(state: State, cell: str) -> list[str]:
    """Where a settler could go on the drawn tile at a cell and rotation."""
    start = f"place {cell}"
    return [line.removeprefix(start).replace(" settle ", "") for line in lines(state) if line.startswith(start)]


def test_a_town_with_a_trader_takes_no_other() -> None:
    """new_world E5, R6.2"""
    state = position("nw-20 1,1 0", tile="nw-21", settlers="red 1,1:t0", to_move="blue")
    assert settled(state, "2,1 0") == ["", "p0", "p1"]
    assert refusal(state, "place 2,1 0 settle t0") == "settle.occupied"


def test_the_own_settler_blocks_too() -> None:
    """new_world R6.2: any settler, of any player."""
    state = position("nw-20 1,1 0", tile="nw-21", settlers="red 1,1:t0", to_move="red")
    assert refusal(state, "place 2,1 0 settle t0") == "settle.occupied"


def test_a_large_plain_is_taken_and_a_small_one_is_free() -> None:
    """new_world E6, R6.2: the trapper lies on a plain that is connected over start spaces (R10.3)."""
    state = position("nw-01 1,3 0", tile="nw-31", settlers="red 1,3:p0", to_move="blue")
    assert settled(state, "1,2 0") == ["", "t0", "r0", "p0"]
    assert refusal(state, "place 1,2 0 settle p1") == "settle.occupied"


@pytest.mark.parametrize(
    ("tile", "line", "settler"),
    [
        ("nw-43", "place 1,2 90 settle r0", "robber"),
        ("nw-26", "place 1,8 90 settle t0", "trader"),
        ("nw-01", "place 1,0 0 settle f0", "farmer"),
        ("nw-01", "place 1,0 0 settle p0", "trapper"),
    ],
)
def test_each_part_has_its_settler(tile: str, line: str, settler: str) -> None:
    """new_world R6.1"""
    events = happenings(position(tile=tile), line)
    assert [event.settler for event in events if isinstance(event, SettlerPlaced)] == [settler]


def test_a_settler_comes_from_the_supply() -> None:
    """new_world R6.1, R3.2"""
    state = play(position(tile="nw-01"), "place 1,0 0 settle f0")
    assert (state.supply["red"], standing(state)) == (4, ["red 1,0:f0"])


def test_a_settler_goes_only_to_the_tile_just_laid() -> None:
    """new_world R6.3: the notation names no other cell, and other parts are refused."""
    state = position("nw-43 1,2 90", tile="nw-01")
    assert refusal(state, "place 1,0 0 settle r0") == "notation.part"


def test_the_farm_of_a_tile_is_always_free() -> None:
    """new_world R6.2: one tile, so only its own farmer could be there."""
    state = position("nw-01 1,3 0", tile="nw-02", settlers="red 1,3:f0; blue 1,3:p0", to_move="red")
    assert settled(state, "2,3 0") == ["", "f0"]


def test_a_free_part_is_taken_when_another_part_joins_it_to_a_settler() -> None:
    """new_world R6.2: everything is joined first. The plain p1 meets only free plains, but one of them comes round to
    the plain p0 of the same tile, which meets the trapper's."""
    laid = "nw-25 1,4 90; nw-53 1,7 0; nw-05 1,6 180"
    free = position(laid, tile="nw-47", to_move="blue")
    taken = position(laid, tile="nw-47", settlers="red 1,4:p0", to_move="blue")
    assert settled(free, "1,5 270") == ["", "r0", "p0", "p1"]
    assert settled(taken, "1,5 270") == ["", "r0"]
    assert refusal(taken, "place 1,5 270 settle p1") == "settle.occupied"


def test_a_settler_may_stand_behind_the_surveyors_and_score() -> None:
    """new_world E27, R6.5: a road of two tiles in column 2, both surveyors in column 3."""
    laid = "nw-01 1,0 0; nw-02 2,0 0; nw-04 2,-1 180"
    state = play(position(laid, tile="nw-04", surveyors=(3, 3)), "place 2,-2 0 settle r0")
    assert (state.scores["red"], state.supply["red"], state.surveyors) == (2, 5, (3, 3))


def test_no_settler_is_taken_back_at_will() -> None:
    """new_world R6.6: there is no such action; settlers leave the table only by scoring or removal."""
    state = position("nw-43 1,2 90", tile="nw-01", settlers="red 1,2:r0")
    after = play(state, "place 1,0 0")
    assert standing(after) == ["red 1,2:r0"]
