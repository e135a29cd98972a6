"""The outcome of a match of teams, once its open boards cannot change it, and forfeits."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.model import Points
from app.leagues.pure.teams.model import BoardResult, TeamMatch, forfeited_board
from app.leagues.pure.teams.outcomes import all_board_points, match_points, score
from app.leagues.pure.terms import USUAL, Terms

FOUR = replace(USUAL, boards=4)
POINTS: dict[str, tuple[Points, Points]] = {
    "1": (Fraction(1), Fraction(0)),
    "=": (Fraction(1, 2), Fraction(1, 2)),
    "0": (Fraction(0), Fraction(1)),
}
FORFEITED = {"+": (False, True), "-": (True, False), "x": (True, True)}
"""By which team."""


def with_board(match: TeamMatch, board: int, result: BoardResult) -> TeamMatch:
    """Return the match with another result of a board."""
    boards = list(match.boards)
    boards[board - 1] = result
    return replace(match, boards=tuple(boards))


def match_of(boards: str, terms: Terms = FOUR) -> TeamMatch:
    """A match of teams 1 and 2, a sign for each board: 1 = 0 played, . open, + - forfeited, x by both, v void."""
    made = []
    for at, sign in enumerate(boards, start=1):
        players = (10 + at, 20 + at)
        if sign in POINTS:
            made.append(BoardResult(players, POINTS[sign], "played"))
        elif sign == "v":
            made.append(BoardResult(players, None, "void"))
        else:
            made.append(BoardResult(players))
    match = TeamMatch(1, 1, 2, tuple(made))
    for at, sign in enumerate(boards, start=1):
        if sign in FORFEITED:
            match = with_board(match, at, forfeited_board(match.boards[at - 1].players, FORFEITED[sign], terms))
    return match


@pytest.mark.parametrize(
    ("boards", "points", "match"),
    [
        ("1=0=", (2, 2), (1, 1)),
        ("11=0", (Fraction(5, 2), Fraction(3, 2)), (2, 0)),
        ("111.", (3, 0), (2, 0)),
        ("00=.", (Fraction(1, 2), Fraction(5, 2)), (0, 2)),
        ("++++", (4, 0), (2, 0)),
        ("+-+-", (2, 2), (1, 1)),
        ("xxxx", (0, 0), (0, 0)),
        ("1xxx", (1, 0), (2, 0)),
        ("vvvv", (0, 0), (0, 0)),
        ("1v0v", (1, 1), (1, 1)),
        ("11..", (2, 0), None),
    ],
)
def test_a_match_brings_points(boards: str, points: tuple[int, int], match: tuple[int, int] | None) -> None:
    found = score(match_of(boards), FOUR)
    assert (found.board_points, found.match_points, found.open_boards) == (points, match, boards.count("."))


@given(st.text("1=0.+-xv", min_size=1, max_size=6))
def test_what_open_boards_can_change_is_what_they_do(boards: str) -> None:
    """Every way of ending the open boards agrees with what was said before."""
    terms = replace(FOUR, boards=len(boards))
    match = match_of(boards, terms)
    found = score(match, terms)
    ways = [match]
    for at, sign in enumerate(boards, start=1):
        if sign == ".":
            ways = [
                with_board(way, at, BoardResult(way.boards[at - 1].players, points, "played"))
                for way in ways
                for points in POINTS.values()
            ]
    ended = [score(way, terms) for way in ways]
    if "." in boards:
        assert (len({one.match_points for one in ended}) == 1) == (found.match_points is not None)


def test_a_board_without_a_player_is_forfeited() -> None:
    assert forfeited_board((12, 22), (True, False), FOUR) == BoardResult((12, 22), POINTS["0"], "walkover")
    both = forfeited_board((12, None), (True, True), FOUR)
    assert both.points == (0, 0) and both.ended == "double_forfeit"
    with pytest.raises(ValueError):
        forfeited_board((12, 22), (False, False), FOUR)


def test_a_match_that_was_begun_or_not_is_forfeited() -> None:
    begun = match_of("0+++")
    assert all_board_points(begun, FOUR) == (3, 1) and begun.was_played
    both = match_of("xxxx")
    assert both.ended() == "double_forfeit" and match_points(both, FOUR) == (0, 0)
    assert match_of("----").ended() == "walkover"


def test_a_bye_brings_a_drawn_match_with_draws_on_all_boards() -> None:
    bye = TeamMatch(1, 1, None)
    assert (match_points(bye, FOUR), all_board_points(bye, FOUR), bye.ended()) == ((1,), (2,), "pairing_bye")


def test_what_cannot_be_is_refused() -> None:
    open_board = BoardResult((1, 2))
    for make in (
        lambda: BoardResult((1, 2), POINTS["1"]),
        lambda: BoardResult((1, 2), None, "played"),
        lambda: BoardResult((1, None), POINTS["1"], "played"),
        lambda: BoardResult((1, 2), POINTS["1"], "half_bye"),
        lambda: TeamMatch(1, 1, 1, (open_board,)),
        lambda: TeamMatch(1, 1, 2),
        lambda: TeamMatch(1, 1, None, (open_board,)),
        lambda: match_points(TeamMatch(1, 1, 2, (open_board,)), FOUR),
    ):
        with pytest.raises(ValueError):
            make()
