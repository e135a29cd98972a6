"""FIDE's report file of a tournament: written, read back equal, read by another program, and checked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from caissify_pairings.trf import TRFParser
from hypothesis import given, settings
from hypothesis import strategies as st

from app.leagues.pure import trf
from app.leagues.pure.model import VOID, Competitor, Result
from app.leagues.pure.swiss import pair_round
from app.leagues.pure.swiss_weights import PAIRED_BY
from engine.kernel.refusals import Unreadable
from tests.support.tournaments import DRAW, LOSS, WIN, field_of, finished, played, some_event


def swiss(count: int, rounds: int) -> tuple[list[Competitor], list[Result]]:
    entrants, results = field_of(count), list[Result]()
    for number in range(1, rounds + 1):
        results += finished(pair_round(entrants, results, number, terms=PAIRED_BY["fide"], last=number == rounds))
    return entrants, results


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 400))
def test_an_event_is_read_back_equal(seed: int) -> None:
    entrants, results, _ = some_event(seed)
    plain = [one for one in results if len(one.seats) <= 2]
    blocks = {frozenset((one, one % len(entrants) + 1)) for one in range(1, len(entrants) + 1, 3)}
    made = trf.report("Spring  2027", 9, entrants, plain, blocks)
    assert trf.read(trf.write(made)) == made
    assert {frozenset(one.numbers) for one in made.apart} == blocks
    for one, there in zip(entrants, made.entrants, strict=True):
        rounds = set(range(made.played + 1, 10))
        assert {round for round in rounds if not there.is_paired_in(round)} == {
            round for round in rounds if not one.is_paired_in(round)
        }
    assert made.name == "Spring 2027"
    counting = [one for one in plain if one.ended != VOID]
    assert {(one.round, one.seats, one.points, one.ended) for one in made.results} == {
        (one.round, one.seats, one.points, one.ended) for one in counting
    }


def test_another_program_reads_the_same() -> None:
    entrants, results = swiss(7, 4)
    made = trf.report(
        "Cup", 5, [Competitor(one.id, one.name, one.seed, 1500.4 + one.seed) for one in entrants], results
    )
    theirs = TRFParser(trf.write(made)).parse()
    assert [one["name"] for one in theirs["players"]] == [one.name for one in entrants]
    assert [one["rating"] for one in theirs["players"]] == [round(1500.4 + one.seed) for one in entrants]
    won = {
        one.id: sum((r.points[r.seats.index(one.id)] for r in results if one.id in r.seats), LOSS) for one in entrants
    }
    assert {one["starting_number"]: Fraction(one["score"]) for one in theirs["players"]} == won
    assert theirs["tournament"]["total_rounds"] == 5
    games = [one for one in results if len(one.seats) == 2]
    for game in games:
        cell = theirs["players"][game.seats[0] - 1]["results"][game.round]
        assert (cell["opponent"], cell["color"]) == (game.seats[1], "w")


def test_who_is_not_paired_and_who_must_not_meet_are_lines_of_their_own() -> None:
    """Of pairing programs (XXZ, XXP) and of TRF26 (240, 260), whose columns are as the tables there have them."""
    entrants = [replace(one, away=frozenset({2} if one.id == 3 else {4} if one.id == 1 else ())) for one in field_of(6)]
    entrants[4] = replace(entrants[4], byes=frozenset({2, 4}))
    entrants[5] = replace(entrants[5], withdrawn_after=3)
    made = trf.report("Cup", 4, entrants, played(1, [(1, 4), (2, 5), (3, 6)]), {frozenset((2, 6))})
    lines = trf.write(made).splitlines()
    assert lines[5:14] == [
        "142 4", "152 W", "XXZ 3 5", "240 H 002    5", "240 Z 002    3", "240 H 004    5", "240 Z 004    1    6",
        "XXP 2 6", "260 001 004    2    6",
    ]  # fmt: skip
    theirs = trf.read(
        "### a comment\n"
        + "\n".join(line for line in lines if not line.startswith(("XXP", "XXZ", "260")))
        + "\n260 002 003  002  004  006\n240 F 003 0001\nXXP 1 2\n"
    )
    assert theirs.apart == (trf.ProhibitedPairs(1, 4, (1, 2)), trf.ProhibitedPairs(2, 3, (2, 4, 6)))
    assert (theirs.entrants[0].byes, theirs.entrants[2].away) == ({3}, {2})
    assert theirs.apart[1].pairs(3) == {frozenset(pair) for pair in ((2, 4), (2, 6), (4, 6))}
    assert theirs.apart[1].pairs(4) == set()
    kept = trf.report("Cup", 3, field_of(4), played(1, [(1, 3), (4, 2)]), {frozenset((1, 3))})
    (first,) = trf.check(kept)
    assert first.here != first.fide and not {(1, 3), (3, 1)} & first.fide


def test_rounds_are_checked_against_fides_rules() -> None:
    entrants, results = swiss(8, 3)
    made = trf.report("Cup", 3, entrants, results)
    assert all(one.here == one.fide for one in trf.check(trf.read(trf.write(made))))
    other = [*(one for one in results if one.round == 1), *played(2, [(1, 5), (2, 6), (3, 7), (4, 8)])]
    checked = trf.check(trf.report("Cup", 3, entrants, other))
    assert [one.here == one.fide for one in checked] == [True, False]


@pytest.mark.parametrize(
    "result",
    [
        Result(1, (1, 2, 3), (WIN, DRAW, LOSS)),
        Result(1, (1, 2), (Fraction(3), LOSS)),
        Result(1, (1,), (DRAW,), "pairing_bye"),
    ],
)
def test_what_a_file_cannot_say_is_refused(result: Result) -> None:
    with pytest.raises(Unreadable):
        trf.report("Cup", 1, field_of(3), [result])


GOOD = trf.write(trf.report("Cup", 1, field_of(2), played(1, [(1, 2)])))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "trf.people"),
        (GOOD.replace("001    2", "001    1"), "trf.people"),
        (GOOD.replace("2 w 1", "2 w X"), "trf.line"),
        (GOOD.replace("001    1", "001    x"), "trf.line"),
        (GOOD.replace("2 w 1", "2 b 1"), "trf.pair"),
        (GOOD.replace("   1 b 0", "0000 - Z"), "trf.pair"),
        (GOOD + "XXZ 3", "trf.line"),
        (GOOD + "260 001 1", "trf.line"),
        (GOOD + "260 001", "trf.line"),
        (GOOD + "240 X 002    1", "trf.line"),
    ],
)
def test_what_is_wrong_is_named(text: str, code: str) -> None:
    with pytest.raises(Unreadable) as refused:
        trf.read(text)
    assert refused.value.code == code
