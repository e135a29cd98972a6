"""The surveyors: new_world R9."""

from __future__ import annotations

import pytest

from engine.kernel.refusals import Unreadable
from engine.new_world import NEW_WORLD
from engine.new_world.events import FeatureScored, Opened, StragglersRemoved, SurveyorMoved
from engine.new_world.features import Settler
from engine.new_world.options import STRAGGLERS
from engine.new_world.state import State
from engine.new_world.surveyors import step, stragglers, surveyor_bonus
from engine.new_world.tiles import SHIPPED
from tests.support.new_world import after, drawing, happenings, play, position, standing

FOUR = ("green", "yellow", "blue", "red")


def before_e15() -> State:
    """Green is to close a road of two tiles in the north; then comes Yellow in the south, then Blue."""
    laid = (
        "nw-01 1,0 0; nw-04 1,-1 180; "  # the north: half a road
        "nw-05 1,6 0; "  # the south: the end of a road, with a post
        "nw-01 1,3 0; nw-43 1,2 90; nw-21 1,4 0; nw-02 2,3 0; nw-43 2,2 90; "  # Blue's farm and Red's town
        "nw-03 3,3 0; nw-26 3,4 90"  # the cap of a small town
    )
    settlers = "blue 1,3:f0; red 1,4:t0; green 1,2:r0; yellow 2,3:p0"
    return position(laid, tile="nw-04", settlers=settlers, seats=FOUR, to_move="green")


def after_e15() -> State:
    return play(before_e15(), "place 1,-2 0 settle r0", drawing("nw-47"))


def after_e16() -> State:
    return play(after_e15(), "place 1,7 180 settle r0", drawing("nw-22"))


def test_the_first_scoring_moves_one_surveyor() -> None:
    """new_world E15, R9.1"""
    state = after_e15()
    assert (state.scores["green"], state.surveyors) == (2, (1, 0))
    assert "green 1,2:r0" in standing(state) and len(standing(state)) == 4


def test_yellow_scores_with_a_bonus_and_the_rear_surveyor_moves() -> None:
    """new_world E16, R8.1, R9.2, R9.4"""
    state = after_e16()
    assert (state.scores["yellow"], state.surveyors) == (10, (1, 1))
    assert len(standing(state)) == 4


def test_blue_completes_three_features_and_scores_the_farm_first() -> None:
    """new_world E17, R9.7, R8.3, R9.4"""
    state = play(after_e16(), "place 2,4 90 settle t1")
    assert set(state.pending) == {"1,3:f0", "2,4:t0", "2,4:t1"}
    events = happenings(state, "score 1,3:f0, 2,4:t1, 2,4:t0")
    assert isinstance(events[1], FeatureScored) and events[1].gains == {"blue": 17}
    assert events[2] == SurveyorMoved("north", 2)
    assert isinstance(events[3], FeatureScored)  # nobody was removed in between


def test_then_the_small_town_with_one_surveyor_beside_it() -> None:
    """new_world E18, R8.2, R9.2, R9.4"""
    events = happenings(play(after_e16(), "place 2,4 90 settle t1"), "score 1,3:f0, 2,4:t1, 2,4:t0")
    town = events[3]
    assert isinstance(town, FeatureScored) and (town.value, town.gains) == (4, {"blue": 8})
    assert events[4] == SurveyorMoved("south", 2)


def test_then_the_stragglers_go_home_and_reds_town_is_not_scored() -> None:
    """new_world E19, R9.5, R9.6, R9.7, R11.7"""
    state = play(after_e16(), "place 2,4 90 settle t1")
    events = happenings(state, "score 1,3:f0, 2,4:t1, 2,4:t0")
    home = [event.home for event in events if isinstance(event, StragglersRemoved)]
    assert home == [(("green", 1, 2, "r0"), ("red", 1, 4, "t0"))]
    assert sum(isinstance(event, FeatureScored) for event in events) == 2
    end = play(state, "score 1,3:f0, 2,4:t1, 2,4:t0")
    assert (end.scores["blue"], end.scores["red"], end.surveyors) == (25, 0, (2, 2))
    assert standing(end) == ["yellow 2,3:p0"]


def test_another_order_scores_reds_town_with_two_surveyors_beside_it() -> None:
    """new_world E19b, R9.4"""
    state = play(after_e16(), "place 2,4 90 settle t1")
    events = happenings(state, "score 2,4:t0, 1,3:f0, 2,4:t1")
    assert events[1].gains == {"red": 6 + 2 * 4}


def test_trappers_stay_behind_the_surveyors() -> None:
    """new_world E26, R9.5, R10.2"""
    laid = "nw-01 1,0 0; nw-43 1,2 90; nw-02 2,0 0; nw-03 3,0 0; nw-04 3,-1 180"
    state = position(laid, tile="nw-04", settlers="red 1,0:p0; blue 1,2:r0", surveyors=(2, 1))
    end = play(state, "place 3,-2 0 settle r0")
    assert (end.surveyors, standing(end), end.supply["blue"]) == ((2, 2), ["red 1,0:p0"], 5)


ROAD = "nw-01 1,0 0; nw-43 1,2 90; nw-02 2,0 0; nw-26 2,1 180; nw-03 3,0 0; nw-04 3,-1 180"
"""Half a road in column 3, which `place 3,-2 0 settle r0` completes; Red's is in column 1, a town in column 2."""


@pytest.mark.parametrize(("way", "stays"), [("every-move", []), ("column-left", ["red 1,2:r0"])])
def test_settlers_behind_both_surveyors(way: str, stays: list[str]) -> None:
    """new_world E30, R9.5: one surveyor leaves the column that both shared."""
    settlers = "green 1,0:p0; red 1,2:r0; blue 2,1:t0"
    state = position(
        ROAD, tile="nw-04", settlers=settlers, seats=FOUR, to_move="yellow", surveyors=(2, 2), stragglers=way
    )
    end = play(state, "place 3,-2 0 settle r0")
    assert (end.surveyors, standing(end)) == ((3, 2), sorted([*stays, "blue 2,1:t0", "green 1,0:p0"]))
    assert end.supply["red"] == 5 - len(stays) and end.scores["red"] == 0


@pytest.mark.parametrize("way", STRAGGLERS)
def test_the_rear_surveyor_follows(way: str) -> None:
    """new_world E31, R9.2, R9.5"""
    settlers = "blue 1,2:r0; green 2,1:t0; red 3,1:t0"
    state = position(
        f"{ROAD}; nw-26 3,1 180", tile="nw-04", settlers=settlers, seats=FOUR, surveyors=(3, 2), stragglers=way
    )
    end = play(state, "place 3,-2 0 settle r0")
    assert (end.surveyors, standing(end)) == ((3, 3), ["red 3,1:t0"])


def the_order_decides(way: str) -> State:
    """Red's tile completes Blue's road in column 2 and Red's own town in column 4."""
    laid = "nw-01 1,0 0; nw-02 2,0 0; nw-03 3,0 0; nw-01 4,0 0; nw-04 2,1 90; nw-26 4,1 90"
    state = position(laid, tile="nw-34", settlers="blue 2,1:r0; red 4,1:t0", surveyors=(3, 3), stragglers=way)
    return play(state, "place 3,1 270")


@pytest.mark.parametrize(("way", "first", "points"), [
    ("every-move", "town", {"red": 4, "blue": 0}),
    ("every-move", "road", {"red": 8, "blue": 2}),
    ("column-left", "town", {"red": 4, "blue": 2}),
    ("column-left", "road", {"red": 8, "blue": 2}),
])  # fmt: skip
def test_the_order_decides_who_is_a_straggler(way: str, first: str, points: dict[str, int]) -> None:
    """new_world E32, R9.4, R9.5, R9.7: a road that is empty by its turn moves nobody."""
    state = the_order_decides(way)
    road, town = sorted(state.pending, key=lambda at: ":t" in at)
    end = play(state, f"score {town}, {road}" if first == "town" else f"score {road}, {town}")
    assert dict(end.scores) == points and standing(end) == []
    assert end.surveyors == ((4, 4) if points["blue"] else (4, 3))


@pytest.mark.parametrize("way", STRAGGLERS)
def test_where_no_surveyor_can_move_nobody_goes_home(way: str) -> None:
    """new_world E33, R9.3, R9.5"""
    state = position(ROAD, tile="nw-04", settlers="blue 2,1:t0", surveyors=(3, 3), stragglers=way)
    end = play(state, "place 3,-2 0 settle r0")
    assert (end.surveyors, standing(end)) == ((3, 3), ["blue 2,1:t0"])


@pytest.mark.parametrize("way", STRAGGLERS)
def test_a_settler_put_behind_the_surveyors_may_score_before_one_moves(way: str) -> None:
    """new_world E27, E34, R6.5"""
    laid = "nw-01 1,0 0; nw-02 2,0 0; nw-04 2,-1 180; nw-03 3,0 0; nw-26 4,0 180"
    state = position(laid, tile="nw-04", surveyors=(3, 3), stragglers=way)
    events = happenings(state, "place 2,-2 0 settle r0")
    assert not any(isinstance(event, StragglersRemoved) for event in events)
    end = after(state, events)
    assert (end.scores["red"], end.surveyors, standing(end)) == (2, (4, 3), [])


def test_what_is_kept_and_names_no_way_is_older() -> None:
    """new_world R9.5: a log, a state or a table from before there was the option."""
    assert NEW_WORLD.read_options({}).stragglers == "every-move"
    assert NEW_WORLD.kept_options({}).stragglers == "column-left"
    today = NEW_WORLD.read_options({})
    assert NEW_WORLD.write_options(today) == {"tile_set": SHIPPED}
    assert NEW_WORLD.kept_options(NEW_WORLD.keep_options(today)) == today
    opened = NEW_WORLD.event_to_json(Opened(today, ("red", "blue"), "red"))
    assert NEW_WORLD.event_from_json(opened).options == today
    del opened["options"]["stragglers"]
    assert NEW_WORLD.event_from_json(opened).options.stragglers == "column-left"
    state = NEW_WORLD.state_to_json(position())
    del state["options"]["stragglers"]
    assert NEW_WORLD.state_from_json(state).options.stragglers == "column-left"


@pytest.mark.parametrize("value", ["never", True, None, 1, ["every-move"]])
def test_another_way_is_refused(value: object) -> None:
    """new_world R9.5"""
    with pytest.raises(Unreadable) as refusal:
        NEW_WORLD.read_options({"stragglers": value})
    assert (refusal.value.code, refusal.value.rule) == ("options.value", "R9.5")


@pytest.mark.parametrize(
    ("surveyors", "west", "moved"),
    [
        ((0, 0), 1, ("north", 1)),
        ((1, 0), 1, ("south", 1)),
        ((0, 1), 1, ("north", 1)),
        ((1, 1), 1, None),
        ((1, 1), 2, ("north", 2)),
    ],
)
def test_who_moves_and_whether(surveyors: tuple[int, int], west: int, moved: tuple[str, int] | None) -> None:
    """new_world R9.2, R9.3"""
    assert step(surveyors, west) == moved


def test_surveyors_start_in_column_0() -> None:
    """new_world R3.3"""
    assert position().surveyors == (0, 0)


def test_the_bonus_counts_each_surveyor_in_the_column() -> None:
    """new_world R9.4"""
    assert [surveyor_bonus(2, pair) for pair in ((1, 1), (2, 1), (2, 2))] == [0, 4, 8]


@pytest.mark.parametrize(("per_settler", "points"), [(True, 12 + 8), (False, 12 + 4)])
def test_the_bonus_counts_for_each_settler_or_once(per_settler: bool, points: int) -> None:
    """new_world R9.4, option bonus_per_settler: two of Red's traders are in column 3, where one surveyor is."""
    laid = "nw-21 1,1 0; nw-01 1,0 0; nw-26 2,0 180; nw-02 3,0 0; nw-21 3,1 0; nw-26 4,1 90"
    state = position(
        laid,
        tile="nw-09",
        settlers="red 3,1:t0; red 4,1:t0; blue 1,1:t0",
        surveyors=(3, 4),
        bonus_per_settler=per_settler,
    )
    assert dict(play(state, "place 2,1 0").scores) == {"red": points, "blue": 0}


def test_only_scoring_seats_get_the_bonus() -> None:
    """new_world R9.4, A10: Blue's trader is next to a surveyor, but Red has the majority."""
    laid = "nw-21 1,1 0; nw-01 1,0 0; nw-26 2,0 180; nw-02 3,0 0; nw-21 3,1 0; nw-26 4,1 90"
    state = position(laid, tile="nw-09", settlers="red 3,1:t0; red 4,1:t0; blue 1,1:t0", surveyors=(1, 1))
    assert play(state, "place 2,1 0").scores["blue"] == 0


def test_stragglers_are_all_but_trappers_in_the_left_column_and_east_of_it() -> None:
    """new_world R9.5"""
    table = (
        Settler("red", 1, 0, "r0"),
        Settler("blue", 2, 0, "t0"),
        Settler("red", 2, 1, "p0"),
        Settler("red", 3, 0, "f0"),
    )
    for way in STRAGGLERS:
        assert stragglers(table, 2, (3, 3), way) == table[:2]
    assert stragglers(table, 2, (3, 2), "every-move") == table[:1]
    assert stragglers(table, 2, (3, 2), "column-left") == ()


def test_several_features_move_a_surveyor_each() -> None:
    """new_world R9.1"""
    end = play(play(after_e16(), "place 2,4 90 settle t1"), "score 2,4:t0, 2,4:t1, 1,3:f0")
    assert end.surveyors[0] + end.surveyors[1] > after_e16().surveyors[0] + after_e16().surveyors[1] + 1
