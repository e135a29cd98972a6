"""What the standings of a season cost, as a ratio to a turn page that is drawn in the same process.

    python -m bench.standings [--rounds 7] [--seed 1]

The season has 168 games: three divisions of eight, a double round robin each, with two who left. Standings are those of
all three divisions, with every tie-break there is, values and reasons; the sentences are said in French. Beside them
the crosstable. The turn page is that of Acres in a game of some length, asked
through Flask's test client: the first time (nothing of it is known yet) and again.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.base.words.speech import Voice
from app.leagues.pure.crosstable import crosstable
from app.leagues.pure.model import Competitor, Result
from app.leagues.pure.pairing import berger
from app.leagues.pure.standings import settled, standings
from app.leagues.pure.terms import USUAL
from app.leagues.pure.tie_break_names import TIE_BREAKS
from app.leagues.pure.why import sentence
from bench import games
from engine.kernel.text import say

TERMS = replace(USUAL, legs=2, tie_breaks=TIE_BREAKS)
LOTS = "bench"


def season(seed: int) -> list[tuple[list[Competitor], list[Result]]]:
    """Return three divisions with their results; in two of them a player leaves, after round 3 and after round 11."""
    chance = random.Random(seed)
    made = []
    for left in (None, 3, 11):
        field = [Competitor(number, f"Player {number}", number) for number in range(1, 9)]
        results = []
        for paired in berger.schedule(field, double=True):
            for pairing in paired.pairings:
                points = Fraction(chance.choice([2, 2, 0, 0, 1]), 2)
                scores = (chance.randint(20, 120), chance.randint(20, 120))
                results.append(Result(paired.number, pairing.seats, (points, 1 - points), scores=scores))
        if left is not None:
            field[5] = replace(field[5], withdrawn_after=left)
            results = [result for result in results if 6 not in result.seats or result.round <= left]
        made.append((field, results))
    return made


def best_of(rounds: int, work: Callable[[], object]) -> float:
    """Return the median time of one call, in milliseconds."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        for _ in range(5):
            work()
        times.append((perf_counter() - start) / 5 * 1000)
    return statistics.median(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    divisions = season(given.seed)
    french = Voice("fr")

    def tables() -> object:
        return [standings(entrants, results, TERMS, LOTS) for entrants, results in divisions]

    def said() -> object:
        return [
            say(sentence(place.why, {entrant.id: entrant.name for entrant in entrants}), french)
            for entrants, results in divisions
            for place in standings(entrants, results, TERMS, LOTS)
            if place.why is not None
        ]

    def crossed() -> object:
        return [
            crosstable(standings(entrants, results, TERMS, LOTS), settled(entrants, results, TERMS))
            for entrants, results in divisions
        ]

    first, again = turn_pages(given.rounds)
    print(f"{'a turn page, first time':40} {first:7.2f} ms\n{'the same again':40} {again:7.2f} ms")
    worst = 0.0
    for name, work in (
        ("standings of 168 games", tables), ("the same, said in French", said), ("and the crosstable", crossed),
    ):  # fmt: skip
        cost = best_of(given.rounds, work)
        print(f"{name:40} {cost:7.2f} ms {cost / first:6.2f} of a first page {cost / again:6.2f} of a kept page")
        if work is said:
            worst = cost / first
    print(f"standings, said: {worst:.2f} of a turn page's time (wanted: at most 1)")
    return 0 if worst <= 1 else 1


def turn_pages(rounds: int) -> tuple[float, float]:
    """Return the median milliseconds for a turn page requested for the first time, and for one that has been drawn."""
    with tempfile.TemporaryDirectory() as folder:
        server = games.fresh_server(Path(folder), 8000)
        positions = games.positions(server, "acres", 4, 4)
        from app.server.factory import create_app

        client = create_app(server.config).test_client()
        firsts, agains = [], []
        for at, position in enumerate(positions):
            for times in (firsts, agains):
                start = perf_counter()
                answer = client.get(position.path, headers={"Accept": "text/html"})
                times.append((perf_counter() - start) * 1000)
                assert answer.status_code == 200
            if at == 0:
                firsts.clear()  # templates are loaded with the very first page
        return statistics.median(firsts), statistics.median(agains)


if __name__ == "__main__":
    sys.exit(main())
