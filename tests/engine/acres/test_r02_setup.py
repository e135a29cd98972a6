"""R2 Setup."""

from engine.acres import ACRES
from tests.support.acres import KeepOrder, acres, editions, shuffles


def opened(edition, chance=None):
    state = None
    for event in ACRES.open(ACRES.read_options({"edition": edition}), ACRES.seats, chance or KeepOrder()):
        state = ACRES.apply(state, event)
    ACRES.check_invariants(state)
    return state


@editions
def test_the_british_begin_with_twelve_money_and_the_french_with_five(edition):
    """acres R2.1"""
    state = opened(edition)
    assert (state.players["british"].money, state.players["french"].money) == (12, 5)


@editions
def test_the_start_places_hold_villages_and_three_towns(edition):
    """acres R2.2"""
    state = opened(edition)
    assert {p for p, h in state.board.holdings.items() if h.piece == "town"} == {"boston", "new-york", "quebec"}
    assert len(state.board.holdings) == 14 and state.board.forts() == 0
    assert (state.players["british"].villages, state.players["british"].towns) == (18 - 5, 12 - 2)
    assert (state.players["french"].villages, state.players["french"].towns) == (18 - 6, 9 - 1)


def test_only_the_initial_decks_are_shuffled():
    """acres R2.3"""
    british = "st-marys, philadelphia, pemaquid, norfolk, new-york, new-haven, boston"
    french = "trader, trois-rivieres, tadoussac, quebec, port-royal, montreal, louisbourg, initial-infantry, gaspe"
    chance = shuffles(f"british: {british}", f"french: {french}")
    state = opened("second", chance)
    assert chance.left == 0
    assert state.players["british"].hand == ("new-york", "norfolk", "pemaquid", "philadelphia", "st-marys")
    assert state.players["british"].draw == ("new-haven", "boston")
    assert state.players["french"].draw == ("montreal", "louisbourg", "initial-infantry", "gaspe")


@editions
def test_the_cards_on_offer_lie_open_to_both(edition):
    """acres R2.3"""
    state = opened(edition)
    seen = ACRES.view(state, "french")
    assert seen["neutral"].count("native-americans") == 5
    assert len(seen["seats"]["british"]["locations"]) == 26
    assert len(seen["seats"]["french"]["locations"]) == 19
    assert len(seen["seats"]["british"]["empire"]) == 21
    assert len(seen["seats"]["french"]["empire"]) == 18


@editions
def test_each_player_draws_five_cards(edition):
    """acres R2.4"""
    state = opened(edition)
    assert [len(state.players[seat].hand) for seat in ACRES.seats] == [5, 5]


def test_a_location_is_controlled_by_the_piece_on_it():
    """acres R2.5"""
    state = acres(british_places=["boston", "albany town"], french_places=["quebec"])
    owners = {place: state.board.owner(place) for place in ("boston", "albany", "quebec", "oswego")}
    assert owners == {"boston": "british", "albany": "british", "quebec": "french", "oswego": None}
