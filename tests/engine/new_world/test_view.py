"""Views, text boards, sentences and previews."""

from __future__ import annotations

import json

import pytest

from engine.kernel.text import PlainSpeaker
from engine.new_world import NEW_WORLD
from engine.new_world.actions import Place, Resign
from engine.new_world.events import EVENTS, TurnEnded
from engine.new_world.names import LANGUAGES, name_of
from engine.new_world.tiles import SETTLER_OF, SHIPPED, tile_set
from tests.support.new_world import happenings, play, position, three_completed
from tests.support.new_world_games import random_game


def test_every_kind_of_event_has_a_sentence() -> None:
    """house rule: every event kind has a sentence"""
    from engine.new_world.sentences import _SENTENCES

    assert set(EVENTS) - set(_SENTENCES) == {TurnEnded}


def test_views_are_plain_data_and_tell_everybody_the_same() -> None:
    """What one seat may know; here only what is new to it differs"""
    states = []
    random_game(3, 4, look=states.append)
    for state in states[::9]:
        views = [NEW_WORLD.view(state, seat) for seat in (*state.seats, None)]
        for view in views:
            assert json.loads(json.dumps(view)) == view
            view.pop("seat"), view.pop("recent")
        assert all(view == views[0] for view in views)


def test_nothing_of_an_event_is_hidden() -> None:
    """new_world R5.1"""
    events = happenings(position(tile="nw-01"), "place 1,0 0 settle p0")
    assert all(NEW_WORLD.seen_by(event, "blue") is event for event in events)


def test_the_view_counts_the_tiles_left_by_kind() -> None:
    """Tiles left by kind"""
    view = NEW_WORLD.view(position("nw-43 1,2 90", tile="nw-43"), None)
    assert (view["bag"], view["left"]["nw-43"]) == (93, 1)


def test_the_view_tells_what_a_feature_misses() -> None:
    """Open features with owners and what they miss"""
    state = position(
        "nw-20 1,1 0; nw-01 1,3 0; nw-01 1,0 0", tile="nw-26", settlers="red 1,1:t0; blue 1,3:f0; blue 1,0:f0"
    )
    held = {feature["at"]: feature for feature in NEW_WORLD.view(state, "red")["features"] if feature["settlers"]}
    town, farm, lost = held["1,1:t0"], held["1,3:f0"], held["1,0:f0"]
    assert (town["owners"], town["open_at"], town["worth_at_end"], town["worth_complete"]) == (["red"], ["2,1"], 3, 6)
    assert farm["open_at"] == ["1,2", "1,4", "2,2", "2,3", "2,4"] and not farm["never_complete"]
    assert lost["never_complete"]


def test_a_town_open_to_the_sea_can_never_be_completed() -> None:
    """new_world A18"""
    state = position("nw-01 1,0 0; nw-21 1,-1 0", settlers="red 1,-1:t0")
    (town,) = (feature for feature in NEW_WORLD.view(state, None)["features"] if feature["settlers"])
    assert town["never_complete"] and town["open"] == 2


def test_the_view_describes_the_neighbours_of_each_legal_cell() -> None:
    """The neighbourhood of each legal cell in words"""
    state = position("nw-20 1,1 0", tile="nw-26", settlers="red 1,1:t0")
    cells = {(cell["x"], cell["y"]): cell for cell in NEW_WORLD.view(state, "blue")["cells"]}
    east = cells[2, 1]["sides"]["E"]
    assert (east["kind"], east["cell"], east["settlers"], east["space"]) == ("town", "1,1", ["red"], None)
    assert cells[1, 4]["sides"]["E"]["space"] == "new-york"
    board = NEW_WORLD.board(NEW_WORLD.view(state, "blue"), PlainSpeaker(NEW_WORLD.name_of))
    assert "  B51 turned by 90: east town (A51): Red" in board.splitlines()
    assert "  A54 turned by 90: east town (New York)" in board.splitlines()


def test_the_board_tells_what_was_laid_since_the_last_own_turn() -> None:
    """What was placed since my last turn"""
    state = position("nw-20 1,1 0; nw-01 1,0 0; nw-02 2,0 0", tile="nw-26", to_move="blue", settlers="red 2,0:f0")
    assert [NEW_WORLD.view(state, seat)["recent"] for seat in ("red", "blue")] == [0, 1]
    board = NEW_WORLD.board(NEW_WORLD.view(state, "blue"), PlainSpeaker(NEW_WORLD.name_of))
    assert "  Red: a farm at B50, farmer of Red" in board.splitlines()


def test_a_preview_tells_what_a_placement_joins_completes_and_scores() -> None:
    """A preview of what the placement joins, completes and scores"""
    found = NEW_WORLD.preview(three_completed(), Place(2, 4, 90, "t1"))
    assert found["completes"] == ["2,4:t0", "2,4:t1", "1,3:f0"] and found["order"]
    assert found["scores"] == {"red": 6, "blue": 4 + 9 + 2 * 4}
    free = {part["segments"][0]: part["free"] for part in found["parts"]}
    assert free == {"t0": False, "t1": True, "p0": True}
    assert {part["segments"][0]: part["rim"] for part in found["parts"]} == {"t0": ["E"], "t1": ["W"], "p0": ["N", "S"]}
    assert found["parts"][1]["leads"] == [{"side": "W", "cell": "3,4", "space": None, "empty": False, "sea": False}]


def test_a_preview_tells_what_each_settler_would_bring_with_the_bonus_and_in_each_order() -> None:
    """new_world R9.4, R9.7: the points are those that playing the choice gives"""
    state = three_completed()
    found = NEW_WORLD.preview(state, Place(2, 4, 90))
    choices = {None: found["without"]} | {part["segments"][0]: part["choice"] for part in found["parts"]}
    assert choices.pop("t0") is None
    for segment, brings in choices.items():
        laid = play(state, NEW_WORLD.write(state, Place(2, 4, 90, segment)))
        ends = set()
        for order in NEW_WORLD.legal(laid):
            after = play(laid, NEW_WORLD.write(laid, order))
            ends.add(tuple(sorted((seat, n - state.scores[seat]) for seat, n in after.scores.items() if n)))
        assert {tuple(sorted(one["scores"].items())) for one in brings} == ends
    assert any(one["bonus"] for one in choices["t1"])


def test_a_settler_that_the_surveyors_pass_at_once_is_told_so() -> None:
    """new_world R9.5"""
    before = "nw-01 1,3 0; nw-43 1,2 90; nw-21 1,4 0; nw-02 2,3 0; nw-43 2,2 90; nw-03 3,3 0"
    state = position(before, tile="nw-22", settlers="red 1,4:t0", to_move="blue", surveyors=(2, 3))
    found = NEW_WORLD.preview(state, Place(2, 4, 90))
    parts = {part["segments"][0]: part["choice"] for part in found["parts"] if part["choice"]}
    told = {segment: [(one["goes_home"], one["at_end"]) for one in choice] for segment, choice in parts.items()}
    assert told == {"t1": [(True, None)], "p0": [(False, 4)]}
    assert "blue" not in {one.seat for one in play(state, "place 2,4 90 settle t1").settlers}


def test_orders_of_scoring_that_end_alike_are_told_once() -> None:
    """new_world R9.7"""
    ordering = play(three_completed(), "place 2,4 90 settle t1")
    view = NEW_WORLD.view(ordering, "blue")
    ends = {}
    for order in NEW_WORLD.legal(ordering):
        after = play(ordering, NEW_WORLD.write(ordering, order))
        ends.setdefault((tuple(after.scores.items()), after.settlers, after.surveyors), list(order.features))
    assert [order["features"] for order in view["orders"]] == list(ends.values())
    assert [one["rim"] for one in view["pending"]] == [["E"], ["W"], []]
    board = NEW_WORLD.board(view, PlainSpeaker(NEW_WORLD.name_of))
    assert "  A, B, C: 6 points for Red, 21 points for Blue" in board.splitlines()


def test_a_preview_shows_the_board_as_it_would_be_and_asks_for_a_settler() -> None:
    """With the warning when none is placed although one could be"""
    state = position(tile="nw-01")
    without, settled = (NEW_WORLD.preview(state, Place(1, 0, 0, segment)) for segment in (None, "p0"))
    assert [NEW_WORLD.leaves_out(state, Place(1, 0, 0, segment)) for segment in (None, "p0")] == [True, False]
    assert without["view"]["laid"][-1]["tile"] == "nw-01" and without["view"]["recent"] == 1
    assert without["view"]["cells"] == [] and without["view"]["settlers"] == []
    assert [settler["at"] for settler in settled["view"]["settlers"]] == ["1,0"]
    assert NEW_WORLD.preview(state, Resign()) is None


def test_a_preview_of_an_order_of_scoring_tells_what_it_scores() -> None:
    """The surveyors step in between, so the order decides about bonuses"""
    ordering = play(three_completed(), "place 2,4 90 settle t1")
    for order in NEW_WORLD.legal(ordering):
        found = NEW_WORLD.preview(ordering, order)
        after = play(ordering, NEW_WORLD.write(ordering, order))
        gained = {seat: after.scores[seat] - ordering.scores[seat] for seat in found["scores"]}
        assert found["scores"] == gained and found["view"]["scores"] == after.scores


def test_a_placement_that_leaves_an_order_to_choose_can_be_taken_back() -> None:
    """`reveals` tells whether a draw follows"""
    state = three_completed()
    assert not NEW_WORLD.reveals(state, Place(2, 4, 90, "t1"))
    assert NEW_WORLD.reveals(position(tile="nw-01"), Place(1, 0, 0))
    ordered = play(state, "place 2,4 90 settle t1")
    assert NEW_WORLD.reveals(ordered, NEW_WORLD.legal(ordered)[0])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_everything_has_a_name(lang: str) -> None:
    """house rule: names in four languages"""
    wanted = [("seat", seat) for seat in NEW_WORLD.seats]
    wanted += [
        (kind, key) for pair in SETTLER_OF.items() for kind, key in zip(("feature", "settler"), pair, strict=True)
    ]
    wanted += [("place", space.key) for space in tile_set(SHIPPED).start] + [("side", side) for side in "NESW"]
    for kind, key in wanted:
        assert name_of(kind, key, lang) not in ("", key) or lang == "en"
    assert name_of("tile", "nw-01", lang) == "nw-01"


def test_what_is_impossible_has_a_reason() -> None:
    """For every kind of action that is impossible now, the reason is given."""
    found = dict(NEW_WORLD.impossible(position(tile="nw-01", supply={"red": 0})))
    assert {kind: reason.code for kind, reason in found.items()} == {"settle": "settle.supply", "score": "decide.place"}
    ordering = play(three_completed(), "place 2,4 90 settle t1")
    assert {kind for kind, _ in NEW_WORLD.impossible(ordering)} == {"place", "settle"}


def test_every_part_of_the_board_belongs_to_one_feature_listed_or_quiet() -> None:
    """Complete features, and plains and farms without settlers, are quiet; it is shown whose settlers score."""
    before = three_completed()
    state = play(before, NEW_WORLD.write(before, Place(2, 4, 90, "t1")))
    view = NEW_WORLD.view(state, None)
    parts = [part for one in (*view["features"], *view["quiet"]) for part in one["parts"]]
    segments = [f"{x},{y}:{one.id}" for (x, y), laid in state.board.laid.items()
                for one in state.board.tiles.kinds[laid.tile].segments]  # fmt: skip
    assert len(parts) == len(set(parts)) and set(segments) <= set(parts)
    assert sum(one["complete"] and bool(one["settlers"]) for one in view["quiet"]) == len(view["pending"]) == 3
    assert all(one["complete"] or not one["settlers"] for one in view["quiet"])
    assert all(not one["complete"] for one in view["features"])
