"""Swiss rounds against all rounds that are possible: for up to ten players every pairing is looked at."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from app.leagues.pure.model import PAIRING_BYE, Competitor, Result, Round
from app.leagues.pure.pairing.cards import cards
from app.leagues.pure.pairing.swiss import pair_round
from app.leagues.pure.pairing.swiss_weights import AFTER_FLOATS, BEFORE_FLOATS, DOWNS, Field, SwissTerms
from bench.trials.other_swiss import compared
from tests.support.tournaments import DRAW, LOSS, WIN, field_of, finished, played

Pairs = tuple[tuple[int, int], ...]
TERMS = (SwissTerms(), SwissTerms(limit=2), SwissTerms(by_sides=False))


def pairings(players: Sequence[int]) -> Iterator[Pairs]:
    """Yield every way to put all of them into pairs."""
    if not players:
        yield ()
        return
    first, *others = players
    for at, other in enumerate(others):
        for more in pairings([*others[:at], *others[at + 1 :]]):
            yield ((first, other), *more)


def worth(field: Field, pairs: Pairs, against: dict[tuple[int, int], dict[str, int]]) -> tuple[int, ...]:
    """Return what stands against a round in the order of `docs/pairing.md`, down to the top score group."""
    groups = len(field.sizes)
    spans = [(field.group[one], groups - 1 if other == field.count else field.group[other]) for one, other in pairs]
    found = [sum(against[pair].get(name, 0) for pair in pairs) for name in BEFORE_FLOATS]
    for edge in range(min(2, groups - 1)):
        crossing = [upper for upper, lower in spans if upper <= edge < lower]
        found += [len(crossing), sum((edge - upper) ** 2 for upper in crossing)]
    for name in AFTER_FLOATS:
        counts = (
            against[one, other].get(name, 0)
            for (one, other), (upper, lower) in zip(pairs, spans, strict=True)
            if (upper if other == field.count or name in DOWNS else lower) == 0
        )
        found.append(sum(counts))
    return tuple(found)


def events(seed: int) -> Iterator[tuple[list[Competitor], list[Result], int, SwissTerms]]:
    """Yield the rounds of a random event of three to ten, as they are to be paired."""
    chance = random.Random(seed)
    entrants = [replace(one, joined=2 if chance.random() < 0.1 else 1) for one in field_of(chance.randint(3, 10))]
    terms, results = chance.choice(TERMS), list[Result]()
    for number in range(1, chance.randint(3, 5)):
        yield entrants, results, number, terms
        paired = pair_round(entrants, results, number, terms=terms)
        results += finished(paired, lambda *_: chance.choice([WIN, DRAW, LOSS]))


def pairs_of(field: Field, paired: Round) -> Pairs:
    at = {card.entrant.id: place for place, card in enumerate(field.ranked)}
    lone = [at[bye.entrant] for bye in paired.byes if bye.kind == PAIRING_BYE]
    pairs = [tuple(sorted(at[who] for who in pairing.seats)) for pairing in paired.pairings]
    return tuple(sorted([*pairs, *((one, field.count) for one in lone)]))  # type: ignore[arg-type]


@pytest.mark.slow
def test_no_other_round_is_better_of_all_that_are_possible() -> None:
    looked_at = 0
    for seed in range(60):
        for entrants, results, number, terms in events(seed):
            ranked = [card for card in cards(entrants, results).values() if card.entrant.is_paired_in(number)]
            ranked.sort(key=lambda card: (-card.score, card.entrant.seed))
            field = Field(ranked, number, frozenset(), terms)
            every = [(one, other) for one in range(field.count) for other in range(one + 1, field.size)]
            against = {pair: field.criteria(*pair) for pair in every}
            cost = {pair: field.cost(*pair) for pair in every}
            ours = pairs_of(field, pair_round(entrants, results, number, terms=terms))
            rounds = list(pairings(range(field.size)))
            least = min(sum(cost[pair] for pair in pairs) for pairs in rounds)
            assert sum(cost[pair] for pair in ours) == least, (seed, number)
            best = min(worth(field, pairs, against) for pairs in rounds)
            assert worth(field, ours, against) == best, (seed, number)
            looked_at += len(rounds)
    assert looked_at > 30_000


@pytest.mark.slow
def test_thirty_random_events_keep_what_another_engine_keeps() -> None:
    """c.04.3, C1 to C6 of the top score group; most rounds are the same pair by pair."""
    rounds = [one for event in range(1, 31) for one in compared(event, 4, 14)]
    assert len(rounds) > 100 and all(one.is_sound for one in rounds)
    assert sum(one.is_equal for one in rounds) > 0.8 * len(rounds)


def test_sides_weigh_nothing_where_seats_are_alike() -> None:
    results = played(1, [(1, 5), (2, 6), (3, 7), (4, 8)])  # all who won had the first side
    paired = {
        by_sides: pair_round(field_of(8), results, 2, terms=SwissTerms(by_sides=by_sides)) for by_sides in (True, False)
    }
    pairs = {key: {frozenset(pairing.seats) for pairing in one.pairings} for key, one in paired.items()}
    assert pairs[False] == {frozenset(pair) for pair in ((1, 3), (2, 4), (5, 7), (6, 8))}
    assert all(min(pair) <= 4 < max(pair) for pair in pairs[True])
    assert not paired[False].warnings


def test_a_field_too_small_for_its_rounds_is_paired_with_a_warning() -> None:
    entrants, results = field_of(3), list[Result]()
    for number in range(1, 5):
        paired = pair_round(entrants, results, number)
        assert len(paired.everybody()) == 3
        results += played(number, [paired.pairings[0].seats], paired.byes[0].entrant)  # type: ignore[list-item]
    assert "warn.repeat" in {warning.code for warning in paired.warnings}
