"""R4 Location cards: when they may be used."""

from itertools import combinations

import pytest

from engine.acres.data import PLACES, PORTS, WAYS
from tests.support.acres import EARLIER, acres, allowed, due, editions, legal_lines, play, refused, siege, start_places

ALBANY = [*start_places("british"), "albany"]
USES = [
    "settle fort-stanwix from albany with bateaux",  # its connections
    "settle deerfield from new-haven with albany settler boston",  # a symbol
    "develop albany with boston",
    "fortify albany with fortification",
    "trade albany",
]
HAND = ["albany", "bateaux", "boston", "fortification", "new-haven", "trader"]


@editions
@pytest.mark.parametrize("line", USES)
def test_a_usable_card_serves_for_everything(edition, line):
    """acres R4.1"""
    state = acres(edition=edition, british_places=ALBANY, british_hand=HAND)
    assert allowed(state, line)


@editions
@pytest.mark.parametrize("line", [line for line in USES if not line.startswith(("develop", "fortify"))])
def test_the_card_of_a_place_not_controlled_is_of_no_use(edition, line):
    """acres R4.1"""
    state = acres(edition=edition, british_hand=HAND)
    refused(state, line, "card.not_controlled", "R4.1")
    assert line not in legal_lines(state)


@editions
@pytest.mark.parametrize("line", USES)
def test_the_card_of_a_place_cut_off_is_of_no_use(edition, line):
    """acres R4.1"""
    places = [place for place in ALBANY if place != "new-york"]
    state = acres(edition=edition, british_places=places, british_hand=HAND)
    refused(state, line, "card.not_connected", "R4.1")
    assert line not in legal_lines(state)


@editions
@pytest.mark.parametrize("line", USES)
def test_the_card_of_a_besieged_place_is_of_no_use(edition, line):
    """acres R4.1, R6.4"""
    sieges = {"french": siege("albany", 0, ["militia"])}
    state = acres(edition=edition, british_places=ALBANY, british_hand=HAND, sieges=sieges)
    refused(state, line, "card.besieged", "R4.1")
    assert line not in legal_lines(state)


def test_a_card_that_is_not_usable_blocks_no_raid():
    """acres R4.1, R10.9"""
    state = acres(
        "french",
        french_hand=["coureurs-de-bois"],
        french_places=["quebec", "fort-william-henry"],
        british_places=["boston", "albany"],
        british_hand=["albany"],
    )
    asked = play(state, "raid albany with coureurs-de-bois")
    refused(asked, "block albany", "card.not_connected", "R4.1")


@editions
def test_an_unusable_card_may_be_discarded_and_sent_back(edition):
    """acres R4.2"""
    state = acres(edition=edition, british_hand=["albany", "governor"])
    assert "albany" in play(state, "discard albany").players["british"].discard
    assert "albany" in play(state, "govern albany").players["british"].locations


@pytest.mark.parametrize("edition", EARLIER)
def test_an_unusable_card_may_be_reserved_where_location_cards_may(edition):
    """acres R4.2"""
    state = acres(edition=edition, british_hand=["albany"])
    assert play(state, "reserve albany").players["british"].reserve == ("albany",)


@editions
def test_an_indian_trail_connects_nothing(edition):
    """acres R4.3"""
    state = acres(edition=edition, british_places=["boston", "deerfield"], british_hand=["deerfield"])
    refused(state, "money deerfield", "card.not_connected", "R4.1")
    by_river = acres(edition=edition, british_places=["boston", "deerfield", "new-haven"], british_hand=["deerfield"])
    assert allowed(by_river, "money deerfield")


def test_no_card_is_needed_for_a_connection():
    """acres R4.3"""
    state = acres(british_places=[*ALBANY, "fort-stanwix", "oswego"], british_hand=["oswego", "trader"])
    assert allowed(state, "trade oswego")


@editions
def test_ports_are_connected_by_sea(edition):
    """acres R4.4"""
    state = acres(edition=edition, british_places=["boston", "norfolk"], british_hand=["norfolk"])
    assert allowed(state, "money norfolk")


def test_every_place_with_a_ship_symbol_and_two_more_are_ports():
    """acres R4.4"""
    ships = {place.id for place in PLACES.values() if place.ship}
    assert set(PORTS) == ships | {"fort-beausejour", "trois-rivieres"}


@pytest.mark.parametrize(
    "lake",
    [
        ("detroit", "fort-niagara", "fort-presqu-isle"),
        ("fort-frontenac", "fort-niagara", "oswego"),
        ("detroit", "michillimackinac"),
    ],
)
def test_the_places_on_a_lake_are_connected_to_one_another(lake):
    """acres R4.4"""
    assert all(other in WAYS[one] for one, other in combinations(lake, 2))


@editions
def test_every_place_of_the_chain_must_be_controlled(edition):
    """acres R4.5"""
    gap = acres(edition=edition, british_places=[*ALBANY, "oswego"], british_hand=["oswego", "trader"])
    refused(gap, "trade oswego", "card.not_connected", "R4.1")
    held = acres(
        edition=edition,
        british_places=[*ALBANY, "oswego"],
        french_places=["quebec", "fort-stanwix"],
        british_hand=["oswego", "trader"],
    )
    refused(held, "trade oswego", "card.not_connected", "R4.1")


@editions
def test_a_chain_passes_through_a_besieged_place(edition):
    """acres R4.6"""
    state = acres(
        edition=edition,
        british_places=[*ALBANY, "fort-stanwix"],
        british_hand=["fort-stanwix", "boston", "bateaux"],
        sieges={"french": siege("albany", 0, ["militia"])},
    )
    assert allowed(state, "settle oswego from fort-stanwix with bateaux")


@editions
@pytest.mark.parametrize(
    ("seat", "capital", "place", "line"),
    [("british", "boston", "norfolk", "money norfolk"), ("french", "quebec", "trois-rivieres", "money trois-rivieres")],
)
def test_a_neutral_capital_goes_on_serving_as_the_root(edition, seat, capital, place, line):
    """acres R4.7"""
    zones = {f"{seat}_places": [place], f"{seat}_hand": [place]}
    state = acres(seat, edition, **zones)
    assert capital not in state.board.holdings
    assert allowed(state, line)


@editions
def test_a_capital_in_the_enemys_hands_is_no_root(edition):
    """acres R4.7"""
    state = acres(
        edition=edition, british_places=["norfolk"], british_hand=["norfolk"], french_places=["quebec", "boston"]
    )
    refused(state, "money norfolk", "card.not_connected", "R4.1")


@editions
def test_the_card_of_a_neutral_capital_cannot_be_used(edition):
    """acres R4.1, R4.7"""
    state = acres(edition=edition, british_places=["norfolk"], british_hand=["boston"])
    refused(state, "money boston", "card.not_controlled", "R4.1")
    assert legal_lines(state, "money") == []


@editions
def test_new_york_is_no_root_for_location_cards(edition):
    """acres R4.8"""
    state = acres(
        edition=edition, british_places=["new-york"], british_hand=["new-york"], french_places=["boston", "quebec"]
    )
    refused(state, "money new-york", "card.not_connected", "R4.1")
    assert due(state) == ("british", "action")
