"""Swiss rounds as other programs paired them.

Sources: rounds that JaVaFo 2.2 (R. Ricca; the program FIDE endorses for its Dutch system) paired, as kept in
`pairing/dutch/testdata/golden-javafo` of github.com/gnutterts/chesspairing (Apache-2.0); of the event of nine only the
first three rounds, since in the fourth the file gives a second bye to the same player, which C2 forbids. And three
cases of github.com/BieremaBoyzProgramming/bbpPairings, `test/tests`, by the rules of 2025: `dutch_2025_C5`,
`dutch_2025_C9`, and the last round of sixty players (`issue_7`). Sides, floats, byes and the order of tables are
compared.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.leagues.pure.model import PLAYED, WALKOVER, Result
from app.leagues.pure.pairing.swiss import pair_round
from app.leagues.pure.pairing.swiss_weights import SwissTerms
from tests.support.tournaments import DRAW, LOSS, WIN, field_of, played


@pytest.fixture
def dutch() -> SwissTerms:
    """FIDE's limit, with the whole round weighed at once."""
    return SwissTerms(limit=2)


EVENTS = {
    12: """
        1-7 8-2 3-9 10-4 5-11 12-6
        4-1 2-5 6-3 7-10 11-8 9-12
        1-2 3-4 5-7 8-6 10-9 12-11
        3-1 2-6 9-5 4-8 7-11 12-10
        1-5 2-3 7-4 6-9 11-10 8-12
        6-1 4-2 5-3 10-8 9-11 12-7""",
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
def test_a_round_is_the_one_that_javafo_paired(count: int, round: int, dutch: SwissTerms) -> None:
    rounds = rounds_of(count)
    results = [result for at, (pairs, bye) in enumerate(rounds[: round - 1]) for result in played(at + 1, pairs, bye)]
    paired = pair_round(field_of(count), results, round, terms=dutch, last=(count, round) == (20, 9))
    pairs, bye = rounds[round - 1]
    assert [pairing.seats for pairing in paired.pairings] == pairs
    assert [pairing.table for pairing in paired.pairings] == list(range(1, len(pairs) + 1))
    assert [bye.entrant for bye in paired.byes] == ([] if bye is None else [bye])


def test_the_last_round_of_twelve_follows_the_newer_rules(dutch: SwissTerms) -> None:
    """JaVaFo paired 1-8 2-9 3-7 and then 10-6 11-4 5-12: until 2025 the last brackets were collapsed into one where
    4, 5 and 6 meet 10, 11 and 12, and 4 came first. Now the bracket of 10 is paired for itself: 4 has met 10, so 5
    plays 10, and C4 leaves 6 to 11 and 4 to 12.
    """
    rounds = rounds_of(12)
    results = [result for at, (pairs, bye) in enumerate(rounds) for result in played(at + 1, pairs, bye)]
    paired = pair_round(field_of(12), results, 7, terms=dutch, last=True)
    assert [pairing.seats for pairing in paired.pairings] == [(1, 8), (2, 9), (3, 7), (10, 5), (11, 6), (4, 12)]


SIXTY = """
1-15 3-2 11-17 7-10 8-14 4-6 5-12 9-16 13-25 24-22 18-29 20-23 19-33 21-38 39-26 28-36 31-40 37-35 44-46 30-32 27-48
47-42 51-55 34-50 49-45 53-58 41-59 56-43 60-52 54-57
"""
"""`issue_7.output.expected`: the fifteenth and last round."""


def games_of_sixty() -> list[Result]:
    worth = {"1": WIN, "0": LOSS, "=": DRAW, "+": WIN, "-": LOSS}
    lines = (Path(__file__).parent / "swiss_60.txt").read_text(encoding="utf-8").splitlines()
    cells = [line.split() for line in lines if not line.startswith("#")]
    found = []
    for first, row in enumerate(cells, start=1):
        for at, cell in enumerate(row):
            if cell[-2] == "w":
                second = int(cell[:-2])
                theirs = cells[second - 1][at]
                assert theirs[:-1] == f"{first}b"
                ended = WALKOVER if cell[-1] in "+-" else PLAYED
                found.append(Result(at + 1, (first, second), (worth[cell[-1]], worth[theirs[-1]]), ended))
    return found


def test_the_last_round_of_sixty_is_the_one_that_bbp_pairings_paired(dutch: SwissTerms) -> None:
    results = games_of_sixty()
    assert len(results) == 14 * 30
    paired = pair_round(field_of(60), results, 15, terms=dutch, last=True)
    assert [f"{first}-{second}" for first, second in (pairing.seats for pairing in paired.pairings)] == SIXTY.split()


def test_the_bye_goes_to_the_lowest_score_though_others_float_for_it(dutch: SwissTerms) -> None:
    """C.04.3 (2025) C5"""
    results = [*played(1, [(1, 4), (3, 6)]), Result(1, (5, 2), (LOSS, WIN))]
    results += [Result(2, (2, 1), (LOSS, WIN)), Result(2, (4, 3), (LOSS, WIN)), Result(2, (6, 5), (LOSS, WIN))]
    entrants = field_of(6)
    entrants[3] = replace(entrants[3], away=frozenset({3}))
    paired = pair_round(entrants, results, 3, terms=dutch)
    assert {frozenset(pairing.seats) for pairing in paired.pairings} == {frozenset({1, 5}), frozenset({2, 3})}
    assert [(bye.entrant, bye.kind) for bye in paired.byes] == [(4, "zero_bye"), (6, "pairing_bye")]


def test_of_equal_scores_the_bye_goes_to_who_has_missed_the_fewest_games(dutch: SwissTerms) -> None:
    """C.04.3 (2025) C9"""
    results = [*played(1, [(1, 3)]), Result(1, (4, 2), (LOSS, WIN)), Result(1, (5,), (LOSS,), "zero_bye")]
    paired = pair_round(field_of(5), results, 2, terms=dutch)
    assert [pairing.seats for pairing in paired.pairings] == [(2, 1), (3, 5)]
    assert [bye.entrant for bye in paired.byes] == [4]


def test_draws_make_score_groups_of_half_points(dutch: SwissTerms) -> None:
    paired = pair_round(field_of(4), played(1, [(1, 3), (4, 2)], by=lambda *_: DRAW), 2, terms=dutch)
    assert {frozenset(pairing.seats) for pairing in paired.pairings} == {frozenset({1, 2}), frozenset({3, 4})}
    assert paired.pairings[0].why[0].values == {"points": "½"}
