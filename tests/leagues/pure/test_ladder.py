"""The ladder: who may challenge whom, and what a result does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.pairing.cards import PairingCard
from app.leagues.pure.pairing.ladder import Ladder, after_game, pair, why_not
from app.leagues.pure.terms import Terms
from app.leagues.pure.why import Reason
from tests.support.tournaments import DRAW, LOSS, WIN, field_of

FIVE = Ladder((1, 2, 3, 4, 5))


@pytest.mark.parametrize(
    ("ladder", "challenger", "opponent", "code"),
    [
        (FIVE, 5, 2, None),
        (FIVE, 5, 5, "ladder.self"),
        (FIVE, 9, 5, "ladder.unknown"),
        (FIVE, 5, 9, "ladder.unknown"),
        (FIVE, 2, 3, "ladder.below"),
        (FIVE, 5, 1, "ladder.too_far"),
        (Ladder((1, 2, 3), open=((3, 2),)), 2, 1, "ladder.busy"),
        (Ladder((1, 2, 3), open=((2, 1),)), 3, 2, "ladder.busy"),
        (Ladder((1, 2, 3), days_since={frozenset({1, 2}): 13.9}), 2, 1, "ladder.again"),
        (Ladder((1, 2, 3), days_since={frozenset({1, 2}): 14.0}), 2, 1, None),
    ],
)
def test_a_challenge_is_allowed_or_refused_with_the_reason(
    ladder: Ladder, challenger: int, opponent: int, code: str | None
) -> None:
    reason = why_not(ladder, challenger, opponent, Terms(), set())
    assert (reason.code if reason else None) == code


def test_players_who_block_each_other_do_not_challenge() -> None:
    may = {who: why_not(FIVE, 4, who, Terms(), {frozenset({4, 2})}) for who in FIVE.order}
    assert [who for who, why in may.items() if why is None] == [1, 3]
    assert may[2] == Reason("blocked")
    assert all(why_not(FIVE, 1, who, Terms(), set()) for who in FIVE.order), "nobody stands above the first"


@pytest.mark.parametrize(
    ("points", "on_win", "order", "code"),
    [
        ((WIN, LOSS), "takes", (1, 5, 2, 3, 4), "ladder.takes"),
        ((WIN, LOSS), "swaps", (1, 5, 3, 4, 2), "ladder.swaps"),
        ((DRAW, DRAW), "takes", (1, 2, 3, 4, 5), "ladder.stays"),
        ((LOSS, WIN), "swaps", (1, 2, 3, 4, 5), "ladder.stays"),
    ],
)
def test_a_result_changes_the_order(points: Any, on_win: str, order: tuple[int, ...], code: str) -> None:
    now, why = after_game(FIVE.order, 5, 2, points, Terms(on_win=on_win))
    assert (now, why.code) == (order, code)


def test_a_challenger_who_has_overtaken_meanwhile_stays_above() -> None:
    assert after_game((5, 2), 5, 2, (WIN, LOSS), Terms())[0] == (5, 2)


@given(st.permutations(range(6)), st.integers(0, 5), st.integers(0, 5), st.sampled_from(["takes", "swaps"]))
def test_nobody_is_lost_and_only_those_between_move(order: list[int], one: int, other: int, on_win: str) -> None:
    if one == other:
        return
    now, _ = after_game(order, one, other, (WIN, LOSS), Terms(on_win=on_win))
    assert sorted(now) == sorted(order)
    ends = sorted((order.index(one), order.index(other)))
    assert all(now[at] == order[at] for at in range(6) if not ends[0] <= at <= ends[1])
    assert now.index(one) <= order.index(one)


def test_sides_of_a_challenge_go_to_who_had_the_first_one_less_often() -> None:
    entrants = field_of(5)
    even = pair(FIVE, PairingCard(entrants[3]), PairingCard(entrants[1]))
    assert even.seats == (2, 4) and even.why[0].values["place"] == 4
    assert pair(FIVE, PairingCard(entrants[3]), PairingCard(entrants[1], sides=[0])).seats == (4, 2)


def test_nobody_moves_who_is_not_on_the_ladder() -> None:
    with pytest.raises(ValueError):
        after_game((1, 2), 3, 1, (WIN, LOSS), Terms())
