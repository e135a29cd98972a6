"""R6 Develop and fortify."""

import pytest

from engine.acres.state import Holding
from tests.support.acres import acres, allowed, editions, legal_lines, play, refused, siege, start_places, why_not


@editions
def test_the_village_goes_back_to_the_stock(edition):
    """acres R6.1"""
    before = acres(edition=edition, british_hand=["norfolk", "st-marys"])
    after = play(before, "develop norfolk with st-marys")
    assert after.board.holdings["norfolk"] == Holding("british", "town")
    assert after.players["british"].villages == before.players["british"].villages + 1
    assert after.players["british"].towns == before.players["british"].towns - 1
    assert after.players["british"].discard == ("norfolk", "st-marys")


def test_developing_takes_the_own_card_and_a_settler():
    """acres R6.1"""
    refused(acres(british_hand=["st-marys"]), "develop norfolk with st-marys", "card.not_in_hand")
    refused(acres(british_hand=["norfolk", "ships"]), "develop norfolk with ships", "develop.no_settler", "R6.1")
    refused(acres(british_hand=["st-marys"]), "develop st-marys with st-marys", "card.used_twice", "R1.9")
    assert why_not(acres(british_hand=["norfolk", "ships"]), "develop") == "develop.no_settler"


def test_a_fortification_stays_when_a_village_becomes_a_town():
    """acres R6.1, R6.6"""
    state = acres(british_places=["boston", "norfolk fort", "st-marys"], british_hand=["norfolk", "st-marys"])
    assert play(state, "develop norfolk with st-marys").board.holdings["norfolk"].fort


@pytest.mark.parametrize(
    ("place", "code"),
    [("boston", "develop.town"), ("louisbourg", "develop.not_yours"), ("albany", "develop.not_yours")],
)
def test_only_an_own_village_is_developed(place, code):
    """acres R6.2"""
    state = acres(british_hand=["boston", "louisbourg", "albany", "settlers"])
    refused(state, f"develop {place} with settlers", code)
    assert legal_lines(state, "develop") == []
    assert why_not(state, "develop") == "develop.no_place"


@editions
@pytest.mark.parametrize("card", ["fortification", "neutral-fortification"])
def test_fortifying_takes_two_cards_and_three_money(edition, card):
    """acres R6.3"""
    before = acres(edition=edition, british_hand=["norfolk", card], british_money=3)
    after = play(before, f"fortify norfolk with {card}")
    assert after.board.holdings["norfolk"] == Holding("british", "village", fort=True)
    assert after.players["british"].money == 0
    assert after.players["british"].discard == ("norfolk", card)


def test_fortifying_needs_the_money_the_card_and_an_unfortified_place():
    """acres R6.3"""
    hand = ["norfolk", "fortification", "ships"]
    refused(acres(british_hand=hand, british_money=2), "fortify norfolk with fortification", "fortify.no_money", "R6.3")
    refused(acres(british_hand=hand), "fortify norfolk with ships", "fortify.no_fortification", "R6.3")
    refused(acres(british_hand=hand, british_money=2), "fortify norfolk with ships", "fortify.no_fortification", "R6.3")
    refused(acres(british_hand=hand), "fortify boston with fortification", "card.not_in_hand")
    refused(acres(british_hand=hand), "fortify albany with fortification", "fortify.not_yours", "R6.3")
    twice = acres(british_places=["boston", "norfolk fort"], british_hand=hand)
    refused(twice, "fortify norfolk with fortification", "fortify.fort", "R6.3")
    assert why_not(acres(british_hand=["norfolk"]), "fortify") == "fortify.no_fortification"
    assert why_not(acres(british_hand=hand, british_money=2), "fortify") == "fortify.no_money"
    assert why_not(twice, "fortify") == "fortify.no_place"


@editions
@pytest.mark.parametrize("line", ["develop norfolk with st-marys", "fortify norfolk with fortification"])
def test_a_besieged_place_is_neither_developed_nor_fortified(edition, line):
    """acres R6.4"""
    hand = ["norfolk", "st-marys", "fortification"]
    sieges = {"french": siege("norfolk", 0, ["militia"])}
    refused(acres(edition=edition, british_hand=hand, sieges=sieges), line, "card.besieged", "R4.1")
    assert allowed(acres(edition=edition, british_hand=hand), line)


@editions
def test_a_place_is_fortified_in_the_turn_in_which_it_was_settled(edition):
    """acres R6.5"""
    hand = ["albany", "new-york", "bateaux", "settlers", "fortification"]
    state = acres(edition=edition, british_hand=hand)
    state = play(
        state, "settle albany from new-york with bateaux settler settlers", "fortify albany with fortification"
    )
    assert state.board.holdings["albany"].fort


@editions
@pytest.mark.parametrize(("said", "strength"), [("halifax", 0), ("halifax fort", -2)])
def test_a_fortification_adds_two_to_the_defence(edition, said, strength):
    """acres R6.6, R7.4"""
    state = acres(
        "french",
        edition,
        french_hand=["louisbourg", "port-royal", "militia"],
        british_places=[*start_places("british"), said],
    )
    after = play(state, "besiege halifax from louisbourg with port-royal force militia")
    assert after.sieges["french"].strength == strength


@editions
def test_a_fortified_place_is_immune_to_raids(edition):
    """acres R6.6, R10.5"""
    state = acres(
        "french",
        edition,
        french_places=["kennebec"],
        british_places=["boston", "fort-halifax town fort"],
        french_hand=["coureurs-de-bois"],
    )
    refused(state, "raid fort-halifax with coureurs-de-bois", "raid.fort", "R10.5")


@editions
def test_a_fortification_comes_back_when_the_place_is_lost_in_a_siege(edition):
    """acres R6.6, R9.3"""
    sieges = {"french": siege("halifax", 2, ["militia"])}
    places = [*start_places("british"), "halifax fort"]
    state = acres("british", edition, actions=0, british_places=places, sieges=sieges)
    assert state.board.forts() == 1
    after = play(state, "end")
    assert after.board.forts() == 0 and after.players["french"].captured_villages == 1
