"""The end, the final scoring and resignation: new_world R10, R11."""

from __future__ import annotations

import pytest

from engine.kernel.refusals import NotToDecide
from engine.kernel.title import GameEnded
from engine.new_world import NEW_WORLD
from engine.new_world.events import SeatResigned, TileDrawn, TurnEnded, UnfinishedScored
from engine.new_world.state import State
from tests.support.new_world import FirstOfBag, after, drawing, happenings, play, position, refusal, standing

LAST = {"tile": "nw-26", "bag": ()}
"""The last tile, a gate that the tests lay before Plymouth; it has no settler, so it is not scored."""
LAST_MOVE = "place 1,1 90"
SOUTH = "nw-02 1,9 0; nw-15 2,9 0; nw-03 1,10 0"
"""A plain of 4 animals."""


def final(laid: str, settlers: str, **more: object) -> State:
    return play(position(laid, settlers=settlers, **(LAST | more)), LAST_MOVE)  # type: ignore[arg-type]


def test_most_trappers_get_a_point_for_each_animal() -> None:
    """new_world E20, R11.4"""
    seats = ("red", "yellow", "blue")
    end = final(f"{SOUTH}; nw-15 1,0 0", "red 1,9:p0; red 2,9:p0; yellow 1,10:p0; blue 1,0:p0", seats=seats)
    assert dict(end.scores) == {"red": 4, "yellow": 0, "blue": 2}


def test_tied_trappers_each_get_all() -> None:
    """new_world E21, R11.4"""
    seats = ("red", "yellow", "blue")
    laid = f"{SOUTH}; nw-28 1,3 0; nw-51 2,3 0"
    end = final(laid, "red 1,9:p0; yellow 1,10:p0; blue 1,3:p0", seats=seats)
    assert dict(end.scores) == {"red": 4, "yellow": 4, "blue": 5}


def test_unfinished_towns() -> None:
    """new_world E22, R11.2: two tiles and a shield; six tiles and two shields, Green with more traders than Black."""
    laid = "nw-20 1,4 0; nw-20 1,8 0; nw-21 2,8 0; nw-21 3,8 0; nw-08 4,8 0; nw-09 5,8 0"
    settlers = "blue 1,4:t0; green 1,8:t0; green 3,8:t0; black 5,8:t0"
    end = final(laid, settlers, seats=("blue", "green", "black"), to_move="blue")
    assert dict(end.scores) == {"blue": 3, "green": 8, "black": 0}


def test_unfinished_roads() -> None:
    """new_world E23, R11.2: roads of two and three tiles."""
    end = final("nw-43 1,5 90; nw-01 1,0 0; nw-43 2,0 0; nw-43 2,1 0", "red 1,5:r0; blue 2,0:r0")
    assert dict(end.scores) == {"red": 3, "blue": 2}


@pytest.mark.parametrize(("counted", "points"), [(False, 3), (True, 4)])
def test_posts_of_unfinished_roads_count_by_option(counted: bool, points: int) -> None:
    """new_world R11.2, A15"""
    assert final("nw-44 1,5 90", "red 1,5:r0", posts_count_unfinished=counted).scores["red"] == points


def test_start_spaces_of_unfinished_features_count_by_option() -> None:
    """new_world R8.4, R11.2"""
    assert final("nw-43 1,5 90", "red 1,5:r0", spaces_count_as_tiles=False).scores["red"] == 1


def test_an_unfinished_farm() -> None:
    """new_world R11.3: the farm, three start spaces and one tile."""
    assert final("nw-01 1,3 0; nw-43 1,2 90", "blue 1,3:f0").scores["blue"] == 5


def test_animals_are_joined_over_start_spaces() -> None:
    """new_world R10.1, R10.3: the plains at 1,3 and 1,2 join over the coast; a road parts the adjacent plains."""
    assert final("nw-02 1,3 0; nw-45 1,2 90", "blue 1,3:p0").scores["blue"] == 3


def test_the_last_turn_is_scored_before_the_final_scoring() -> None:
    """new_world R11.1, R11.5: the town is complete and scored with bonus; what is unfinished gets none."""
    state = position("nw-43 1,5 90", tile="nw-26", bag=(), settlers="blue 1,5:r0", surveyors=(1, 1))
    events = happenings(state, "place 1,1 90 settle t0")
    names = [type(event).__name__ for event in events]
    assert names[2:] == ["FeatureScored", "UnfinishedScored", "TurnEnded", "GameEnded"]
    end = after(state, events)
    assert (dict(end.scores), standing(end)) == ({"red": 12, "blue": 3}, ["blue 1,5:r0"])
    assert events[-2] == TurnEnded("red", None) and events[-2].ends_turn


def test_the_state_after_the_last_turn_says_that_the_game_is_over() -> None:
    """new_world R11.1, notation: the last `after` holds the final scores and has over = true."""
    state = position(**LAST)  # type: ignore[arg-type]
    for event in happenings(state, LAST_MOVE):
        state = NEW_WORLD.apply(state, event)
        if event.ends_turn:
            break
    assert (NEW_WORLD.after(state)["over"], NEW_WORLD.after(state)["to_move"]) == (True, None)


def test_tied_seats_share_the_win() -> None:
    """new_world E29, R11.6"""
    end = final("", "", scores={"red": 20, "blue": 20})
    assert end.outcome is not None and end.outcome.winners == ("red", "blue")


def test_a_straggler_scores_nothing_at_the_end() -> None:
    """new_world R11.7: Blue's robber goes home in the last turn."""
    laid = "nw-01 1,0 0; nw-43 1,2 90; nw-02 2,0 0; nw-03 3,0 0; nw-04 3,-1 180"
    state = position(laid, tile="nw-04", bag=(), settlers="blue 1,2:r0", surveyors=(2, 1))
    assert play(state, "place 3,-2 0 settle r0").scores["blue"] == 0


def test_a_game_that_is_over_takes_no_action() -> None:
    """new_world R11.1"""
    end = final("", "")
    assert (refusal(end, "place 1,0 0", seat="red"), NEW_WORLD.legal(end)) == ("decide.over", [])
    assert [kind for kind, _ in NEW_WORLD.impossible(end)] == ["place", "settle", "score"]


# -- resignation --------------------------------------------------------------------------------------

THREE = ("red", "blue", "green")


def test_a_resigned_seat_is_passed_over_and_its_settlers_block() -> None:
    """new_world notation, step `resign`"""
    state = position("nw-20 1,1 0", tile="nw-21", settlers="blue 1,1:t0", seats=THREE)
    state = play(state, "resign", seat="blue")
    assert (state.resigned, state.to_move, standing(state)) == (("blue",), "red", ["blue 1,1:t0"])
    assert refusal(state, "place 2,1 0 settle t0") == "settle.occupied"
    assert play(state, "place 2,1 0").to_move == "green"


def test_a_seat_on_turn_that_resigns_leaves_its_tile_to_the_next() -> None:
    """new_world notation, step `resign`; RULINGS"""
    state = position(tile="nw-01", seats=THREE)
    assert NEW_WORLD.resign(state, "red") == (SeatResigned("red"), TurnEnded("red", "blue"))
    after_it = play(state, "resign")
    assert (after_it.tile, after_it.to_move, after_it.turn) == ("nw-01", "blue", 2)


def test_a_seat_that_resigns_before_it_ordered_the_scoring_leaves_that_to_the_next() -> None:
    """new_world R9.8; RULINGS"""
    laid = "nw-01 1,3 0; nw-43 1,2 90; nw-21 1,4 0; nw-02 2,3 0; nw-43 2,2 90; nw-03 3,3 0; nw-26 3,4 90"
    state = position(laid, tile="nw-22", settlers="blue 1,3:f0; red 1,4:t0", to_move="blue", seats=THREE)
    state = play(play(state, "place 2,4 90 settle t1"), "resign")
    owed = NEW_WORLD.decision(state)
    assert owed is not None and (owed.seat, owed.kind, owed.on_turn) == ("green", "score", "blue")
    end = play(state, "score 1,3:f0, 2,4:t0, 2,4:t1", drawing("nw-25"))
    assert (end.to_move, end.scores["blue"] > 0) == ("green", True)


def test_resigned_seats_rank_below_those_who_played_on() -> None:
    """new_world notation, step `resign`"""
    state = position(seats=THREE, scores={"blue": 50, "red": 10, "green": 4}, **LAST)  # type: ignore[arg-type]
    end = play(play(state, "resign", seat="blue"), LAST_MOVE)
    assert end.outcome is not None and end.outcome.winners == ("red",)


def test_with_two_seats_left_a_resignation_ends_the_game() -> None:
    """new_world notation, step `resign`: result.reason is resignation"""
    events = happenings(position(tile="nw-01"), "resign", seat="blue")
    assert isinstance(events[-1], GameEnded)
    assert NEW_WORLD.result_to_record(events[-1].outcome) == {
        "scores": {"red": 0, "blue": 0},
        "winners": ["red"],
        "reason": "resignation",
        "resigned": "blue",
    }


def test_nobody_resigns_twice() -> None:
    """new_world notation, step `resign`"""
    state = play(position(tile="nw-01", seats=THREE), "resign", seat="blue")
    with pytest.raises(NotToDecide):
        NEW_WORLD.resign(state, "blue")
    assert refusal(state, "place 1,0 0", seat="blue") == "decide.other_seat"


def test_an_end_outside_the_rules_is_taken_as_given() -> None:
    """records: time and agreed"""
    state = position(tile="nw-01", scores={"red": 3, "blue": 9})
    end = after(state, NEW_WORLD.conclude(state, "time", ["red"]))
    assert end.outcome is not None and (end.outcome.winners, end.outcome.reason) == (("red",), "time")
    assert NEW_WORLD.decision(end) is None


def test_the_bag_goes_on_after_a_resignation() -> None:
    """new_world R4.1: the next draw comes with the next turn's end."""
    state = play(position(tile="nw-01", seats=THREE), "resign")
    events = happenings(state, "place 1,0 0", FirstOfBag())
    assert isinstance(events[-1], TileDrawn) and events[-1].seat == "green"
    assert not any(isinstance(event, UnfinishedScored) for event in events)
