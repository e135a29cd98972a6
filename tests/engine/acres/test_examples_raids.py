"""The worked examples E16-E21: raids."""

import pytest

from engine.acres import ACRES
from engine.acres.state import Holding
from tests.support.acres import EARLIER, acres, due, editions, play, refused

RAIDERS = ["coureurs-de-bois", "french-native-americans", "native-americans", "priest"]


def near_kennebec(edition, cards=4, british=("fort-halifax", "deerfield", "pemaquid", "boston")):
    """The French hold Kennebec only, and so many cards for a raid."""
    return acres(
        "french", edition, french_places=["kennebec"], french_hand=RAIDERS[:cards], british_places=list(british)
    )


def targets(state):
    """The places that can be raided, with the number of cards that each takes."""
    return {entry.about: entry.least for entry in ACRES.legal(state) if getattr(entry, "kind", "") == "raid"}


@pytest.mark.parametrize(("edition", "boston"), [("first", 3), ("first-revised", 3), ("second", 2)])
def test_e16_four_places_can_be_raided_from_kennebec(edition, boston):
    """acres E16, R10.2"""
    found = targets(near_kennebec(edition))
    assert set(found) == {"fort-halifax", "deerfield", "pemaquid", "boston"}
    assert found["boston"] == boston


@editions
def test_e17_a_fortification_stands_in_the_way(edition):
    """acres E17, R10.6"""
    state = near_kennebec(edition, british=["fort-halifax", "deerfield fort", "pemaquid", "boston"])
    assert set(targets(state)) == {"fort-halifax", "pemaquid"}
    refused(state, "raid deerfield with coureurs-de-bois, priest", "raid.fort", "R10.5")
    refused(state, f"raid boston with {', '.join(RAIDERS)}", "raid.out_of_range")


@pytest.mark.parametrize(("edition", "one", "three"), [("first", 1, 3), ("first-revised", 1, 3), ("second", 2, 4)])
def test_e18_range_grows_with_the_cards(edition, one, three):
    """acres E18, R10.2"""
    distance = {"fort-halifax": 1, "deerfield": 2, "new-haven": 3, "albany": 4}
    for cards, reach in ((1, one), (3, three)):
        found = targets(near_kennebec(edition, cards, distance))
        assert set(found) == {place for place, far in distance.items() if far <= reach}


@editions
def test_e19_native_americans_cost_the_raider_and_not_the_blocker(edition):
    """acres E19, R10.3, R10.9"""
    state = acres(
        "french",
        edition,
        french_places=["kennebec"],
        british_places=["fort-halifax", "boston"],
        french_hand=["native-americans", "native-americans"],
        british_hand=["native-americans"],
        french_money=5,
        british_money=5,
    )
    state = play(state, "raid fort-halifax with native-americans, native-americans", "block native-americans")
    assert (state.players["french"].money, state.players["british"].money) == (3, 5)
    assert state.board.owner("fort-halifax") == "british"


@editions
def test_e20_a_raided_town_leaves_a_village(edition):
    """acres E20, R10.10"""
    before = near_kennebec(edition, british=["fort-halifax town", "boston"])
    after = play(before, "raid fort-halifax with coureurs-de-bois", "allow")
    assert after.board.holdings["fort-halifax"] == Holding("british", "village")
    assert after.players["french"].captured_towns == 1
    assert after.players["british"].villages == before.players["british"].villages - 1
    assert ACRES.view(after, None)["score"]["french"] == 4


@editions
def test_e20b_a_raided_town_without_a_village_in_stock_becomes_neutral(edition):
    """acres E20b, R10.10"""
    before = acres(
        "french",
        edition,
        french_places=["kennebec"],
        french_hand=["coureurs-de-bois"],
        british_places=["fort-halifax town", "boston"],
        british_stock=(0, 10),
    )
    after = play(before, "raid fort-halifax with coureurs-de-bois", "allow")
    assert "fort-halifax" not in after.board.holdings
    assert (after.players["french"].captured_towns, after.players["french"].captured_villages) == (1, 0)


def boston_raided_twice(edition):
    state = acres(
        "french",
        edition,
        french_places=["quebec", "deerfield", "pemaquid", "louisbourg"],
        french_hand=["coureurs-de-bois", "french-native-americans", "pemaquid", "louisbourg", "quebec"],
        british_places=["boston", "new-york"],
        british_hand=["new-york"],
    )
    state = play(state, "raid boston with coureurs-de-bois", "allow")
    assert state.board.holdings["boston"] == Holding("british", "village")
    state = play(state, "raid boston with french-native-americans", "allow")
    assert "boston" not in state.board.holdings
    state = play(state, "end")
    return play(state, "pass", "pass", "end")


@editions
def test_e21_raiding_a_capital_twice_ends_no_game_and_settling_it_does_in_the_second_edition(edition):
    """acres E21, R10.12, R5.5"""
    state = play(boston_raided_twice(edition), "settle boston from pemaquid with louisbourg settler quebec")
    assert state.board.owner("boston") == "french"
    if edition == "second":
        assert (state.outcome.winners, state.outcome.reason) == (("french",), "home-taken")
        assert state.outcome.detail == {"where": "boston"}
    else:
        assert state.outcome is None


@pytest.mark.parametrize("edition", EARLIER)
def test_e21_boston_is_no_root_of_supply_while_the_french_hold_it(edition):
    """acres E21, R4.7"""
    state = boston_raided_twice(edition)
    state = play(state, "settle boston from pemaquid with louisbourg settler quebec", "pass", "end")
    assert due(state) == ("british", "action")
    refused(state, "money new-york", "card.not_connected", "R4.1")
