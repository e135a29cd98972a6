"""The order of boards, their sides, rounds of teams."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.model import Competitor
from app.leagues.pure.pairing.berger import schedule
from app.leagues.pure.teams.line_ups import in_board_order
from app.leagues.pure.teams.model import SquadPlayer, first_side, seats
from app.leagues.pure.teams.terms import TEAM_USUAL, TeamTerms

FIXED = TeamTerms(boards=3)
BY_RATING = TeamTerms(boards=3, board_order="rating")
SQUAD = [
    SquadPlayer(11, 1, 1700.0),
    SquadPlayer(12, 2, 1800.0),
    SquadPlayer(13, 3, 1640.0),
    SquadPlayer(14, 4, None),
]


# -- line-ups -----------------------------------------------------------------------------------------


def test_the_order_of_boards_is_the_squads_or_that_of_ratings() -> None:
    assert [player.id for player in in_board_order(SQUAD[::-1], FIXED)] == [11, 12, 13, 14]
    assert [player.id for player in in_board_order(SQUAD, BY_RATING)] == [12, 11, 13, 14]


# -- boards and sides ---------------------------------------------------------------------------------


def test_the_first_named_team_begins_on_every_other_board() -> None:
    assert [first_side(board, TEAM_USUAL) for board in (1, 2, 3, 4)] == [0, 1, 0, 1]
    assert [seats(board, (7, 8), TEAM_USUAL) for board in (1, 2)] == [(7, 8), (8, 7)]
    assert [seats(board, (7, 8), replace(TEAM_USUAL, sides="same")) for board in (1, 2)] == [(7, 8), (7, 8)]


# -- rounds -------------------------------------------------------------------------------------------


@given(st.integers(2, 12), st.integers(1, 2), st.integers(1, 6))
def test_everybody_meets_everybody_and_sides_are_balanced(count: int, legs: int, boards: int) -> None:
    terms = TeamTerms(boards=boards, legs=legs)
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
                on_board[seats(board, (one, other), terms)[0], board] += 1
    assert set(met.values()) == {legs} and len(met) == count * (count - 1) // 2
    games = legs * (count - 1)
    for team in teams:
        assert abs(2 * firsts[team.id] - games) <= (0 if legs == 2 else 1)
        for board in range(1, boards + 1):
            assert abs(2 * on_board[team.id, board] - games) <= (0 if legs == 2 else 1)
