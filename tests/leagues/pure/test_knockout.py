"""Knock-out: seeds, byes, legs, drawn matches, third place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.model import Result, Round
from app.leagues.pure.pairing.knockout import Bracket, seed_order
from app.leagues.pure.terms import Terms
from tests.support.tournaments import DRAW, LOSS, WIN, field_of, finished


def test_seeds_are_spread() -> None:
    """The usual bracket: 1-8, 4-5, 2-7, 3-6 for eight."""
    assert seed_order(2) == [1, 2]
    assert seed_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert seed_order(16) == [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]


def play(count: int, terms: Terms, by=None) -> tuple[Bracket, list[Round]]:  # type: ignore[no-untyped-def]
    results: list[Result] = []
    rounds = []
    for round in range(1, Bracket(field_of(count), (), terms).rounds + 1):
        bracket = Bracket(field_of(count), results, terms)
        rounds.append(bracket.pair_round(round))
        results += [game for game in (finished(rounds[-1], by) if by else finished(rounds[-1])) if len(game.seats) == 2]
    return Bracket(field_of(count), results, terms), rounds


@given(st.integers(2, 33), st.sampled_from([1, 2]), st.booleans())
def test_when_the_stronger_wins_the_seeds_are_the_places(count: int, legs: int, third: bool) -> None:
    bracket, rounds = play(count, Terms(legs=legs, third_place=third))
    places = bracket.places()
    assert places[:2] == [(1, 1), (2, 2)] and sorted(who for _, who in places) == list(range(1, count + 1))
    if count >= 4:
        assert places[2:4] == ([(3, 3), (4, 4)] if third else [(3, 3), (3, 4)])
    assert len(rounds[0].byes) == bracket.size - count
    assert {bye.entrant for bye in rounds[0].byes} == set(range(1, bracket.size - count + 1))
    for at, paired in enumerate(rounds):
        here = {pairing.seats for pairing in paired.pairings}
        if legs == 2:
            assert here == {seats[::-1] for seats in here}
        alive = {who for pairing in paired.pairings for who in pairing.seats} | {bye.entrant for bye in paired.byes}
        expected = min(count, bracket.size >> at)
        assert len(alive) == (expected if at < bracket.rounds - 1 or not third else min(count, 4))


def test_a_player_who_begins_on_one_side_begins_on_the_other_next() -> None:
    bracket, rounds = play(4, Terms(legs=1))
    assert rounds[0].pairings[0].seats == (1, 4) and rounds[1].pairings[0].seats == (1, 2)
    assert [reason.code for reason in rounds[1].pairings[0].why] == ["knockout.winners"]
    assert bracket.decisions[3].why is not None and bracket.decisions[3].why.code == "knockout.points"


def match(drawn: tuple[str, ...], first: tuple[int, int], second: tuple[int, int], *more: Result, lots=()):  # type: ignore[no-untyped-def]
    """A match of 1 and 2 with a win each; victory points of player 1 first in `first`, of player 2 in `second`."""
    games = [Result(1, (1, 2), (WIN, LOSS), scores=first), Result(1, (2, 1), (WIN, LOSS), scores=second), *more]
    return Bracket(field_of(2), games, Terms(legs=2, drawn=drawn), lots=lots).decisions[1]


def test_what_decides_a_drawn_match_is_the_list_of_the_event() -> None:
    assert match(("score",), (30, 20), (25, 24)).winner == 1
    assert match(("score",), (30, 28), (25, 20)).winner == 2
    tied = match(("second_side", "seed"), (30, 20), (24, 14))
    assert (tied.winner, tied.why.code) == (2, "knockout.second_side")
    assert match(("score", "seed"), (30, 20), (30, 20)).winner == 1
    lot = match(("lot",), (30, 20), (30, 20), lots=[2, 1])
    assert (lot.winner, lot.why.code) == (2, "knockout.lot")
    assert match((), (30, 20), (30, 20)).winner == 1


def test_an_extra_game_decides_and_if_it_is_drawn_too_what_stands_behind_it() -> None:
    drawn = match(("extra", "seed"), (30, 20), (30, 20))
    assert not drawn.over and drawn.needs_extra
    games = [Result(1, (1, 2), (WIN, LOSS)), Result(1, (2, 1), (WIN, LOSS))]
    bracket = Bracket(field_of(2), games, Terms(legs=2, drawn=("extra", "seed")))
    assert [(pairing.seats, pairing.leg) for pairing in bracket.extra_games(1)] == [((1, 2), 3)]
    assert match(("extra", "seed"), (30, 20), (30, 20), Result(1, (1, 2), (LOSS, WIN))).winner == 2
    still = match(("extra", "lot"), (30, 20), (30, 20), Result(1, (1, 2), (DRAW, DRAW)), lots=[2, 1])
    assert (still.winner, still.why.code) == (2, "knockout.lot")


def test_who_withdraws_lets_the_other_through_and_two_let_the_next_one_through() -> None:
    entrants = field_of(4)
    entrants[3] = replace(entrants[3], withdrawn_after=0)
    bracket = Bracket(entrants, (), Terms(legs=2))
    assert bracket.decisions[1].winner == 1 and bracket.decisions[1].why.code == "knockout.walkover"
    entrants[0] = replace(entrants[0], withdrawn_after=0)
    bracket = Bracket(entrants, [Result(1, (2, 3), (WIN, LOSS)), Result(1, (3, 2), (LOSS, WIN))], Terms(legs=2))
    assert bracket.decisions[1].over and bracket.decisions[1].winner is None
    assert bracket.decisions[3].winner == 2
    assert bracket.pair_round(2).byes[0].entrant == 2


def test_a_round_waits_for_matches_that_are_not_decided() -> None:
    paired = Bracket(field_of(4), [Result(1, (1, 4), (WIN, LOSS))], Terms(legs=2)).pair_round(2)
    assert paired.pairings == () and paired.warnings[0].values == {"first": 1, "second": 2}


def test_an_unfinished_bracket_has_the_places_that_are_settled() -> None:
    results = [Result(1, (1, 4), (WIN, LOSS)), Result(1, (2, 3), (WIN, LOSS))]
    assert Bracket(field_of(4), results, Terms(legs=1)).places() == [(3, 3), (3, 4)]
    assert Bracket(field_of(4), results, Terms(legs=1, third_place=True)).places() == []


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError):
        Bracket(field_of(1))
