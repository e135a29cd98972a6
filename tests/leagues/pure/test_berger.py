"""Round robin: the published tables, both sides, late entries and drop-outs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.model import VOID, Result, Round
from app.leagues.pure.pairing.berger import berger_rounds, berger_table, remaining, rest, schedule
from tests.support.tournaments import field_of, finished

PUBLISHED = """
3 or 4
1-4 2-3
4-3 1-2
2-4 3-1

5 or 6
1-6 2-5 3-4
6-4 5-3 1-2
2-6 3-1 4-5
6-5 1-4 2-3
3-6 4-2 5-1

7 or 8
1-8 2-7 3-6 4-5
8-5 6-4 7-3 1-2
2-8 3-1 4-7 5-6
8-6 7-5 1-4 2-3
3-8 4-2 5-1 6-7
8-7 1-6 2-5 3-4
4-8 5-3 6-2 7-1

9 or 10
1-10 2-9 3-8 4-7 5-6
10-6 7-5 8-4 9-3 1-2
2-10 3-1 4-9 5-8 6-7
10-7 8-6 9-5 1-4 2-3
3-10 4-2 5-1 6-9 7-8
10-8 9-7 1-6 2-5 3-4
4-10 5-3 6-2 7-1 8-9
10-9 1-8 2-7 3-6 4-5
5-10 6-4 7-3 8-2 9-1

11 or 12
1-12 2-11 3-10 4-9 5-8 6-7
12-7 8-6 9-5 10-4 11-3 1-2
2-12 3-1 4-11 5-10 6-9 7-8
12-8 9-7 10-6 11-5 1-4 2-3
3-12 4-2 5-1 6-11 7-10 8-9
12-9 10-8 11-7 1-6 2-5 3-4
4-12 5-3 6-2 7-1 8-11 9-10
12-10 11-9 1-8 2-7 3-6 4-5
5-12 6-4 7-3 8-2 9-1 10-11
12-11 1-10 2-9 3-8 4-7 5-6
6-12 7-5 8-4 9-3 10-2 11-1

13 or 14
1-14 2-13 3-12 4-11 5-10 6-9 7-8
14-8 9-7 10-6 11-5 12-4 13-3 1-2
2-14 3-1 4-13 5-12 6-11 7-10 8-9
14-9 10-8 11-7 12-6 13-5 1-4 2-3
3-14 4-2 5-1 6-13 7-12 8-11 9-10
14-10 11-9 12-8 13-7 1-6 2-5 3-4
4-14 5-3 6-2 7-1 8-13 9-12 10-11
14-11 12-10 13-9 1-8 2-7 3-6 4-5
5-14 6-4 7-3 8-2 9-1 10-13 11-12
14-12 13-11 1-10 2-9 3-8 4-7 5-6
6-14 7-5 8-4 9-3 10-2 11-1 12-13
14-13 1-12 2-11 3-10 4-9 5-8 6-7
7-14 8-6 9-5 10-4 11-3 12-2 13-1

15 or 16
1-16 2-15 3-14 4-13 5-12 6-11 7-10 8-9
16-9 10-8 11-7 12-6 13-5 14-4 15-3 1-2
2-16 3-1 4-15 5-14 6-13 7-12 8-11 9-10
16-10 11-9 12-8 13-7 14-6 15-5 1-4 2-3
3-16 4-2 5-1 6-15 7-14 8-13 9-12 10-11
16-11 12-10 13-9 14-8 15-7 1-6 2-5 3-4
4-16 5-3 6-2 7-1 8-15 9-14 10-13 11-12
16-12 13-11 14-10 15-9 1-8 2-7 3-6 4-5
5-16 6-4 7-3 8-2 9-1 10-15 11-14 12-13
16-13 14-12 15-11 1-10 2-9 3-8 4-7 5-6
6-16 7-5 8-4 9-3 10-2 11-1 12-15 13-14
16-14 15-13 1-12 2-11 3-10 4-9 5-8 6-7
7-16 8-6 9-5 10-4 11-3 12-2 13-1 14-15
16-15 1-14 2-13 3-12 4-11 5-10 6-9 7-8
8-16 9-7 10-6 11-5 12-4 13-3 14-2 15-1
"""
"""FIDE Handbook C.05, annex 1 ("Details of Berger tables"), first side first; in an odd field the highest number is the
bye."""


def published() -> dict[int, list[list[tuple[int, int]]]]:
    found = {}
    for block in PUBLISHED.strip().split("\n\n"):
        title, *lines = block.splitlines()
        rounds = [[(int(a), int(b)) for a, b in (word.split("-") for word in line.split())] for line in lines]
        found[int(title.split()[-1])] = rounds
    return found


@pytest.mark.parametrize("players", range(4, 17, 2))
def test_the_table_is_the_published_one(players: int) -> None:
    """FIDE C.05 annex 1, for 3 to 16 players"""
    table = published()[players]
    assert berger_table(players) == table
    assert berger_rounds(players) == table
    assert berger_rounds(players - 1) == [[pair for pair in pairs if players not in pair] for pairs in table]


@pytest.mark.parametrize("players", range(2, 33))
def test_everybody_meets_everybody_with_sides_within_one(players: int) -> None:
    rounds = berger_rounds(players)
    assert Counter(frozenset(pair) for pairs in rounds for pair in pairs) == Counter(
        frozenset(pair) for pair in combinations(range(1, players + 1), 2)
    )
    for player in range(1, players + 1):
        sides = [pair.index(player) for pairs in rounds for pair in pairs if player in pair]
        assert abs(sides.count(0) - sides.count(1)) == (1 - players % 2)
        assert len(rounds) - len(sides) == players % 2


@pytest.mark.parametrize("players", range(2, 21))
def test_in_a_double_round_robin_each_pair_plays_both_sides(players: int) -> None:
    """C.05 annex 1: with the last two rounds of the first half exchanged nobody has a side three times in a row (only
    four players are too few for that)."""
    rounds = berger_rounds(players, double=True)
    pairs = Counter(pair for pairs in rounds for pair in pairs)
    assert set(pairs.values()) == {1} and all(pair[::-1] in pairs for pair in pairs)
    for player in range(1, players + 1):
        sides = [pair.index(player) for pairs in rounds for pair in pairs if player in pair]
        in_a_row = any(one == two == three for (one, two), (_, three) in pairwise(pairwise(sides)))
        assert not in_a_row or players == 4


def accounted(rounds: list[Round], count: int) -> bool:
    return all(sorted(paired.everybody()) == list(range(1, count + 1)) for paired in rounds)


def test_eight_in_a_division_of_acres() -> None:
    rounds = schedule(field_of(8), double=True)
    assert len(rounds) == 14 and accounted(rounds, 8)
    assert [reason.code for reason in rounds[7].pairings[0].why] == ["berger.row", "berger.return"]
    assert rounds[7].pairings[0].why[1].values == {"round": 1} and rounds[7].pairings[0].leg == 2


def test_the_order_of_lots_gives_the_numbers() -> None:
    entrants = field_of(4)
    rounds = schedule([entrants[at] for at in (2, 0, 3, 1)])
    assert [pairing.seats for pairing in rounds[0].pairings] == [(3, 2), (1, 4)]
    assert [paired.number for paired in rounds] == [1, 2, 3]


def test_an_odd_field_is_free_in_turn() -> None:
    rounds = schedule(field_of(5))
    assert accounted(rounds, 5)
    assert [bye.entrant for paired in rounds for bye in paired.byes] == [1, 4, 2, 5, 3]
    assert {bye.why[0].code for paired in rounds for bye in paired.byes} == {"bye.berger"}


def test_a_late_entry_takes_the_free_place_and_nobody_else_moves() -> None:
    five = field_of(5)
    late = replace(field_of(6)[5], joined=3)
    with_late = schedule([*five, late])
    assert [[pairing.seats for pairing in paired.pairings if 6 not in pairing.seats] for paired in with_late] == [
        [pairing.seats for pairing in paired.pairings] for paired in schedule(five)
    ]
    assert [sum(6 in pairing.seats for pairing in paired.pairings) for paired in with_late] == [0, 0, 1, 1, 1]
    assert [sorted(paired.everybody()) for paired in with_late] == [[1, 2, 3, 4, 5]] * 2 + [[1, 2, 3, 4, 5, 6]] * 3


@given(st.integers(2, 9), st.integers(0, 6), st.integers(0, 2), st.booleans())
def test_what_is_left_after_some_rounds_is_played_with_both_late_entries_and_without_drop_outs(
    count: int, done: int, late: int, double: bool
) -> None:
    """Everybody has met everybody once, or on both sides; no player is in a round twice."""
    rounds = schedule(field_of(count), double=double)[:done]
    results = [result for paired in rounds for result in finished(paired)]
    everybody = field_of(count + late)
    everybody[0] = replace(everybody[0], withdrawn_after=max(done, 1))
    first = len(rounds) + 1
    present = [who.id for who in everybody if who.is_in(first)]
    later = remaining(everybody, results, first, double=double)
    assert all(sorted(paired.everybody()) == present for paired in later)
    played = Counter(pairing.seats for paired in [*rounds, *later] for pairing in paired.pairings)
    for one, other in combinations(present, 2):
        both = (played[one, other], played[other, one])
        assert both == (1, 1) if double else sum(both) == 1
    if not done and not double:
        for who in present:
            sides = [seats.index(who) for seats in played for who_sat in seats if who_sat == who]
            assert abs(sides.count(0) - sides.count(1)) <= 1


def test_a_round_more_than_the_table_is_enough_for_a_late_entry_to_an_even_field() -> None:
    rounds = schedule(field_of(6))[:2]
    results = [result for paired in rounds for result in finished(paired)]
    assert len(remaining(field_of(7), results, 3)) <= 6


def laid_out(count: int, done: int, late: int, double: bool) -> tuple[list[Round], list[Round]]:
    """Return the first rounds of a table, and the rest with additional late entries."""
    rounds = schedule(field_of(count), double=double)[:done]
    results = [result for paired in rounds for result in finished(paired)]
    everybody = [replace(one, joined=done + 1) if one.id > count else one for one in field_of(count + late)]
    return rounds, rest(everybody, results, done + 1, double=double)


@given(st.integers(2, 10), st.integers(1, 9), st.integers(1, 2), st.booleans())
def test_late_entries_cost_no_more_rounds_than_they_need_and_sides_stay_even(
    count: int, done: int, late: int, double: bool
) -> None:
    """Everybody meets everybody; sides within one in a single round robin, equal in a double one; as many rounds as the
    busiest player has games, or as the games need, and rarely one more.
    """
    done = min(done, len(schedule(field_of(count), double=double)))
    before, after = laid_out(count, done, late, double)
    assert [paired.number for paired in after] == list(range(done + 1, done + 1 + len(after)))
    assert all(sorted(paired.everybody()) == list(range(1, count + late + 1)) for paired in after)
    games = [pairing.seats for paired in [*before, *after] for pairing in paired.pairings]
    everybody = range(1, count + late + 1)
    met = Counter(map(frozenset, games))
    assert met == {frozenset(pair): 1 + double for pair in combinations(everybody, 2)}
    for who in everybody:
        sides = [seats.index(who) for seats in games if who in seats]
        assert abs(sides.count(0) - sides.count(1)) <= 1 - double
    if double:
        legs = Counter((frozenset(one.seats), one.leg) for paired in [*before, *after] for one in paired.pairings)
        assert set(legs.values()) == {1}, "first and return game"
    left = [pairing.seats for paired in after for pairing in paired.pairings]
    busiest = max(sum(who in seats for seats in left) for who in everybody)
    needed = max(busiest, -(-len(left) // ((count + late) // 2)))
    assert needed <= len(after) <= needed + 1


@pytest.mark.parametrize(("count", "done", "late"), [(4, 1, 1), (6, 3, 1), (8, 5, 2), (7, 2, 1)])
def test_what_was_foreseen_comes_round_by_round(count: int, done: int, late: int) -> None:
    """The rest is computed again for each round; pairs stay as predicted."""
    before, foreseen = laid_out(count, done, late, False)
    everybody = [replace(one, joined=done + 1) if one.id > count else one for one in field_of(count + late)]
    results = [result for paired in before for result in finished(paired)]
    for number, expected in enumerate(foreseen, done + 1):
        paired = rest(everybody, results, number)[0]
        assert {frozenset(one.seats) for one in paired.pairings} == {frozenset(one.seats) for one in expected.pairings}
        results += finished(paired)
    assert rest(everybody, results, done + len(foreseen) + 1) == []
    sat = Counter(seat for result in results if len(result.seats) == 2 for seat in enumerate(result.seats))
    assert all(abs(sat[0, who.id] - sat[1, who.id]) <= 1 for who in everybody)


@pytest.mark.parametrize("double", [False, True])
def test_the_table_goes_on_while_it_serves(double: bool) -> None:
    """Also when a player leaves; an annulled game is laid out again."""
    table = schedule(field_of(6), double=double)
    results = [result for paired in table[:2] for result in finished(paired)]
    assert rest(field_of(6), results, 3, double=double) == table[2:]
    left = [replace(one, withdrawn_after=2) if one.id == 4 else one for one in field_of(6)]
    seats = [pairing.seats for paired in table[2:] for pairing in paired.pairings if 4 not in pairing.seats]
    goes_on = rest(left, results, 3, double=double)
    assert [pairing.seats for paired in goes_on for pairing in paired.pairings] == seats
    void = [Result(one.round, one.seats, one.points, VOID) if one is results[0] else one for one in results]
    again = rest(field_of(6), void, 3, double=double)
    assert frozenset(results[0].seats) in {frozenset(one.seats) for paired in again for one in paired.pairings}
    alone = [replace(one, withdrawn_after=2) if one.id > 1 else one for one in field_of(6)]
    assert rest(alone, results, 3, double=double) == []


def test_who_is_away_plays_the_game_later() -> None:
    away = [replace(one, away=frozenset({3})) if one.id == 1 else one for one in field_of(4)]
    results = [result for paired in schedule(field_of(4))[:2] for result in finished(paired)]
    after = rest(away, results, 3)
    assert [sum(1 in pairing.seats for pairing in paired.pairings) for paired in after] == [0, 1]
    assert all(sorted(paired.everybody()) == [1, 2, 3, 4] for paired in after)


def test_bad_input_is_refused() -> None:
    for wrong in (0, 1, 5):
        with pytest.raises(ValueError):
            berger_table(wrong)
    with pytest.raises(ValueError):
        schedule(field_of(1))
