"""R5 Settle."""

import pytest

from engine.acres import ACRES
from engine.acres import actions as act
from engine.kernel.refusals import Unreadable
from engine.kernel.text import say
from tests.support.acres import (
    EARLIER,
    ENGLISH,
    acres,
    allowed,
    due,
    editions,
    happen,
    legal_lines,
    play,
    refused,
    siege,
    start_places,
    why_not,
)

ALBANY = "settle albany from new-york with st-marys settler settlers"
HAND = ["new-york", "st-marys", "settlers"]


@editions
def test_only_a_neutral_place_is_settled(edition):
    """acres R5.1"""
    state = acres(edition=edition, british_hand=HAND, french_places=["quebec", "albany"])
    refused(state, ALBANY, "settle.enemy_place", "R5.1")
    assert ALBANY not in legal_lines(state)


@pytest.mark.parametrize("place", ["nowhere", "", "militia"])
def test_a_place_that_does_not_exist_is_refused(place):
    """acres R5.1; programs may ask for what no line can say."""
    state = acres(british_hand=HAND, french_places=["quebec", "albany"])
    for action in (
        act.Settle(place, "new-york", "st-marys"), act.Besiege(place, "new-york", "st-marys", "settlers"),
        act.Develop(place, "settlers"), act.Fortify(place, "settlers"), act.Reinforce(place, "settlers"),
        act.Raid(place, ("settlers",)), act.Withdraw(place),
    ):  # fmt: skip
        with pytest.raises(Unreadable, match=r"place\.unknown") as refusal:
            ACRES.check(state, "british", action)
        assert say(refusal.value.why, ENGLISH) == f"There is no “{place}” in this game."


@pytest.mark.parametrize("card", ["nothing", "", "albany-2"])
def test_a_card_that_does_not_exist_is_refused(card):
    """acres R5.1; programs may ask for what no line can say."""
    state = acres(british_hand=HAND)
    named = [
        act.Settle("albany", card, "st-marys"),
        act.Settle("albany", "new-york", "st-marys", card),
        act.Besiege("quebec", "new-york", card, "settlers"),
        act.Raid("quebec", ("settlers", card)),
        act.Merchant(card, ("norfolk",)),
        act.Withdraw("albany", card),
        *(kind(card) for kind in (act.Ambush, act.Convert, act.TakeMoney, act.Piracy, act.Draft, act.Reserve)),
        *(kind((card,)) for kind in (act.Trade, act.Discard, act.Govern)),
    ]
    for action in named:
        with pytest.raises(Unreadable, match=r"card\.unknown") as refusal:
            ACRES.check(state, "british", action)
        assert say(refusal.value.why, ENGLISH) == f"There is no “{card}” in this game."


def test_a_siege_of_a_place_that_does_not_exist_is_refused():
    """acres R10.14; programs may ask for what no line can say."""
    asked = play(
        acres("french", french_hand=["native-americans"], british_hand=["militia"]), "ambush with native-americans"
    )
    with pytest.raises(Unreadable, match=r"place\.unknown"):
        ACRES.check(asked, "british", act.Lose("militia", "nowhere"))


def test_the_location_card_must_list_the_place():
    """acres R5.1"""
    state = acres(british_hand=HAND)
    refused(state, "settle deerfield from new-york with st-marys settler settlers", "settle.no_connection", "R5.1")


@pytest.mark.parametrize(
    ("line", "held", "fits"),
    [
        ("settle albany from new-york with bateaux settler settlers", "boston", True),
        ("settle albany from new-york with ships settler settlers", "boston", False),
        ("settle halifax from boston with ships settler settlers", "boston", True),
        ("settle halifax from boston with bateaux settler settlers", "boston", False),
        ("settle fort-duquesne from cumberland with philadelphia", "cumberland", True),
        ("settle fort-duquesne from cumberland with bateaux", "cumberland", False),
    ],
)
def test_the_carrier_has_the_symbol_that_the_listing_names(line, held, fits):
    """acres R5.1"""
    places = {*start_places("british"), held}
    hand = ["bateaux", "boston", "cumberland", "new-york", "philadelphia", "settlers", "ships"]
    state = acres(british_places=places, british_hand=hand)
    assert allowed(state, line) == fits
    assert (line in legal_lines(state)) == fits
    if not fits:
        refused(state, line, "settle.no_transport", "R5.1")


def test_each_reason_for_not_settling_is_told():
    """acres R5.1"""
    assert why_not(acres(british_hand=["militia"]), "settle") == "settle.no_connection"
    assert why_not(acres(british_hand=["new-york", "militia"]), "settle") == "settle.no_transport"
    assert why_not(acres(british_hand=["new-york", "bateaux"]), "settle") == "settle.no_settler"
    # Both lead to Richmond: Norfolk with the bateaux of St. Mary's, while for St. Mary's there are no others.
    both = {*start_places("british"), "st-marys"}
    assert why_not(acres(british_places=both, british_hand=["norfolk", "st-marys"]), "settle") == "settle.no_settler"


@editions
def test_the_card_of_the_place_comes_on_top_of_the_cards_played(edition):
    """acres R5.2"""
    before = acres(edition=edition, british_hand=HAND, british_discard=["boston"])
    after = play(before, ALBANY).players["british"]
    assert after.discard == ("boston", "new-york", "st-marys", "settlers", "albany")
    assert "albany" not in after.locations


@editions
def test_nothing_is_taken_when_the_card_is_in_the_deck_already(edition):
    """acres R5.3, R5.4"""
    before = acres(edition=edition, british_hand=HAND, british_draw=["albany", "boston"])
    after = play(before, ALBANY)
    assert after.board.owner("albany") == "british"
    assert after.players["british"].discard == ("new-york", "st-marys", "settlers")
    assert after.players["british"].draw == ("albany", "boston")


@pytest.mark.parametrize(("edition", "wins"), [("first", False), ("first-revised", False), ("second", True)])
@pytest.mark.parametrize(
    ("seat", "place", "line", "hand", "places"),
    [
        ("french", "boston", "settle boston from pemaquid with louisbourg settler quebec",
         ["pemaquid", "louisbourg", "quebec"], ["quebec", "louisbourg", "pemaquid"]),
        ("french", "new-york", "settle new-york from albany with trois-rivieres settler quebec",
         ["albany", "trois-rivieres", "quebec"],
         ["quebec", "trois-rivieres", "fort-st-john", "ticonderoga", "fort-william-henry", "albany"]),
        ("british", "quebec", "settle quebec from tadoussac with st-marys settler boston",
         ["tadoussac", "st-marys", "boston"], ["boston", "st-marys", "tadoussac"]),
    ],
)  # fmt: skip
def test_settling_a_lost_capital_wins_in_the_second_edition(edition, wins, seat, place, line, hand, places):
    """acres R5.5"""
    other = "british" if seat == "french" else "french"
    state = acres(seat, edition, **{f"{seat}_places": places, f"{seat}_hand": hand, f"{other}_places": []})
    after = play(state, line)
    assert after.board.owner(place) == seat
    assert (after.outcome is not None) == wins
    if wins:
        assert after.outcome.winners == (seat,) and after.outcome.detail == {"where": place}
        assert due(after) is None


@editions
def test_settling_the_own_lost_capital_wins_nothing(edition):
    """acres R5.5, R5.4"""
    places = [place for place in start_places("british") if place != "boston"]
    state = acres(edition=edition, british_places=places, british_hand=["new-haven", "norfolk", "settlers"])
    after = play(state, "settle boston from new-haven with norfolk settler settlers")
    assert after.outcome is None and after.board.owner("boston") == "british"


def with_albany_sent_back(edition, **zones):
    places = [*start_places("british"), "albany"]
    state = acres(edition=edition, british_places=places, british_hand=["albany", "governor", *HAND], **zones)
    return play(state, "govern albany")


@editions
@pytest.mark.parametrize("sieges", [{}, {"french": siege("albany", 0, ["militia"])}])
def test_a_card_that_was_sent_back_is_settled_for_again(edition, sieges):
    """acres R5.6"""
    before = with_albany_sent_back(edition, sieges=sieges)
    after = happen(before, ALBANY)[0][1]
    assert after.players["british"].villages == before.players["british"].villages
    assert after.players["british"].discard[-1] == "albany"
    assert after.board == before.board
    assert "albany" not in after.players["british"].locations


def test_no_village_in_stock_is_needed_to_settle_for_the_card():
    """acres R5.6"""
    state = with_albany_sent_back("second", british_stock=(0, 3))
    assert ALBANY in legal_lines(state) and allowed(state, ALBANY)


@pytest.mark.parametrize("edition", EARLIER)
def test_an_own_place_is_not_settled_when_there_is_no_card_to_take(edition):
    """acres R5.6"""
    places = [*start_places("british"), "albany"]
    state = acres(edition=edition, british_places=places, british_hand=HAND)
    refused(state, ALBANY, "settle.own_place", "R5.6")
    assert ALBANY not in legal_lines(state)
