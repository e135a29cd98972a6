"""FIDE's report file of a tournament: written, read back equal, read by another program, and checked."""

from __future__ import annotations

from fractions import Fraction

import pytest
from caissify_pairings.trf import TRFParser
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure import trf
from app.leagues.pure.model import VOID, Entrant, Result
from app.leagues.pure.swiss import pair_round
from app.leagues.pure.swiss_weights import PAIRED_BY
from engine.kernel.refusals import Unreadable
from tests.support.tournaments import DRAW, LOSS, WIN, field_of, finished, played, some_event


def swiss(count: int, rounds: int) -> tuple[list[Entrant], list[Result]]:
    entrants, results = field_of(count), list[Result]()
    for number in range(1, rounds + 1):
        results += finished(pair_round(entrants, results, number, terms=PAIRED_BY["fide"], last=number == rounds))
    return entrants, results


@given(st.integers(0, 400))
def test_an_event_is_read_back_equal(seed: int) -> None:
    entrants, results, _ = some_event(seed)
    plain = [one for one in results if len(one.seats) <= 2]
    made = trf.report("Spring  2027", 9, entrants, plain)
    assert trf.read(trf.write(made)) == made
    assert made.name == "Spring 2027"
    counting = [one for one in plain if one.ended != VOID]
    assert {(one.round, one.seats, one.points, one.ended) for one in made.results} == {
        (one.round, one.seats, one.points, one.ended) for one in counting
    }


def test_another_program_reads_the_same() -> None:
    entrants, results = swiss(7, 4)
    made = trf.report("Cup", 5, [Entrant(one.id, one.name, one.seed, 1500.4 + one.seed) for one in entrants], results)
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
    ],
)
def test_what_is_wrong_is_named(text: str, code: str) -> None:
    with pytest.raises(Unreadable) as refused:
        trf.read(text)
    assert refused.value.code == code
