"""R8 Reinforce, Military Leader."""

import pytest

from tests.support.acres import (
    EARLIER,
    acres,
    allowed,
    editions,
    events,
    happen,
    legal_lines,
    play,
    refused,
    siege,
    start_places,
    why_not,
)

LOUISBOURG = {"british": siege("louisbourg", 0, ["ships"])}


@editions
@pytest.mark.parametrize(("seat", "strength"), [("british", 1), ("french", -1)])
def test_the_marker_moves_in_the_own_favour(edition, seat, strength):
    """acres R8.1"""
    state = acres(seat, edition, sieges=LOUISBOURG, **{f"{seat}_hand": ["militia"]})
    after = play(state, "reinforce louisbourg with militia")
    assert (after.sieges["british"].strength, after.actions_left) == (strength, 1)
    half = after.sieges["british"].attacking if seat == "british" else after.sieges["british"].defending
    assert "militia" in half


def test_with_two_sieges_the_player_chooses():
    """acres R8.1"""
    sieges = LOUISBOURG | {"french": siege("pemaquid", 0, ["militia"])}
    state = acres(british_hand=["militia"], sieges=sieges)
    assert legal_lines(state, "reinforce") == ["reinforce louisbourg with militia", "reinforce pemaquid with militia"]
    assert play(state, "reinforce pemaquid with militia").sieges["french"].strength == -1


def test_without_a_siege_or_a_strength_nothing_is_reinforced():
    """acres R8.1"""
    refused(acres(british_hand=["militia"]), "reinforce louisbourg with militia", "reinforce.no_siege", "R8.1")
    assert why_not(acres(british_hand=["militia"]), "reinforce") == "reinforce.no_siege"
    state = acres(british_hand=["bateaux", "pemaquid"], sieges=LOUISBOURG)
    refused(state, "reinforce louisbourg with bateaux", "reinforce.no_strength")
    assert why_not(state, "reinforce") == "reinforce.no_strength"


@editions
def test_a_ship_counts_one_where_the_place_has_a_ship_symbol(edition):
    """acres R8.2"""
    state = acres(edition=edition, british_hand=["norfolk"], sieges=LOUISBOURG)
    assert play(state, "reinforce louisbourg with norfolk").sieges["british"].strength == 1
    inland = acres(edition=edition, british_hand=["norfolk"], british_places=[*start_places("british"), "fort-stanwix",
                   "albany"], sieges={"french": siege("fort-stanwix", 0, ["militia"])})  # fmt: skip
    refused(inland, "reinforce fort-stanwix with norfolk", "reinforce.no_ship_place", "R8.2")


@pytest.mark.parametrize("place", ["fort-beausejour", "trois-rivieres"])
def test_a_port_without_a_ship_symbol_gives_a_ship_no_strength(place):
    """acres R8.2"""
    french = [*start_places("french"), place]
    state = acres(british_hand=["norfolk"], french_places=french, sieges={"british": siege(place, 0, ["militia"])})
    refused(state, f"reinforce {place} with norfolk", "reinforce.no_ship_place", "R8.2")


@editions
def test_the_attacker_must_reach_the_place_but_not_control_it(edition):
    """acres R8.3"""
    sieges = {"british": siege("fort-stanwix", 0, ["militia"])}
    zones = {"british_hand": ["militia"], "french_places": ["quebec", "fort-stanwix"], "sieges": sieges}
    near = acres(edition=edition, british_places=[*start_places("british"), "albany"], **zones)
    assert allowed(near, "reinforce fort-stanwix with militia")
    far = acres(edition=edition, british_places=start_places("british"), **zones)
    refused(far, "reinforce fort-stanwix with militia", "reinforce.not_connected", "R8.3")
    assert why_not(far, "reinforce") == "reinforce.not_connected"


@editions
def test_the_defender_must_trace_the_besieged_place(edition):
    """acres R8.3"""
    sieges = {"french": siege("albany", 0, ["militia"])}
    hand = {"british_hand": ["militia"], "sieges": sieges}
    assert allowed(
        acres(edition=edition, british_places=[*start_places("british"), "albany"], **hand),
        "reinforce albany with militia",
    )
    cut = acres(edition=edition, british_places=["boston", "albany"], **hand)
    refused(cut, "reinforce albany with militia", "reinforce.not_connected", "R8.3")


@pytest.mark.parametrize(("edition", "reached"), [("first", True), ("first-revised", True), ("second", False)])
def test_new_york_supplies_british_sieges_in_the_earlier_editions(edition, reached):
    """acres R8.3, D12"""
    state = acres(
        edition=edition,
        british_places=["new-york", "norfolk"],
        french_places=["quebec", "boston", "louisbourg"],
        british_hand=["militia"],
        sieges=LOUISBOURG,
    )
    assert allowed(state, "reinforce louisbourg with militia") == reached
    assert bool(legal_lines(state, "reinforce")) == reached


@pytest.mark.parametrize("edition", EARLIER)
def test_a_neutral_new_york_is_no_root(edition):
    """acres R8.3"""
    state = acres(
        edition=edition,
        british_places=["norfolk"],
        french_places=["quebec", "boston", "louisbourg"],
        british_hand=["militia"],
        sieges=LOUISBOURG,
    )
    refused(state, "reinforce louisbourg with militia", "reinforce.not_connected", "R8.3")


@editions
def test_the_french_who_have_lost_quebec_cannot_reinforce(edition):
    """acres R8.3"""
    state = acres(
        "french",
        edition,
        french_places=["louisbourg", "gaspe"],
        british_places=["boston", "quebec"],
        french_hand=["militia"],
        sieges=LOUISBOURG,
    )
    refused(state, "reinforce louisbourg with militia", "reinforce.not_connected", "R8.3")


@editions
def test_the_attacker_may_have_lost_his_neutral_capital(edition):
    """acres R8.3"""
    state = acres(edition=edition, british_places=["norfolk"], british_hand=["militia"], sieges=LOUISBOURG)
    assert allowed(state, "reinforce louisbourg with militia")


@editions
def test_a_fortification_card_strengthens_the_defender_only(edition):
    """acres R8.4"""
    attacker = acres(edition=edition, british_hand=["fortification"], sieges=LOUISBOURG)
    refused(attacker, "reinforce louisbourg with fortification", "reinforce.defender_only", "R8.4")
    defender = acres("french", edition, french_hand=["fortification"], french_money=0, sieges=LOUISBOURG)
    after = play(defender, "reinforce louisbourg with fortification")
    assert (after.sieges["british"].strength, after.players["french"].money) == (-1, 0)
    assert after.board.forts() == 0


@editions
def test_a_location_card_that_reinforces_must_be_usable(edition):
    """acres R8.5"""
    state = acres("french", edition, french_hand=["louisbourg", "halifax"], sieges=LOUISBOURG)
    refused(state, "reinforce louisbourg with louisbourg", "card.besieged", "R4.1")
    refused(state, "reinforce louisbourg with halifax", "card.not_controlled", "R4.1")
    assert legal_lines(state, "reinforce") == []


@editions
@pytest.mark.parametrize("seat", ["british", "french"])
def test_a_military_leader_adds_one_for_free(edition, seat):
    """acres R8.6"""
    state = acres(seat, edition, sieges=LOUISBOURG, **{f"{seat}_hand": ["military-leader"]})
    after = play(state, "reinforce louisbourg with military-leader")
    assert (after.actions_left, after.sieges["british"].strength) == (2, 1 if seat == "british" else -1)
    assert events(state, "reinforce louisbourg with military-leader")[0].free


@editions
def test_a_military_leader_comes_when_the_actions_are_used_up(edition):
    """acres R8.6"""
    state = acres(edition=edition, actions=0, british_hand=["military-leader", "militia"], sieges=LOUISBOURG)
    led = happen(state, "reinforce louisbourg with military-leader")[0][1]
    assert (led.on_turn, led.sieges["british"].strength) == ("british", 1)
    refused(state, "reinforce louisbourg with militia", "turn.no_action_left")


@editions
def test_a_military_leader_needs_the_connection_too(edition):
    """acres R8.6, R8.3"""
    state = acres(
        edition=edition,
        british_places=["norfolk"],
        french_places=["boston", "louisbourg", "quebec"],
        british_hand=["military-leader"],
        sieges=LOUISBOURG,
    )
    refused(state, "reinforce louisbourg with military-leader", "reinforce.not_connected", "R8.3")
