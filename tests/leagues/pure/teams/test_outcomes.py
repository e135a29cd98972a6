"""What a match of teams brings, what its open boards can still change, and forfeits."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.model import Points
from app.leagues.pure.teams.model import BoardResult, TeamMatch
from app.leagues.pure.teams.outcomes import (
    MatchEnd,
    all_board_points,
    forfeit_boards,
    forfeit_match,
    match_points,
    score,
    with_board,
)
from app.leagues.pure.teams.terms import TEAM_USUAL, TeamTerms

WON, DRAWN, LOST = MatchEnd.WON, MatchEnd.DRAWN, MatchEnd.LOST
POINTS: dict[str, tuple[Points, Points]] = {
    "1": (Fraction(1), Fraction(0)),
    "=": (Fraction(1, 2), Fraction(1, 2)),
    "0": (Fraction(0), Fraction(1)),
}


def match_of(boards: str, terms: TeamTerms = TEAM_USUAL) -> TeamMatch:
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
    for sign, by in (("+", {2}), ("-", {1}), ("x", {1, 2})):
        match = forfeit_boards(match, [at for at, one in enumerate(boards, 1) if one == sign], by, terms)
    return match


@pytest.mark.parametrize(
    ("boards", "points", "match", "ends"),
    [
        ("1=0=", (2, 2), (1, 1), (DRAWN, DRAWN)),
        ("11=0", (Fraction(5, 2), Fraction(3, 2)), (2, 0), (WON, LOST)),
        ("111.", (3, 0), (2, 0), (WON, LOST)),
        ("00=.", (Fraction(1, 2), Fraction(5, 2)), (0, 2), (LOST, WON)),
        ("++++", (4, 0), (2, 0), (WON, LOST)),
        ("+-+-", (2, 2), (1, 1), (DRAWN, DRAWN)),
        ("xxxx", (0, 0), (0, 0), (LOST, LOST)),
        ("1xxx", (1, 0), (2, 0), (WON, LOST)),
        ("vvvv", (0, 0), (0, 0), None),
        ("1v0v", (1, 1), (1, 1), (DRAWN, DRAWN)),
        ("11..", (2, 0), None, None),
    ],
)
def test_a_match_brings_points(
    boards: str,
    points: tuple[int, int],
    match: tuple[int, int] | None,
    ends: tuple[MatchEnd, MatchEnd] | None,
) -> None:
    found = score(match_of(boards), TEAM_USUAL)
    assert (found.board_points, found.match_points, found.ends) == (points, match, ends)
    assert found.open_boards == boards.count(".") and found.is_decided == (ends is not None)


def test_the_last_board_decides() -> None:
    found = score(match_of("10=."), TEAM_USUAL)
    assert found.last_board == ((WON, DRAWN, LOST), (WON, DRAWN, LOST))
    assert found.needs[0].to_win == 1 and found.needs[0].to_draw == Fraction(1, 2)
    found = score(match_of("11=0."), replace(TEAM_USUAL, boards=5))
    assert found.last_board == ((WON, WON, DRAWN), (DRAWN, LOST, LOST))
    assert found.needs[0].to_draw == 0 and found.needs[1].to_win is None and found.needs[1].to_draw == 1
    assert score(match_of("11.."), TEAM_USUAL).last_board == ()


@given(st.text("1=0.+-xv", min_size=1, max_size=6))
def test_what_open_boards_can_change_is_what_they_do(boards: str) -> None:
    """Every way of ending the open boards agrees with what was said before."""
    terms = replace(TEAM_USUAL, boards=len(boards))
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
        assert (len({one.ends for one in ended}) == 1) == found.is_decided
    for side, team in enumerate((0, 1)):
        gained = [(one.board_points[team] - found.board_points[team], one.ends and one.ends[team]) for one in ended]
        for wanted, need in (({WON}, found.needs[side].to_win), ({WON, DRAWN}, found.needs[side].to_draw)):
            if ended[0].ends in (None, (LOST, LOST)):
                continue
            assert all(end in wanted for points, end in gained if need is not None and points >= need)
            assert all(end not in wanted for points, end in gained if need is None or points < need)
    if len(ways) == 3:
        assert found.last_board[0] == tuple(one.ends and one.ends[0] for one in ended)
        assert found.last_board[1] == tuple(one.ends and one.ends[1] for one in reversed(ended))


def test_a_board_without_a_player_is_forfeited() -> None:
    match = forfeit_boards(match_of("1..."), [2], {1}, TEAM_USUAL)
    assert match.boards[1] == BoardResult((12, 22), POINTS["0"], "walkover")
    match = forfeit_boards(match, [3], {1, 2}, TEAM_USUAL)
    assert match.boards[2].points == (0, 0) and match.boards[2].ended == "double_forfeit"
    with pytest.raises(ValueError):
        forfeit_boards(match, [4], {3}, TEAM_USUAL)


def test_a_match_is_forfeited_as_far_as_it_is_open() -> None:
    match = forfeit_match(match_of("0..."), {2}, TEAM_USUAL)
    assert all_board_points(match, TEAM_USUAL) == (3, 1) and match.was_played
    both = forfeit_match(match_of("...."), {1, 2}, TEAM_USUAL)
    assert both.ended() == "double_forfeit" and match_points(both, TEAM_USUAL) == (0, 0)
    assert forfeit_match(match_of("...."), {1}, TEAM_USUAL).ended() == "walkover"


def test_byes_bring_what_the_terms_say() -> None:
    kinds = ("pairing_bye", "full_bye", "half_bye", "zero_bye")
    byes = [TeamMatch(1, 1, None, bye=kind) for kind in kinds]
    assert [match_points(one, TEAM_USUAL)[0] for one in byes] == [1, 2, 1, 0]
    assert [all_board_points(one, TEAM_USUAL)[0] for one in byes] == [2, 4, 2, 0]
    terms = replace(TEAM_USUAL, bye_match=Fraction(2), bye_board=Fraction(5, 2))
    assert (match_points(byes[0], terms), all_board_points(byes[0], terms)) == ((2,), (Fraction(5, 2),))


def test_what_cannot_be_is_refused() -> None:
    open_board = BoardResult((1, 2))
    for make in (
        lambda: BoardResult((1, 2), POINTS["1"]),
        lambda: BoardResult((1, 2), None, "played"),
        lambda: BoardResult((1, None), POINTS["1"], "played"),
        lambda: BoardResult((1, 2), POINTS["1"], "half_bye"),
        lambda: TeamMatch(1, 1, 1, (open_board,)),
        lambda: TeamMatch(1, 1, 2),
        lambda: TeamMatch(1, 1, None),
        lambda: TeamMatch(1, 1, 2, (open_board,), "half_bye"),
        lambda: match_points(TeamMatch(1, 1, 2, (open_board,)), TEAM_USUAL),
    ):
        with pytest.raises(ValueError):
            make()
