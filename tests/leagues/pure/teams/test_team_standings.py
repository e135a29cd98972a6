"""Standings of teams against an independent sum, and a FIDE team file read with every point equal."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.leagues.pure.model import DOUBLE_FORFEIT, PLAYED, WALKOVER, Competitor
from app.leagues.pure.pairing.berger import schedule
from app.leagues.pure.pairing.swiss import pair_round
from app.leagues.pure.pairing.swiss_weights import SwissTerms
from app.leagues.pure.teams.model import BoardResult, TeamMatch
from app.leagues.pure.teams.standings import swiss_field, team_standings
from app.leagues.pure.terms import USUAL, Terms
from tests.support import team_report

HALF, ONE, NONE = Fraction(1, 2), Fraction(1), Fraction(0)
TEAM_FILES = sorted((Path(__file__).parents[5] / "shared" / "reference" / "leagues").glob("*team*.trf"))
"""They are next to the checkout; without the folder there are none."""
TWO = replace(USUAL, boards=2)
SMALL = """012 Two by two
142 2
212 PTS,BC,BBE
310   1 Reds                                   1900    2.0    2.0   1     1    2
310   2 Blues                                  1800    2.0    1.5   2     3    4
310   3 Greens                                 1700    1.0    2.5   3     5    6
001    1      R1                                1950                             1.0    1     3 w 1  0000 - Z
001    2      R2                                1850                             1.0    2     4 b 1  0000 - Z
001    3      B1                                1850                             0.5    3     1 b 0     5 w =
001    4      B2                                1750                             1.0    4     2 w 0     6 b 1
001    5      G1                                1750                             1.5    5  0000 - U     3 b =
001    6      G2                                1650                             1.0    6  0000 - U     4 w 0
"""


def some_matches(seed: int, terms: Terms, count: int = 8) -> tuple[list[Competitor], list[TeamMatch]]:
    chance = random.Random(seed)
    teams = [Competitor(at, f"T{at}", at) for at in range(1, count + 1)]
    matches = []
    for paired in schedule(teams, double=terms.legs == 2):
        for pairing in paired.pairings:
            boards = []
            for _ in range(terms.boards or 0):
                points = chance.choice([(ONE, NONE), (HALF, HALF), (NONE, ONE)])
                ended = chance.choices([PLAYED, WALKOVER], [15, 1 if HALF not in points else 0])[0]
                if chance.random() < 0.02:
                    points, ended = (NONE, NONE), DOUBLE_FORFEIT
                boards.append(BoardResult((1, 2), points, ended))
            matches.append(TeamMatch(paired.number, pairing.seats[0], pairing.seats[1], tuple(boards)))
    return teams, matches


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_eight_teams_of_four_boards_are_ranked_as_worked_out_by_hand(seed: int) -> None:
    terms = replace(USUAL, boards=4, legs=2)
    teams, matches = some_matches(seed, terms)
    mp, gp = defaultdict[int, Fraction](Fraction), defaultdict[int, Fraction](Fraction)
    for match in matches:
        assert match.second is not None
        for mine, side in ((match.first, 0), (match.second, 1)):
            own = [board.points[side] for board in match.boards if board.points]
            other = [board.points[1 - side] for board in match.boards if board.points]
            mp[mine] += 2 if sum(own) > sum(other) else 1 if sum(own) == sum(other) and any(own) else 0
            gp[mine] += sum(own)
    places = team_standings(teams, matches, terms, "lots")
    keys = [(-mp[one.team], -gp[one.team]) for one in places]
    assert keys == sorted(keys)
    for one in places:
        assert (one.match_points, one.board_points) == (mp[one.team], gp[one.team])
        assert len(one.ends) <= 14 and set(one.ends) <= {1, 0, -1}
    lost = sum(board.ended == DOUBLE_FORFEIT for match in matches for board in match.boards)
    assert sum(one.board_points for one in places) == sum(len(match.boards) for match in matches) - lost


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_no_place_depends_on_the_order_of_what_is_given(seed: int) -> None:
    terms = TWO
    teams, matches = some_matches(seed, terms, 5)
    for format in ("round_robin", "swiss"):
        places = team_standings(teams, matches, terms, "x", format=format)
        chance = random.Random(seed)
        mixed = chance.sample(teams, len(teams)), chance.sample(matches, len(matches))
        assert team_standings(*mixed, terms, "x", format=format) == places
        assert sorted(one.team for one in places) == [1, 2, 3, 4, 5]


def compare(text: str) -> None:
    """Files give each player of a team that has the bye a point, we give half of one."""
    made = team_report.read(text)
    places = team_standings(made.teams, made.matches, TWO, "", format="swiss")
    byes = [match.first for match in made.matches if match.second is None]
    assert {one.team: (one.match_points, one.board_points + byes.count(one.team)) for one in places} == {
        team: said[:2] for team, said in made.said.items()
    }


@pytest.mark.parametrize("path", TEAM_FILES, ids=lambda path: path.stem)
def test_fides_team_file_has_every_point_equal(path: Path) -> None:
    compare(path.read_text(encoding="utf-8"))


def test_a_small_team_file_has_every_point_equal() -> None:
    compare(SMALL)
    made = team_report.read(SMALL)
    assert [(match.round, match.first, match.second, match.ended()) for match in made.matches] == [
        (1, 1, 2, "played"),
        (1, 3, None, "pairing_bye"),
        (2, 2, 3, "played"),
    ]
    assert made.matches[0].boards[1] == BoardResult((2, 4), (ONE, NONE), PLAYED)


def test_swiss_rounds_of_teams_pair_equals_who_have_not_met() -> None:
    terms = TWO
    teams = [Competitor(at, f"T{at}", at) for at in range(1, 10)]
    matches: list[TeamMatch] = []
    chance = random.Random(7)
    for number in range(1, 5):
        paired = pair_round(*swiss_field(teams, matches, number, terms), number)
        assert sorted(paired.everybody()) == [team.id for team in teams] and not paired.warnings
        for pairing in paired.pairings:
            boards = tuple(
                BoardResult((1, 2), points, PLAYED)
                for points in chance.choices([(ONE, NONE), (HALF, HALF), (NONE, ONE)], k=2)
            )
            matches.append(TeamMatch(number, pairing.seats[0], pairing.seats[1], boards))
        matches += [TeamMatch(number, bye.entrant, None) for bye in paired.byes]
    met = [frozenset(match.teams) for match in matches]
    assert len(set(met)) == len(met) == 20
    with pytest.raises(ValueError):
        swiss_field(teams, [TeamMatch(1, 1, 2, (BoardResult((1, 2)),))], 2, terms)


def test_equal_teams_are_paired_in_the_order_of_their_board_points() -> None:
    """Four won their first match, 1 and 3 by two points, 2 and 4 by one: the upper half plays the lower one."""
    terms = TWO
    teams = [Competitor(at, f"T{at}", at) for at in range(1, 9)]
    won = BoardResult((1, 2), (ONE, NONE), PLAYED)
    narrow, wide = (won, BoardResult((1, 2), (HALF, HALF), PLAYED)), (won, won)
    matches = [TeamMatch(1, at, at + 4, wide if at % 2 else narrow) for at in (1, 2, 3, 4)]
    paired = pair_round(*swiss_field(teams, matches, 2, terms), 2, terms=SwissTerms(by_sides=False))
    assert {frozenset((1, 2)), frozenset((3, 4))} <= {frozenset(pairing.seats) for pairing in paired.pairings}
