"""Completion and scoring: new_world R7, R8."""

from __future__ import annotations

import pytest

from engine.new_world.board import lay
from engine.new_world.events import FeatureScored, SurveyorMoved
from tests.support.new_world import after, happenings, lines, play, position, refusal, standing

SQUARE_OF_TOWN = "nw-24 1,0 0; nw-14 1,-1 270; nw-15 2,-1 180"
"""Four town tiles around a point; nw-24 has two parts of the town. The fourth, nw-14 at 2,0, is missing."""
FARM_WITHOUT_ONE = "nw-01 1,3 0; nw-43 1,2 90; nw-26 1,4 90; nw-02 2,3 0; nw-43 2,2 90"


def scored(events: tuple[object, ...]) -> list[FeatureScored]:
    return [event for event in events if isinstance(event, FeatureScored)]


def test_a_road_with_relay_posts() -> None:
    """new_world E7, R8.1: four tiles, two of them start spaces, and two posts."""
    state = play(position("nw-44 1,2 90", tile="nw-05"), "place 2,2 270 settle r0")
    assert state.scores["red"] == 8


def test_a_road_without_posts() -> None:
    """new_world E8, R8.1"""
    assert play(position(tile="nw-04"), "place 1,2 270 settle r0").scores["red"] == 3


def test_a_town_with_a_shield() -> None:
    """new_world E9, R8.2"""
    state = position("nw-20 1,1 0", tile="nw-26", settlers="red 1,1:t0")
    assert play(state, "place 2,1 90").scores["red"] == 8


def test_a_tile_with_two_parts_of_a_town_counts_once() -> None:
    """new_world E10, R8.2"""
    state = position(SQUARE_OF_TOWN, tile="nw-14", settlers="red 1,0:t0")
    assert play(state, "place 2,0 90").scores["red"] == 8


def test_tied_seats_each_get_all_points() -> None:
    """new_world E11, R8.5, R8.6: a tile joins two towns and a gate into one of six tiles."""
    laid = "nw-21 1,1 0; nw-01 1,0 0; nw-26 2,0 180; nw-02 3,0 0; nw-21 3,1 0; nw-26 4,1 90"
    state = position(laid, tile="nw-09", settlers="blue 1,1:t0; red 3,1:t0")
    end = play(state, "place 2,1 0")
    assert dict(end.scores) == {"red": 12, "blue": 12}
    assert (standing(end), dict(end.supply)) == ([], {"red": 5, "blue": 5})


def test_the_majority_gets_all_and_all_settlers_go_home() -> None:
    """new_world R8.5, R8.6"""
    laid = "nw-21 1,1 0; nw-01 1,0 0; nw-26 2,0 180; nw-02 3,0 0; nw-21 3,1 0; nw-26 4,1 90"
    state = position(laid, tile="nw-09", settlers="blue 1,1:t0; red 3,1:t0; red 4,1:t0")
    end = play(state, "place 2,1 0")
    assert (dict(end.scores), standing(end)) == ({"red": 12, "blue": 0}, [])


def test_a_farm_whose_eight_neighbours_are_filled() -> None:
    """new_world E12, R7.3, R8.3: three of them are start spaces (RULING-A)."""
    state = position(FARM_WITHOUT_ONE, tile="nw-03", settlers="blue 1,3:f0")
    end = play(state, "place 2,4 0")
    assert (end.scores["blue"], standing(end), end.surveyors) == (9, [], (1, 0))


@pytest.mark.parametrize("row", [0, 9])
def test_a_farm_at_the_boards_end_is_never_complete(row: int) -> None:
    """new_world R7.3, A20: one of the cells around it can never be filled."""
    board = position(f"nw-01 1,{row} 0").board
    away = -1 if row == 0 else 1
    for cell in ((1, row + away), (1, row - away), (2, row), (2, row + away), (2, row - away)):
        if board.gap_at(*cell):
            board = lay(board, *cell, "nw-01", 0, "red", 1)
    assert board.filled_around(1, row) == 7


def test_place_score_and_take_back_in_one_turn_for_3_points() -> None:
    """new_world E13, R6.4, R8.6"""
    events = happenings(position(tile="nw-04"), "place 1,2 270 settle r0")
    names = [type(event).__name__ for event in events]
    assert names[:5] == ["TilePlaced", "SettlerPlaced", "FeatureScored", "SurveyorMoved", "TurnEnded"]
    assert scored(events)[0].gains == {"red": 3} and after(position(tile="nw-04"), events).supply["red"] == 5


def test_place_score_and_take_back_in_one_turn_for_4_points() -> None:
    """new_world E14, R6.4"""
    state = play(position(tile="nw-26"), "place 1,1 90 settle t0")
    assert (state.scores["red"], state.supply["red"], state.surveyors) == (4, 5, (1, 0))


def test_a_feature_completed_without_settlers_is_not_scored() -> None:
    """new_world E28, R8.7"""
    events = happenings(position(tile="nw-26"), "place 1,1 90")
    assert not any(isinstance(event, FeatureScored | SurveyorMoved) for event in events)


def test_a_road_that_is_a_loop_is_complete() -> None:
    """new_world R7.1"""
    curves = "nw-47 1,0 90; nw-47 1,-1 0; nw-47 2,-1 270"
    state = position(curves, tile="nw-52", settlers="red 1,0:r0")
    assert play(state, "place 2,0 180").scores["red"] == 4


def test_a_town_needs_a_closed_wall() -> None:
    """new_world R7.2"""
    state = play(position(tile="nw-21"), "place 1,1 0 settle t0")
    assert (state.scores["red"], standing(state)) == (0, ["red 1,1:t0"])


def test_a_road_ends_at_a_farm_a_town_and_a_crossing() -> None:
    """new_world R7.1"""
    for tile, cell, part in (("nw-04", "1,2 270", "r0"), ("nw-34", "1,2 270", "r0"), ("nw-53", "1,2 0", "r0")):
        assert play(position(tile=tile), f"place {cell} settle {part}").scores["red"] == 3


def test_plains_are_never_scored_before_the_end() -> None:
    """new_world R7.4, R10.2"""
    state = position(FARM_WITHOUT_ONE, tile="nw-03", settlers="blue 1,3:p0")
    assert play(state, "place 2,4 0").scores["blue"] == 0


def test_start_spaces_count_as_tiles_unless_switched_off() -> None:
    """new_world R8.4: the option takes out roads and towns and leaves farms alone."""
    off = {"spaces_count_as_tiles": False}
    assert play(position(tile="nw-04", **off), "place 1,2 270 settle r0").scores["red"] == 1
    assert play(position(tile="nw-26", **off), "place 1,1 90 settle t0").scores["red"] == 2
    farm = position(FARM_WITHOUT_ONE, tile="nw-03", settlers="blue 1,3:f0", **off)
    assert play(farm, "place 2,4 0").scores["blue"] == 9


def test_points_are_plain_totals_beyond_50() -> None:
    """new_world R8.8"""
    state = position(tile="nw-26", scores={"red": 48})
    assert play(state, "place 1,1 90 settle t0").scores["red"] == 52


def test_the_active_seat_orders_the_scoring_of_several_features() -> None:
    """new_world R9.7, R9.8: each order is listed once, and all features must be named."""
    laid = "nw-01 1,3 0; nw-43 1,2 90; nw-21 1,4 0; nw-02 2,3 0; nw-43 2,2 90; nw-03 3,3 0; nw-26 3,4 90"
    state = position(laid, tile="nw-22", settlers="blue 1,3:f0; red 1,4:t0", to_move="blue")
    chosen = play(state, "place 2,4 90 settle t1")
    assert chosen.pending == ("2,4:t0", "2,4:t1", "1,3:f0")
    assert len(lines(chosen)) == 6 and lines(chosen)[0] == "score 2,4:t0, 2,4:t1, 1,3:f0"
    assert refusal(chosen, "score 2,4:t0, 2,4:t1") == "score.features"
    assert refusal(chosen, "score 2,4:t0, 2,4:t0, 1,3:f0") == "score.features"
    assert refusal(chosen, "score 2,4:t0, 2,4:t1, 1,3:f0", seat="red") == "decide.other_seat"
    assert refusal(chosen, "place 1,0 0") == "decide.score"


def test_one_completed_feature_is_scored_without_asking() -> None:
    """new_world R9.8, notation: no `score` step with one or none."""
    state = position(SQUARE_OF_TOWN, tile="nw-14", settlers="red 1,0:t0")
    assert play(state, "place 2,0 90").pending == ()
    assert refusal(state, "score 2,0:t0") == "decide.place"
