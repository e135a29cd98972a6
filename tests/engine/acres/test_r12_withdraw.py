"""R12 Withdraw."""

import pytest

from tests.support.acres import acres, due, editions, happen, legal_lines, play, refused, siege, start_places, why_not

LOUISBOURG = siege("louisbourg", 0, ["militia", "rangers", "boston"], ["militia", "port-royal"])


@pytest.mark.parametrize(("edition", "left"), [("first", 1), ("first-revised", 2), ("second", 2)])
def test_withdrawing_is_an_action_in_the_first_edition_only(edition, left):
    """acres R12.1, D10"""
    state = acres(edition=edition, sieges={"british": LOUISBOURG})
    assert play(state, "withdraw louisbourg remove militia").actions_left == left


@editions
def test_attacker_and_defender_may_withdraw(edition):
    """acres R12.1"""
    attacker = acres(edition=edition, sieges={"british": LOUISBOURG})
    assert legal_lines(attacker, "withdraw") == [
        "withdraw louisbourg remove militia",
        "withdraw louisbourg remove rangers",
    ]
    defender = acres("french", edition, sieges={"british": LOUISBOURG})
    assert legal_lines(defender, "withdraw") == ["withdraw louisbourg remove militia"]


@editions
def test_a_siege_out_of_reach_may_be_withdrawn_from(edition):
    """acres R12.1"""
    state = acres(edition=edition, british_places=["norfolk"], french_places=["quebec", "boston", "louisbourg"],
                  sieges={"british": siege("louisbourg", 0, ["militia"])})  # fmt: skip
    assert play(state, "withdraw louisbourg remove militia").sieges == {}


@editions
def test_a_siege_opened_in_the_same_turn_may_be_withdrawn_from(edition):
    """acres R12.1"""
    state = acres(
        edition=edition,
        british_places=[*start_places("british"), "halifax"],
        british_hand=["halifax", "ships", "militia"],
    )
    opened = play(state, "besiege louisbourg from halifax with ships force militia")
    assert happen(opened, "withdraw louisbourg remove militia")[0][1].sieges == {}


@editions
def test_the_one_who_withdraws_loses_a_card_and_both_discard_the_rest(edition):
    """acres R12.2"""
    after = play(acres(edition=edition, sieges={"british": LOUISBOURG}), "withdraw louisbourg remove rangers")
    assert "rangers" in after.players["british"].empire
    assert after.players["british"].discard == ("militia", "boston")
    assert after.players["french"].discard == ("militia", "port-royal")
    assert after.sieges == {} and after.board.owner("louisbourg") == "french"


def test_the_card_is_named_exactly_where_there_is_one():
    """acres R12.2"""
    state = acres(sieges={"british": LOUISBOURG})
    refused(state, "withdraw louisbourg", "withdraw.card_missing", "R12.2")
    refused(state, "withdraw louisbourg remove boston", "withdraw.location_card", "R9.6")
    refused(state, "withdraw louisbourg remove ships", "withdraw.not_there", "R9.6")
    refused(state, "withdraw gaspe", "withdraw.no_siege", "R12.1")
    bare = acres(sieges={"british": siege("louisbourg", 0, ["boston"])})
    refused(bare, "withdraw louisbourg remove militia", "withdraw.nothing_to_remove", "R12.2")
    assert play(bare, "withdraw louisbourg").players["british"].discard == ("boston",)
    assert why_not(acres(), "withdraw") == "withdraw.no_siege"


@editions
def test_the_attacker_has_won_when_the_defender_withdraws(edition):
    """acres R12.3"""
    state = acres("french", edition, sieges={"british": LOUISBOURG}, british_hand=["new-york"])
    asked = play(state, "withdraw louisbourg remove militia")
    assert due(asked) == ("british", "conquest")
    assert asked.players["british"].captured_villages == 1 and "louisbourg" not in asked.board.holdings
    after = play(asked, "occupy louisbourg settler new-york")
    assert after.board.owner("louisbourg") == "british"
    assert due(after) == ("french", "action")
    assert play(asked, "leave louisbourg").board.owner("louisbourg") is None


@editions
@pytest.mark.parametrize(
    ("seat", "place", "winner"),
    [("french", "quebec", "british"), ("british", "boston", "french"), ("british", "new-york", "french")],
)
def test_withdrawing_from_the_own_capital_loses_the_game(edition, seat, place, winner):
    """acres R12.3, R9.8"""
    state = acres(seat, edition, sieges={winner: siege(place, 0, ["militia"], ["militia"])})
    after = play(state, f"withdraw {place} remove militia")
    assert (after.outcome.winners, after.outcome.reason) == ((winner,), "home-taken")
    assert place not in after.board.holdings and after.sieges == {}
    assert after.players[winner].captured_towns == 1
    assert due(after) is None


@editions
def test_nobody_withdraws_while_a_siege_is_resolved(edition):
    """acres R12.4"""
    state = acres("french", edition, actions=0, sieges={"british": LOUISBOURG._replace(strength=2)})
    state = play(state, "end")
    refused(state, "withdraw louisbourg remove militia", "answer.siege_loss", by="french")
    refused(state, "withdraw louisbourg remove militia", "seat.not_yours", by="british")


@editions
def test_nobody_withdraws_after_the_draw(edition):
    """acres R12.4"""
    state = acres(edition=edition, actions=0, sieges={"british": LOUISBOURG})
    refused(play(state, "end"), "withdraw louisbourg remove militia", "seat.not_yours", by="british")
