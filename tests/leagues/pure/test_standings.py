"""Standings: order, lots, withdrawals, tables, reasons; crosstable and progress."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.crosstable import ahead, crosstable, tallies
from app.leagues.pure.model import DOUBLE_FORFEIT, VOID, WALKOVER, ZERO_BYE, Competitor, Result
from app.leagues.pure.pairing import berger
from app.leagues.pure.standings import Place, drawing, games_due, listed, places_of, said_value, settled, standings
from app.leagues.pure.term_kinds import Worth
from app.leagues.pure.terms import USUAL, Terms
from app.leagues.pure.tie_break_names import TIE_BREAKS
from app.leagues.pure.why import PEOPLE, sentence
from engine.kernel.text import PlainSpeaker, say
from tests.support.tournaments import DRAW, LOSS, WIN, field_of, finished, played, some_event

LOTS = "6f0e"
SPEAKER = PlainSpeaker(lambda kind, key, lang: key)


def order(places: tuple[Place, ...]) -> list[int]:
    return [place.entrant for place in places]


def words(place: Place, entrants: list[Competitor]) -> str:
    assert place.why is not None
    return say(sentence(place.why, {entrant.id: entrant.name for entrant in entrants}), SPEAKER)


def by(*tie_breaks: str, **values: object) -> Terms:
    return replace(USUAL, tie_breaks=tie_breaks, **values)  # type: ignore[arg-type]


# -- properties ---------------------------------------------------------------------------------------


@pytest.mark.slow
@given(
    st.integers(0, 10**6),
    st.permutations(tuple(TIE_BREAKS)),
    st.integers(1, 10),
    st.sampled_from(["annul", "walkover", "half"]),
)
def test_the_order_is_total_and_says_why(seed: int, names: list[str], many: int, withdrawal: str) -> None:
    entrants, results, format = some_event(seed)
    terms = by(*names[:many], withdrawal=withdrawal)
    places = standings(entrants, results, terms, LOTS, format=format)
    assert sorted(order(places)) == [entrant.id for entrant in entrants]
    assert [place.place for place in places] == list(range(1, len(entrants) + 1))
    chance = random.Random(seed)
    mixed = chance.sample(entrants, len(entrants)), chance.sample(results, len(results))
    assert standings(*mixed, terms, LOTS, format=format) == places
    asked = listed(terms)
    for above, below in pairwise(places):
        assert words(above, entrants)
        if above.decided == "void":
            assert below.is_void and not above.is_void
            continue
        for name in asked:
            one, other = above.values[name], below.values[name]
            if name == above.decided:
                if name != "direct":
                    assert one is not None and other is not None
                    assert one < other if name in ("timeouts", "lots") else one > other
                break
            assert name == "direct" or one == other
    assert places[-1].decided == "" and places[-1].why is None


@pytest.mark.slow
@given(st.integers(0, 10**6), st.sampled_from(["annul", "walkover", "half"]))
def test_points_are_those_of_the_games_that_count(seed: int, withdrawal: str) -> None:
    entrants, results, format = some_event(seed)
    terms = by("points", withdrawal=withdrawal)
    counted, void = settled(entrants, results, terms, format=format)
    for place in standings(entrants, results, terms, LOTS, format=format):
        mine = [result.points[result.seats.index(place.entrant)] for result in counted if place.entrant in result.seats]
        assert place.points == (0 if place.entrant in void else sum(mine))
        assert place.is_void == (place.entrant in void)
    if format == "round_robin" and not void:
        assert {result for result in results if result.ended != VOID} <= set(counted)


# -- lots ---------------------------------------------------------------------------------------------


def test_equals_are_put_in_order_by_lots_alone() -> None:
    entrants = field_of(6)
    drawn = list(drawing(entrants, LOTS))
    assert order(standings(entrants, [], USUAL, LOTS)) == drawn
    assert {place.decided for place in standings(entrants, [], by("points"), LOTS)[:-1]} == {"lots"}
    assert len({tuple(drawing(entrants, f"lots {n}")) for n in range(20)}) > 10
    assert drawn == [6, 1, 2, 3, 4, 5], "the same for ever, or seasons that are over would change"


def test_lots_say_so() -> None:
    entrants = field_of(2)
    first, _ = standings(entrants, played(1, [(1, 2)], by=lambda *_: DRAW), USUAL, LOTS)
    assert words(first, entrants) == "Nothing else tells them apart; the drawn lot puts P1 before P2."


# -- each tie-break in a small table ------------------------------------------------------------------


def test_reasons_have_both_values() -> None:
    entrants = field_of(3)
    results = [*played(1, [(1, 2)]), *played(2, [(1, 3)], by=lambda *_: DRAW)]
    places = standings(entrants, results, by("points"), LOTS)
    assert order(places) == [1, 3, 2]
    assert words(places[0], entrants) == "Points: P1 has 1½, P3 ½."


def test_victory_points_and_time_outs() -> None:
    entrants = field_of(4)
    results = [
        Result(1, (1, 2), (WIN, LOSS), scores=(10, 4)),
        Result(1, (3, 4), (WIN, LOSS), scores=(30, 25), timeouts=frozenset((4,))),
    ]
    difference = standings(entrants, results, by("points", "difference"), LOTS)
    assert [(place.entrant, place.values["difference"]) for place in difference] == [(1, 6), (3, 5), (4, -5), (2, -6)]
    assert words(difference[2], entrants) == "Difference of victory points: P4 has −5, P2 −6."
    share = standings(entrants, results, by("points", "share"), LOTS)
    assert [place.values["share"] for place in share] == [
        Fraction(5, 7),
        Fraction(6, 11),
        Fraction(5, 11),
        Fraction(2, 7),
    ]
    assert words(share[0], entrants) == "Share of the victory points: P1 has 71.4 %, P3 54.5 %."
    late = standings(entrants, results, by("points", "timeouts"), LOTS)
    assert order(late)[2:] == [2, 4] and late[2].decided == "timeouts"


def test_a_tie_of_three_is_broken_again_among_two() -> None:
    """C.07, article 6.1: 1, 2 and 3 are equal among themselves but for 3, and 1 beat 2."""
    entrants = field_of(4)
    wins = {(1, 2), (3, 1), (2, 3), (1, 4), (2, 4), (3, 4)}
    results = [Result(1, pair, (WIN, LOSS)) for pair in sorted(wins)]
    assert {place.decided for place in standings(entrants, results, by("points", "direct"), LOTS)[:2]} == {"lots"}
    results[-1] = Result(1, (3, 4), (DRAW, DRAW))
    assert order(standings(entrants, results, by("points", "direct"), LOTS))[:2] == [1, 2]


def test_somebody_nobody_can_reach_is_first_though_games_are_missing() -> None:
    """C.07, article 6.2"""
    entrants = field_of(4)
    results = [*played(1, [(1, 2), (3, 4)]), *played(2, [(1, 3)]), Result(3, (2, 4), (WIN, LOSS))]
    results += [Result(4, (4, 1), (WIN, LOSS), WALKOVER), Result(4, (2,), (WIN,), "pairing_bye")]
    results += [Result(5, (3,), (WIN,), "pairing_bye")]
    places = standings(entrants, results, by("points", "direct"), LOTS, format="swiss")
    assert [place.points for place in places] == [2, 2, 2, 1]
    assert places[0].entrant == 1
    assert words(places[0], entrants).startswith("Direct encounter: P1 is first among those equal so far, whatever")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(7, 2), "3½"), (Fraction(29, 4), "7¼"), (4, "4"), (Fraction(2, 7), "2/7"), (0, "0"), (None, "–"),
        (Fraction(29, 7), "4\N{NO-BREAK SPACE}1/7"),
    ],
)  # fmt: skip
def test_values_are_written_without_words(value: Fraction | int | None, text: str) -> None:
    assert said_value("points", value) == text


# -- withdrawals (C.05; C.07, article 16) -------------------------------------------------------------


def round_robin(count: int, until: int) -> list[Result]:
    """The rounds of a single round robin in which the lower number always wins."""
    return [result for paired in berger.schedule(field_of(count))[:until] for result in finished(paired)]


def leaving(count: int, who: int, after: int) -> list[Competitor]:
    return [replace(one, withdrawn_after=after) if one.id == who else one for one in field_of(count)]


def test_annulled_games_count_for_nobody() -> None:
    results = round_robin(6, 5)
    places = standings(leaving(6, 1, 3), results, by("points", withdrawal="annul"), LOTS)
    assert order(places) == [2, 3, 4, 5, 6, 1]
    assert [place.points for place in places] == [4, 3, 2, 1, 0, 0]
    assert places[-1].is_void and places[-2].decided == "void"
    assert words(places[-2], field_of(6)) == "P1 withdrew, and the games played until then do not count."
    without = [result for result in results if 1 not in result.seats]
    others = [one for one in field_of(6) if one.id != 1]
    assert order(standings(others, without, USUAL, LOTS)) == order(places)[:-1]


def test_exactly_half_of_the_games_stand() -> None:
    """FIDE C.05: two of the four games that each of five has."""
    rounds = round_robin(5, 5)
    mine = [one.round for one in rounds if 5 in one.seats and len(one.seats) == 2]
    results = [one for one in rounds if 5 not in one.seats or one.round <= mine[1]]
    assert len(mine) == 4
    assert settled(leaving(5, 5, mine[1]), results, by("points", withdrawal="half"))[1] == frozenset()


@pytest.mark.parametrize(("after", "void"), [(2, True), (3, False)])
def test_half_of_the_games_decides(after: int, void: bool) -> None:
    """FIDE C.05: fewer than half of five games are two."""
    entrants = leaving(6, 6, after)
    results = [one for one in round_robin(6, 5) if 6 not in one.seats or one.round <= after]
    places = standings(entrants, results, by("points", withdrawal="half"), LOTS)
    assert places[-1].is_void == void
    counted = settled(entrants, results, by("points", withdrawal="half"))
    assert sum(6 in result.seats for result in counted.results) == (0 if void else 5)
    assert sum(result.ended == WALKOVER for result in counted.results) == (0 if void else 2)
    assert sum(place.points for place in places) == (10 if void else 15)
    coming, games = ahead(results, counted), tallies(entrants, counted, USUAL)
    assert len(coming) == (0 if void else 2), "what the rounds and these bring adds up to the points"
    for place in places:
        mine = [one for one in (*results, *coming) if place.entrant in one.seats and not (void and 6 in one.seats)]
        assert place.points == sum(one.points[one.seats.index(place.entrant)] for one in mine)
        there = games[place.entrant]
        assert there.played == there.won + there.drawn + there.lost == len(mine) - sum(one in coming for one in mine)
        assert there.given == sum(place.entrant in one.seats and place.entrant != 6 for one in coming)


@pytest.mark.parametrize("withdrawal", ["half", "walkover", "annul"])
def test_a_place_that_a_substitute_took_over_is_not_empty(withdrawal: str) -> None:
    """Entrant 5 plays on for 2: the results of 2 stand, nobody wins a game against 2 without playing, and the due games
    of those who leave are counted by places.
    """
    terms = by("wins", withdrawal=withdrawal)
    rounds = berger.schedule(field_of(4), double=False)
    holder = Competitor(5, "P5", 2, joined=2)
    entrants = [replace(one, seed=9, withdrawn_after=1, substitute=5) if one.id == 2 else one for one in field_of(4)]
    results: list[Result] = []
    for paired in rounds:
        for result in finished(paired):
            after = result.round > 1
            results.append(replace(result, seats=tuple(5 if after and who == 2 else who for who in result.seats)))
    assert settled([*entrants, holder], results, terms) == (sorted(results, key=lambda r: r.round), frozenset())
    left = [replace(one, withdrawn_after=2) if one.id == 1 else one for one in entrants]
    due = games_due(left[0], places_of([*left, holder]), by("wins", withdrawal=withdrawal, legs=2))
    assert due == 6, "a substitute and their predecessor are one opponent"
    played_two = [result for result in results if result.round < 3 or 1 not in result.seats]
    counted, void = settled([*left, holder], played_two, terms)
    if withdrawal == "annul":
        assert void == {1} and len(counted) == 3
    else:
        assert void == frozenset() and len(counted) == 6
        assert [result.ended for result in counted].count(WALKOVER) == 1


def test_open_games_are_lost_once() -> None:
    """Walkovers that are written already are not lost again, and two who both left lose their game both."""
    terms = by("points", withdrawal="walkover", legs=2)
    entrants = [replace(one, withdrawn_after=1) if one.id in (1, 2) else one for one in field_of(4)]
    results = [Result(1, (1, 3), (WIN, LOSS)), Result(2, (4, 1), (WIN, LOSS), WALKOVER)]
    counted, _ = settled(entrants, results, terms)
    pairs = [tuple(sorted(result.seats)) for result in counted]
    assert {pair: pairs.count(pair) for pair in pairs} == {(1, 2): 2, (1, 3): 2, (1, 4): 2, (2, 3): 2, (2, 4): 2}
    assert all(result.ended == DOUBLE_FORFEIT for result in counted if set(result.seats) == {1, 2})
    assert settled(entrants, counted, terms)[0] == counted


def test_in_a_swiss_event_what_was_played_stands() -> None:
    entrants = leaving(4, 2, 1)
    results = [*played(1, [(1, 2), (3, 4)]), *played(2, [(1, 3)])]
    assert settled(entrants, results, USUAL, format="swiss") == (results, frozenset())
    places = standings(entrants, results, by("points", "buchholz"), LOTS, format="swiss")
    first = next(place for place in places if place.entrant == 1)
    assert first.values["buchholz"] == Fraction(3, 2), "2 left: the round after counts as a draw (16.3)"


def test_an_open_game_is_no_absence() -> None:
    """A round that a player is still playing changes nobody's Buchholz."""
    results = [*played(1, [(1, 2), (3, 4)]), *played(2, [(1, 3)])]
    before = standings(field_of(4), results, by("points", "buchholz"), LOTS, format="swiss")
    away = [replace(one, away=frozenset((2,))) if one.id == 2 else one for one in field_of(4)]
    after = standings(
        away, [*results, Result(2, (2,), (LOSS,), ZERO_BYE)], by("points", "buchholz"), LOTS, format="swiss"
    )
    buchholz = [{place.entrant: place.values["buchholz"] for place in places} for places in (before, after)]
    assert buchholz[0] == {1: 1, 2: 2, 3: 2, 4: 1} and buchholz[1][1] == Fraction(3, 2)


# -- tables of three to five --------------------------------------------------------------------------


def test_tables_count_the_mean_of_the_others() -> None:
    """Ours, since FIDE has no rule: see `app.leagues.pure.tiebreaks`."""
    entrants = field_of(7)
    one = Result(1, (1, 2, 3), (WIN, DRAW, LOSS), scores=(30, 20, 10))
    two = Result(1, (4, 5, 6, 7), (WIN, Fraction(1, 2), Fraction(1, 2), LOSS), scores=(9, 6, 6, 3))
    names = ("points", "buchholz", "sonneborn_berger", "wins", "difference", "share")
    places = standings(entrants, [one, two], by(*names), LOTS, format="tables")
    found = {place.entrant: place.values for place in places}
    assert [found[who]["buchholz"] for who in (1, 3, 4)] == [Fraction(1, 4), Fraction(3, 4), Fraction(1, 3)]
    assert found[2]["sonneborn_berger"] == 0 and found[1]["sonneborn_berger"] == Fraction(1, 4)
    assert found[5]["sonneborn_berger"] == Fraction(1, 12), "above 7 with 0, equal to 6 with ½: ¼ over three others"
    assert [found[who]["wins"] for who in (1, 4, 5)] == [1, 1, 0]
    assert [found[who]["difference"] for who in (1, 3, 5)] == [15, -15, 0]
    assert found[5]["share"] == Fraction(1, 2)


def test_a_table_stands_for_the_others_when_somebody_is_annulled() -> None:
    entrants = leaving(4, 1, 1)
    results = [Result(1, (1, 2, 3, 4), (WIN, Fraction(2, 3), Fraction(1, 3), LOSS), scores=(4, 3, 2, 1))]
    places = standings(entrants, results, by("points", "buchholz", withdrawal="annul"), LOTS, format="tables")
    assert [(place.entrant, place.points) for place in places] == [
        (2, Fraction(2, 3)), (3, Fraction(1, 3)), (4, 0), (1, 0),
    ]  # fmt: skip
    assert places[0].values["buchholz"] == Fraction(1, 6)


# -- crosstable and progress --------------------------------------------------------------------------


def test_the_crosstable_has_every_game_twice() -> None:
    entrants = leaving(6, 6, 3)
    results = [one for one in round_robin(6, 5) if 6 not in one.seats or one.round <= 3]
    rows = crosstable(standings(entrants, results, USUAL, LOTS), settled(entrants, results, USUAL))
    for row in rows:
        mine = row.place.entrant
        assert set(row.by_opponent) == {one.id for one in entrants} - {mine}
        assert sum(cell.points for cells in row.by_round.values() for cell in cells) == row.place.points
        for other, cells in row.by_opponent.items():
            theirs = next(one for one in rows if one.place.entrant == other).by_opponent[mine]
            assert [cell.points + back.points for cell, back in zip(cells, theirs, strict=True)] == [1]
            assert [cell.seat + back.seat for cell, back in zip(cells, theirs, strict=True)] == [1]


def test_reasons_name_people_by_number() -> None:
    first, _ = standings(field_of(2), played(1, [(1, 2)]), USUAL, LOTS)
    assert first.why is not None and {"entrant", "opponent"} <= set(PEOPLE) & set(first.why.values)


def test_games_that_were_made_void_at_the_withdrawal_stay_void() -> None:
    entrants = leaving(4, 4, 2)
    results = [
        replace(one, ended=VOID, points=(LOSS, LOSS)) if 4 in one.seats else one
        for one in round_robin(4, 3)
        if 4 not in one.seats or one.round <= 2
    ]
    places = standings(entrants, results, by("points", withdrawal="walkover"), LOTS)
    assert order(places) == [1, 2, 3, 4] and places[-1].is_void
    assert [place.points for place in places] == [2, 1, 0, 0]


def test_a_loss_without_playing_is_one_where_losses_bring_points() -> None:
    """Three points for a win, one for a loss: the walkover is still lost by 2, so its dummy is capped by 1 (16.4.1)
    and it is what cut-1 takes away (16.5)."""
    terms = by("points", "buchholz_cut1", worth=Worth(*map(Fraction, (3, 2, 1, 1, 2))))
    results = [
        Result(1, (1, 2), (Fraction(3), Fraction(1)), WALKOVER),
        Result(1, (3, 4), (Fraction(3), Fraction(1))),
        Result(2, (2, 4), (Fraction(3), Fraction(1))),
    ]
    places = standings(field_of(4), results, terms, LOTS, format="swiss")
    cut = {place.entrant: place.values["buchholz_cut1"] for place in places}
    assert cut[2] == 2, "the points of 4; the dummy of round 1, worth 3, is cut though 4 has fewer"
