"""Drawing and laying tiles: new_world R2, R4, R5."""

from __future__ import annotations

import json

import pytest

from engine.new_world import NEW_WORLD
from engine.new_world.events import TileDrawn, TilePlaced, TileSetAside, TurnEnded
from tests.support.new_world import (
    FirstOfBag,
    after,
    drawing,
    happenings,
    lines,
    plains_and_a_town,
    play,
    position,
    refusal,
)

TOWN_WEST_OF_PLYMOUTH = "nw-20 1,1 0"
CORNER_OF_TOWN_AND_PLAIN = "nw-20 1,1 0; nw-01 1,0 0; nw-02 2,0 0"


def test_road_and_plain_continue() -> None:
    """new_world E1, R5.3"""
    assert refusal(position(tile="nw-43"), "place 1,2 90") == ""


def test_a_town_continues() -> None:
    """new_world E2, R5.3"""
    assert refusal(position(tile="nw-26"), "place 1,1 90") == ""


def test_a_tile_may_match_two_neighbours() -> None:
    """new_world E3, R5.3"""
    assert refusal(position(CORNER_OF_TOWN_AND_PLAIN, tile="nw-26"), "place 2,1 90") == ""


def test_one_of_two_touching_sides_differs() -> None:
    """new_world E4 (a), R5.3"""
    assert refusal(position(CORNER_OF_TOWN_AND_PLAIN, tile="nw-24"), "place 2,1 90") == "place.edges"


def test_touching_at_a_corner_is_not_enough() -> None:
    """new_world E4 (b), R5.2"""
    assert refusal(position(TOWN_WEST_OF_PLYMOUTH, tile="nw-01"), "place 2,2 0") == "place.apart"


@pytest.mark.parametrize("cell", ["0,1", "0,-1", "0,10", "-1,3"])
def test_nothing_is_laid_in_column_0_or_east_of_it(cell: str) -> None:
    """new_world E4 (c), E24, R2.2"""
    assert refusal(position(tile="nw-01"), f"place {cell} 0") == "place.coast"


def test_a_tile_lies_north_of_the_board_if_it_touches_one() -> None:
    """new_world E24, R2.2"""
    assert refusal(position("nw-01 1,0 0", tile="nw-02"), "place 1,-1 0") == ""
    assert refusal(position(tile="nw-02"), "place 1,-1 0") == "place.apart"


def test_a_tile_lies_south_of_the_board_if_it_touches_one() -> None:
    """new_world R2.1, R2.2"""
    assert refusal(position("nw-01 1,9 0", tile="nw-02"), "place 1,10 0") == ""


def test_beyond_the_board_any_edge_may_face_the_sea() -> None:
    """new_world A18, R5.3: a tile in column 1 north of the board touches nothing in the east."""
    state = position("nw-01 1,0 0", tile="nw-26")
    assert refusal(state, "place 1,-1 90") == ""


def test_a_taken_cell_is_refused() -> None:
    """new_world R5.2"""
    assert refusal(position("nw-01 1,0 0", tile="nw-02"), "place 1,0 0") == "place.taken"


def test_the_refusal_names_the_side_and_what_lies_there() -> None:
    """new_world R5.3"""
    with pytest.raises(Exception) as refused:
        happenings(position(tile="nw-26"), "place 1,1 0")
    why = refused.value.why
    assert (why.values["side"].key, why.values["own"].key, why.values["wanted"].key) == ("E", "plain", "town")


def test_every_rotation_that_matches_is_listed() -> None:
    """new_world R5.1: a curve has four rotations, two of which meet the road of Plymouth."""
    state = position(tile="nw-47", supply={"red": 0})
    assert [line for line in lines(state) if line.startswith("place 1,2 ")] == ["place 1,2 180", "place 1,2 270"]


def test_equal_rotations_are_listed_once_and_all_are_understood() -> None:
    """new_world R5.1, notation: a writer uses the smallest of several equal turns, a reader takes any."""
    state = position(tile="nw-01")
    assert "place 1,0 0" in lines(state) and "place 1,0 90" not in lines(state)
    assert play(state, "place 1,0 270") == play(state, "place 1,0 0")


def test_the_list_is_sorted_by_column_row_rotation_and_part() -> None:
    """new_world R4.1, R6.1"""
    listed = [line for line in lines(position("nw-43 1,2 90", tile="nw-43")) if line.startswith("place 2,2")]
    assert listed == [
        f"place 2,2 {rotation}{part}"
        for rotation in (90, 270)
        for part in ("", " settle r0", " settle p0", " settle p1")
    ]


def test_the_next_seat_draws_when_a_turn_ends() -> None:
    """new_world R4.1, R5.1: the drawn tile is shown to all before it is laid."""
    events = happenings(position(tile="nw-01"), "place 1,0 0", drawing("nw-43"))
    assert [type(event) for event in events] == [TilePlaced, TurnEnded, TileDrawn]
    assert events[-1] == TileDrawn("blue", "nw-43")


def test_a_tile_that_fits_nowhere_leaves_the_game_and_the_same_seat_draws_again() -> None:
    """new_world E25, R5.4"""
    state = position(tile="nw-01", tile_set=plains_and_a_town())
    events = happenings(state, "place 1,0 0", drawing("nw-07", "nw-01"))
    assert events[-3:] == (TileDrawn("blue", "nw-07"), TileSetAside("blue", "nw-07"), TileDrawn("blue", "nw-01"))
    left = after(state, events)
    assert (left.set_aside, len(left.bag), left.to_move) == (("nw-07",), 92, "blue")
    NEW_WORLD.check_invariants(left)


def test_the_first_draw_of_a_game_can_be_unplaceable_too() -> None:
    """new_world R5.4"""
    options = NEW_WORLD.read_options({"tile_set": plains_and_a_town()})
    events = NEW_WORLD.open(options, ("red", "blue"), drawing("nw-07", "nw-01"))
    assert [type(event).__name__ for event in events] == ["Opened", "TileDrawn", "TileSetAside", "TileDrawn"]


def test_a_bag_that_runs_out_this_way_ends_the_game_without_a_turn() -> None:
    """new_world R5.4, A19: no tile, no settler, no scoring, and the game ends."""
    state = position(tile="nw-01", bag=["nw-07"], tile_set=plains_and_a_town())
    events = happenings(state, "place 1,0 0 settle p0", FirstOfBag())
    names = [type(event).__name__ for event in events]
    assert names[2:] == ["TurnEnded", "TileDrawn", "TileSetAside", "UnfinishedScored", "TurnEnded", "GameEnded"]
    over = after(state, events)
    assert over.over and over.outcome is not None and over.outcome.scores == {"red": 1, "blue": 0}
    assert NEW_WORLD.after(over)["set_aside"] == 1


def test_a_seat_without_settlers_goes_on_laying_tiles() -> None:
    """new_world R4.2"""
    state = position(tile="nw-43", supply={"red": 0})
    assert lines(state) and not any("settle" in line for line in lines(state))
    assert refusal(state, "place 1,2 90 settle r0") == "settle.supply"


def test_a_state_keeps_its_tiles_in_the_order_of_laying() -> None:
    """new_world R5: the last tile laid comes last, also after storing."""
    state = play(position("nw-43 1,2 90; nw-01 1,0 0", tile="nw-02"), "place 1,9 0")
    stored = NEW_WORLD.state_from_json(json.loads(json.dumps(NEW_WORLD.state_to_json(state))))
    assert list(stored.board.laid) == [(1, 2), (1, 0), (1, 9)]
    assert stored == state


def test_all_tiles_are_in_the_bag_and_chance_alone_orders_them() -> None:
    """new_world R3.1: one shuffled pile is equivalent to a draw from all that is left."""
    opened, drawn = NEW_WORLD.open(NEW_WORLD.read_options({}), ("red", "blue"), drawing("nw-51"))
    assert len(NEW_WORLD.apply(None, opened).bag) == 95
    state = after(NEW_WORLD.apply(None, opened), [drawn])
    assert (len(state.bag), state.tile, "nw-51" in state.bag) == (94, "nw-51", False)


def test_turns_go_round_from_the_seat_that_begins() -> None:
    """new_world R3.4"""
    seats = ("red", "blue", "green")
    opened = NEW_WORLD.opened_from_record(NEW_WORLD.read_options({}), seats, {"start": "blue"})
    state = after(NEW_WORLD.apply(None, opened), NEW_WORLD.begin(opened, FirstOfBag())[1:])
    turns = []
    for _ in range(5):
        turns.append(state.to_move)
        state = play(state, lines(state)[0])
    assert turns == ["blue", "green", "red", "blue", "green"]
