"""Lets levels of the computer play each other, and random play, and prints who wins.

    python -m bench.strength TITLE FIRST SECOND [--games N] [--seats N] [--option NAME=VALUE ...] [--playouts N M]

FIRST and SECOND are levels of the title, or `random`. FIRST has one seat and SECOND all others; every deal is played
from each seat in turn, so the games are a multiple of the seats. It prints the share of wins of FIRST (a shared win is
its part) with its 95 % Wilson interval, by seat and in all, the points, the CPU seconds and playouts of a decision, and
the memory at its highest. What is even is one game in as many as there are seats.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine.acres import ACRES
from engine.kernel.search import Level, Stream, levels_of, see, think
from engine.kernel.title import Choice, Title
from engine.new_world.title import NEW_WORLD

TITLES: dict[str, Any] = {title.id: title for title in (ACRES, NEW_WORLD)}
RANDOM = "random"
Z = 1.959964
"""Standard errors of 95 %."""
MOST_DECISIONS = 3000


@dataclass
class Player:
    """A level, or random play, and what its decisions took."""

    level: Level | None
    playouts: int | None = None
    seconds: list[float] = field(default_factory=list)
    played_out: int = 0

    def choose(self, title: Title, state: Any, seat: str, seed: bytes) -> Any:
        """Return the action of this decision."""
        if self.level is None:
            return random_action(title, state, random.Random(seed))
        start = process_time()
        thought = think(title, see(self.level.mind, state, seat), self.level, seed, self.playouts)
        self.seconds.append(process_time() - start)
        self.played_out += thought.playouts
        return thought.action


def random_action(title: Title, state: Any, source: random.Random) -> Any:
    """Return a legal action: a kind of it first, so that free subsets do not crowd out the rest."""
    entry = source.choice(title.legal(state))
    if not isinstance(entry, Choice):
        return entry
    picked = source.sample(entry.items, source.randint(entry.least, entry.most))
    return entry.action(picked) if entry.allows(picked) else source.choice(entry.smallest())


def wilson(wins: float, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, by Wilson."""
    if not games:
        return 0.0, 1.0
    share, spread = wins / games, Z * Z / games
    middle = share + spread / 2
    half = Z * sqrt(share * (1 - share) / games + spread / (4 * games))
    return (middle - half) / (1 + spread), (middle + half) / (1 + spread)


def game(title: Title, options: Any, players: dict[str, Player], deal: int) -> tuple[dict[str, float], Any]:
    """Play a game; return each seat's share of the win, and the outcome."""
    chance = Stream(b"deal", deal)
    seats = tuple(players)
    state: Any = None
    for event in title.open(options, seats, chance):
        state = title.apply(state, event)
    for number in range(MOST_DECISIONS):
        due = title.decision(state)
        if due is None:
            break
        seed = f"arena {deal} {due.seat} {number}".encode()
        action = players[due.seat].choose(title, state, due.seat, seed)
        state = title.unfold(state, due.seat, action, chance)[-1][1]
    outcome = title.outcome(state)
    if outcome is None:
        return dict.fromkeys(seats, 1 / len(seats)), None
    return {seat: (seat in outcome.winners) / max(1, len(outcome.winners)) for seat in seats}, outcome


def arena(
    title: Title, options: Any, seats: Sequence[str], first: Player, second: Player, games: int
) -> dict[str, list[tuple[float, Any]]]:
    """Return the results of FIRST by its seat: its share of the win, and the outcome."""
    found: dict[str, list[tuple[float, Any]]] = {seat: [] for seat in seats}
    for number in range(games):
        own = seats[number % len(seats)]
        players = {seat: first if seat == own else second for seat in seats}
        shares, outcome = game(title, options, players, number // len(seats))
        found[own].append((shares[own], outcome))
    return found


def told(name: str, shares: Sequence[float]) -> str:
    """Return a line about these games."""
    wins = sum(shares)
    low, high = wilson(wins, len(shares))
    share = 100 * wins / max(1, len(shares))
    return f"{name:10} {share:5.1f} % [{100 * low:.0f}, {100 * high:.0f}] of {len(shares)}"


def points_of(found: dict[str, list[tuple[float, Any]]]) -> str:
    """Return the mean points of FIRST and of the others, over games that ended by points."""
    own, others, reasons = [], [], {}  # type: list[int], list[int], dict[str, int]
    for seat, results in found.items():
        for _, outcome in results:
            reason = outcome.reason if outcome is not None else "unfinished"
            reasons[reason] = reasons.get(reason, 0) + 1
            if outcome is not None:
                own.append(outcome.scores[seat])
                others += [points for other, points in outcome.scores.items() if other != seat]
    mean = [sum(points) / max(1, len(points)) for points in (own, others)]
    return f"points {mean[0]:.0f} : {mean[1]:.0f}; ends {reasons}"


def cost_of(name: str, player: Player) -> str:
    """Return what a decision took."""
    spent = sorted(player.seconds)
    if not spent:
        return f"{name}: nothing measured"
    mean = sum(spent) / len(spent)
    return (
        f"{name}: {len(spent)} decisions, {player.played_out / len(spent):.0f} playouts, "
        f"{mean:.4f} s in the mean, p95 {spent[len(spent) * 95 // 100]:.4f} s, most {spent[-1]:.3f} s"
    )


def player(title: Title, name: str, playouts: int | None) -> Player:
    """Return the player of that name."""
    if name == RANDOM:
        return Player(None)
    return Player(next(level for level in levels_of(title) if level.name == name), playouts)


def option(text: str) -> Any:
    """Return the value of an option as it is typed."""
    return {"yes": True, "no": False, "none": None}.get(text, int(text) if text.isdigit() else text)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("title", choices=sorted(TITLES))
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--option", action="append", default=[], help="such as edition=first")
    parser.add_argument("--playouts", type=int, nargs=2, default=(None, None), help="instead of the levels' own")
    given = parser.parse_args(arguments)
    title = TITLES[given.title]
    options = title.read_options({name: option(value) for name, _, value in (o.partition("=") for o in given.option)})
    first = player(title, given.first, given.playouts[0])
    second = player(title, given.second, given.playouts[1])
    found = arena(title, options, title.seats[: given.seats], first, second, given.games)
    for seat, results in found.items():
        print(told(seat, [share for share, _ in results]))
    print(told("all", [share for results in found.values() for share, _ in results]), points_of(found))
    print(cost_of(given.first, first))
    if second.seconds:
        print(cost_of(given.second, second))
    print(f"memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
