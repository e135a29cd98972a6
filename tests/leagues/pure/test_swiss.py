"""Swiss rounds: what must hold in every event, and what a round says about itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.model import VOID, WALKOVER, Competitor, Result, Round
from app.leagues.pure.pairing.cards import ABSOLUTE, MILD, STRONG, PairingCard, cards
from app.leagues.pure.pairing.swiss import pair_round
from app.leagues.pure.pairing.swiss_weights import SwissTerms
from app.leagues.pure.why import sentence
from engine.kernel.text import PlainSpeaker, say
from tests.support.tournaments import DRAW, LOSS, WIN, field_of, finished, played


@st.composite
def events(draw: st.DrawFn) -> tuple[list[Competitor], int, list[float]]:
    """Entrants with late entries, drop-outs, absences and byes; a number of rounds; and what decides games."""
    count = draw(st.integers(1, 14))
    rounds = draw(st.integers(1, 6))
    entrants = []
    some_rounds = st.frozensets(st.integers(1, rounds), max_size=1)
    for entrant in field_of(count):
        joined = draw(st.sampled_from([1, 1, 1, 2]))
        left = draw(st.sampled_from([None, None, None, 2, 3]))
        away = draw(st.sampled_from([frozenset(), frozenset(), draw(some_rounds)]))
        entrants.append(replace(entrant, joined=joined, withdrawn_after=left, away=away, byes=draw(some_rounds) - away))
    chances = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=10, max_size=10))
    return entrants, rounds, chances


def decided(chances: list[float]):  # type: ignore[no-untyped-def]
    return lambda round, first, second: [LOSS, DRAW, WIN][int(2 * chances[(7 * round + 3 * first + second) % 10])]


def fewest_repeats(paired: Round, made: dict[int, PairingCard]) -> int:
    """Return how many pairs of a round cannot avoid a repeated game (the bye goes to anybody who can have it)."""
    players = [who for pairing in paired.pairings for who in pairing.seats]
    lone = [bye.entrant for bye in paired.byes if bye.kind == "pairing_bye"]
    graph = nx.Graph()
    graph.add_nodes_from([*players, *lone])
    graph.add_edges_from((one, other) for one in graph for other in graph if one < other and other not in made[one].met)
    if lone:
        graph.add_edges_from([(0, who) for who in graph if not made[who].had_bye])
    return (graph.number_of_nodes() - 2 * len(nx.max_weight_matching(graph, maxcardinality=True)) + 1) // 2


@pytest.mark.slow
@given(events(), st.sampled_from([1, 2]))
def test_whatever_happens_a_round_is_sound(event: tuple[list[Competitor], int, list[float]], limit: int) -> None:
    """Everybody is accounted for; nobody meets again and nobody has a second bye while that can be avoided."""
    entrants, rounds, chances = event
    results: list[Result] = []
    for round in range(1, rounds + 1):
        paired = pair_round(entrants, results, round, terms=SwissTerms(limit=limit))
        assert Counter(paired.everybody()) == Counter(who.id for who in entrants if who.is_in(round))
        here = sum(who.is_paired_in(round) for who in entrants)
        assert sum(bye.kind == "pairing_bye" for bye in paired.byes) == here % 2
        made = cards(entrants, results)
        repeats = sum(pairing.seats[1] in made[pairing.seats[0]].met for pairing in paired.pairings)
        again = sum(bye.kind == "pairing_bye" and made[bye.entrant].had_bye for bye in paired.byes)
        if not repeats + again:
            assert paired.totals["repeat"] == paired.totals["bye_again"] == 0
        else:
            assert fewest_repeats(paired, made) > 0
            assert {warning.code for warning in paired.warnings} & {"warn.repeat", "warn.bye"}
        results += finished(paired, decided(chances))


@given(st.integers(8, 20), st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=10, max_size=10))
def test_sides_stay_within_one_and_byes_come_once(count: int, chances: list[float]) -> None:
    """With the default terms, in an event with enough players: four rounds for eight or more."""
    entrants = field_of(count)
    results: list[Result] = []
    for round in range(1, 5):
        paired = pair_round(entrants, results, round)
        assert paired.warnings == ()
        results += finished(paired, decided(chances))
        made = cards(entrants, results)
        assert all(abs(card.difference) <= 1 for card in made.values())
        assert all(len(games) == 1 for card in made.values() for games in card.met.values())
    byes = Counter(result.seats[0] for result in results if len(result.seats) == 1)
    assert set(byes.values()) <= {1}


@given(st.integers(10, 24), st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=10, max_size=10))
def test_by_the_rules_of_fide_nobody_has_a_side_three_times_in_a_row(count: int, chances: list[float]) -> None:
    """C.04.1 rules 6 and 7: the difference stays within two, and no third game running on a side."""
    entrants = field_of(count)
    results: list[Result] = []
    for round in range(1, 6):
        results += finished(pair_round(entrants, results, round, terms=SwissTerms(limit=2)), decided(chances))
    for card in cards(entrants, results).values():
        assert abs(card.difference) <= 2
        assert not any(one == two == three for (one, two), (_, three) in pairwise(pairwise(card.sides)))


def test_equal_input_gives_an_equal_round_whatever_its_order() -> None:
    results = played(1, [(1, 6), (7, 2), (3, 8), (9, 4), (5, 10)])
    assert pair_round(field_of(10), results, 2) == pair_round(field_of(10)[::-1], results[::-1], 2)


def test_players_who_block_each_other_are_kept_apart_or_the_round_says_so() -> None:
    blocks = {frozenset({1, 3})}
    respected = pair_round(field_of(4), [], 1, blocks=blocks)
    assert {frozenset(pairing.seats) for pairing in respected.pairings} == {frozenset({1, 4}), frozenset({2, 3})}
    assert respected.warnings == ()
    assert [(no.opponent, no.why.code) for no in respected.pairings[0].rejected] == [(3, "blocked")]
    alone = pair_round(field_of(2), [], 1, blocks={frozenset({1, 2})})
    assert [warning.code for warning in alone.warnings] == ["warn.blocked"]


def test_two_players_meet_again_when_there_is_nobody_else() -> None:
    paired = pair_round(field_of(2), played(1, [(1, 2)]), 2)
    assert [pairing.seats for pairing in paired.pairings] == [(2, 1)]
    assert [warning.code for warning in paired.warnings] == ["warn.repeat"]


@pytest.mark.parametrize("count", [0, 1])
def test_an_event_without_opponents_says_so(count: int) -> None:
    paired = pair_round(field_of(count), [], 1)
    assert paired.pairings == () and [bye.why[0].code for bye in paired.byes] == ["bye.last"] * count
    assert [warning.code for warning in paired.warnings] == ["warn.alone"]


def test_a_game_not_played_counts_for_points_but_not_for_sides_or_repeats() -> None:
    """C.04.2: a walkover is not a meeting; the winner floated down and cannot have the bye."""
    entrants = field_of(3)
    results = [Result(1, (1, 2), (WIN, LOSS), WALKOVER), Result(1, (3,), (WIN,), "pairing_bye")]
    made = cards(entrants, results)
    assert made[1].score == WIN and not made[1].met and not made[1].sides
    assert made[1].had_bye and made[1].downs == {1} and not made[2].had_bye
    paired = pair_round(entrants, results, 2)
    assert [bye.entrant for bye in paired.byes] == [2]


def test_annulled_games_are_as_if_they_had_not_been() -> None:
    assert cards(field_of(2), [Result(1, (1, 2), (WIN, LOSS), VOID)]) == cards(field_of(2), [])


@pytest.mark.parametrize(
    ("sides", "limit", "due"),
    [
        ([], 2, (None, 0)),
        ([0], 2, (1, STRONG)),
        ([0], 1, (1, ABSOLUTE)),
        ([0, 1], 2, (0, MILD)),
        ([1, 0, 0], 2, (1, ABSOLUTE)),
        ([0, 1, 1, 0, 0, 1], 2, (0, MILD)),
        ([0, 1, 0], 2, (1, STRONG)),
        ([1, 0, 1, 1], 2, (0, ABSOLUTE)),
        ([1, 1, 0], 2, (0, STRONG)),
    ],
)
def test_the_side_that_is_due(sides: list[int], limit: int, due: tuple[int | None, int]) -> None:
    """C.04.3 article 1.7"""
    assert PairingCard(field_of(1)[0], sides=sides).due(limit) == due


def test_every_reason_of_a_round_can_be_said() -> None:
    entrants = [replace(entrant, away=frozenset({3}) if entrant.id == 4 else frozenset()) for entrant in field_of(9)]
    results: list[Result] = []
    names = {entrant.id: entrant.name for entrant in entrants}
    speaker = PlainSpeaker(lambda kind, key, lang: key)
    said: list[str] = []
    for round in range(1, 7):
        paired = pair_round(entrants, results, round)
        for pairing in paired.pairings:
            assert len(pairing.why) >= 3
            said += [say(sentence(reason, names), speaker) for reason in pairing.why]
            said += [say(sentence(no.why, names), speaker) for no in pairing.rejected]
        said += [say(sentence(reason, names), speaker) for bye in paired.byes for reason in bye.why]
        results += finished(paired)
    assert any("plays down against" in line for line in said)
    assert {"Both have the score 1.", "P4 is away in this round."} <= set(said)
    assert any(line.startswith("They have met in round ") for line in said)
    assert not any("{" in line for line in said)


def test_the_opponent_that_the_order_would_have_given_is_named_with_the_reason() -> None:
    """After 1-2 the favourite of the order for the third round has been met; the next one is taken."""
    results = [*played(1, [(1, 3), (4, 2)], by=lambda *_: DRAW), *played(2, [(2, 1), (3, 4)], by=lambda *_: DRAW)]
    paired = pair_round(field_of(4), results, 3, terms=SwissTerms(limit=2))
    first = next(pairing for pairing in paired.pairings if 1 in pairing.seats)
    assert set(first.seats) == {1, 4}
    assert (first.rejected[0].opponent, first.rejected[0].why.code, first.rejected[0].why.values) == (
        3,
        "met",
        {"round": 1},
    )


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    results = played(1, [(n, n + 20) if n % 2 else (n + 20, n) for n in range(1, 21)])
    pair_round(field_of(40), results, 2, progress=lambda done, of: told.append((done, of)))
    assert told and told[-1][0] == told[-1][1]
