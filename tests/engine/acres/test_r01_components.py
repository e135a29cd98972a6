"""R1 Players, pieces, zones."""

import pytest

from engine.acres import ACRES
from engine.acres import actions as act
from engine.acres.data import FORTS, TOWNS, VILLAGES
from engine.kernel.refusals import IllegalAction
from tests.support.acres import (
    KeepOrder,
    acres,
    allowed,
    editions,
    events,
    legal_lines,
    play,
    refused,
    start_places,
    why_not,
)


def opened(edition="second"):
    state = None
    for event in ACRES.open(ACRES.read_options({"edition": edition}), ACRES.seats, KeepOrder()):
        state = ACRES.apply(state, event)
    return state


@editions
def test_the_british_take_the_first_turn(edition):
    """acres R1.1"""
    state = opened(edition)
    assert ACRES.seats == ("british", "french")
    assert (ACRES.decision(state).seat, ACRES.decision(state).turn) == ("british", 1)


def test_each_side_has_its_wooden_pieces():
    """acres R1.2"""
    assert VILLAGES == {"british": 18, "french": 18}
    assert TOWNS == {"british": 12, "french": 9}
    assert FORTS == 12


def test_the_bank_is_unlimited():
    """acres R1.3"""
    after = play(acres(british_hand=["boston"], british_money=1_000), "money boston")
    assert after.players["british"].money == 1_003


def test_without_a_village_in_stock_nothing_is_settled():
    """acres R1.4"""
    state = acres(british_hand=["new-haven", "st-marys", "boston"], british_stock=(0, 5))
    refused(state, "settle deerfield from new-haven with st-marys settler boston", "settle.no_village", "R5.1")
    assert why_not(state, "settle") == "settle.no_village"
    assert legal_lines(state, "settle") == []


def test_without_a_town_in_stock_nothing_is_developed():
    """acres R1.4"""
    state = acres(british_hand=["norfolk", "st-marys"], british_stock=(5, 0))
    refused(state, "develop norfolk with st-marys", "develop.no_town", "R6.1")
    assert why_not(state, "develop") == "develop.no_town"
    assert legal_lines(state, "develop") == []


def test_without_a_fortification_disc_nothing_is_fortified():
    """acres R1.4, R6.3"""
    british = [f"{place} fort" for place in start_places("british") if place != "norfolk"]
    french = [f"{place} fort" for place in start_places("french")]
    hand = ["norfolk", "fortification"]
    eleven = acres(british_places=["norfolk", *british], french_places=french[:5], british_hand=hand)
    assert allowed(eleven, "fortify norfolk with fortification")
    twelve = acres(british_places=["norfolk", *british], french_places=french[:6], british_hand=hand)
    refused(twelve, "fortify norfolk with fortification", "fortify.no_disc", "R6.3")
    assert why_not(twelve, "fortify") == "fortify.no_disc"


def test_the_zones_are_open_but_for_hands_and_decks():
    """acres R1.5"""
    state = acres(
        british_hand=["boston"],
        british_discard=["norfolk", "militia"],
        british_reserve=["ships"],
        french_hand=["quebec"],
    )
    seen = ACRES.view(state, "french")["seats"]["british"]
    assert (seen["hand"], seen["hand_count"]) == (None, 1)
    assert (seen["discard"], seen["reserve"]) == (["norfolk", "militia"], ["ships"])
    assert "rangers" in seen["empire"] and "albany" in seen["locations"]
    assert ACRES.view(state, "french")["seats"]["french"]["hand"] == ["quebec"]
    assert ACRES.view(state, None)["seats"]["french"]["hand"] is None


def test_a_card_of_the_other_colour_is_not_drafted():
    """acres R1.6, R11.5"""
    state = acres("french", french_money=50)
    with pytest.raises(IllegalAction, match="not_on_offer"):
        ACRES.check(state, "french", act.Draft("rangers"))
    refused(state, "draft rangers", "name.others")
    assert "draft rangers" not in legal_lines(state)
    assert "draft native-americans" in legal_lines(state)


def test_a_symbol_that_is_not_printed_cannot_be_used():
    """acres R1.8"""
    state = acres(british_hand=["boston", "pemaquid", "new-york"])
    refused(state, "settle halifax from boston with pemaquid settler new-york", "settle.no_transport", "R5.1")


def test_the_ambush_symbol_is_no_power():
    """acres R1.8"""
    state = acres(british_hand=["militia"])
    refused(state, "ambush with militia", "ambush.no_power", "R10.13")


def test_a_card_counts_for_one_symbol_in_an_action():
    """acres R1.9"""
    state = acres(british_hand=["new-haven", "st-marys", "boston"])
    refused(state, "settle deerfield from new-haven with st-marys settler st-marys", "card.used_twice", "R1.9")
    assert not any(line.count("st-marys") > 1 for line in legal_lines(state))


@pytest.mark.parametrize("hand", [["halifax", "ships"], ["halifax", "ships", "ships"]])
def test_two_cards_of_a_kind_count_twice(hand):
    """acres R1.9"""
    state = acres(british_places=[*start_places("british"), "halifax"], british_hand=hand)
    line = "besiege louisbourg from halifax with ships force ships"
    assert allowed(state, line) == (hand.count("ships") == 2) == (line in legal_lines(state))


@editions
def test_the_french_play_with_as_many_cards_as_the_edition_has(edition):
    """acres R1.10"""
    state = opened(edition)
    mine = state.players["french"]
    cards = len(mine.hand + mine.draw + mine.discard + mine.locations + mine.empire)
    assert cards == (46 if edition == "second" else 47)


def test_a_green_card_is_drafted_by_either_side():
    """acres R1.6"""
    for seat in ("british", "french"):
        assert [type(e).__name__ for e in events(acres(seat), "draft native-americans")] == ["Drafted"]
