"""The notation, read tolerantly and written canonically; and standing orders."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.refusals import Refusal, Unreadable
from engine.new_world import NEW_WORLD
from engine.new_world.actions import Place, Resign, ScoreOrder
from engine.new_world.state import State
from tests.support.new_world import play, position

CURVE = position(tile="nw-35")
"""A curve next to a town piece; at 1,2 it fits turned by 180 and by 270."""


def read(line: str, state: State = CURVE) -> object:
    return NEW_WORLD.read(state, "red", line)


@pytest.mark.parametrize(
    "line",
    [
        "place A52 270 robber",
        "place A2 270 robber",  # as rows were once numbered
        "a52 270 road",
        "lay A 52 turned by 270 a robber",
        "place A2 270 settle robber north",
        "place 1,2 270 settle r0",
        "PLACE 1,2 270 SETTLE R0",
        "  place   1 , 2   270   settle   r0  ",
        "1,2 270 r0",
        "1,2 270 robber",
        "1,2 270 Bandido",
        "1 2 270 voleur",
        "lay at (1,2) turned by 270° robber",
        "place (1,2) rotated 270 degrees settle robber on the road".replace(" on the road", ""),
        "put 1,2 270 camino",
    ],
)
def test_a_placement_is_read_in_many_ways(line: str) -> None:
    """Tolerant for people"""
    assert read(line) == Place(1, 2, 270, "r0")


def test_negative_rows_and_no_settler() -> None:
    """notation, Coordinates"""
    assert read("place B49 90") == read("b49 90") == read("place 2,-1 90") == Place(2, -1, 90)
    assert read("place Bn1 90") == read("bn1 90") == Place(2, -1, 90), "as it was once written"
    assert read("place 2,−1 90 without") == Place(2, -1, 90)


def test_a_rotation_may_be_left_out_where_only_one_fits() -> None:
    """new_world R5.1"""
    assert read("1,2 robber", position(tile="nw-05")) == Place(1, 2, 270, "r0")


def test_the_writer_uses_the_smallest_equal_rotation() -> None:
    """notation: where several turns give the same oriented piece a writer uses the smallest, a reader takes any."""
    state = position(tile="nw-01")
    assert NEW_WORLD.write(state, Place(1, 0, 270, "f0")) == "place A50 0 farmer"
    assert NEW_WORLD.write_record(state, Place(1, 0, 270, "f0")) == "place 1,0 0 settle f0"
    assert read("1,0 180 farmer", state) == Place(1, 0, 0, "f0")


@pytest.mark.parametrize(
    ("line", "code", "word"),
    [
        ("", "notation.empty", None),
        ("palce 1,2 270", "notation.verb", "palce"),
        ("xyzzy", "notation.verb", "xyzzy"),
        ("place", "notation.cell", ""),
        ("place 1", "notation.cell", "1"),
        ("place A2 270 trapper north", "notation.part", "north"),
        ("place one,two", "notation.cell", "one"),
        ("place ٣,٤ 0", "notation.cell", "٣"),
        ("place 1,2 45", "notation.rotation", "45"),
        ("place 1,2", "notation.rotation_missing", ""),
        ("place 1,2 270 settle", "notation.part_missing", ""),
        ("place 1,2 270 settle r7", "notation.part", "r7"),
        ("place 1,2 270 settle rober", "notation.part", "rober"),
        ("place 1,2 270 farmer", "notation.part", "farmer"),
        ("place 1,2 270 trapper", "notation.which_part", "trapper"),
        ("place 1,2 270 settle r0 now", "notation.surplus", "now"),
        ("resign now", "notation.surplus", "now"),
        ("place 1,2 270 " + "x" * 500, "notation.too_long", None),
        ("score", "notation.order_missing", ""),
        ("score 1,2", "notation.feature", "1,2"),
        ("score barn", "notation.feature", "barn"),
    ],
)
def test_an_unreadable_line_points_at_the_word(line: str, code: str, word: str | None) -> None:
    """Errors point at the word and say what would be right"""
    with pytest.raises(Unreadable) as refused:
        read(line)
    assert refused.value.code == code
    span = refused.value.word
    assert (None if span is None else line[slice(*span)]) == word


def test_a_misspelt_word_is_suggested() -> None:
    with pytest.raises(Unreadable) as refused:
        read("place 1,2 270 settle rober")
    assert refused.value.why.values["meant"] == "robber"


def ordering() -> State:
    laid = "nw-01 1,3 0; nw-43 1,2 90; nw-21 1,4 0; nw-02 2,3 0; nw-43 2,2 90; nw-03 3,3 0; nw-26 3,4 90"
    state = position(laid, tile="nw-22", settlers="red 1,3:f0; blue 1,4:t0")
    return play(state, "place 2,4 90 settle t1")


@pytest.mark.parametrize(
    "line",
    [
        "score farm A53, town B54 W, town B54 E",
        "score C, B, A",
        "A3 then B4 west then town B4 east",
        "score 1,3:f0, 2,4:t1, 2,4:t0",
        "Score 1,3:F0 , 2,4 : t1 2,4:t0",
        "1,3:f0; 2,4:t1; 2,4:t0",
        "farm, t1, t0",
        "score farm then t1 then t0",
        "score 1,3:f0, 3,4:t0, 1,4:t0",
    ],
)
def test_an_order_of_scoring_is_read_in_many_ways(line: str) -> None:
    """new_world R9.7; another part of a feature names it as well"""
    assert read(line, ordering()) == ScoreOrder(("1,3:f0", "2,4:t1", "2,4:t0"))


def test_a_feature_that_does_not_wait_is_refused_by_the_rules() -> None:
    """new_world R9.8"""
    state = ordering()
    with pytest.raises(Refusal) as refused:
        NEW_WORLD.check(state, "red", read("score 1,3:f0, 2,4:t1, 9,9:t0", state))
    assert refused.value.code == "score.features"


def test_resign_is_a_line() -> None:
    """notation, step `resign`"""
    assert read("Resign") == Resign()
    assert NEW_WORLD.write(CURVE, Resign()) == "resign"


@given(
    st.text(max_size=40)
    | st.from_regex(r"(place|score)? ?(-?\d{1,8},-?\d{1,3}|[a-zA-Z]{1,3}n?\d{1,3})[: ]?[a-zA-Z0-9 ,:]{0,12}")
)
def test_any_text_is_read_or_refused(line: str) -> None:
    """Never an error of another kind"""
    for state in (CURVE, ordering()):
        try:
            action = read(line, state)
        except Unreadable as refused:
            assert refused.word is None or 0 <= refused.word[0] <= refused.word[1] <= len(line)
        else:
            assert read(NEW_WORLD.write(state, action), state) == action


# -- standing orders --------------------------------------------------------------------------------


def only_place(supply: int) -> State:
    """A coast so closed in that the drawn tile has one place: four towns need a town on each touching side."""
    laid = "nw-28 1,1 90; nw-29 1,4 90"
    return position(laid, tile="nw-07", supply={"red": supply})


def answer(state: State, *orders: str) -> object:
    return NEW_WORLD.standing_answer(state, "red", NEW_WORLD.read_standing(orders))


def test_without_orders_the_seat_is_asked() -> None:
    assert answer(only_place(0)) is None


def test_an_only_action_is_played_if_the_seat_wants_it() -> None:
    """No settler left, a single legal cell"""
    assert answer(only_place(0), "play my only action") == Place(1, 8, 0)


def test_an_only_place_with_a_settler_to_choose_is_another_order() -> None:
    state = only_place(5)
    assert answer(state, "play my only action") is None
    assert answer(state, "Lay my only place without settler") == Place(1, 8, 0)


def test_where_there_is_a_choice_the_seat_is_asked() -> None:
    both = ("play my only action", "lay my only place without settler")
    assert answer(position(tile="nw-01"), *both) is None
    assert NEW_WORLD.standing_answer(only_place(0), "blue", NEW_WORLD.read_standing(both)) is None
    assert answer(ordering(), *both) is None


def test_standing_orders_are_written_as_they_are_read() -> None:
    both = ["play my only action", "lay my only place without settler"]
    assert NEW_WORLD.write_standing(NEW_WORLD.read_standing([both[1].upper(), "", both[0]])) == both
    with pytest.raises(Unreadable) as refused:
        NEW_WORLD.read_standing(["play my only acton"])
    assert refused.value.why.values["meant"] == both[0]


def test_nothing_is_forced_and_nothing_foreseen() -> None:
    """Even an only place is laid by the seat, unless it has said otherwise."""
    assert NEW_WORLD.forced(only_place(0)) is None
    assert NEW_WORLD.foreseen(CURVE, "blue") == ()
