"""R3 Turn."""

import pytest

from engine.acres import events as ev
from tests.support.acres import (
    EARLIER,
    acres,
    due,
    editions,
    events,
    legal_lines,
    play,
    refused,
    shuffles,
    siege,
    why_not,
)


@editions
def test_a_siege_about_to_be_won_delays_the_end_of_the_game(edition):
    """acres R3.1"""
    sieges = {"british": siege("louisbourg", 2, ["militia"])}
    state = acres("french", edition, actions=0, british_captured=(2, 2), sieges=sieges)
    after = play(state, "end")
    assert due(after) == ("british", "conquest")
    assert play(after, "leave louisbourg").outcome is None


@editions
def test_a_capital_won_comes_before_the_end_on_points(edition):
    """acres R3.1"""
    sieges = {"british": siege("quebec", 2, ["militia"])}
    state = acres("french", edition, actions=0, british_captured=(2, 2), british_stock=(0, 0), sieges=sieges)
    assert play(state, "end").outcome.reason == "home-taken"


@editions
def test_a_turn_is_two_actions_and_a_draw_up_to_five(edition):
    """acres R3.1, R3.5"""
    state = play(acres(edition=edition, british_hand=["boston", "norfolk"]), "money boston", "pass", "end")
    assert state.on_turn == "french" and due(state) == ("french", "action")
    assert len(state.players["british"].hand) == 5
    assert state.turn == 12


@editions
def test_free_actions_are_allowed_in_the_first_turn(edition):
    """acres R3.2"""
    state = acres(edition=edition, actions=1, turn=1, british_hand=["home-support"])
    assert play(state, "home-support").actions_left == 1


def test_an_action_is_finished_before_the_next():
    """acres R3.3"""
    state = play(acres(british_hand=["native-americans", "boston"]), "ambush with native-americans")
    refused(state, "money boston", "seat.not_yours", by="british")
    refused(state, "pass", "answer.ambush", by="french")


def test_the_same_action_may_be_taken_twice():
    """acres R3.3"""
    state = play(acres(british_hand=["boston", "norfolk"]), "money boston", "money norfolk")
    assert state.players["british"].money == 10 + 5


def test_passing_is_an_action_that_does_nothing():
    """acres R3.4"""
    before = acres(british_hand=["boston"])
    after = play(before, "pass")
    assert after == before._replace(actions_left=1)


def test_an_unused_action_is_passed_in_so_many_words():
    """acres R3.4"""
    refused(acres(), "end", "turn.actions_left", "R3.4")


@editions
def test_a_hand_above_five_is_kept(edition):
    """acres R3.5"""
    hand = ["boston", "militia", "militia", "norfolk", "ships", "ships", "trader"]
    state = play(acres(edition=edition, british_hand=hand), "pass", "pass", "end")
    assert state.players["british"].hand == tuple(hand)


@pytest.mark.parametrize("edition", EARLIER)
def test_the_discard_pile_is_shuffled_as_soon_as_the_deck_is_empty(edition):
    """acres R3.6"""
    state = acres(
        edition=edition,
        actions=0,
        british_hand=["boston", "militia", "militia", "militia"],
        british_draw=["norfolk"],
        british_discard=["ships", "trader"],
    )
    happened = events(state, "end", chance=shuffles("british: trader, ships"))
    assert [type(e) for e in happened[:3]] == [ev.Drew, ev.Shuffled, ev.TurnEnded]


def test_the_discard_pile_waits_until_a_card_is_needed_in_the_second_edition():
    """acres R3.6"""
    state = acres(
        actions=0,
        british_hand=["boston", "militia", "militia", "militia"],
        british_draw=["norfolk"],
        british_discard=["ships", "trader"],
    )
    after = play(state, "end", chance=shuffles())
    assert (after.players["british"].draw, after.players["british"].discard) == ((), ("ships", "trader"))


@editions
def test_a_shuffle_follows_when_a_card_must_be_drawn(edition):
    """acres R3.6"""
    state = acres(
        edition=edition,
        actions=0,
        british_hand=["boston", "militia", "militia", "militia"],
        british_draw=[],
        british_discard=["ships", "trader"],
    )
    after = play(state, "end", chance=shuffles("british: trader, ships"))
    assert "trader" in after.players["british"].hand
    assert after.players["british"].draw == ("ships",)


@editions
def test_a_player_with_neither_deck_nor_discard_pile_draws_fewer(edition):
    """acres R3.6"""
    state = acres(edition=edition, actions=0, british_hand=["militia"], british_draw=["boston"], british_discard=[])
    after = play(state, "end")
    assert after.players["british"].hand == ("boston", "militia")
    assert due(after) == ("french", "action")


@pytest.mark.parametrize("edition", EARLIER)
def test_the_shuffle_waits_when_the_discard_pile_is_empty_as_the_deck_runs_out(edition):
    """acres R3.6"""
    hand = ["boston", "militia", "militia", "militia"]
    state = acres(edition=edition, actions=0, british_hand=hand, british_draw=["norfolk"], british_discard=[])
    state = play(state, "end", "pass", "pass", "end", "discard militia", chance=shuffles())
    assert (state.players["british"].draw, state.players["british"].discard) == ((), ("militia",))
    after = play(play(state, "discard militia"), "end", chance=shuffles("british: militia, militia"))
    assert len(after.players["british"].hand) == 5


@pytest.mark.parametrize("edition", EARLIER)
def test_a_home_support_that_empties_the_deck_is_not_among_the_cards_shuffled(edition):
    """acres R3.6, R11.7"""
    state = acres(
        edition=edition,
        british_hand=["home-support"],
        british_draw=["boston", "norfolk", "militia"],
        british_discard=["ships"],
    )
    mine = play(state, "home-support", chance=shuffles("british: ships")).players["british"]
    assert (mine.draw, mine.discard) == (("ships",), ("home-support",))


def test_played_cards_go_to_the_top_of_the_discard_pile():
    """acres R3.7"""
    state = acres(british_hand=["boston", "norfolk"], british_discard=["militia"])
    assert play(state, "money norfolk", "money boston").players["british"].discard == ("militia", "norfolk", "boston")


def test_a_card_committed_to_a_siege_goes_to_its_box():
    """acres R3.7"""
    state = acres(british_hand=["militia"], sieges={"british": siege("louisbourg", 0, ["ships"])})
    after = play(state, "reinforce louisbourg with militia")
    assert sorted(after.sieges["british"].attacking) == ["militia", "ships"]
    assert after.players["british"].discard == ()


FREE = {
    "retrieve": "reserve",
    "home-support": "home-support",
    "reinforce louisbourg with military-leader": "leader",
    "withdraw louisbourg remove militia": "withdraw",
}


def with_free_steps(edition, actions):
    return acres(
        edition=edition,
        actions=actions,
        british_hand=["home-support", "military-leader"],
        british_reserve=["trader"],
        sieges={"british": siege("louisbourg", 0, ["militia"])},
    )


@editions
@pytest.mark.parametrize("line", FREE)
def test_free_actions_use_up_no_action(edition, line):
    """acres R3.8"""
    costs = 1 if edition == "first" and line.startswith("withdraw") else 0
    state = play(with_free_steps(edition, 2), line)
    assert state.actions_left == 2 - costs


@editions
def test_only_free_steps_and_the_end_are_left_when_the_actions_are_used_up(edition):
    """acres R3.8"""
    state = with_free_steps(edition, 0)
    wanted = {*FREE, "end"} - ({"withdraw louisbourg remove militia"} if edition == "first" else set())
    assert set(legal_lines(state)) == wanted
    refused(state, "pass", "turn.no_action_left", "R3.1")
    assert why_not(state, "draft") == "turn.no_action_left"


@editions
@pytest.mark.parametrize("hand", [["boston"], ["boston", "home-support"], ["boston", "military-leader"]])
def test_a_turn_goes_on_until_its_seat_ends_it_whatever_the_hand_holds(edition, hand):
    """acres R1.5, R3.8: nobody may see by the end of a turn that no free step was left."""
    sieges = {"british": siege("louisbourg", 0, ["militia"])}
    state = play(acres(edition=edition, actions=1, british_hand=hand, sieges=sieges), "money boston")
    assert due(state) == ("british", "action") and state.actions_left == 0
    assert "end" in legal_lines(state)
    assert due(play(state, "end")) == ("french", "action")


def test_a_free_action_may_be_repeated():
    """acres R3.8"""
    state = acres("french", french_hand=["home-support", "intendant"])
    state = play(state, "home-support", "intendant home-support", "home-support")
    assert state.actions_left == 1


@editions
def test_no_free_action_during_the_resolution_of_a_siege(edition):
    """acres R3.9"""
    sieges = {"british": siege("louisbourg", 2, ["militia"], ["militia"])}
    state = acres(
        "french", edition, actions=0, british_hand=["home-support"], french_hand=["home-support"], sieges=sieges
    )
    state = play(state, "end")
    assert due(state) == ("french", "siege-loss")
    refused(state, "home-support", "answer.siege_loss", by="french")
    refused(state, "home-support", "seat.not_yours", by="british")
    state = play(state, "lose militia")
    refused(state, "home-support", "answer.conquest", by="british")


@editions
def test_no_free_action_in_the_middle_of_an_action_or_in_the_opponents_turn(edition):
    """acres R3.9"""
    state = acres(edition=edition, british_hand=["native-americans", "home-support"], french_hand=["home-support"])
    refused(state, "home-support", "seat.not_yours", by="french")
    asked = play(state, "ambush with native-americans")
    refused(asked, "home-support", "seat.not_yours", by="british")
    refused(asked, "home-support", "answer.ambush", by="french")


@editions
def test_the_draw_closes_the_turn(edition):
    """acres R3.9"""
    draw = ["home-support", "boston", "norfolk", "pemaquid", "new-york"]
    after = play(acres(edition=edition, actions=0, british_draw=[*draw, "new-haven"]), "end")
    assert "home-support" in after.players["british"].hand
    refused(after, "home-support", "seat.not_yours", by="british")
