"""The worked examples E1-E6: settling and developing."""

import pytest

from engine.acres.state import Holding
from tests.support.acres import EARLIER, acres, editions, play, refused, start_places


@editions
def test_e1_a_place_with_a_settler_symbol_takes_three_cards(edition):
    """acres E1, R5.1, R5.2"""
    before = acres(edition=edition, british_hand=["new-haven", "st-marys", "boston"])
    after = play(before, "settle deerfield from new-haven with st-marys settler boston")
    assert after.board.holdings["deerfield"] == Holding("british", "village")
    mine, was = after.players["british"], before.players["british"]
    assert mine.villages == was.villages - 1
    assert mine.discard == ("new-haven", "st-marys", "boston", "deerfield")
    assert "deerfield" in was.locations and "deerfield" not in mine.locations
    assert (after.actions_left, mine.money) == (1, was.money)


@editions
def test_e1b_the_settler_card_may_not_be_missing(edition):
    """acres E1b, R5.1"""
    state = acres(edition=edition, british_hand=["new-haven", "st-marys", "boston"])
    refused(state, "settle deerfield from new-haven with st-marys", "settle.settler_missing", "R5.1")


@editions
def test_e1c_the_third_card_needs_a_settler_symbol(edition):
    """acres E1c, R5.1"""
    state = acres(edition=edition, british_hand=["new-haven", "st-marys", "norfolk"])
    refused(state, "settle deerfield from new-haven with st-marys settler norfolk", "settle.no_settler", "R5.1")


@pytest.mark.parametrize(
    ("edition", "carrier"), [("first", "bateaux"), ("first-revised", "bateaux"), ("second", "tadoussac")]
)
def test_e2_a_place_without_a_settler_symbol_takes_two_cards(edition, carrier):
    """acres E2, R5.1"""
    places = [*start_places("french"), "fort-frontenac"]
    before = acres("french", edition, french_places=places, french_hand=["fort-frontenac", carrier])
    after = play(before, f"settle fort-niagara from fort-frontenac with {carrier}")
    assert after.board.holdings["fort-niagara"] == Holding("french", "village")
    assert after.players["french"].discard == ("fort-frontenac", carrier, "fort-niagara")


@pytest.mark.parametrize("edition", EARLIER)
def test_e2_a_settler_card_is_not_asked_for_where_there_is_no_settler_symbol(edition):
    """acres E2, R5.1"""
    places = [*start_places("french"), "fort-frontenac"]
    state = acres("french", edition, french_places=places, french_hand=["fort-frontenac", "bateaux", "quebec"])
    refused(state, "settle fort-niagara from fort-frontenac with bateaux settler quebec", "settle.settler_not_needed")


@editions
def test_e3_a_village_becomes_a_town(edition):
    """acres E3, R6.1"""
    places = [*start_places("british"), "albany"]
    before = acres(edition=edition, british_places=places, british_hand=["albany", "st-marys"])
    after = play(before, "develop albany with st-marys")
    mine, was = after.players["british"], before.players["british"]
    assert after.board.holdings["albany"] == Holding("british", "town")
    assert (mine.towns, mine.villages) == (was.towns - 1, was.villages + 1)
    assert mine.discard == ("albany", "st-marys")
    assert after.actions_left == 1


@editions
def test_e4_only_a_place_with_points_can_be_developed(edition):
    """acres E4, R6.2"""
    places = [*start_places("british"), "albany", "fort-stanwix", "oswego"]
    state = acres(edition=edition, british_places=places, british_hand=["oswego", "fort-stanwix", "st-marys"])
    assert play(state, "develop oswego with st-marys").board.holdings["oswego"].piece == "town"
    refused(state, "develop fort-stanwix with st-marys", "develop.no_points", "R6.2")


@editions
def test_e5_a_place_without_a_card_is_settled_all_the_same(edition):
    """acres E5, R5.3"""
    before = acres(
        edition=edition,
        british_places=[*start_places("british"), "albany", "fort-stanwix", "oswego", "fort-frontenac"],
        british_hand=["fort-frontenac", "bateaux", "settlers"],
        french_places=["quebec"],
    )
    after = play(before, "settle montreal from fort-frontenac with bateaux settler settlers")
    assert after.board.owner("montreal") == "british"
    assert after.players["british"].discard == ("fort-frontenac", "bateaux", "settlers")
    assert after.players["british"].locations == before.players["british"].locations


@editions
def test_e6_a_place_is_settled_again_and_fortified_in_the_same_turn(edition):
    """acres E6, R6.5"""
    before = acres(
        edition=edition,
        british_hand=["albany", "new-york", "st-marys", "settlers", "fortification"],
        british_money=3,
    )
    settled = play(before, "settle albany from new-york with st-marys settler settlers")
    assert settled.actions_left == 1
    after = play(settled, "fortify albany with fortification")
    assert after.board.holdings["albany"] == Holding("british", "village", fort=True)
    assert after.players["british"].money == 0
    assert play(after, "end").on_turn == "french"
