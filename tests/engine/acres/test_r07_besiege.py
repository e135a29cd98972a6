"""R7 Besiege."""

import pytest

from tests.support.acres import (
    acres,
    allowed,
    editions,
    happen,
    legal_lines,
    play,
    refused,
    siege,
    start_places,
    why_not,
)

HALIFAX = [*start_places("british"), "halifax"]
LINE = "besiege louisbourg from halifax with ships force militia"
HAND = ["halifax", "ships", "militia"]


def attack(hand=HAND, edition="second", **zones):
    return acres(edition=edition, british_places=zones.pop("british_places", HALIFAX), british_hand=hand, **zones)


@editions
def test_only_an_enemy_place_is_besieged(edition):
    """acres R7.1"""
    neutral = attack(edition=edition, french_places=["quebec"])
    refused(neutral, LINE, "besiege.not_enemy", "R7.1")
    own = attack(edition=edition, french_places=["quebec"], british_places=[*HALIFAX, "louisbourg"])
    refused(own, LINE, "besiege.not_enemy", "R7.1")
    assert legal_lines(own, "besiege") == []


@editions
@pytest.mark.parametrize("place", ["louisbourg", "quebec"])
def test_there_is_one_attack_at_a_time(edition, place):
    """acres R7.1"""
    state = attack(edition=edition, sieges={"british": siege(place, 0, ["rangers"])})
    refused(state, LINE, "besiege.marker_used", "R7.1")
    assert why_not(state, "besiege") == "besiege.marker_used"
    assert legal_lines(state, "besiege") == []


@editions
def test_a_defender_may_attack_elsewhere(edition):
    """acres R7.1"""
    state = attack(edition=edition, sieges={"french": siege("pemaquid", 0, ["militia"])})
    after = play(state, LINE)
    assert {attacker: its.place for attacker, its in after.sieges.items()} == {
        "british": "louisbourg",
        "french": "pemaquid",
    }


def test_the_three_cards_of_a_siege_are_judged_each():
    """acres R7.1"""
    state = attack(["halifax", "ships", "militia", "bateaux", "boston"])
    refused(state, "besiege quebec from halifax with ships force militia", "besiege.no_connection", "R7.1")
    refused(state, "besiege louisbourg from halifax with bateaux force militia", "besiege.no_transport", "R7.1")
    refused(state, "besiege louisbourg from halifax with ships force bateaux", "besiege.no_strength", "R7.1")
    refused(state, "besiege louisbourg from halifax with ships force ships", "card.used_twice", "R1.9")
    refused(state, "besiege louisbourg from halifax with ships force rangers", "card.not_in_hand")
    refused(attack(), "besiege louisbourg from halifax with halifax force militia", "card.used_twice", "R1.9")
    unheld = attack(british_places=start_places("british"))
    refused(unheld, LINE, "card.not_controlled", "R4.1")


def test_each_reason_for_not_besieging_is_told():
    """acres R7.1"""
    assert why_not(attack(["ships", "militia"]), "besiege") == "besiege.no_connection"
    assert why_not(attack(["halifax", "militia"]), "besiege") == "besiege.no_transport"
    assert why_not(attack(["halifax", "ships"]), "besiege") == "besiege.no_force"


@editions
def test_a_ship_serves_as_the_force_where_the_place_has_a_ship_symbol(edition):
    """acres R7.1"""
    state = attack(["halifax", "norfolk", "ships"], edition)
    assert play(state, "besiege louisbourg from halifax with norfolk force ships").sieges["british"].strength == -1
    inland = attack(
        ["albany", "bateaux", "ships"],
        edition,
        british_places=[*start_places("british"), "albany"],
        french_places=["quebec", "fort-stanwix"],
    )
    refused(inland, "besiege fort-stanwix from albany with bateaux force ships", "besiege.no_ship_place", "R8.2")
    assert legal_lines(inland, "besiege") == []


@editions
def test_a_fortification_card_opens_no_siege(edition):
    """acres R7.2"""
    state = attack(["halifax", "ships", "fortification"], edition)
    refused(state, "besiege louisbourg from halifax with ships force fortification", "besiege.defender_only")
    assert legal_lines(state, "besiege") == []


@editions
def test_a_military_leader_opens_a_siege_as_an_action(edition):
    """acres R7.2"""
    state = attack(["halifax", "ships", "military-leader"], edition)
    after = play(state, "besiege louisbourg from halifax with ships force military-leader")
    assert (after.actions_left, after.sieges["british"].strength) == (1, -1)
    late = attack(["halifax", "ships", "military-leader"], edition, actions=0)
    refused(late, "besiege louisbourg from halifax with ships force military-leader", "turn.no_action_left")


@editions
@pytest.mark.parametrize(
    ("seat", "line", "hand", "zones"),
    [
        ("british", LINE, HAND, {"british_places": HALIFAX}),
        ("french", "besiege pemaquid from port-royal with louisbourg force militia",
         ["port-royal", "louisbourg", "militia"], {}),
    ],
)  # fmt: skip
def test_the_force_enters_the_attackers_own_box(edition, seat, line, hand, zones):
    """acres R7.3"""
    after = play(acres(seat, edition, **{f"{seat}_hand": hand}, **zones), line)
    assert after.sieges[seat].attacking == ("militia",)
    assert after.players[seat].discard == tuple(hand[:2])


@editions
@pytest.mark.parametrize(("place", "strength"), [("port-royal", -1), ("louisbourg", -2), ("louisbourg fort", -4)])
def test_the_starting_value_counts_the_base_the_fort_and_the_modifier(edition, place, strength):
    """acres R7.4"""
    state = attack(["halifax", "norfolk", "ships"], edition, french_places=["quebec", place])
    after = play(state, f"besiege {place.split()[0]} from halifax with norfolk force ships")
    assert after.sieges["british"].strength == strength + 1


@editions
def test_a_location_card_with_two_symbols_counts_one(edition):
    """acres R7.5"""
    state = attack(["halifax", "ships", "boston"], edition)
    after = play(state, "besiege louisbourg from halifax with ships force boston")
    assert after.sieges["british"].strength == -1


@editions
def test_siege_artillery_costs_three_each_time(edition):
    """acres R7.6"""
    line = "besiege louisbourg from halifax with ships force siege-artillery"
    hand = ["halifax", "ships", "siege-artillery"]
    assert play(attack(hand, edition, british_money=3), line).players["british"].money == 0
    refused(attack(hand, edition, british_money=2), line, "besiege.no_money", "R7.6")
    assert line not in legal_lines(attack(hand, edition, british_money=2))
    sieges = {"british": siege("louisbourg", 3, ["militia"])}
    defence = acres("french", edition, french_hand=["siege-artillery"], french_money=3, sieges=sieges)
    after = play(defence, "reinforce louisbourg with siege-artillery")
    assert (after.players["french"].money, after.sieges["british"].strength) == (0, 0)
    poor = acres("french", edition, french_hand=["siege-artillery"], french_money=2, sieges=sieges)
    refused(poor, "reinforce louisbourg with siege-artillery", "reinforce.no_money", "R7.6")


@editions
@pytest.mark.parametrize(
    ("seat", "place", "start", "by", "end"),
    [
        ("british", "louisbourg", 6, "british", 7),
        ("british", "louisbourg", -4, "french", -5),
        ("french", "pemaquid", 6, "french", 7),
        ("french", "pemaquid", -3, "british", -4),
    ],
)
def test_what_is_beyond_the_end_of_the_track_is_lost(edition, seat, place, start, by, end):
    """acres R7.7"""
    state = acres(by, edition, sieges={seat: siege(place, start, ["militia"])}, **{f"{by}_hand": ["regular-infantry"]})
    happened, after = happen(state, f"reinforce {place} with regular-infantry")[0]
    assert after.sieges[seat].strength == end == happened.strength
    assert happened.change == end - start


@editions
def test_the_start_position_is_cut_at_the_end_of_the_track_too(edition):
    """acres R7.7"""
    state = acres(
        "french",
        edition,
        french_places=["quebec", "louisbourg", "pemaquid"],
        french_hand=["pemaquid", "louisbourg", "militia"],
        british_places=["boston fort", "new-york"],
    )
    after = play(state, "besiege boston from pemaquid with louisbourg force militia")
    assert after.sieges["french"].strength == -4 + 1
    quebec = attack(["tadoussac", "bateaux", "militia"], edition, british_places=["boston", "tadoussac"],
                    french_places=["quebec fort"])  # fmt: skip
    assert play(quebec, "besiege quebec from tadoussac with bateaux force militia").sieges["british"].strength == -4


def test_the_track_may_be_open_by_option():
    """acres R7.7"""
    sieges = {"british": siege("louisbourg", 6, ["militia"])}
    state = acres(options={"siege_track": "open"}, british_hand=["regular-infantry"], sieges=sieges)
    assert play(state, "reinforce louisbourg with regular-infantry").sieges["british"].strength == 8


@editions
@pytest.mark.parametrize("strength", [0, 1])
def test_a_siege_lasts_until_somebody_wins(edition, strength):
    """acres R7.8"""
    sieges = {"british": siege("louisbourg", strength, ["militia"])}
    state = acres("french", edition, actions=0, sieges=sieges)
    for lines in (["end"], ["pass", "pass"], ["pass", "pass"]):
        state = play(state, *lines)
        while state.actions_left == 0:
            state = play(state, "end")
        assert state.sieges["british"].strength == strength
    assert allowed(state, "withdraw louisbourg") or allowed(state, "withdraw louisbourg remove militia")
