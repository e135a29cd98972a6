"""Rounds at tables of 3 to 5: sizes, opponents, seats, byes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.leagues.pure.model import PAIRING_BYE, Result, Round
from app.leagues.pure.pairing.cards import cards
from app.leagues.pure.pairing.table_rounds import histories, pair_round, sizes
from app.leagues.pure.pairing.table_search import TableTerms, seat_order
from tests.support.tournaments import field_of


@pytest.mark.parametrize(
    ("players", "tables", "left"),
    [
        (0, [], 0),
        (2, [], 2),
        (3, [3], 0),
        (5, [5], 0),
        (6, [3, 3], 0),
        (7, [4, 3], 0),
        (9, [5, 4], 0),
        (10, [4, 3, 3], 0),
        (11, [4, 4, 3], 0),
        (13, [5, 4, 4], 0),
        (19, [4, 4, 4, 4, 3], 0),
        (20, [4, 4, 4, 4, 4], 0),
    ],
)
def test_sizes_of_tables(players: int, tables: list[int], left: int) -> None:
    assert sizes(players, TableTerms()) == (tables, left)


def test_where_sizes_do_not_fit_somebody_is_left_over() -> None:
    assert sizes(19, TableTerms(least=4, most=4)) == ([4, 4, 4, 4], 3)
    assert sizes(5, TableTerms(least=3, most=3, prefer=3)) == ([3], 2)
    assert sizes(7, TableTerms(least=4, most=5)) == ([5], 2)


@given(st.integers(0, 120), st.sampled_from([(3, 5, 4), (2, 4, 3), (4, 4, 4), (5, 5, 5)]))
def test_sizes_are_within_the_terms_and_nobody_is_lost(players: int, terms: tuple[int, int, int]) -> None:
    least, most, prefer = terms
    found, left = sizes(players, TableTerms(least, most, prefer))
    assert sum(found) + left == players and all(least <= size <= most for size in found)
    assert left < least and (not found or found[0] - found[-1] <= 1)


def done(paired: Round, points_by: int = 1) -> list[Result]:
    """Results of a round: the lower the number the more points, or the other way round."""
    found = []
    for pairing in paired.pairings:
        order = sorted(pairing.seats, key=lambda who: points_by * who)
        points = tuple(Fraction(len(order) - 1 - order.index(who)) for who in pairing.seats)
        found.append(Result(paired.number, pairing.seats, points))
    return found + [
        Result(paired.number, (bye.entrant,), (Fraction(1),), bye.kind)
        for bye in paired.byes
        if bye.kind == PAIRING_BYE
    ]


def test_nineteen_over_four_rounds() -> None:
    """A season of nineteen: seats within one all the time; three rounds without meeting anybody again."""
    results: list[Result] = []
    repeats = []
    for round in range(1, 5):
        paired = pair_round(field_of(19), results, round)
        assert [len(pairing.seats) for pairing in paired.pairings].count(4) == 4
        assert sorted(paired.everybody()) == list(range(1, 20)) and paired.warnings == ()
        repeats.append(paired.totals["repeat"])
        results += done(paired)
        for history in histories(field_of(19), results).values():
            assert max(history.seats.values()) - min(history.seats[seat] for seat in range(3)) <= 1
    assert repeats[:3] == [0, 0, 0] and repeats[3] <= 2
    meetings = [len(rounds) for card in cards(field_of(19), results).values() for rounds in card.met.values()]
    assert max(meetings) <= 2


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(st.integers(3, 15), st.permutations(range(1, 16)), st.booleans(), st.sampled_from([1, -1]))
def test_whatever_the_field_a_round_is_sound(count: int, lots: list[int], by_score: bool, points_by: int) -> None:
    """Everybody is seated or has a bye; no second bye while others had none; equal input gives an equal round."""
    entrants = field_of(count)
    entrants[0] = replace(entrants[0], withdrawn_after=2)
    entrants[1] = replace(entrants[1], joined=2, byes=frozenset({3}))
    results: list[Result] = []
    for round in range(1, 4):
        terms = TableTerms(least=4, most=5, by_score=by_score)
        paired = pair_round(entrants, results, round, terms=terms, lots=lots)
        assert paired == pair_round(entrants[::-1], results[::-1], round, terms=terms, lots=lots)
        assert Counter(paired.everybody()) == Counter(who.id for who in entrants if who.is_in(round))
        past = histories(entrants, results)
        free = [bye.entrant for bye in paired.byes if bye.kind == PAIRING_BYE]
        seated = [who for pairing in paired.pairings for who in pairing.seats]
        assert all(past[who].byes <= past[other].byes for who in free for other in seated)
        results += done(paired, points_by)


def test_by_score_neighbours_in_the_standings_sit_together() -> None:
    results = done(pair_round(field_of(12), [], 1))
    paired = pair_round(field_of(12), results, 2, terms=TableTerms(by_score=True))
    assert paired.totals["repeat"] == 3  # a table of four from three tables: one pair of each has met
    scores = {who: card.score for who, card in cards(field_of(12), results).items()}
    best = [scores[who] for who in paired.pairings[0].seats]
    worst = [scores[who] for who in paired.pairings[-1].seats]
    assert sum(best) > sum(worst)
    assert {"tables.sizes", "tables.score"} <= {reason.code for reason in paired.pairings[0].why}


@pytest.mark.slow
def test_two_hundred_by_score_keep_their_seats_in_balance() -> None:
    """Over five rounds with results that turn the standings round: nobody meets anybody again, seats within one."""
    results: list[Result] = []
    for round in range(1, 6):
        paired = pair_round(field_of(200), results, round, terms=TableTerms(by_score=True))
        assert paired.totals == {"blocked": 0, "repeat": 0, "bye_again": 0} and len(paired.pairings) == 50
        results += done(paired, 1 if round % 3 else -1)
        for history in histories(field_of(200), results).values():
            seats = [history.seats[seat] for seat in range(4)]
            assert max(seats) - min(seats) <= 1


def test_who_blocks_whom_sits_elsewhere_or_is_reported() -> None:
    blocks = {frozenset(pair) for pair in combinations((1, 2, 3), 2)}
    respected = pair_round(field_of(12), [], 1, blocks=blocks)
    assert respected.totals["blocked"] == 0
    one_table = pair_round(field_of(4), [], 1, blocks=blocks)
    assert [warning.code for warning in one_table.warnings] == ["warn.blocked"] * 3


def test_seats_go_to_those_who_had_them_least() -> None:
    """Four who have sat in the same order three times: everybody gets the last seat they have not had."""
    order = [(1, 2, 3, 4), (2, 3, 4, 1), (3, 4, 1, 2)]
    results = [Result(at + 1, seats, (Fraction(0),) * 4) for at, seats in enumerate(order)]
    assert seat_order((1, 2, 3, 4), histories(field_of(4), results)) == (4, 1, 2, 3)


def test_a_pairing_says_who_has_met_and_how_seats_came_about() -> None:
    results = done(pair_round(field_of(4), [], 1))
    pairing = pair_round(field_of(4), results, 2).pairings[0]
    codes = Counter(reason.code for reason in pairing.why)
    assert codes == {"tables.sizes": 1, "tables.met": 6, "tables.seat": 4}
    assert pairing.why[0].values == {"players": 4, "sizes": "4"}


def test_two_players_are_too_few() -> None:
    paired = pair_round(field_of(2), [], 1)
    assert paired.pairings == () and [warning.code for warning in paired.warnings] == ["warn.alone"]
    assert [bye.why[0].code for bye in paired.byes] == ["bye.table"] * 2


def test_bad_terms_are_refused() -> None:
    for wrong in ((1, 4, 3), (3, 7, 4), (4, 5, 3), (5, 4, 5)):
        with pytest.raises(ValueError):
            TableTerms(*wrong)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    pair_round(field_of(19), [], 1, progress=lambda at, of: told.append((at, of)))
    assert told[0][0] == 0 and told[-1][0] == told[-1][1]
    results = done(pair_round(field_of(40), [], 1))
    told.clear()
    pair_round(field_of(40), results, 2, terms=TableTerms(by_score=True), progress=lambda at, of: told.append((at, of)))
    assert len(told) > 3 and told == sorted(told), "it never goes back"
