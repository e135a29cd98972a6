"""The board and the cards against the totals of the rules document and the facts F1-F21."""

from collections import Counter

import pytest

from engine.acres import data
from engine.acres.data import ALL_CARDS, CARDS, PLACES, RAID_LINKS, WAYS
from engine.acres.names import name_of
from engine.acres.record_form import initial_deck
from tests.support.acres import ACRES, acres, cards_of, editions, legal_lines

BRITISH, FRENCH = CARDS["british"], CARDS["french"]


def leads(card, place, by):
    return (place, by) in card.reaches


@pytest.mark.parametrize(
    ("edition", "total", "french"), [("first", 110, 47), ("first-revised", 110, 47), ("second", 109, 46)]
)
def test_the_cards_of_an_edition_are_as_many_as_its_box_holds(edition, total, french):
    """acres R1.10"""
    cards = cards_of(ACRES.read_options({"edition": edition}))
    by_home = Counter(home for home, _ in cards.elements())
    assert by_home == {"british": 54, "french": french, "neutral": 9}
    assert cards.total() == total


def test_the_card_lists_are_those_of_the_rulebooks():
    """acres R1.10"""
    british = {c.id: c.copies for c in ALL_CARDS if c.home == "british" and c.empire}
    assert british == {
        "bateaux": 1, "fortification": 1, "governor": 1, "home-support": 1, "indian-leader": 1, "military-leader": 1,
        "militia": 3, "rangers": 1, "regular-infantry": 6, "settlers": 1, "ships": 2, "siege-artillery": 1, "trader": 1,
    }  # fmt: skip
    french = {c.id: c.copies for c in ALL_CARDS if c.home == "french" and c.empire}
    assert french == {
        "bateaux": 1, "coureurs-de-bois": 1, "fortification": 1, "governor": 1, "home-support": 1,
        "initial-infantry": 1, "intendant": 1, "military-leader": 1, "militia": 3, "french-native-americans": 1,
        "priest": 2, "regular-infantry": 3, "ships": 1, "siege-artillery": 1, "trader": 2,
    }  # fmt: skip
    neutral = {c.id: c.copies for c in ALL_CARDS if c.home == "neutral"}
    assert neutral == {"neutral-fortification": 2, "native-americans": 5, "neutral-settlers": 2}


def test_the_location_cards_are_those_of_the_rulebooks():
    """acres R1.10"""
    british, french = set(data.LOCATION_CARDS["british"]), set(data.LOCATION_CARDS["french"])
    assert (len(british), len(french), len(british | french)) == (33, 26, 36)
    assert set(PLACES) == british | french
    assert set(PLACES) - british == {"montreal", "quebec", "michillimackinac"}
    starts = Counter(place.owner for place in PLACES.values())
    assert starts == {"british": 7, "french": 7, None: 22}


@editions
def test_the_initial_decks_hold_the_start_places(edition):
    """acres R1.10, D2"""
    settings = ACRES.read_options({"edition": edition})
    british = initial_deck(settings, "british")
    assert british == ("boston", "new-haven", "new-york", "norfolk", "pemaquid", "philadelphia", "st-marys")
    empire = [card for card in initial_deck(settings, "french") if card not in PLACES]
    assert empire == ([] if edition == "second" else ["bateaux"]) + ["initial-infantry", "trader"]
    assert len(initial_deck(settings, "french")) == 7 + len(empire)


def test_an_initial_card_without_a_location_is_an_empire_card():
    """acres R1.7"""
    assert all(FRENCH[card].empire for card in ("bateaux", "initial-infantry", "trader"))
    assert all(card.location == (card.id in PLACES) for card in ALL_CARDS)


def test_the_board_names_what_is_there():
    """acres R1.10, R2.2"""
    assert len(PLACES) == 36
    assert {p.id for p in PLACES.values() if p.piece == "town"} == {"quebec", "boston", "new-york"}
    assert all((p.owner is None) == (p.piece is None) for p in PLACES.values())


def test_every_link_is_there_from_both_ends():
    """acres R4.3, R10.4"""
    trails = data._links("trail")
    for links in (WAYS, trails, RAID_LINKS):
        assert all(one in links[other] for one, others in links.items() for other in others)
    assert all(set(RAID_LINKS[place]) == set(WAYS[place]) | set(trails[place]) for place in PLACES)
    assert not any(set(WAYS[place]) & set(trails[place]) for place in PLACES)


def test_every_name_is_there_in_four_languages():
    """acres R1.7"""
    for kind, keys in (("place", PLACES), ("card", {c.id for c in ALL_CARDS}), ("seat", data.SEATS)):
        for key in keys:
            assert all(name_of(kind, key, lang) for lang in ("en", "fr", "es", "it"))


def test_new_haven_leads_to_deerfield_by_bateaux():
    """acres F1"""
    assert leads(BRITISH["new-haven"], "deerfield", "bateaux")


def test_st_marys_has_bateaux_and_settler():
    """acres F2"""
    assert BRITISH["st-marys"].bateaux and BRITISH["st-marys"].settler


def test_boston_has_settler_and_coin():
    """acres F3"""
    assert BRITISH["boston"].settler and BRITISH["boston"].coins


def test_deerfield_has_a_settler_symbol_and_its_card_a_coin():
    """acres F4"""
    assert PLACES["deerfield"].settler and BRITISH["deerfield"].coins


def test_fort_frontenac_leads_to_fort_niagara_which_wants_no_settler():
    """acres F5"""
    assert leads(FRENCH["fort-frontenac"], "fort-niagara", "bateaux")
    assert not PLACES["fort-niagara"].settler


def test_the_bateaux_card_has_a_bateaux_symbol():
    """acres F6"""
    assert BRITISH["bateaux"].bateaux and FRENCH["bateaux"].bateaux


def test_albany_and_oswego_have_points_and_fort_stanwix_none():
    """acres F7"""
    assert PLACES["albany"].points > 0 and PLACES["oswego"].points > 0
    assert PLACES["fort-stanwix"].points == 0


def test_louisbourg_is_a_french_village_with_defence_ship_and_settler():
    """acres F8"""
    place = PLACES["louisbourg"]
    assert (place.defence, place.ship, place.settler) == (1, True, True)
    assert (place.owner, place.piece) == ("french", "village")


def test_halifax_leads_to_louisbourg_by_ship():
    """acres F9"""
    assert leads(BRITISH["halifax"], "louisbourg", "ship")


def test_new_york_has_four_symbols():
    """acres F10"""
    card = BRITISH["new-york"]
    assert (card.strength, card.ship, card.settler) == (1, True, True) and card.coins


def test_french_port_royal_has_a_ship():
    """acres F11"""
    assert FRENCH["port-royal"].ship


def test_norfolk_has_a_ship():
    """acres F12"""
    assert BRITISH["norfolk"].ship


def test_three_coin_cards_bring_eight():
    """acres F13"""
    assert sum(BRITISH[card].coins for card in ("deerfield", "boston", "new-york")) == 8


@pytest.mark.parametrize("cards", [BRITISH, FRENCH])
def test_siege_artillery_is_worth_three_and_costs_three(cards):
    """acres F14"""
    assert (cards["siege-artillery"].strength, cards["siege-artillery"].play_cost) == (3, 3)


@pytest.mark.parametrize("card", [BRITISH["regular-infantry"], FRENCH["regular-infantry"], FRENCH["initial-infantry"]])
def test_regular_infantry_is_worth_two(card):
    """acres F15"""
    assert card.strength == 2


@pytest.mark.parametrize("cards", [BRITISH, FRENCH])
def test_a_military_leader_is_worth_one(cards):
    """acres F16"""
    assert cards["military-leader"].strength == 1


@pytest.mark.parametrize("card", [BRITISH["fortification"], FRENCH["fortification"], BRITISH["neutral-fortification"]])
def test_a_fortification_card_is_worth_one_in_defence(card):
    """acres F17"""
    assert (card.strength, card.siege) == (1, "defence")


def test_a_neutral_fortification_costs_three():
    """acres F18"""
    assert BRITISH["neutral-fortification"].draft_cost == 3


def test_boston_is_three_connections_from_kennebec_through_deerfield():
    """acres F19"""

    def reached(closed):
        edge, found = {"kennebec"}, {"kennebec": 0}
        while edge:
            edge = {n for p in edge for n in RAID_LINKS[p] if n not in found and n not in closed and n != "quebec"}
            found |= dict.fromkeys(edge, max(found.values()) + 1)
        return found

    assert reached(())["boston"] == 3
    assert {"fort-halifax", "pemaquid"} <= set(reached({"deerfield"}))
    assert "boston" not in reached({"deerfield"})
    assert "boston" not in RAID_LINKS["pemaquid"]


@pytest.mark.parametrize(
    "card", [BRITISH["native-americans"], FRENCH["native-americans"], FRENCH["french-native-americans"]]
)
def test_native_americans_raid_ambush_and_block_both(card):
    """acres F20"""
    assert card.raids and card.ambushes and card.blocks_raid and card.blocks_ambush


def test_the_card_of_a_place_may_differ_between_the_colours():
    """acres F21"""
    both = set(data.LOCATION_CARDS["british"]) & set(data.LOCATION_CARDS["french"])

    def printed(card):
        return card.reaches, card.bateaux, card.ship, card.fur, card.coins

    differ = {place for place in both if printed(BRITISH[place]) != printed(FRENCH[place])}
    assert {"pemaquid", "port-royal"} <= differ
    assert "canso" not in differ


def test_the_first_listing_shows_the_prices_as_they_are():
    """acres R11.5"""
    prices = {card.id: card.draft_cost for card in ALL_CARDS if card.home == "british" and card.empire}
    affordable = {line.split()[1] for line in legal_lines(acres(british_money=5), "draft")}
    assert affordable & set(prices) == {card for card, price in prices.items() if price <= 5}
