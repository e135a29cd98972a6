"""Swiss rounds as other programs paired them.

Sources: rounds that JaVaFo 2.2 (R. Ricca; the program FIDE endorses for its Dutch system) paired, as kept in
`pairing/dutch/testdata/golden-javafo` of github.com/gnutterts/chesspairing (Apache-2.0); of the event of nine only the
first three rounds, since in the fourth the file gives a second bye to the same player, which C2 forbids. And two cases
of the rules of 2025 from `test/tests` of github.com/BieremaBoyzProgramming/bbpPairings (`dutch_2025_C5`,
`dutch_2025_C9`). Sides, floats, byes and, where given, the order of tables are compared.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.leagues.model import Result
from app.leagues.swiss import pair_round
from app.leagues.swiss_weights import Terms
from tests.support.leagues import DRAW, LOSS, WIN, field_of, played

DUTCH = Terms(limit=2)

EVENTS = {
    12: """
        1-7 8-2 3-9 10-4 5-11 12-6
        4-1 2-5 6-3 7-10 11-8 9-12
        1-2 3-4 5-7 8-6 10-9 12-11
        3-1 2-6 9-5 4-8 7-11 12-10
        1-5 2-3 7-4 6-9 11-10 8-12
        6-1 4-2 5-3 10-8 9-11 12-7
        1-8 2-9 3-7 10-6 11-4 5-12""",
    20: """
        1-11 12-2 3-13 14-4 5-15 16-6 7-17 18-8 9-19 20-10
        6-1 2-7 8-3 4-9 10-5 11-16 17-12 13-18 19-14 15-20
        1-4 3-2 5-6 7-11 12-8 9-13 14-10 16-15 20-17 18-19
        2-5 8-1 10-3 4-7 15-9 6-14 11-18 13-12 17-16 19-20
        1-2 3-9 5-4 12-6 7-10 15-8 14-11 16-19 18-17 20-13
        3-1 2-4 8-5 6-11 9-7 13-16 17-15 10-18 19-12 20-14
        1-5 6-2 4-3 7-8 12-9 15-10 11-13 14-16 19-17 18-20
        7-1 2-10 11-3 4-6 5-9 13-15 17-14 18-12 8-19 16-20
        1-13 9-2 3-5 12-4 14-7 6-8 10-17 20-11 16-18 15-19""",
    9: """
        1-5 6-2 3-7 8-4 9
        4-1 2-9 5-3 7-6 8
        3-2 1-8 9-4 6-5 7""",
}
"""By number of players: a line a round, first side first; a single number is the bye. The stronger always won."""


def rounds_of(count: int) -> list[tuple[list[tuple[int, int]], int | None]]:
    found = []
    for line in EVENTS[count].strip().splitlines():
        pairs, bye = [], None
        for word in line.split():
            numbers = [int(number) for number in word.split("-")]
            if len(numbers) == 2:
                pairs.append((numbers[0], numbers[1]))
            else:
                bye = numbers[0]
        found.append((pairs, bye))
    return found


@pytest.mark.parametrize(
    ("count", "round"), [(count, at + 1) for count in EVENTS for at in range(len(rounds_of(count)))]
)
def test_a_round_is_the_one_that_javafo_paired(count: int, round: int) -> None:
    rounds = rounds_of(count)
    results = [result for at, (pairs, bye) in enumerate(rounds[: round - 1]) for result in played(at + 1, pairs, bye)]
    paired = pair_round(field_of(count), results, round, terms=DUTCH, last=round == len(rounds) and count != 9)
    pairs, bye = rounds[round - 1]
    assert [pairing.seats for pairing in paired.pairings] == pairs
    assert [pairing.table for pairing in paired.pairings] == list(range(1, len(pairs) + 1))
    assert [bye.entrant for bye in paired.byes] == ([] if bye is None else [bye])


def test_the_bye_goes_to_the_lowest_score_though_others_float_for_it() -> None:
    """C.04.3 (2025) C5"""
    results = [*played(1, [(1, 4), (3, 6)]), Result(1, (5, 2), (LOSS, WIN))]
    results += [Result(2, (2, 1), (LOSS, WIN)), Result(2, (4, 3), (LOSS, WIN)), Result(2, (6, 5), (LOSS, WIN))]
    entrants = field_of(6)
    entrants[3] = replace(entrants[3], away=frozenset({3}))
    paired = pair_round(entrants, results, 3, terms=DUTCH)
    assert {frozenset(pairing.seats) for pairing in paired.pairings} == {frozenset({1, 5}), frozenset({2, 3})}
    assert [(bye.entrant, bye.kind) for bye in paired.byes] == [(4, "zero_bye"), (6, "pairing_bye")]


def test_of_equal_scores_the_bye_goes_to_who_has_missed_the_fewest_games() -> None:
    """C.04.3 (2025) C9"""
    results = [*played(1, [(1, 3)]), Result(1, (4, 2), (LOSS, WIN)), Result(1, (5,), (LOSS,), "zero_bye")]
    paired = pair_round(field_of(5), results, 2, terms=DUTCH)
    assert [pairing.seats for pairing in paired.pairings] == [(2, 1), (3, 5)]
    assert [bye.entrant for bye in paired.byes] == [4]


def test_draws_make_score_groups_of_half_points() -> None:
    paired = pair_round(field_of(4), played(1, [(1, 3), (4, 2)], by=lambda *_: DRAW), 2, terms=DUTCH)
    assert {frozenset(pairing.seats) for pairing in paired.pairings} == {frozenset({1, 2}), frozenset({3, 4})}
    assert paired.pairings[0].why[0].values == {"points": "½"}
