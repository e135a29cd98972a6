"""R10.13-R10.16 Ambush, Priest and Indian Leader."""

import pytest

from engine.kernel.text import say
from tests.support.acres import ENGLISH, acres, due, editions, happen, legal_lines, play, refused, siege, why_not


def ambushed(edition="second", options=None, **zones):
    """The French have been ambushed with Rangers."""
    return play(acres(edition=edition, options=options, british_hand=["rangers"], **zones), "ambush with rangers")


@editions
def test_an_ambush_takes_a_card_with_that_power(edition):
    """acres R10.13"""
    refused(acres(edition=edition, british_hand=["militia"]), "ambush with militia", "ambush.no_power", "R10.13")
    assert why_not(acres(british_hand=["militia"]), "ambush") == "ambush.no_card"
    state = ambushed(edition, french_hand=["regular-infantry"])
    assert due(state) == ("french", "ambush")
    assert (state.actions_left, state.players["british"].discard) == (1, ("rangers",))


@editions
@pytest.mark.parametrize("card", ["militia", "coureurs-de-bois", "native-americans", "french-native-americans"])
def test_an_ambush_is_blocked_for_nothing(edition, card):
    """acres R10.13"""
    state = ambushed(edition, french_hand=[card, "regular-infantry"], french_money=0)
    after = play(state, f"block {card}")
    assert after.players["french"].discard == (card,)
    assert (after.players["french"].money, after.players["french"].hand) == (0, ("regular-infantry",))


@editions
@pytest.mark.parametrize("card", ["fortification", "neutral-fortification", "priest", "quebec"])
def test_other_cards_block_no_ambush(edition, card):
    """acres R10.13"""
    refused(ambushed(edition, french_hand=[card]), f"block {card}", "block.no_power", "R10.13")


@editions
def test_a_card_in_the_reserve_blocks_no_ambush(edition):
    """acres R10.13"""
    why = refused(ambushed(edition, french_reserve=["militia"]), "block militia", "card.not_in_hand").why
    assert say(why, ENGLISH) == "Militia is in your reserve, not in your hand."
    state = acres(edition=edition, british_reserve=["fortification"], british_hand=["boston"])
    why = refused(state, "fortify boston with fortification", "card.not_in_hand").why
    assert "“retrieve” takes the reserve back first" in say(why, ENGLISH)


@editions
def test_the_victim_chooses_a_card_from_hand_or_reserve(edition):
    """acres R10.14"""
    hand, reserve = ["regular-infantry", "priest"], ["siege-artillery"]
    state = ambushed(edition, french_hand=hand, french_reserve=reserve)
    assert legal_lines(state) == ["lose regular-infantry", "lose siege-artillery from reserve"]
    refused(state, "lose priest", "lose.no_symbol", "R10.14")
    refused(state, "lose regular-infantry from reserve", "lose.not_in_reserve", "R10.14")
    said = say(refused(state, "lose siege-artillery", "lose.in_reserve", "R10.14").why, ENGLISH)
    assert "is in your reserve, not in your hand: “lose siege-artillery from reserve” gives it up" in said
    said = say(refused(state, "show-hand", "show_hand.must_lose", "R10.14").why, ENGLISH)
    assert "Regular Infantry (in your hand), Siege Artillery (in your reserve)" in said
    after = play(state, "lose siege-artillery from reserve")
    assert after.players["french"].reserve == () and "siege-artillery" in after.players["french"].empire
    after = play(state, "lose regular-infantry")
    assert after.players["french"].hand == ("priest",)
    assert after.players["french"].empire.count("regular-infantry") == 3


def test_an_ambushed_card_goes_to_the_cards_on_offer():
    """acres R10.14"""
    state = acres("french", french_hand=["coureurs-de-bois"], british_hand=["militia"])
    after = play(state, "ambush with coureurs-de-bois", "lose militia")
    assert after.players["british"].empire.count("militia") == 3
    assert after.players["british"].discard == ()


@editions
def test_a_victim_with_nothing_to_lose_shows_his_hand(edition):
    """acres R10.14"""
    state = ambushed(edition, french_hand=["priest", "quebec"])
    assert legal_lines(state) == ["show-hand"]
    event, after = happen(state, "show-hand")[0]
    assert event.cards == ("priest", "quebec")
    assert after.players["french"] == state.players["french"]


@editions
def test_cards_in_a_siege_are_safe(edition):
    """acres R10.14, C7"""
    sieges = {"british": siege("louisbourg", 0, ["militia"], ["regular-infantry"])}
    state = ambushed(edition, sieges=sieges)
    assert legal_lines(state) == ["show-hand"]
    refused(state, "lose regular-infantry at louisbourg", "lose.siege_safe", "R10.14")


@editions
@pytest.mark.parametrize(("attacker", "place", "strength"), [("british", "louisbourg", 2), ("french", "pemaquid", -2)])
def test_by_option_an_ambush_reaches_into_a_siege(edition, attacker, place, strength):
    """acres R10.14, C7"""
    boxes = (["militia"], ["regular-infantry"]) if attacker == "british" else (["regular-infantry"], ["militia"])
    state = ambushed(edition, {"ambush_reaches_siege_cards": True}, sieges={attacker: siege(place, 0, *boxes)})
    assert legal_lines(state) == [f"lose regular-infantry at {place}"]
    refused(state, "show-hand", "show_hand.must_lose")
    after = play(state, f"lose regular-infantry at {place}")
    assert after.sieges[attacker].strength == strength
    assert after.players["french"].empire.count("regular-infantry") == 3


def test_by_option_the_hand_and_the_reserve_come_before_the_siege():
    """acres R10.14, C7"""
    sieges = {"british": siege("louisbourg", 0, ["militia"], ["regular-infantry"])}
    state = ambushed(options={"ambush_reaches_siege_cards": True}, sieges=sieges, french_reserve=["siege-artillery"])
    assert legal_lines(state) == ["lose siege-artillery from reserve"]
    refused(state, "lose regular-infantry at louisbourg", "lose.siege_safe", "R10.14")


@editions
@pytest.mark.parametrize("card", ["native-americans", "french-native-americans"])
def test_native_americans_cost_one_to_ambush(edition, card):
    """acres R10.15"""
    state = acres("french", edition, french_hand=[card], french_money=1)
    assert play(state, f"ambush with {card}").players["french"].money == 0
    poor = acres("french", edition, french_hand=[card], french_money=0)
    refused(poor, f"ambush with {card}", "ambush.no_money", "R10.15")
    assert why_not(poor, "ambush") == "ambush.no_money"


@editions
@pytest.mark.parametrize(
    ("seat", "card", "other"), [("french", "priest", "british"), ("british", "indian-leader", "french")]
)
def test_a_priest_takes_native_americans(edition, seat, card, other):
    """acres R10.16"""
    zones = {f"{seat}_hand": [card], f"{other}_hand": ["native-americans"], f"{other}_reserve": ["native-americans"]}
    state = play(acres(seat, edition, **zones), f"convert with {card}")
    assert due(state) == (other, "convert")
    assert legal_lines(state) == ["lose native-americans", "lose native-americans from reserve"]
    refused(state, "show-hand", "show_hand.must_lose", "R10.16")
    after = play(state, "lose native-americans from reserve")
    assert after.players[seat].discard == (card, "native-americans")
    assert (after.players[other].hand, after.players[other].reserve) == (("native-americans",), ())
    assert play(state, "lose native-americans").players[other].hand == ()


@editions
def test_only_a_green_native_americans_card_is_handed_over(edition):
    """acres R10.16"""
    state = acres(edition=edition, british_hand=["indian-leader"], french_hand=["french-native-americans", "priest"])
    state = play(state, "convert with indian-leader")
    assert legal_lines(state) == ["show-hand"]
    refused(state, "lose french-native-americans", "lose.not_converted", "R10.16")
    assert happen(state, "show-hand")[0][0].cards == ("french-native-americans", "priest")


def test_a_conversion_is_not_blocked():
    """acres R10.16"""
    state = acres("french", french_hand=["priest"], british_hand=["native-americans", "rangers"])
    refused(play(state, "convert with priest"), "block rangers", "answer.convert")


def test_a_conversion_takes_a_priest_or_the_indian_leader():
    """acres R10.16"""
    refused(acres(british_hand=["rangers"]), "convert with rangers", "convert.no_power", "R10.16")
    assert why_not(acres(british_hand=["rangers"]), "convert") == "convert.no_card"
    state = acres("french", french_hand=["priest"], british_hand=["militia"])
    refused(play(state, "convert with priest"), "lose militia", "lose.not_converted", "R10.16")
