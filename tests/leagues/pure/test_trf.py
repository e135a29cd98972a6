"""FIDE's report file of a tournament: written, read back equal, read by another program, and checked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from caissify_pairings.trf import TRFParser
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure import trf
from app.leagues.pure.model import HALF_BYE, VOID, WALKOVER, ZERO_BYE, Competitor, Result
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
    counting = [one for one in plain if one.ended != VOID and one.round <= made.played]
    to_come = [one for one in plain if one.ended != VOID and one.round > made.played]
    assert {one.ended for one in to_come} <= {ZERO_BYE, HALF_BYE}, "a last round in which nobody has played yet"
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
        (GOOD + "XXC random1", "trf.line"),
        (GOOD + "162  W three", "trf.line"),
        (GOOD.replace("1 b 0", "1 b 1"), "trf.pair"),
        (GOOD.replace("1 b 0", "1 b *"), "trf.pair"),
    ],
)
def test_what_is_wrong_is_named(text: str, code: str) -> None:
    with pytest.raises(Unreadable) as refused:
        trf.read(text)
    assert refused.value.code == code


def file_of(*lines: str, head: str = "") -> str:
    """A file whose players have these cells, ten columns a round, and the points that `head` does not say."""
    people = (f"001 {n:4}      {f'P{n}':33}".ljust(91) + cells for n, cells in enumerate(lines, 1))
    return "\n".join([head, *people, ""])


SPELLINGS = {
    "  2 w 1": ("  2 w W", "  2 w w", "  2 W 1"),
    "  2 w =": ("  2 w D", "  2 w d"),
    "0000 - U": ("0000 - u", "         U", "     -   U", "   0 - U"),
    "0000 - H": ("0000 - h", "         H", "0000 - =", "     - =", "0000   ="),
    "0000 - F": ("0000 - f", "0000 - +", "     - +", "0000   +"),
    "0000 - Z": ("0000 - z", "0000 - -", "     - -", "0000   -", "0000 -", "0000"),
    "  2 w +": ("  2 - +", "  2   +"),
}


@pytest.mark.parametrize(("usual", "other"), [(usual, one) for usual, all in SPELLINGS.items() for one in all])
def test_a_cell_in_any_usual_spelling_is_the_same(usual: str, other: str) -> None:
    """TRF16 and TRF26, positions 92 to 99: blanks are 0000 and -, letters are small or large; +, - and = without an
    opponent are the byes that bring as much."""
    code = usual.strip()[-1]
    theirs = {"1": "   1 b 0", "=": "   1 b =", "+": "   1 b -"}.get(code, "   3 w 1")
    third = "0000 - Z" if code in "1=+" else "   2 b 0"
    wanted = trf.read(file_of(f" {usual}" if "2 w" in usual else usual, theirs, third))
    if "2 -" in other or "2   +" in other:
        theirs = theirs.replace("b", "-")
    assert trf.read(file_of(f" {other}" if other.startswith("  2") else other, theirs, third)) == wanted


def test_columns_counted_in_bytes_of_utf_8_are_the_same() -> None:
    """As written by programs that pad a text by its bytes; `-` is not a rating."""
    lines = file_of("   2 w 1     2 b =", "   1 b 0     1 w =")
    read = trf.read(lines)
    lines = lines.replace(f"{'P1':38}", f"{'Žižka, Řehoř':29} 2000").replace(f"{'P2':38}", f"{'P2':34}   -")
    made = trf.read(lines)
    assert made.results == read.results and made.entrants[0].name == "Žižka, Řehoř"
    assert [one.rating for one in made.entrants] == [2000, None]


def test_byes_of_a_round_to_be_paired_are_not_a_round_that_was_played() -> None:
    """A last column without a game and without a pairing-allocated bye, in which some players have no entry."""
    game, byes = ("   2 w 1  ", "   1 b 0  "), "0000 - U  0000 - H  0000 - Z"
    made = trf.read(file_of(*game, byes, head="XXR 5"))
    assert (made.played, made.entrants[2].byes, made.entrants[2].away) == (1, {2}, {3})
    assert not made.entrants[0].away and trf.read(trf.write(made)) == made
    said = (trf.read(file_of(*(cell + "0000 - Z" for cell in game), byes[:18])).played, trf.read(GOOD).played)
    assert said == (2, 1), "if everybody has an entry the round was played"
    full = trf.read(file_of(*game, "0000 - U  0000 - F"))
    assert full.lost and "240 F 002    3" in trf.write(full) and trf.read(trf.write(full)) == full


def test_games_that_run_are_read_and_their_round_is_checked() -> None:
    made = trf.read(file_of("   3 w", "   4 b *", "   1 b", "   2 w ?"))
    assert [game.seats for game in made.running] == [(1, 3), (4, 2)] and made.lost and not made.results
    assert trf.read(trf.write(made)) == made


@pytest.mark.parametrize("line", ["162  W 3.0    D 1.0", "BBW  3.0\nBBD  1.0\nBBU  3.0", "XXS W=3 D=1 PAB=3"])
def test_points_are_those_of_the_file(line: str) -> None:
    """TRF26 162, and the lines of two pairing programs."""
    made = trf.read(file_of("   2 w 1  ", "   1 b 0  ", "0000 - U", head=f"XXR 2\n{line}"))
    assert {one.seats: one.points for one in made.results} == {(1, 2): (3, 0), (3,): (3,)}
    assert made.scoring == trf.Scoring(Fraction(3), Fraction(1), Fraction(0), Fraction(3))
    assert trf.read(trf.write(made)) == made and trf.check(made)
    ours = trf.report("Cup", 2, field_of(3), made.results, scoring=made.scoring)
    assert "162  W 3.0    D 1.0" in trf.write(ours) and trf.read(trf.write(ours)) == ours


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("250       1.0 001 002 0001 0001", "trf.accelerated"),
        ("XXA    1  1.0", "trf.accelerated"),
        ("299 W       1.0  000 0001", "trf.given"),
        ("013 Harbour                            1    2", trf.TEAMS),
        ("310   1 Harbour", trf.TEAMS),
        ("082 2", trf.TEAMS),
        ("092 Team: Swiss-System", trf.TEAMS),
        ("092 Individual: Round-Robin", "trf.system"),
        ("192 FIDE_DUBOV", "trf.system"),
        ("192 FIDE_DUTCH_2026_BAKU", "trf.system"),
        ("XXQ 1 2", "trf.unknown"),
        ("XXS WW=1.5", "trf.scoring"),
    ],
)
def test_what_is_not_applied_is_said_and_no_round_is_judged(line: str, code: str) -> None:
    made = trf.read(f"{GOOD}{line}\n")
    assert [one.code for one in made.against] == [code]
    with pytest.raises(Unreadable, match=code):
        trf.check(made)


def test_points_that_the_games_do_not_give_are_said() -> None:
    """Neither a bye to come nor a game that runs makes a difference."""
    made = trf.read(GOOD.replace(" 1.0 ", " 1.5 "))
    assert made.differing is not None and "1 P1: 1.5 ≠ 1" in str(made.differing.values)
    with pytest.raises(Unreadable, match=r"trf\.differs"):
        trf.check(made)
    assert trf.read(GOOD.replace(" 1.0 ", " 1.5 ") + "XXR 3\n240 H 002    1\n").differing is None


def test_the_initial_colour_is_that_of_the_highest_ranked_in_round_one_if_nothing_is_said() -> None:
    """TRF26, line 152; a second line XXC takes nothing back, and XXC rank pairs by the ranks (JaVaFo)."""
    other = GOOD.replace("2 w 1", "2 b 1").replace("1 b 0", "1 w 0").replace("XXC white1\n", "").replace("152 W\n", "")
    assert trf.read(other).first_side == 1
    assert trf.read(f"{other}152 w\n").first_side == 0
    ranked = trf.read(
        f"XXC black1\n{other.replace(' 1.0    1 ', ' 1.0    2 ').replace(' 0.0    2 ', ' 0.0    1 ')}XXC rank\n"
    )
    assert (ranked.first_side, [one.id for one in ranked.entrants]) == (1, [2, 1])
    assert trf.read(trf.write(ranked)) == ranked


def test_forfeits_without_sides_are_the_lower_numbers_first() -> None:
    (result,) = trf.read(file_of("   2 - -", "   1 - +")).results
    assert (result.seats, result.points, result.ended) == ((1, 2), (LOSS, WIN), WALKOVER)
