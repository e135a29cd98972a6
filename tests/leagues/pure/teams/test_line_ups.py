"""The sides of boards, rounds of teams."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.model import Competitor
from app.leagues.pure.pairing.berger import schedule
from app.leagues.pure.teams.model import first_side, seats

# -- boards and sides ---------------------------------------------------------------------------------


def test_the_first_named_team_begins_on_every_other_board() -> None:
    assert [first_side(board) for board in (1, 2, 3, 4)] == [0, 1, 0, 1]
    assert [seats(board, (7, 8)) for board in (1, 2)] == [(7, 8), (8, 7)]


# -- rounds -------------------------------------------------------------------------------------------


@given(st.integers(2, 12), st.integers(1, 2), st.integers(1, 6))
def test_everybody_meets_everybody_and_sides_are_balanced(count: int, legs: int, boards: int) -> None:
    teams = [Competitor(10 + at, f"T{at}", count - at) for at in range(count)]
    rounds = schedule(sorted(teams, key=lambda team: team.seed), double=legs == 2)
    met, firsts, on_board = Counter[tuple[int, int]](), Counter[int](), Counter[tuple[int, int]]()
    for paired in rounds:
        assert sorted(paired.everybody()) == sorted(team.id for team in teams)
        assert len(paired.byes) == count % 2
        for pairing in paired.pairings:
            one, other = pairing.seats
            met[min(one, other), max(one, other)] += 1
            firsts[one] += 1
            for board in range(1, boards + 1):
                on_board[seats(board, (one, other))[0], board] += 1
    assert set(met.values()) == {legs} and len(met) == count * (count - 1) // 2
    games = legs * (count - 1)
    for team in teams:
        assert abs(2 * firsts[team.id] - games) <= (0 if legs == 2 else 1)
        for board in range(1, boards + 1):
            assert abs(2 * on_board[team.id, board] - games) <= (0 if legs == 2 else 1)
