"""Tie-breaks as FIDE's own exercises have them.

Source: IA Mario Held, "Exercises in Tie-Breaking" (C.07:2023, rev. 2403220900; tec.fide.com, 18 March 2024), as kept in
`tests/test_fide_held_individual_exercises.py` and `tests/fixtures/held_*.trf` of github.com/OttoMilvang/TieBreakServer
(MIT; its author's program is FIDE's checker), with the values that the rules of 1 March 2026 (article 16.4) change in
these exercises (`POST_2026` there). The table of 16 has a pairing bye, half-point byes, walkovers, an absence and a
withdrawal.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from app.leagues.pure.model import HALF_BYE, PAIRING_BYE, PLAYED, WALKOVER, ZERO_BYE, Competitor, Result
from app.leagues.pure.standings import Place, standings
from app.leagues.pure.terms import USUAL
from tests.support.tournaments import DRAW, LOSS, WIN

SWISS_5 = """
    1:  +9 =13 =2 +15 =4
    2:  +10 +7 =1 +16 =3
    3:  =11 +6 +8 =4 =2
    4:  +12 H +13 =3 =1
    5:  -13 -15 +11 =7 +10
    6:  -14 -3 U +10 +8
    7:  +15 -2 -16 =5 -11
    8:  =16 +14 -3 +13 -6
    9:  -1 -10 H f11 U
    10: -2 +9 -15 -6 -5
    11: =3 -16 -5 w9 +7
    12: -4 U w14 Z Z
    13: +5 =1 -4 -8 -14
    14: +6 -8 f12 Z +13
    15: -7 +5 +10 -1 -16
    16: =8 +11 +7 -2 +15"""
SWISS_9 = """
    1:  +9 =13 =2 +15 =4 =6 =3 =16 +8
    2:  +10 +7 =1 +16 +3 =4 -6 =15 =5
    3:  =11 +6 +8 =4 -2 +16 =1 +14 +10
    4:  +12 H +13 =3 =1 =2 =16 =6 +15
    5:  -13 -15 +11 =7 +10 -14 +9 -8 =2
    6:  -14 -3 U +10 +8 =1 +2 =4 +16
    7:  +15 -2 -16 =5 -11 -10 +13 +9 +14
    8:  =16 +14 -3 +13 -6 =11 =15 +5 -1
    9:  -1 -10 H f11 U +13 -5 -7 =12
    10: -2 +9 -15 -6 -5 +7 +12 +11 -3
    11: =3 -16 -5 w9 +7 =8 -14 -10 =13
    12: -4 U w14 Z Z -15 -10 =13 =9
    13: +5 =1 -4 -8 -14 -9 -7 =12 =11
    14: +6 -8 f12 Z +13 +5 +11 -3 -7
    15: -7 +5 +10 -1 -16 +12 =8 =2 -4
    16: =8 +11 +7 -2 +15 -3 =4 =1 -6"""
ROUND_ROBIN = """
    1: =5 +2 +3 -4 +6
    2: +6 -1 +5 =3 +4
    3: +4 +6 -1 =2 +5
    4: -3 -5 =6 +1 -2
    5: =1 +4 -2 f6 -3
    6: -2 -3 =4 w5 -1"""
"""A line for each entrant, a word for each round: won, drawn or lost against; w, f: won or lost without playing;
U: pairing bye, H: half-point bye, Z: absent."""

BYES = {"U": (PAIRING_BYE, WIN), "H": (HALF_BYE, DRAW), "Z": (ZERO_BYE, LOSS)}
POINTS = {"+": WIN, "=": DRAW, "-": LOSS, "w": WIN, "f": LOSS}


def event(table: str) -> tuple[list[Competitor], list[Result]]:
    entrants, results, seen = [], [], set()
    for line in table.strip().splitlines():
        number, rounds = line.split(":")
        who = int(number)
        entrants.append(Competitor(who, f"P{who}", who))
        for round, word in enumerate(rounds.split(), 1):
            if word in BYES:
                ended, points = BYES[word]
                results.append(Result(round, (who,), (points,), ended))
            elif (round, other := int(word[1:])) and (round, frozenset((who, other))) not in seen:
                seen.add((round, frozenset((who, other))))
                points = POINTS[word[0]]
                ended = WALKOVER if word[0] in "wf" else PLAYED
                results.append(Result(round, (who, other), (points, 1 - points), ended))
    return entrants, results


def placed(table: str, *names: str, format: str = "swiss") -> tuple[Place, ...]:
    entrants, results = event(table)
    return standings(entrants, results, replace(USUAL, tie_breaks=("points", *names)), "lots", format=format)


def values(table: str, name: str, format: str = "swiss") -> dict[int, str]:
    found = {place.entrant: place.values[name] for place in placed(table, name, format=format)}
    return {who: str(float(value)) for who, value in sorted(found.items()) if value is not None}


def ranks(table: str, name: str, format: str = "swiss") -> dict[int, int]:
    """Shared places: what only lots decided is equal."""
    found, rank = {}, 1
    for place in placed(table, name, format=format):
        found[place.entrant] = rank
        if place.decided != "lots":
            rank = place.place + 1
    return dict(sorted(found.items()))


def column(text: str) -> dict[int, str]:
    """By number from 1; "." is a value that the source does not give."""
    return {who: str(float(Fraction(word))) for who, word in enumerate(text.split(), 1) if word != "."}


BUCHHOLZ = "12.5 13 15.5 14 8.5 . 14.5 13.5 9 13 12.5 11.5 14 11 12 12.5"
CUT1 = "11 12 13 11.5 7.5 . 12.5 12 7.5 11.5 11 9.5 12 9 11 11"
BERGER = "8 9.5 10.5 9.25 4.25 6 3.25 5.25 2.25 1.5 4.75 4 4.25 4.5 3.5 7.25"
WINS = "2 3 2 2 2 3 1 2 1 1 2 2 1 2 2 3"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("buchholz", BUCHHOLZ), ("buchholz_cut1", CUT1), ("sonneborn_berger", BERGER), ("wins", WINS)],
    ids=["buchholz", "buchholz_cut1", "sonneborn_berger", "wins"],
)
def test_a_swiss_event_with_byes_walkovers_and_a_withdrawal(name: str, expected: str) -> None:
    """C.07, articles 7.1, 8.1, 9.1, 14.1, 16; exercises 1 to 8, 11, 12 and 27, in the values of 2026"""
    found = values(SWISS_5, name)
    assert {who: found[who] for who in column(expected)} == column(expected)


def test_the_mean_of_the_opponents_buchholz() -> None:
    """C.07, article 8.2; exercise 9 in the values of 2026, of those who met number 6 in a game"""
    found = {place.entrant: place.values["buchholz"] for place in placed(SWISS_5, "buchholz")}
    _, results = event(SWISS_5)
    for who, expected in ((3, "12.90"), (8, "12.90"), (10, "10.80")):
        met = [one for result in results if result.was_played and who in result.seats for one in result.seats]
        faced = [found[one] or 0 for one in met if one != who]
        assert f"{float(sum(faced, Fraction(0)) / len(faced)):.2f}" == expected


def test_sonneborn_berger_where_games_are_known_beforehand() -> None:
    """C.07, articles 9.1 and 15.2: a game won without playing is one like others; exercise 14"""
    assert values(ROUND_ROBIN, "sonneborn_berger", "round_robin") == column("9.25 6.25 6.25 4.25 3.25 2.25")


def test_direct_encounter_where_all_have_met() -> None:
    """C.07, article 6.1; exercise 26"""
    assert ranks(ROUND_ROBIN, "direct", "round_robin") == {1: 1, 2: 2, 3: 2, 4: 6, 5: 5, 6: 4}


def test_direct_encounter_where_some_have_not_met() -> None:
    """C.07, article 6.2; exercises 23 to 25"""
    after_5 = ranks(SWISS_5, "direct")
    assert {after_5[who] for who in (1, 3, 4, 16)} == {2}
    assert {after_5[who] for who in (5, 8, 11)} == {7}
    shared = [3, 5, 1, 3, 9, 2, 6, 6, 14, 9, 13, 14, 16, 9, 9, 6]
    assert ranks(SWISS_9, "direct") == dict(enumerate(shared, 1))


CASES_2026 = {
    "16.2 to 16.4": (
        """
        1: +2 w3 +4
        2: -1 +4 U
        3: =4 f1 Z
        4: =3 -2 -1""",
        {"buchholz": "3.5 5 1.5 6", "buchholz_cut1": "3 4.5 1 5", "sonneborn_berger": "3.5 2 0.25 0.5"},
    ),
    "16.2.5, a bye in the last round": (
        """
        1: +2 =3 +4
        2: -1 +4 U
        3: =4 =1 H
        4: =3 -2 -1""",
        {"buchholz": "4 4.5 4.5 6", "buchholz_cut1": "3.5 4 3 4.5", "sonneborn_berger": "3.25 2 2.25 0.75"},
    ),
    "16.5.1, what is cut": (
        """
        1: +4 H =2
        2: +3 +4 =1
        3: -2 +5 +4
        4: -1 -2 -3
        5: U -3 Z""",
        {"buchholz": "4 4 4 6.5 4", "buchholz_cut1": "2.5 4 4 4.5 3"},
    ),
}
"""Source: `tiebreaker/c07_2026_test.go` of github.com/gnutterts/chesspairing (Apache-2.0)."""


@pytest.mark.parametrize(("table", "expected"), CASES_2026.values(), ids=list(CASES_2026))
def test_small_cases_of_the_rules_of_2026(table: str, expected: dict[str, str]) -> None:
    """C.07:2026, article 16"""
    for name, text in expected.items():
        assert values(table, name) == column(text), name


def test_games_known_beforehand_of_2026() -> None:
    """C.07:2026, article 15.2; source as above"""
    table = """
        1: +2 f3 +4
        2: -1 +4 +3
        3: =4 w1 -2
        4: =3 -2 -1"""
    assert values(table, "buchholz", "round_robin") == column("4 4 4.5 5.5")
    assert values(table, "sonneborn_berger", "round_robin") == column("2.5 2 2.25 0.75")
    assert values(table, "wins", "round_robin") == column("2 2 1 0")
