"""The cost of pairing a Swiss round, as a ratio to networkx on the dense graph of the same weights.

    python -m bench.pairing [--players 200] [--rounds 9] [--seed 1]
    python -m bench.pairing --tables [--players 200] [--rounds 6] [--seed 1]

With `--tables` rounds at tables of 3 to 5 instead, by score and by opponents alone: seconds of the process for each
round, and how good it is (meetings again, the greatest difference between the seats of somebody, and how many places in
the standings lie between two at a table, on average).

Every round is paired by both, by turns; `pairing` includes cards, weights, matching and reasons, `networkx` only
`max_weight_matching(maxcardinality=True)`. The totals have to be equal.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import networkx as nx

from app.leagues.pure.model import Competitor, Result, Round
from app.leagues.pure.pairing import table_rounds
from app.leagues.pure.pairing.cards import PairingCard, cards
from app.leagues.pure.pairing.matching import heaviest
from app.leagues.pure.pairing.swiss import pair_round
from app.leagues.pure.pairing.swiss_weights import Field, SwissTerms, weights
from app.leagues.pure.pairing.table_search import TableTerms

RATIO = 0.6
SECONDS = 1.0
Done = TypeVar("Done")


def timed(work: Callable[[], Done]) -> tuple[float, Done]:
    start = time.perf_counter()
    done = work()
    return time.perf_counter() - start, done


def by_networkx(square: list[list[int]]) -> int:
    graph = nx.Graph()
    graph.add_weighted_edges_from(
        (one, other, square[one][other]) for one in range(len(square)) for other in range(one)
    )
    return sum(square[one][other] for one, other in nx.max_weight_matching(graph, maxcardinality=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", action="store_true")
    given = parser.parse_args()
    if given.tables:
        return at_tables(given.players, given.rounds or 6, given.seed)
    given.rounds = given.rounds or 9
    chance = random.Random(given.seed)
    entrants = [Competitor(number, f"P{number}", number) for number in range(1, given.players + 1)]
    results: list[Result] = []
    ours = theirs = 0.0
    for round in range(1, given.rounds + 1):
        terms = SwissTerms(limit=1 + round % 2)
        square = square_of(entrants, results, round, terms)
        mine, paired = timed(partial(pair_round, entrants, results, round, terms=terms))
        only, mate = timed(partial(heaviest, square))
        other, total = timed(partial(by_networkx, square))
        same = total == sum(square[one][mate[one]] for one in range(len(square)) if one < mate[one])
        ours, theirs = ours + mine, theirs + other
        print(f"round {round}: pairing {mine:.3f} s (matching {only:.3f} s), networkx {other:.3f} s, equal: {same}")
        if not same:
            return 1
        for pairing in paired.pairings:
            points = Fraction(chance.choice([2, 2, 1, 0]), 2)
            results.append(Result(round, pairing.seats, (points, 1 - points)))
        for bye in paired.byes:
            results.append(Result(round, (bye.entrant,), (Fraction(1),), bye.kind))
    print(f"{given.players} players, {given.rounds} rounds: {ours / theirs:.3f} of networkx (wanted: at most {RATIO})")
    return 0 if ours <= RATIO * theirs else 1


def square_of(entrants: list[Competitor], results: list[Result], round: int, terms: SwissTerms) -> list[list[int]]:
    """Return the weights of every pair, as `pair_round` makes them."""
    ranked = sorted(cards(entrants, results).values(), key=lambda card: (-card.score, card.entrant.seed))
    return weights(Field(ranked, round, set(), terms))


def at_tables(players: int, rounds: int, seed: int) -> int:
    """Pair rounds at tables; return 1 if one takes longer than wanted or a player's seats become unbalanced."""
    entrants = [Competitor(number, f"P{number}", number) for number in range(1, players + 1)]
    failed = False
    for by_score in (True, False):
        chance, results, longest = random.Random(seed), list[Result](), 0.0
        for round in range(1, rounds + 1):
            start = time.process_time()
            paired = table_rounds.pair_round(entrants, results, round, terms=TableTerms(by_score=by_score))
            spent = time.process_time() - start
            apart = _apart(cards(entrants, results), paired)
            for pairing in paired.pairings:
                places = chance.sample(range(len(pairing.seats)), len(pairing.seats))
                results.append(Result(round, pairing.seats, tuple(map(Fraction, places))))
            for bye in paired.byes:
                results.append(Result(round, (bye.entrant,), (Fraction(1),), bye.kind))
            least = min(len(pairing.seats) for pairing in paired.pairings)
            past = table_rounds.histories(entrants, results).values()
            uneven = max(max(one.seats.values()) - min(one.seats[seat] for seat in range(least)) for one in past)
            print(
                f"{'by score' if by_score else 'by opponents'}, round {round}: {spent:.2f} s, "
                f"meetings again {paired.totals['repeat']}, seats within {uneven}, {apart:.0f} places apart"
            )
            longest, failed = max(longest, spent), failed or uneven > 1
        print(f"{players} players: at most {longest:.2f} s a round (wanted: at most {SECONDS})")
        failed = failed or longest > SECONDS
    return int(failed)


def _apart(made: dict[int, PairingCard], paired: Round) -> float:
    scores = sorted((card.score for card in made.values()), reverse=True)
    level = {who: scores.index(card.score) for who, card in made.items()}
    found = [abs(level[a] - level[b]) for pairing in paired.pairings for a, b in combinations(pairing.seats, 2)]
    return sum(found) / len(found)


if __name__ == "__main__":
    sys.exit(main())
