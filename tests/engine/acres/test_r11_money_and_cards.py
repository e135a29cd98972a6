"""R11 Money and cards."""

import pytest

from engine.acres import ACRES
from engine.acres import actions as act
from engine.kernel.refusals import IllegalAction
from tests.support.acres import (
    EARLIER,
    acres,
    allowed,
    due,
    editions,
    happen,
    legal_lines,
    play,
    refused,
    shuffles,
    siege,
    why_not,
)


def choices(state, kind):
    return [entry for entry in ACRES.legal(state) if getattr(entry, "kind", "") == kind]


@editions
def test_a_coin_card_brings_its_amount(edition):
    """acres R11.1"""
    after = play(acres(edition=edition, british_hand=["norfolk"]), "money norfolk")
    assert (after.players["british"].money, after.players["british"].discard) == (12, ("norfolk",))
    refused(acres(edition=edition, british_hand=["pemaquid"]), "money pemaquid", "money.no_coin", "R11.1")
    assert why_not(acres(edition=edition, british_hand=["pemaquid"]), "money") == "money.no_coin"


@editions
def test_the_ships_own_coin_does_not_count(edition):
    """acres R11.2"""
    state = acres(edition=edition, british_hand=["norfolk", "boston"])
    assert play(state, "merchant norfolk: boston").players["british"].money == 13
    assert play(state, "merchant boston: norfolk").players["british"].money == 12
    refused(state, "merchant boston: boston", "card.used_twice", "R1.9")


@pytest.mark.parametrize(("edition", "most"), [("first", 3), ("first-revised", 2), ("second", 2)])
def test_a_merchant_takes_as_many_coin_cards_as_the_edition_says(edition, most):
    """acres R11.2"""
    state = acres(edition=edition, british_hand=["ships", "boston", "new-york", "norfolk"])
    found = {entry.about: entry.most for entry in choices(state, "merchant")}
    assert found["ships"] == most


def test_a_merchant_needs_a_ship_and_a_coin():
    """acres R11.2"""
    state = acres(british_hand=["ships", "boston", "pemaquid", "philadelphia"])
    refused(state, "merchant philadelphia: boston", "merchant.no_ship", "R11.2")
    refused(state, "merchant ships: pemaquid", "merchant.no_coin", "R11.2")
    with pytest.raises(IllegalAction, match="no_coins"):
        ACRES.check(state, "british", act.Merchant("ships", ()))
    assert why_not(acres(british_hand=["philadelphia"]), "merchant") == "merchant.no_ship"
    assert why_not(acres(british_hand=["boston"]), "merchant") == "merchant.no_coin"


@editions
def test_a_card_goes_face_up_into_the_reserve(edition):
    """acres R11.3"""
    after = play(acres(edition=edition, british_hand=["militia"]), "reserve militia")
    assert (after.players["british"].reserve, after.actions_left) == (("militia",), 1)
    assert ACRES.view(after, "french")["seats"]["british"]["reserve"] == ["militia"]


@pytest.mark.parametrize(("edition", "code"), [("first-revised", "reserve.full"), ("second", "reserve.full")])
def test_the_sixth_card_of_a_reserve_is_refused(edition, code):
    """acres R11.3"""
    five = ["militia", "militia", "militia", "ships", "ships"]
    state = acres(edition=edition, british_reserve=five, british_hand=["rangers"])
    refused(state, "reserve rangers", code, "R11.3")
    assert why_not(state, "reserve") == code


def test_only_empire_cards_are_reserved_in_the_second_edition():
    """acres R11.3"""
    state = acres(british_hand=["boston", "norfolk"])
    assert legal_lines(state, "reserve") == []
    assert why_not(state, "reserve") == "reserve.no_card"


@editions
def test_the_reserve_is_retrieved_whole_or_not_at_all(edition):
    """acres R11.4"""
    state = acres(edition=edition, british_hand=["boston"], british_reserve=["militia", "ships"], british_money=2)
    after = play(state, "retrieve")
    assert after.players["british"].hand == ("boston", "militia", "ships")
    assert (after.players["british"].money, after.actions_left) == (0, 2)
    poor = acres(edition=edition, british_reserve=["militia", "ships"], british_money=1)
    refused(poor, "retrieve", "retrieve.no_money", "R11.4")
    assert why_not(poor, "retrieve") == "retrieve.no_money"
    refused(acres(edition=edition), "retrieve", "retrieve.empty", "R11.4")
    assert why_not(acres(edition=edition), "retrieve") == "retrieve.empty"


@editions
def test_a_card_is_drafted_from_the_own_or_the_neutral_offer(edition):
    """acres R11.5"""
    state = acres(edition=edition, british_money=7, british_discard=["boston"])
    after = play(state, "draft regular-infantry", "draft native-americans")
    assert after.players["british"].discard == ("boston", "regular-infantry", "native-americans")
    assert after.players["british"].money == 0
    assert after.players["british"].empire.count("regular-infantry") == 5


@editions
def test_a_location_card_is_never_drafted(edition):
    """acres R11.5"""
    refused(acres(edition=edition), "draft albany", "draft.not_on_offer", "R11.5")


def test_why_nothing_can_be_drafted_is_told():
    """acres R11.5"""
    everything = acres()
    british, neutral = everything.players["british"].empire, everything.neutral
    free = ("bateaux", "fortification", "governor", "trader", "native-americans")
    state = acres(british_money=0, british_discard=[c for c in british + neutral if c in free])
    assert why_not(state, "draft") == "draft.no_money"
    assert why_not(acres(british_discard=[*british, *neutral]), "draft") == "draft.nothing"


@editions
@pytest.mark.parametrize("cards", [["boston"], ["boston", "militia"], ["boston", "militia", "militia"]])
def test_the_first_card_is_discarded_free_and_each_further_one_for_one(edition, cards):
    """acres R11.6"""
    state = acres(edition=edition, british_hand=[*cards, "ships"], british_money=2)
    after = play(state, f"discard {', '.join(cards)}")
    assert after.players["british"].money == 2 - (len(cards) - 1)
    poor = acres(edition=edition, british_hand=[*cards, "ships"], british_money=len(cards) - 1)
    refused(poor, f"discard {', '.join([*cards, 'ships'])}", "discard.no_money", "R11.6")


def test_without_a_hand_nothing_is_discarded():
    """acres R11.6"""
    assert why_not(acres(), "discard") == "discard.no_card"
    with pytest.raises(IllegalAction, match="no_card"):
        ACRES.check(acres(), "british", act.Discard(()))


@editions
def test_home_support_draws_three_for_free(edition):
    """acres R11.7"""
    draw = ["boston", "norfolk", "pemaquid", "new-york"]
    state = acres(edition=edition, british_hand=["home-support"], british_draw=draw)
    after = play(state, "home-support")
    assert after.players["british"].hand == ("boston", "norfolk", "pemaquid")
    assert (after.actions_left, after.players["british"].discard) == (2, ("home-support",))
    refused(acres(edition=edition), "home-support", "home_support.no_card", "R11.7")
    assert why_not(acres(edition=edition), "home-support") == "home_support.no_card"


@editions
@pytest.mark.parametrize("discard", [[], ["boston"]])
def test_home_support_needs_something_to_draw(edition, discard):
    """acres R11.7"""
    state = acres(edition=edition, british_hand=["home-support"], british_draw=[], british_discard=discard)
    if discard and edition != "second":
        assert play(state, "home-support").players["british"].hand == ("boston",)
    else:
        refused(state, "home-support", "home_support.nothing_to_draw", "R11.7")
        assert why_not(state, "home-support") == "home_support.nothing_to_draw"


def test_home_support_without_its_reshuffle_may_still_run_the_deck_out():
    """acres R11.7"""
    state = acres(
        edition="first",
        options={"home_support_reshuffles": False},
        british_hand=["home-support"],
        british_draw=["boston"],
        british_discard=["norfolk", "militia"],
    )
    after = play(state, "home-support", chance=shuffles("british: norfolk, militia")).players["british"]
    assert (after.hand, after.draw, after.discard) == (("boston",), ("norfolk", "militia"), ("home-support",))


@editions
def test_the_governor_sends_cards_back_to_where_they_are_available(edition):
    """acres R11.8"""
    hand = ["governor", "militia", "native-americans", "albany"]
    state = acres(edition=edition, british_hand=hand)
    after = play(state, "govern militia, native-americans")
    assert after.players["british"].empire.count("militia") == 3
    assert after.neutral.count("native-americans") == 5
    assert after.players["british"].discard == ("governor",)
    assert "albany" in play(state, "govern albany").players["british"].locations


def test_the_governor_sends_one_or_two_other_cards_back():
    """acres R11.8"""
    state = acres(british_hand=["governor", "militia", "ships", "boston"])
    refused(state, "govern militia, ships, boston", "govern.number", "R11.8")
    refused(state, "govern governor", "govern.itself", "R11.8")
    refused(state, "govern governor, militia", "govern.itself", "R11.8")
    refused(acres(british_hand=["boston"]), "govern boston", "govern.no_governor", "R11.8")
    assert why_not(acres(british_hand=["governor"]), "govern") == "govern.no_card"
    assert why_not(acres(british_hand=["boston"]), "govern") == "govern.no_governor"
    with pytest.raises(IllegalAction, match="number"):
        ACRES.check(state, "british", act.Govern(()))


@editions
def test_the_intendant_fetches_a_card_for_two(edition):
    """acres R11.9"""
    state = acres("french", edition, french_hand=["intendant"], french_discard=["quebec", "militia"], french_money=2)
    after = play(state, "intendant militia").players["french"]
    assert (after.hand, after.discard, after.money) == (("militia",), ("quebec", "intendant"), 0)
    refused(state, "intendant intendant", "intendant.not_discarded", "R11.9")
    refused(state, "intendant priest", "intendant.not_discarded", "R11.9")
    assert legal_lines(state, "intendant") == ["intendant militia", "intendant quebec"]


def test_why_the_intendant_cannot_be_played_is_told():
    """acres R11.9"""
    hand = {"french_hand": ["intendant"]}
    assert why_not(acres("french", **hand), "intendant") == "intendant.nothing"
    assert why_not(acres("french", french_discard=["quebec"]), "intendant") == "intendant.no_card"
    poor = acres("french", french_discard=["quebec"], french_money=1, **hand)
    refused(poor, "intendant quebec", "intendant.no_money", "R11.9")
    refused(acres(british_discard=["boston"]), "intendant boston", "intendant.no_card", "R11.9")
    assert "intendant" not in dict(ACRES.impossible(acres(british_discard=["boston"])))


@editions
def test_the_trader_brings_two_for_each_fur(edition):
    """acres R11.10"""
    hand = ["trader", "gaspe", "montreal", "tadoussac", "quebec"]
    state = acres("french", edition, french_hand=hand)
    after = play(state, "trade gaspe, montreal, tadoussac").players["french"]
    assert (after.money, set(after.discard)) == (16, {"trader", "gaspe", "montreal", "tadoussac"})
    refused(state, "trade quebec", "trade.no_fur", "R11.10")
    refused(acres("french", edition, french_hand=["gaspe"]), "trade gaspe", "trade.no_trader", "R11.10")


def test_the_furs_of_a_besieged_place_are_not_traded():
    """acres R11.10"""
    state = acres("french", french_hand=["trader", "gaspe"], sieges={"british": siege("gaspe", 0, ["militia"])})
    refused(state, "trade gaspe", "card.besieged", "R4.1")
    assert why_not(state, "trade") == "trade.no_fur"
    assert why_not(acres("french", french_hand=["gaspe"]), "trade") == "trade.no_trader"
    with pytest.raises(IllegalAction, match="no_furs"):
        ACRES.check(state, "french", act.Trade(()))


@editions
@pytest.mark.parametrize(("british", "left"), [(5, 3), (2, 0), (1, 0), (0, 0)])
def test_piracy_takes_the_shortfall_from_the_bank(edition, british, left):
    """acres R11.11"""
    before = acres(
        "french",
        edition,
        french_places=["louisbourg", "halifax"],
        french_hand=["louisbourg", "halifax"],
        french_money=5,
        british_money=british,
    )
    after = play(before, "piracy with halifax")
    assert (after.players["british"].money, after.players["french"].money) == (left, 7)
    assert sorted(after.players["french"].discard) == ["halifax", "louisbourg"]


def test_piracy_is_french_and_needs_louisbourg_and_another_ship():
    """acres R11.11"""
    refused(acres(british_hand=["louisbourg", "ships"]), "piracy with ships", "piracy.french_only", "R11.11")
    assert "piracy" not in dict(ACRES.impossible(acres()))
    hand = ["louisbourg", "gaspe"]
    refused(acres("french", french_hand=hand), "piracy with gaspe", "piracy.no_ship", "R11.11")
    refused(acres("french", french_hand=hand), "piracy with louisbourg", "card.used_twice", "R1.9")
    assert why_not(acres("french", french_hand=hand), "piracy") == "piracy.no_ship"
    assert why_not(acres("french", french_hand=["ships"]), "piracy") == "piracy.no_port"
    besieged = {"british": siege("louisbourg", 0, ["militia"])}
    state = acres("french", french_hand=["louisbourg", "ships"], sieges=besieged)
    refused(state, "piracy with ships", "card.besieged", "R4.1")
    assert why_not(state, "piracy") == "card.besieged"


@pytest.mark.parametrize("edition", EARLIER)
def test_home_support_goes_on_after_the_shuffle(edition):
    """acres R11.7"""
    state = acres(
        edition=edition, british_hand=["home-support"], british_draw=[], british_discard=["boston", "norfolk", "ships"]
    )
    happened = happen(state, "home-support", chance=shuffles("british: ships, norfolk, boston"))
    assert happened[-1][1].players["british"].hand == ("boston", "norfolk", "ships")
    assert due(happened[-1][1]) == ("british", "action")


def test_each_line_of_this_chapter_is_listed_where_it_is_allowed():
    """acres R11.1, R11.3, R11.9, R11.11"""
    hand = ["louisbourg", "port-royal", "intendant", "militia"]
    state = acres("french", french_hand=hand, french_discard=["quebec"])
    for line in ("money port-royal", "reserve militia", "intendant quebec", "piracy with port-royal"):
        assert line in legal_lines(state) and allowed(state, line)
