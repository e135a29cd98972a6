"""The worked examples E22-E32: money and cards, the turn, the end, scoring."""

import pytest

from engine.acres import ACRES
from tests.support.acres import EARLIER, KeepOrder, acres, due, editions, play, refused, shuffles, siege, start_places


def before_the_merchant(edition):
    places = [*start_places("british"), "deerfield"]
    return acres(edition=edition, british_places=places, british_hand=["norfolk", "deerfield", "boston", "new-york"])


def test_e22_a_merchant_takes_three_coin_cards_in_the_first_edition():
    """acres E22, R11.2"""
    before = before_the_merchant("first")
    after = play(before, "merchant norfolk: boston, deerfield, new-york")
    assert after.players["british"].money == before.players["british"].money + 8
    assert sorted(after.players["british"].discard) == ["boston", "deerfield", "new-york", "norfolk"]
    assert after.actions_left == 1


@pytest.mark.parametrize("edition", ["first-revised", "second"])
def test_e22_a_merchant_takes_two_coin_cards_at_most_in_the_later_editions(edition):
    """acres E22, R11.2"""
    state = before_the_merchant(edition)
    refused(state, "merchant norfolk: boston, deerfield, new-york", "merchant.too_many", "R11.2")
    assert play(state, "merchant norfolk: boston, new-york").players["british"].money == 10 + 6


@editions
def test_e23_drafting_costs_the_printed_price(edition):
    """acres E23, R11.5"""
    after = play(acres(edition=edition, british_money=3), "draft neutral-fortification")
    assert after.players["british"].money == 0
    assert after.players["british"].discard[-1] == "neutral-fortification"
    assert after.neutral.count("neutral-fortification") == 1


@editions
def test_e23b_drafting_needs_the_money(edition):
    """acres E23b, R11.5"""
    refused(acres(edition=edition, british_money=2), "draft neutral-fortification", "draft.no_money", "R11.5")


@editions
def test_e24_discarding_three_cards_costs_two(edition):
    """acres E24, R11.6"""
    state = acres(edition=edition, british_hand=["boston", "militia", "norfolk"], british_money=2)
    after = play(state, "discard boston, militia, norfolk")
    assert (after.players["british"].money, after.actions_left) == (0, 1)
    assert sorted(after.players["british"].discard) == ["boston", "militia", "norfolk"]


@editions
def test_e25_home_support_is_fetched_and_played_again(edition):
    """acres E25, R11.7, R11.9"""
    state = acres("french", edition, french_hand=["home-support", "intendant"], french_money=2)
    deck = len(state.players["french"].draw)
    assert deck >= 6
    state = play(state, "home-support", "intendant home-support", "home-support")
    mine = state.players["french"]
    assert len(mine.draw) == deck - 6
    assert (mine.money, state.actions_left) == (0, 1)
    assert mine.discard == ("intendant", "home-support")


def before_home_support(edition):
    return acres(
        edition=edition,
        british_hand=["home-support"],
        british_draw=["boston"],
        british_discard=["norfolk", "new-york", "new-haven", "pemaquid"],
    )


@pytest.mark.parametrize("edition", EARLIER)
def test_e26_home_support_shuffles_the_discard_pile_in_without_itself(edition):
    """acres E26, R11.7"""
    order = shuffles("british: pemaquid, norfolk, new-york, new-haven")
    mine = play(before_home_support(edition), "home-support", chance=order).players["british"]
    assert mine.hand == ("boston", "norfolk", "pemaquid")
    assert (mine.draw, mine.discard) == (("new-york", "new-haven"), ("home-support",))


def test_e26_home_support_draws_what_is_in_the_deck_in_the_second_edition():
    """acres E26, R11.7"""
    mine = play(before_home_support("second"), "home-support").players["british"]
    assert (mine.hand, mine.draw) == (("boston",), ())
    assert mine.discard == ("norfolk", "new-york", "new-haven", "pemaquid", "home-support")


FIVE = ["militia", "militia", "militia", "ships", "ships"]


def test_e27_the_reserve_of_the_first_edition_has_no_limit():
    """acres E27, R11.3"""
    state = acres(edition="first", british_reserve=FIVE, british_hand=["rangers"])
    assert len(play(state, "reserve rangers").players["british"].reserve) == 6


@pytest.mark.parametrize("edition", ["first-revised", "second"])
def test_e27_the_reserve_of_the_later_editions_holds_five(edition):
    """acres E27, R11.3"""
    state = acres(edition=edition, british_reserve=FIVE, british_hand=["rangers"])
    refused(state, "reserve rangers", "reserve.full", "R11.3")


@editions
def test_e27_location_cards_are_reserved_in_the_earlier_editions_only(edition):
    """acres E27, R11.3"""
    state = acres(edition=edition, british_hand=["boston"])
    if edition == "second":
        refused(state, "reserve boston", "reserve.location_card", "R11.3")
    else:
        assert play(state, "reserve boston").players["british"].reserve == ("boston",)


@editions
def test_e27_the_whole_reserve_is_retrieved_for_one_a_card(edition):
    """acres E27, R11.4"""
    after = play(acres(edition=edition, british_reserve=FIVE[:3], british_money=3), "retrieve")
    mine = after.players["british"]
    assert (mine.hand, mine.reserve, mine.money, after.actions_left) == (tuple(FIVE[:3]), (), 0, 2)
    poor = acres(edition=edition, british_reserve=FIVE[:3], british_money=2)
    refused(poor, "retrieve", "retrieve.no_money", "R11.4")


@editions
def test_e28_the_first_turn_of_each_side_has_one_action(edition):
    """acres E28, R3.2"""
    state = None
    for event in ACRES.open(ACRES.read_options({"edition": edition}), ACRES.seats, KeepOrder()):
        state = ACRES.apply(state, event)
    turns = []
    for _ in range(10):
        if not turns or turns[-1][0] != state.turn:
            turns.append((state.turn, state.on_turn, state.actions_left))
        state = play(state, "pass" if state.actions_left else "end")
    assert turns == [(1, "british", 1), (2, "french", 1), (3, "british", 2), (4, "french", 2)]


@editions
def test_e29_a_won_siege_of_quebec_wins_the_game_at_once(edition):
    """acres E29, R9.8"""
    state = acres("french", edition, actions=0, sieges={"british": siege("quebec", 2, ["militia"])})
    after = play(state, "end")
    assert (after.outcome.winners, after.outcome.reason) == (("british",), "home-taken")
    assert after.outcome.detail == {"where": "quebec"}
    assert due(after) is None


@editions
def test_e30_twelve_captured_points_end_the_game(edition):
    """acres E30, R13.2"""
    after = play(acres("french", edition, actions=0, british_captured=(2, 2)), "end")
    assert after.outcome.reason == "points"
    assert after.outcome.detail == {"ended_by": "british", "trigger": ("captured-points",)}


@editions
def test_e30_the_game_goes_on_while_there_is_a_siege(edition):
    """acres E30, R13.2"""
    sieges = {"french": siege("pemaquid", 0, ["militia"])}
    after = play(acres("french", edition, actions=0, british_captured=(2, 2), sieges=sieges), "end")
    assert due(after) == ("british", "action")


@pytest.mark.parametrize(("edition", "ends"), [("first", False), ("first-revised", True), ("second", False)])
def test_e31_all_towns_are_placed_while_there_is_a_siege(edition, ends):
    """acres E31, R13.2"""
    sieges = {"french": siege("pemaquid", 0, ["militia"])}
    after = play(acres("french", edition, actions=0, british_stock=(9, 0), sieges=sieges), "end")
    assert (after.outcome is not None) == ends
    if ends:
        assert after.outcome.detail["trigger"] == ("towns-placed",)


@editions
def test_e32_a_tie_is_a_french_win(edition):
    """acres E32, R13.5"""
    state = acres(
        "french",
        edition,
        actions=0,
        british_places=["boston"],
        french_places=["louisbourg"],
        british_captured=(2, 2),
        french_captured=(2, 2),
    )
    after = play(state, "end")
    assert after.outcome.scores == {"british": 16, "french": 16}
    assert after.outcome.winners == ("french",)
