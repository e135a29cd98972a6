"""FIDE's Dutch system of 2026, bracket by bracket: another engine, and what FIDE's rules leave open."""

from __future__ import annotations

import logging
from fractions import Fraction

import pytest

from app.leagues.pure.model import HALF_BYE, Result
from app.leagues.pure.swiss import pair_round
from app.leagues.pure.swiss_weights import PAIRED_BY
from tests.support.other_swiss import compared
from tests.support.tournaments import DRAW, LOSS, field_of, played

FIDE = PAIRED_BY["fide"]


@pytest.mark.slow
def test_thirty_random_events_are_paired_as_by_another_engine(caplog: pytest.LogCaptureFixture) -> None:
    """c.04.3; each round that differs does by a rule that is named, and in sides only"""
    caplog.set_level(logging.ERROR)
    rounds = [one for event in range(1, 31) for one in compared(event, 4, 14)]
    assert len(rounds) > 100
    assert not [one for one in rounds if not one.is_equal and not one.rule]


def test_a_field_too_small_for_its_rounds_is_paired_with_a_warning() -> None:
    entrants, results = field_of(3), []
    for number in range(1, 5):
        paired = pair_round(entrants, results, number, terms=FIDE)
        assert len(paired.everybody()) == 3
        results += played(number, [paired.pairings[0].seats], paired.byes[0].entrant)  # type: ignore[list-item]
    assert "warn.repeat" in {warning.code for warning in paired.warnings}


def test_missed_games_of_who_has_the_bye_count_only_where_nobody_else_leaves_the_bracket() -> None:
    """C.04.3, 2.4, C9 with its note. 1 and 4 have met, so both go down to 2 and 5; two leave that bracket, so 5, with
    an unplayed game, has the bye and not 2.
    """
    results = [
        *played(1, [(1, 4)], by=lambda *_: LOSS), *played(1, [(5, 2)], by=drawn), Result(1, (3,), (DRAW,), HALF_BYE),
        *played(2, [(4, 5), (2, 3)], 1, by=drawn),
        *played(3, [(2, 4)], by=drawn), *played(3, [(3, 1)], by=lambda *_: LOSS), Result(3, (5,), (DRAW,), HALF_BYE),
    ]  # fmt: skip
    paired = pair_round(field_of(5), results, 4, terms=FIDE)
    assert {one.seats for one in paired.pairings} == {(1, 2), (4, 3)} and paired.byes[0].entrant == 5
    alone = [*played(1, [(1, 2)], by=drawn), *(Result(1, (who,), (DRAW,), HALF_BYE) for who in (3,))]
    (bye,) = pair_round(field_of(3), alone, 2, terms=FIDE).byes
    assert bye.entrant in (1, 2), "of three with half a point each, not who has missed a game"


def drawn(*_: int) -> Fraction:
    return DRAW


def test_blocks_and_fixed_pairs_hold() -> None:
    blocked = frozenset({frozenset({1, 5})})
    paired = pair_round(field_of(8), [], 1, terms=FIDE, blocks=blocked, fixed=[(2, 3)])
    seats = {frozenset(pairing.seats) for pairing in paired.pairings}
    assert frozenset({2, 3}) in seats and frozenset({1, 5}) not in seats
    with pytest.raises(ValueError, match="twice"):
        pair_round(field_of(4), [], 1, terms=FIDE, fixed=[(1, 2), (2, 3)])


def test_strength_pairs_by_points_where_sides_would_part_those_due_the_same_one() -> None:
    entrants = field_of(8)
    results = played(1, [(1, 5), (2, 6), (3, 7), (4, 8)])  # all who won had the first side
    paired = {
        name: {frozenset(pairing.seats) for pairing in pair_round(entrants, results, 2, terms=terms).pairings}
        for name, terms in PAIRED_BY.items()
    }
    assert paired["strength"] == {frozenset(pair) for pair in ((1, 3), (2, 4), (5, 7), (6, 8))}
    assert all(min(pair) <= 4 < max(pair) for pair in paired["sides"])
