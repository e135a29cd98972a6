"""Terms of team matches, squads and line-ups, sides of boards, rounds of teams."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.model import Competitor
from app.leagues.pure.teams.line_ups import in_board_order, line_up, team_rating, usual_line_up
from app.leagues.pure.teams.model import SquadPlayer, first_side, new_match, seats
from app.leagues.pure.teams.rounds import all_rounds
from app.leagues.pure.teams.terms import (
    TEAM_TIE_BREAKS,
    TEAM_USUAL,
    TeamTerms,
    judge_team_terms,
    read_team_terms,
    write_team_terms,
)
from app.leagues.pure.terms import WrongTerm
from app.leagues.pure.why import Reason, sentence
from engine.kernel.text import PlainSpeaker, say

SPEAKER = PlainSpeaker(lambda kind, key, lang: key)
FIXED = TeamTerms(boards=3)
BY_RATING = TeamTerms(boards=3, board_order="rating", tolerance=50)
SQUAD = [
    SquadPlayer(11, 1, 1700.0),
    SquadPlayer(12, 2, 1800.0),
    SquadPlayer(13, 3, 1640.0),
    SquadPlayer(14, 4, None),
]
NAMES = {11: "Ada", 12: "Ben", 13: "Cleo", 14: "Dan"}


# -- terms --------------------------------------------------------------------------------------------


def some_terms() -> st.SearchStrategy[TeamTerms]:
    points = st.fractions(0, 10, max_denominator=4)
    return st.builds(
        TeamTerms,
        boards=st.integers(1, 20),
        win=points,
        draw=points,
        loss=points,
        bye_match=st.none() | points,
        bye_board=st.none() | points,
        first=st.sampled_from(["match_points", "board_points"]),
        tie_breaks=st.permutations(TEAM_TIE_BREAKS).map(lambda names: tuple(names[:5])),
        board_order=st.sampled_from(["fixed", "rating"]),
        tolerance=st.integers(0, 1000),
        sides=st.sampled_from(["alternate", "same"]),
        legs=st.integers(1, 2),
        withdrawal=st.sampled_from(["annul", "walkover", "half"]),
    )


@given(some_terms())
def test_terms_are_read_back_equal(terms: TeamTerms) -> None:
    assert read_team_terms(json.loads(json.dumps(write_team_terms(terms)))) == terms


def test_usual_terms_need_no_data_and_are_sound() -> None:
    assert write_team_terms(TEAM_USUAL) == {}
    judge_team_terms(TEAM_USUAL)
    assert (TEAM_USUAL.bye_match_points, TEAM_USUAL.bye_board_points) == (1, 2)
    assert set(TEAM_USUAL.tie_breaks) <= set(TEAM_TIE_BREAKS)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("boards", 0),
        ("boards", 21),
        ("win", "many"),
        ("bye_board", "-1"),
        ("first", "points"),
        ("tie_breaks", ["direct", "direct"]),
        ("board_order", "random"),
        ("tolerance", -1),
        ("sides", "white"),
        ("legs", 3),
        ("withdrawal", "never"),
        ("colour", 1),
    ],
)
def test_a_wrong_term_is_named(key: str, value: Any) -> None:
    with pytest.raises(WrongTerm) as refused:
        read_team_terms({key: value})
    assert refused.value.key == key


@pytest.mark.parametrize("wrong", [{"draw": 3}, {"loss": 2}, {"win": 0, "draw": 0}, {"board_draw": 2}])
def test_terms_that_contradict_each_other_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(WrongTerm):
        judge_team_terms(replace(TEAM_USUAL, **{key: Fraction(value) for key, value in wrong.items()}))  # type: ignore[arg-type]


def test_every_term_can_be_read() -> None:
    for item in fields(TeamTerms):
        with pytest.raises(WrongTerm):
            read_team_terms({item.name: object()})


# -- line-ups -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terms", "chosen", "right"),
    [
        (FIXED, [11, 12, 13], (11, 12, 13)),
        (FIXED, [11, 13, 14], (11, 13, 14)),
        (FIXED, [12], (12, None, None)),
        (BY_RATING, [12, 11, 13], (12, 11, 13)),
        (BY_RATING, [13, 14], (13, 14, None)),
        (replace(BY_RATING, tolerance=100), [11, 12], (11, 12, None)),
    ],
)
def test_a_line_up_stands(terms: TeamTerms, chosen: list[int], right: tuple[int | None, ...]) -> None:
    assert line_up(SQUAD, chosen, terms) == right


@pytest.mark.parametrize(
    ("terms", "chosen", "said"),
    [
        (FIXED, [], "A line-up needs at least one player."),
        (FIXED, [11, 12, 13, 14], "A match has 3 boards, but 4 players were named."),
        (FIXED, [11, 99], "Somebody was named for board 2 who is not of this team."),
        (FIXED, [11, 12, 11], "Ada was named for more than one board."),
        (
            FIXED,
            [12, 13, 11],
            "Ada stands above Ben in the team’s order of boards, and plays on a higher board if both play.",
        ),
        (
            BY_RATING,
            [11, 12, 13],
            "Ada has a rating of 1700 and plays on a higher board than Ben with 1800; "
            "a difference of 50 at most is allowed.",
        ),
        (BY_RATING, [14, 13], "Dan has no rating, and plays on a lower board than Cleo, who has one."),
    ],
)
def test_why_a_line_up_cannot_stand(terms: TeamTerms, chosen: list[int], said: str) -> None:
    why = line_up(SQUAD, chosen, terms)
    assert isinstance(why, Reason)
    assert say(sentence(why, NAMES), SPEAKER) == said


def test_the_tolerance_counts_between_any_two_boards() -> None:
    """Not only between neighbours: three steps of 40 are 80 together."""
    squad = [SquadPlayer(at, at, 1600.0 + 40 * at) for at in (1, 2, 3)]
    assert line_up(squad, [2, 3], BY_RATING) == (2, 3, None)
    assert line_up(squad, [1, 2, 3], BY_RATING) == Reason(
        "lineup.rating", entrant=1, opponent=3, rating=1640, other_rating=1720, tolerance=50
    )


@given(st.lists(st.tuples(st.none() | st.integers(800, 2600)), max_size=8), st.sampled_from([FIXED, BY_RATING]))
def test_the_usual_line_up_always_stands(ratings: list[tuple[int | None]], terms: TeamTerms) -> None:
    squad = [SquadPlayer(at, at, rating) for at, (rating,) in enumerate(ratings, start=1)]
    usual = usual_line_up(squad, terms, away={2})
    assert len(usual) == terms.boards and 2 not in usual
    named = [who for who in usual if who is not None]
    assert not named or line_up(squad, named, terms) == usual
    assert len(named) == min(terms.boards, sum(player.id != 2 for player in squad))


def test_a_team_is_rated_by_those_whom_a_match_needs() -> None:
    assert team_rating(SQUAD, TeamTerms(boards=2)) == 1750
    assert team_rating(SQUAD[3:], FIXED) is None
    assert [player.id for player in in_board_order(SQUAD, BY_RATING)] == [12, 11, 13, 14]


# -- boards and sides ---------------------------------------------------------------------------------


def test_a_match_begins_with_the_boards_that_two_can_play() -> None:
    match = new_match(1, 1, 2, ((11, 12, None), (21, None)), TeamTerms(boards=4))
    assert [(board.players, board.points, board.ended) for board in match.boards] == [
        ((11, 21), None, ""),
        ((12, None), (1, 0), "walkover"),
        ((None, None), (0, 0), "double_forfeit"),
        ((None, None), (0, 0), "double_forfeit"),
    ]


def test_the_first_named_team_begins_on_every_other_board() -> None:
    assert [first_side(board, TEAM_USUAL) for board in (1, 2, 3, 4)] == [0, 1, 0, 1]
    assert [seats(board, (7, 8), TEAM_USUAL) for board in (1, 2)] == [(7, 8), (8, 7)]
    assert [seats(board, (7, 8), replace(TEAM_USUAL, sides="same")) for board in (1, 2)] == [(7, 8), (7, 8)]


# -- rounds -------------------------------------------------------------------------------------------


@given(st.integers(2, 12), st.integers(1, 2), st.integers(1, 6))
def test_everybody_meets_everybody_and_sides_are_balanced(count: int, legs: int, boards: int) -> None:
    terms = TeamTerms(boards=boards, legs=legs)
    teams = [Competitor(10 + at, f"T{at}", count - at) for at in range(count)]
    rounds = all_rounds(teams, terms)
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
    assert len(all_rounds(teams, terms, rounds=1)) == 1
