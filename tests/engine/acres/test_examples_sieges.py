"""The worked examples E7-E15: the siege of Louisbourg, and what sieges do with cards."""

import pytest

from engine.acres.state import Holding
from tests.support.acres import acres, due, editions, legal_lines, play, refused, siege, start_places

OPENING = "besiege louisbourg from halifax with ships force siege-artillery"


def before_louisbourg(edition):
    return acres(
        edition=edition,
        british_places=[*start_places("british"), "halifax"],
        british_hand=["halifax", "ships", "siege-artillery", "regular-infantry", "military-leader"],
        british_money=3,
        french_hand=["regular-infantry", "port-royal", "louisbourg"],
    )


def french_turn(edition):
    """E7 and E8 played; the French turn begins."""
    both = ["reinforce louisbourg with military-leader", "reinforce louisbourg with regular-infantry"]
    return play(before_louisbourg(edition), OPENING, *both, "end")


@editions
def test_e7_a_siege_is_opened(edition):
    """acres E7, R7.3, R7.4, R7.6"""
    after = play(before_louisbourg(edition), OPENING)
    assert after.sieges == {"british": siege("louisbourg", 1, ["siege-artillery"])}
    assert after.players["british"].discard == ("halifax", "ships")
    assert (after.players["british"].money, after.actions_left) == (0, 1)


@editions
def test_e8_infantry_and_a_free_leader_reinforce_by_three(edition):
    """acres E8, R8.1, R8.6"""
    opened = play(before_louisbourg(edition), OPENING)
    led = play(opened, "reinforce louisbourg with military-leader")
    assert (led.sieges["british"].strength, led.actions_left) == (2, 1)
    after = french_turn(edition)
    assert after.sieges["british"].strength == 4
    assert sorted(after.sieges["british"].attacking) == ["military-leader", "regular-infantry", "siege-artillery"]


@editions
def test_e9_the_defender_has_not_won_at_plus_four(edition):
    """acres E9, R9.1"""
    state = french_turn(edition)
    assert due(state) == ("french", "action")
    assert state.sieges["british"].strength == 4


@editions
def test_e10_the_defender_reinforces_with_infantry_and_with_a_ship(edition):
    """acres E10, R8.1, R8.2"""
    state = play(french_turn(edition), "reinforce louisbourg with regular-infantry")
    state = play(state, "reinforce louisbourg with port-royal")
    assert state.sieges["british"].strength == 1
    assert sorted(state.sieges["british"].defending) == ["port-royal", "regular-infantry"]


@editions
@pytest.mark.parametrize("line", ["reinforce louisbourg with louisbourg", "merchant louisbourg: port-royal"])
def test_e10b_the_card_of_the_besieged_place_cannot_be_used(edition, line):
    """acres E10b, R4.1"""
    state = french_turn(edition)
    refused(state, line, "card.besieged", "R4.1")
    assert "louisbourg" in play(state, "discard louisbourg").players["french"].discard


@editions
def test_e10c_plus_one_is_no_british_win(edition):
    """acres E10c, R9.1"""
    state = french_turn(edition)
    for line in ("reinforce louisbourg with regular-infantry", "reinforce louisbourg with port-royal"):
        state = play(state, line)
    state = play(state, "end")
    assert due(state) == ("british", "action")
    assert state.sieges["british"].strength == 1


def about_to_fall(edition, defending=("regular-infantry", "militia", "port-royal"), strength=3):
    return acres(
        "french",
        edition,
        actions=0,
        sieges={"british": siege("louisbourg", strength, ["siege-artillery", "militia"], defending)},
        british_hand=["new-york"],
    )


@editions
def test_e11_the_winner_settles_the_place_with_a_settler_card(edition):
    """acres E11, R9.3, R9.6, R9.7"""
    asked = play(about_to_fall(edition), "end")
    assert due(asked) == ("french", "siege-loss")
    state = play(asked, "lose militia")
    assert due(state) == ("british", "conquest")
    after = play(state, "occupy louisbourg settler new-york")
    british, french = after.players["british"], after.players["french"]
    assert after.board.holdings["louisbourg"] == Holding("british", "village")
    assert british.captured_villages == 1
    assert british.discard == ("siege-artillery", "militia", "new-york", "louisbourg")
    assert "louisbourg" not in british.locations
    assert french.discard == ("regular-infantry", "port-royal")
    assert french.empire.count("militia") == asked.players["french"].empire.count("militia") + 1
    assert after.sieges == {}
    assert (due(after), after.actions_left) == (("british", "action"), 2)


@editions
def test_e11b_a_place_that_is_left_is_neutral(edition):
    """acres E11b, R9.3"""
    state = play(about_to_fall(edition), "end", "lose militia", "leave louisbourg")
    assert "louisbourg" not in state.board.holdings
    assert "louisbourg" in state.players["british"].locations
    assert state.players["british"].captured_villages == 1
    assert "new-york" in state.players["british"].hand


@editions
def test_e12_the_loser_keeps_the_dead_location_card(edition):
    """acres E12, R9.4"""
    before = acres(
        "french",
        edition,
        actions=0,
        sieges={"british": siege("louisbourg", 3, ["siege-artillery"])},
        french_hand=["louisbourg", "port-royal"],
    )
    state = play(before, "end", "leave louisbourg", "pass", "pass", "end")
    assert due(state) == ("french", "action")
    refused(state, "merchant louisbourg: port-royal", "card.not_controlled", "R4.1")


@editions
def test_e13_a_location_card_gives_one_of_its_symbols(edition):
    """acres E13, R7.5"""
    state = acres(edition=edition, sieges={"british": siege("louisbourg", -1, ["militia"])}, british_hand=["new-york"])
    assert play(state, "reinforce louisbourg with new-york").sieges["british"].strength == 0


@editions
def test_e14_the_defender_plays_into_his_half_of_the_attackers_box(edition):
    """acres E14, R8.1"""
    state = acres("french", edition, sieges={"british": siege("port-royal", 1, ["militia"])}, french_hand=["montreal"])
    after = play(state, "reinforce port-royal with montreal")
    assert after.sieges["british"] == siege("port-royal", 0, ["militia"], ["montreal"])


@editions
def test_e15_the_initial_infantry_may_be_given_up(edition):
    """acres E15, R9.6"""
    asked = play(about_to_fall(edition, ["initial-infantry", "port-royal"]), "end")
    after = play(asked, "lose initial-infantry")
    assert "initial-infantry" in after.players["french"].empire
    assert "port-royal" in after.players["french"].discard


@editions
def test_e15b_a_location_card_cannot_be_given_up(edition):
    """acres E15b, R9.6"""
    asked = play(about_to_fall(edition, ["initial-infantry", "port-royal"]), "end")
    assert legal_lines(asked) == ["lose initial-infantry"]
    refused(asked, "lose port-royal", "lose.location_card", "R9.6")


@editions
def test_e15c_nothing_is_given_up_where_there_are_only_location_cards(edition):
    """acres E15c, R9.6"""
    state = play(about_to_fall(edition, ["port-royal", "quebec"]), "end")
    assert due(state) == ("british", "conquest")
    assert state.players["french"].discard == ("port-royal", "quebec")
