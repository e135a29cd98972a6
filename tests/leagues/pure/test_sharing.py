"""Seats that changed hands: divided points, and their effect on tie-breaks, crosstable and pairing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.events.sharing import shares
from app.leagues.pure.crosstable import crosstable, divided
from app.leagues.pure.model import PLAYED, VOID, Competitor, Part, Result
from app.leagues.pure.pairing import berger
from app.leagues.pure.pairing.cards import cards
from app.leagues.pure.standings import Place, settled, standings
from app.leagues.pure.terms import USUAL, Terms
from app.leagues.pure.tie_break_names import TIE_BREAKS
from tests.support.tournaments import DRAW, LOSS, WIN, field_of, finished, played, some_event

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
LOTS = "6f0e"
EVERY = replace(USUAL, tie_breaks=tuple(name for name in TIE_BREAKS if name not in ("points", "lots")))


def taken_over(
    entrants: Sequence[Competitor],
    results: Sequence[Result],
    leaver: int,
    sub: int,
    round: int,
    parts: dict[int, Fraction],
) -> tuple[list[Competitor], list[Result]]:
    """The same event with a substitute from a round on, whose games there are divided."""
    people = [
        replace(one, withdrawn_after=round, substitute=sub, seed=one.seed + 50) if one.id == leaver else one
        for one in entrants
    ]
    old = next(one for one in entrants if one.id == leaver)
    there = []
    for result in results:
        if leaver in result.seats and result.round >= round:
            seat = result.seats.index(leaver)
            seats = tuple(sub if who == leaver else who for who in result.seats)
            late = frozenset(sub if who == leaver else who for who in result.timeouts)
            result = replace(result, seats=seats, timeouts=late)
            if result.round == round and result.ended == PLAYED:
                result = replace(result, parts=tuple(Part(seat, who, part) for who, part in parts.items()))
        there.append(result)
    return [*people, replace(old, id=sub, name=f"P{sub}", joined=max(round, old.joined))], there


def four(share: dict[int, Fraction]) -> tuple[list[Competitor], list[Result]]:
    """A round robin of four in which 1 beats everybody; 9 plays for 1 from the second round on."""
    rounds = berger.schedule(field_of(4))
    results = [result for paired in rounds for result in finished(paired)]
    return taken_over(field_of(4), results, 1, 9, 2, share)


def points(places: Sequence[Place]) -> dict[int, Fraction]:
    return {place.entrant: place.points for place in places}


@pytest.mark.parametrize(
    ("share", "leaver", "sub"),
    [
        ({1: HALF, 9: HALF}, Fraction(3, 2), Fraction(3, 2)),
        ({1: 3 * QUARTER, 9: QUARTER}, Fraction(7, 4), Fraction(5, 4)),
        ({1: Fraction(1), 9: Fraction(0)}, 2, 1),
        ({1: Fraction(1), 9: Fraction(1)}, 2, 2),  # `both`
        ({}, 1, 2),  # `seat`, or nobody but the substitute made a decision
    ],
)
def test_points_of_a_seat_are_divided(share: dict[int, Fraction], leaver: Fraction, sub: Fraction) -> None:
    entrants, results = four(share)
    assert points(standings(entrants, results, USUAL, LOTS)) == {1: leaver, 9: sub, 2: 2, 3: 1, 4: 0}


def test_a_seat_that_changed_hands_twice_has_three_parts() -> None:
    given_to = shares(Terms(share="split"), 9, [[1, 3], [7, 5]], [1, 4, 6, 8])
    one = Result(1, (2, 9), (LOSS, WIN), parts=tuple(Part(1, who, part) for who, part in given_to.items()))
    assert [(gain.entrant, gain.points) for gain in one.gains()] == [(2, 0), (1, QUARTER), (7, QUARTER), (9, HALF)]
    first, second = (
        Competitor(1, "P1", 7, substitute=7, withdrawn_after=1),
        Competitor(7, "P7", 8, substitute=9, withdrawn_after=1),
    )
    places = standings([first, Competitor(2, "P2", 2), second, Competitor(9, "P9", 1)], [one], USUAL, LOTS)
    assert points(places) == {9: HALF, 1: QUARTER, 7: QUARTER, 2: 0}


def test_both_seats_of_a_game_may_have_changed_hands() -> None:
    parts = (Part(0, 1, HALF), Part(0, 9, HALF), Part(1, 2, QUARTER), Part(1, 8, 3 * QUARTER))
    one = Result(1, (9, 8), (DRAW, DRAW), parts=parts)
    people = [
        Competitor(number, f"P{number}", number, withdrawn_after=1, substitute=sub) for number, sub in ((1, 9), (2, 8))
    ]
    people += [Competitor(8, "P8", 8), Competitor(9, "P9", 9)]
    assert points(standings(people, [one], USUAL, LOTS)) == {
        8: Fraction(3, 8), 9: QUARTER, 1: QUARTER, 2: Fraction(1, 8),
    }  # fmt: skip


def test_parts_that_make_no_sense_are_refused() -> None:
    for parts in ((Part(0, 9, HALF),), (Part(0, 1, HALF), Part(0, 1, HALF))):
        with pytest.raises(ValueError, match="divided seat"):
            Result(1, (1, 2), (WIN, LOSS), parts=parts)


def test_a_void_game_gives_nobody_a_part() -> None:
    entrants, results = four({1: HALF, 9: HALF})
    voided = [replace(one, ended=VOID, points=(LOSS, LOSS)) if one.parts else one for one in results]
    assert points(standings(entrants, voided, USUAL, LOTS))[1] == 1
    assert divided(settled(entrants, voided, USUAL)) == ()
    annulled = replace(USUAL, withdrawal="annul")
    gone = [replace(one, withdrawn_after=3) if one.id == 9 else one for one in entrants]
    counted, void = settled(gone, results, annulled)
    assert void == {9} and not any(one.parts for one in counted), "the substitute left too, and the game is void"
    places = points(standings(gone, results, annulled, LOTS))
    assert places[1] == 1 and places[9] == 0
    assert divided(settled(gone, results, annulled)) == ()


def test_a_table_that_a_void_substitute_sat_at_stands_for_who_played_before() -> None:
    terms = replace(USUAL, withdrawal="annul", places={**USUAL.places, 3: (WIN, DRAW, LOSS)}, sizes=(3,))
    one = Result(1, (2, 9, 3), (LOSS, WIN, DRAW), parts=(Part(1, 1, HALF), Part(1, 9, HALF)))
    people = [
        Competitor(1, "P1", 4, withdrawn_after=1, substitute=9), Competitor(2, "P2", 2), Competitor(3, "P3", 3),
        Competitor(9, "P9", 1, withdrawn_after=1),
    ]  # fmt: skip
    found = standings(people, [one], terms, LOTS, format="tables")
    assert points(found) == {1: HALF, 3: HALF, 2: 0, 9: 0} and found[-1].is_void


# -- tie-breaks -----------------------------------------------------------------------------------------


def values(entrants: Sequence[Competitor], results: Sequence[Result], format: str = "round_robin") -> dict[int, Place]:
    return {place.entrant: place for place in standings(entrants, results, EVERY, LOTS, format=format)}


def test_the_game_counts_for_who_holds_the_seat_and_points_are_divided() -> None:
    """1 beat 4 and then half of 2 (round 2, with 9), and 9 beat 3: the win over 2 is that of 9."""
    entrants, results = four({1: HALF, 9: HALF})
    found = values(entrants, results)
    assert found[1].values["wins"] == 1 and found[9].values["wins"] == 2
    assert found[1].values["buchholz"] == 0, "4 has no point; 2 was met by 9"
    assert found[9].values["buchholz"] == 2 + 1, "2 and 3"
    assert found[1].values["sonneborn_berger"] == HALF * 2
    assert found[9].values["sonneborn_berger"] == HALF * 2 + 1
    assert found[2].values["buchholz"] == 3 + 1 + 0, "the place has three points, whoever has them"


def test_direct_encounter_is_with_who_holds_the_seat() -> None:
    """9 and 2 have two points each; 9 won their game, of which 1 has three quarters."""
    entrants, results = taken_over(
        field_of(3), [*played(1, [(1, 2)]), *played(2, [(2, 3)])], 1, 9, 1, {1: 3 * QUARTER, 9: QUARTER}
    )
    results += [Result(3, (9, 3), (3 * QUARTER, QUARTER))]
    terms = replace(USUAL, tie_breaks=("points", "direct"))
    places = standings(entrants, results, terms, LOTS)
    assert [place.entrant for place in places][:2] == [9, 2] and places[0].decided == "direct"
    assert places[0].values["direct"] == 1, "the whole game"
    people, equal = taken_over(field_of(3), played(1, [(1, 2)]), 1, 9, 1, {1: HALF, 9: HALF})
    equal += [Result(2, (2, 3), (DRAW, DRAW))]
    direct = {place.entrant: place.values["direct"] for place in standings(people, equal, terms, LOTS)}
    assert direct == {9: 1, 2: HALF, 3: HALF, 1: 0}, "who handed the seat over met nobody"


@pytest.mark.slow
@given(
    st.integers(0, 10**6), st.integers(1, 6), st.sampled_from(["annul", "walkover", "half"]),
    st.fractions(0, 1, max_denominator=60),
)  # fmt: skip
def test_a_substitute_changes_nothing_for_anybody_else(seed: int, round: int, withdrawal: str, part: Fraction) -> None:
    """With `split` the points of a division are the same as without substitutes, and so is every tie-break of everybody
    else: Buchholz and Sonneborn-Berger see the place, not its holder.
    """
    entrants, results, format = some_event(seed)
    staying = [one.id for one in entrants if one.withdrawn_after is None]
    if not staying:
        return
    leaver = random.Random(seed).choice(staying)
    terms = replace(EVERY, withdrawal=withdrawal)
    before = {place.entrant: place for place in standings(entrants, results, terms, LOTS, format=format)}
    people, there = taken_over(entrants, results, leaver, 99, round, {leaver: part, 99: 1 - part})
    after = {place.entrant: place for place in standings(people, there, terms, LOTS, format=format)}
    assert sum(points(tuple(after.values())).values()) == sum(points(tuple(before.values())).values())
    assert after[leaver].points + after[99].points == before[leaver].points
    for who, place in before.items():
        if who == leaver:
            continue
        assert after[who].points == place.points
        for name in ("sonneborn_berger", "buchholz", "buchholz_cut1", "wins", "difference", "share", "timeouts"):
            assert after[who].values[name] == place.values[name], name
    for name in ("wins", "timeouts"):
        both = [after[who].values[name] or 0 for who in (leaver, 99)]
        assert sum(both) == before[leaver].values[name]
    rows = crosstable(tuple(after.values()), settled(people, there, terms, format=format))
    for row in rows:
        assert sum(cell.points for cells in row.by_round.values() for cell in cells) == row.place.points


# -- crosstable, pairing ------------------------------------------------------------------------


def test_the_rows_of_a_crosstable_add_up_and_say_what_was_divided() -> None:
    entrants, results = four({1: 3 * QUARTER, 9: QUARTER})
    places = standings(entrants, results, USUAL, LOTS)
    rows = {row.place.entrant: row for row in crosstable(places, settled(entrants, results, USUAL))}
    assert [(cell.points, cell.is_divided) for cell in rows[1].by_opponent[2]] == [(3 * QUARTER, True)]
    assert [(cell.points, cell.is_divided) for cell in rows[9].by_opponent[2]] == [(QUARTER, True)]
    assert [(cell.points, cell.is_divided) for cell in rows[2].by_opponent[9]] == [(0, False)]
    assert 1 not in rows[2].by_opponent, "the game is that of who holds the seat"
    (seat,) = divided(settled(entrants, results, USUAL))
    assert (seat.round, seat.points, seat.gains) == (2, 1, ((1, 3 * QUARTER), (9, QUARTER)))


def test_pairing_counts_the_divided_points_and_the_game_of_the_holder() -> None:
    entrants, results = four({1: HALF, 9: HALF})
    made = cards(entrants, results)
    assert {who: card.score for who, card in made.items()} == {1: Fraction(3, 2), 9: Fraction(3, 2), 2: 2, 3: 1, 4: 0}
    assert set(made[9].met) == {2, 3} and set(made[1].met) == {4}
    without = cards([one for one in entrants if one.id != 1], results)
    assert without[9].score == Fraction(3, 2), "who left is paired no more"
