"""R9 Winning a siege."""

import pytest

from engine.acres import ACRES
from engine.acres.state import Holding
from tests.support.acres import acres, due, editions, happen, legal_lines, play, refused, siege, start_places


def next_turn(seat, edition="second", **zones):
    """The position as the turn of `seat` begins."""
    other = "french" if seat == "british" else "british"
    return play(acres(other, edition, actions=0, **zones), "end")


@editions
@pytest.mark.parametrize(("strength", "won"), [(1, False), (2, True), (3, True)])
def test_the_attacker_wins_at_plus_two(edition, strength, won):
    """acres R9.1"""
    state = next_turn("british", edition, sieges={"british": siege("louisbourg", strength, ["militia"])})
    assert (due(state) == ("british", "conquest")) == won


@editions
@pytest.mark.parametrize(("strength", "won"), [(0, False), (-1, True), (-2, True)])
def test_the_defender_wins_at_minus_one(edition, strength, won):
    """acres R9.1"""
    state = next_turn("british", edition, sieges={"french": siege("pemaquid", strength, ["militia"], ["militia"])})
    assert (due(state) == ("french", "siege-loss")) == won


@editions
@pytest.mark.parametrize(("attacker", "place", "strength"), [("british", "louisbourg", -3), ("french", "pemaquid", 5)])
def test_nobody_loses_at_the_start_of_his_own_turn(edition, attacker, place, strength):
    """acres R9.1"""
    state = next_turn("british", edition, sieges={attacker: siege(place, strength, ["militia"])})
    assert due(state) == ("british", "action")
    assert state.sieges[attacker].strength == strength


@editions
def test_of_two_sieges_won_the_defended_one_comes_first(edition):
    """acres R9.2"""
    sieges = {
        "british": siege("louisbourg", 2, ["rangers"], ["regular-infantry"]),
        "french": siege("pemaquid", -1, ["militia"]),
    }
    state = next_turn("british", edition, sieges=sieges, british_hand=["new-york"])
    assert legal_lines(state) == ["lose militia at pemaquid"]
    state = play(state, "lose militia at pemaquid")
    assert legal_lines(state) == ["lose regular-infantry at louisbourg"]
    state = play(state, "lose regular-infantry at louisbourg")
    assert due(state) == ("british", "conquest")


def test_the_card_of_a_defended_place_serves_the_conquest():
    """acres R9.2, R9.3"""
    sieges = {"british": siege("louisbourg", 2, ["rangers"]), "french": siege("boston", -1, ["port-royal"])}
    state = next_turn("british", sieges=sieges, british_hand=["boston"])
    assert play(state, "occupy louisbourg settler boston").board.owner("louisbourg") == "british"


@editions
@pytest.mark.parametrize(("piece", "villages", "towns"), [("village", 1, 0), ("town", 0, 1)])
def test_the_attacker_captures_the_piece(edition, piece, villages, towns):
    """acres R9.3"""
    french = ["quebec", f"louisbourg {piece} fort"]
    state = next_turn("british", edition, french_places=french, sieges={"british": siege("louisbourg", 2, ["militia"])})
    mine = state.players["british"]
    assert (mine.captured_villages, mine.captured_towns) == (villages, towns)
    assert "louisbourg" not in state.board.holdings and state.board.forts() == 0


def stanwix(edition="second", **zones):
    """The British have won Fort Stanwix, which has no settler symbol."""
    return next_turn(
        "british",
        edition,
        british_places=[*start_places("british"), "albany"],
        french_places=["quebec", "fort-stanwix"],
        sieges={"british": siege("fort-stanwix", 2, ["militia"])},
        **zones,
    )


@editions
def test_a_place_without_a_settler_symbol_is_occupied_without_a_card(edition):
    """acres R9.3"""
    state = stanwix(edition)
    assert "occupy fort-stanwix" in legal_lines(state)
    after = play(state, "occupy fort-stanwix")
    assert after.board.holdings["fort-stanwix"] == Holding("british", "village")
    assert after.players["british"].discard[-1] == "fort-stanwix"
    assert after.players["british"].villages == state.players["british"].villages - 1
    refused(stanwix(edition, british_hand=["settlers"]), "occupy fort-stanwix settler settlers",
            "conquest.settler_not_needed", "R9.3")  # fmt: skip


def test_a_place_may_be_left_neutral():
    """acres R9.3; in which editions: E33"""
    after = play(stanwix(), "leave fort-stanwix")
    assert "fort-stanwix" not in after.board.holdings
    assert "fort-stanwix" in after.players["british"].locations
    assert after.actions_left == 2


def test_without_a_village_in_stock_the_place_stays_neutral():
    """acres R9.3"""
    state = stanwix(british_stock=(0, 5))
    assert legal_lines(state) == ["leave fort-stanwix"]
    refused(state, "occupy fort-stanwix", "conquest.no_village", "R9.3")


@editions
def test_a_place_with_a_settler_symbol_takes_a_usable_settler_card_from_the_hand(edition):
    """acres R9.3"""
    sieges = {"british": siege("louisbourg", 2, ["militia"])}
    hand = ["boston", "halifax", "settlers", "ships"]
    state = next_turn("british", edition, sieges=sieges, british_hand=hand)
    assert set(legal_lines(state)) == {
        "occupy louisbourg settler boston",
        "occupy louisbourg settler settlers",
        "leave louisbourg",
    }
    refused(state, "occupy louisbourg", "conquest.settler_missing", "R9.3")
    refused(state, "occupy louisbourg settler ships", "conquest.no_settler", "R9.3")
    refused(state, "occupy louisbourg settler halifax", "card.not_controlled", "R4.1")
    refused(state, "occupy louisbourg settler new-york", "card.not_in_hand")
    refused(state, "occupy gaspe settler boston", "conquest.other_place", "R9.3")
    assert play(state, "occupy louisbourg settler settlers").players["british"].discard == (
        "militia",
        "settlers",
        "louisbourg",
    )


def test_a_settler_card_of_a_besieged_place_does_not_serve_the_conquest():
    """acres R9.3"""
    sieges = {"british": siege("louisbourg", 2, ["militia"]), "french": siege("boston", 0, ["militia"])}
    state = next_turn("british", sieges=sieges, british_hand=["boston"])
    assert legal_lines(state) == ["leave louisbourg"]
    refused(state, "occupy louisbourg settler boston", "card.besieged", "R4.1")


def test_a_card_that_is_elsewhere_is_not_taken():
    """acres R9.3"""
    after = play(stanwix(british_discard=["fort-stanwix"]), "occupy fort-stanwix")
    assert after.players["british"].discard == ("fort-stanwix", "militia")


@editions
def test_the_losers_location_card_is_dead_until_the_place_is_regained(edition):
    """acres R9.4"""
    sieges = {"british": siege("louisbourg", 2, ["militia"])}
    state = next_turn("british", edition, sieges=sieges, french_hand=["louisbourg", "port-royal"])
    state = play(state, "leave louisbourg", "pass", "pass", "end")
    refused(state, "piracy with port-royal", "card.not_controlled", "R4.1")
    regained = acres("french", edition, french_hand=["louisbourg", "port-royal"])
    assert play(regained, "piracy with port-royal").players["french"].money == 12


@editions
def test_a_defender_who_wins_keeps_the_place_with_its_fortification(edition):
    """acres R9.5"""
    places = [*start_places("british"), "albany town fort"]
    sieges = {"french": siege("albany", -1, ["port-royal"], ["militia"])}
    state = next_turn("british", edition, british_places=places, sieges=sieges)
    assert state.board.holdings["albany"] == Holding("british", "town", fort=True)
    assert (due(state), state.sieges) == (("british", "action"), {})
    assert state.players["british"].discard == ("militia",)
    assert state.players["french"].captured_towns == 0


@editions
@pytest.mark.parametrize(
    ("card", "zone"), [("militia", "empire"), ("neutral-fortification", "neutral"), ("initial-infantry", "empire")]
)
def test_the_card_given_up_goes_to_where_it_is_available(edition, card, zone):
    """acres R9.6"""
    sieges = {"british": siege("louisbourg", 2, ["rangers"], [card, "port-royal"])}
    state = next_turn("british", edition, sieges=sieges)
    before = state.neutral if zone == "neutral" else state.players["french"].empire
    after = play(state, f"lose {card}")
    offer = after.neutral if zone == "neutral" else after.players["french"].empire
    assert offer.count(card) == before.count(card) + 1
    assert after.players["french"].discard == ("port-royal",)
    assert after.players["british"].discard == ("rangers",)


def test_what_is_not_in_the_box_cannot_be_given_up():
    """acres R9.6"""
    sieges = {"british": siege("louisbourg", 2, ["rangers"], ["militia", "port-royal"])}
    state = next_turn("british", sieges=sieges)
    refused(state, "lose priest", "lose.not_there", "R9.6")
    refused(state, "lose militia at gaspe", "lose.other_siege", "R9.6")


def test_an_attacker_who_loses_gives_up_a_card_too():
    """acres R9.6"""
    sieges = {"british": siege("louisbourg", -1, ["rangers", "militia"])}
    state = next_turn("french", sieges=sieges)
    assert due(state) == ("british", "siege-loss")
    after = play(state, "lose rangers")
    assert "rangers" in after.players["british"].empire
    assert after.players["british"].discard == ("militia",)
    assert due(after) == ("french", "action")


@editions
def test_the_marker_is_free_again_after_a_siege(edition):
    """acres R9.7"""
    hand = ["halifax", "ships", "militia", "new-york"]
    state = next_turn(
        "british",
        edition,
        british_places=[*start_places("british"), "halifax"],
        british_hand=hand,
        sieges={"british": siege("gaspe", 2, ["rangers"])},
    )
    state = play(state, "leave gaspe", "besiege louisbourg from halifax with ships force militia")
    assert state.sieges["british"].place == "louisbourg"


@editions
@pytest.mark.parametrize(("seat", "place"), [("british", "quebec"), ("french", "boston"), ("french", "new-york")])
def test_a_capital_won_by_siege_wins_at_once_and_leaves_all_as_it_is(edition, seat, place):
    """acres R9.8"""
    other = "french" if seat == "british" else "british"
    siege_there = siege(place, 2, ["militia"], ["militia"])
    state = acres(other, edition, actions=0, sieges={seat: siege_there})
    ended = happen(state, "end")
    before, after = ended[-2][1], ended[-1][1]
    assert (after.outcome.winners, after.outcome.reason) == ((seat,), "home-taken")
    assert after.board == state.board and after.sieges == {seat: siege_there}
    assert ACRES.after(before) == ACRES.after(after)


@editions
def test_winning_back_the_own_capital_is_an_ordinary_win(edition):
    """acres R9.8"""
    state = next_turn(
        "british",
        edition,
        british_places=["norfolk"],
        french_places=["quebec", "new-york village"],
        sieges={"british": siege("new-york", 2, ["militia"])},
    )
    assert due(state) == ("british", "conquest")
    assert play(state, "leave new-york").outcome is None
