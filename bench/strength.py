"""Lets levels of the computer play each other, and random play, and prints who wins.

    python -m bench.strength TITLE FIRST SECOND [--games N] [--seats N] [--option NAME=VALUE ...] [--playouts N M]
    python -m bench.strength table FILE [--minutes N]
    python -m bench.strength positions
    python -m bench.strength people RECORD... [--every N]

FIRST and SECOND are levels of the title, or `random`. FIRST has one seat and SECOND all others; every deal is played
from each seat in turn, so the games are a multiple of the seats. It prints the share of wins of FIRST (a shared win is
its part) with its 95 % Wilson interval, by seat and in all, the points, the CPU seconds and playouts of a decision, and
the memory at its highest. What is even is one game in as many as there are seats.

The second form plays the matches of the documents, adds each game to FILE as a line of JSON, goes on with what FILE has
when it is begun again, and prints the table as it stands. A match with *strong* ends when the interval leaves even out.
The third shows five positions of each title with what each level plays there, and what it weighed; the fourth says how
often what people have played in records is among the first five of *strong*.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.play.past.look_back import played_in
from engine.acres import ACRES
from engine.kernel import records
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


# -- the table of the documents ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Match:
    """A row of the table; `games` at most."""

    title: Any
    first: str
    second: str
    games: int
    options: tuple[tuple[str, Any], ...] = ()
    seats: int = 2

    @property
    def name(self) -> str:
        """What it is called in the table, and in the file."""
        edition = dict(self.options).get("edition", "")
        table = f" {edition}" if edition else f", {self.seats} seats"
        others = "" if self.seats == 2 else f"{self.seats - 1} "
        return f"{self.title.id}{table}: {self.first} v {others}{self.second}"

    def is_over(self, shares: Sequence[float]) -> bool:
        """Whether enough is known: all sides of a deal have been played, and what is even is left out."""
        low, high = wilson(sum(shares), len(shares))
        told_apart = self.first == "strong" and not len(shares) % self.seats and not low <= 1 / self.seats <= high
        return len(shares) >= self.games or (told_apart and len(shares) >= 3 * self.seats)


def _matches() -> list[Match]:
    editions = [(("edition", edition),) for edition in ("second", "first", "first-revised")]
    acres, new_world = [(ACRES, 2, one) for one in editions], [(NEW_WORLD, seats, ()) for seats in (2, 4)]
    tables = [acres[0], new_world[0], acres[1], new_world[1], acres[2]]
    pairs = (("beginner", RANDOM, 60), ("club", "beginner", 120), ("strong", "club", 60), ("strong", "beginner", 12))
    return [
        Match(title, first, second, games, options, seats)
        for first, second, games in pairs
        for title, seats, options in tables
    ]


def table(file: Path, minutes: float) -> None:
    """Play what is left of the matches, one after the other, for so many minutes; print them all."""
    until = time.monotonic() + 60 * minutes
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    found: dict[str, list[dict[str, Any]]] = {match.name: [] for match in _matches()}
    for line in lines:
        found[line["match"]].append(line)
    while time.monotonic() < until:
        left = [match for match in _matches() if not match.is_over([one["share"] for one in found[match.name]])]
        if not left:
            break
        line = _played(left[0], len(found[left[0].name]))
        found[line["match"]].append(line)
        with file.open("a") as kept:
            kept.write(json.dumps(line) + "\n")
    print("| match | games | wins, % | by side | s a decision, mean, p95 |", "|---|---:|---|---|---|", sep="\n")
    for match in _matches():
        if found[match.name]:
            print(_row(match, found[match.name]))
    print(f"Memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most.")


def _played(match: Match, number: int) -> dict[str, Any]:
    seats = match.title.seats[: match.seats]
    own = seats[number % len(seats)]
    first, second = player(match.title, match.first, None), player(match.title, match.second, None)
    players = {seat: first if seat == own else second for seat in seats}
    options = match.title.read_options(dict(match.options))
    shares, _ = game(match.title, options, players, number // len(seats))
    seconds = [round(one, 4) for one in first.seconds]
    return {"match": match.name, "seat": own, "share": shares[own], "seconds": seconds}


def _row(match: Match, lines: Sequence[dict[str, Any]]) -> str:
    shares = [line["share"] for line in lines]
    low, high = wilson(sum(shares), len(shares))
    sides = [
        f"{seat} {100 * sum(own) / len(own):.0f}"
        for seat in match.title.seats[: match.seats]
        if (own := [line["share"] for line in lines if line["seat"] == seat])
    ]
    spent = sorted(one for line in lines for one in line["seconds"])
    cost = f"{sum(spent) / len(spent):.4f}, {spent[len(spent) * 95 // 100]:.4f}" if spent else ""
    wins = f"{100 * sum(shares) / len(shares):.0f} [{100 * low:.0f}, {100 * high:.0f}]"
    return f"| {match.name} | {len(shares)} | {wins} | {', '.join(sides)} | {cost} |"


# -- for people to look at -----------------------------------------------------------------------------------

SHOWN, POSITIONS_DEAL = 5, 7


def positions() -> None:
    """Print positions of a game between *club* and *beginner*, and what each level makes of them."""
    for title in TITLES.values():
        decisions = list(_decisions(title, POSITIONS_DEAL))
        for state, seat in decisions[len(decisions) // 8 :: len(decisions) // 6][:SHOWN]:
            print(
                f"\n{title.name}, turn {title.decision(state).turn}, {seat}, {len(title.legal(state))} kinds of actions"
            )
            for level in levels_of(title):
                sight = see(level.mind, state, seat)
                thought = think(title, sight, level, b"positions")
                if len(thought.tried) > 1:
                    weighed = [(f"{100 * one.expected:.0f} %", one.action) for one in thought.tried]
                else:
                    weighed = [(f"{one.points:+.1f}", one.action) for one in level.mind.ranked(sight.world, seat)]
                next_best = "; ".join(f"{worth} {title.write(state, action)}" for worth, action in weighed[:3])
                print(f"  {level.name:9} {title.write(state, thought.action)}    [{next_best}]")


def _decisions(title: Title, deal: int) -> Iterator[tuple[Any, str]]:
    """Play a game and yield the decisions in which there is something to choose."""
    chance, club = Stream(b"deal", deal), levels_of(title)[1]
    options: Any = title.read_options({})
    state: Any = None
    for event in title.open(options, title.seats[: title.least_seats], chance):
        state = title.apply(state, event)
    while (due := title.decision(state)) is not None:
        if len(title.legal(state)) > SHOWN:
            yield state, due.seat
        action = think(title, see(club.mind, state, due.seat), club, b"positions").action
        state = title.unfold(state, due.seat, action, chance)[-1][1]


def people(files: Sequence[Path], every: int) -> None:
    """Print how often people's actions are among the first of *strong*; ends of turns are left out."""
    asked, first, found = 0, 0, 0
    for file in files:
        loaded = records.load(file.read_bytes(), TITLES)
        title = loaded.title
        log = [one.entry for one in records.replay(loaded)]
        played = [one for one in played_in(title, log) if title.write(one.before, one.action) != "end"]
        for one in played[::every]:
            level = levels_of(title)[-1]
            thought = think(title, see(level.mind, one.before, one.seat), level, b"people")
            lines = [title.write(one.before, tried.action) for tried in thought.tried]
            line = title.write(one.before, one.action)
            asked, first, found = asked + 1, first + (line in lines[:1]), found + (line in lines[:SHOWN])
    for name, count in (("the first", first), (f"among the first {SHOWN}", found)):
        print(told(name, [1.0] * count + [0.0] * (asked - count)))


def main(arguments: Sequence[str] | None = None) -> None:
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser()
    match given[:1]:
        case ["table"]:
            parser.add_argument("file", type=Path)
            parser.add_argument("--minutes", type=float, default=60)
            asked = parser.parse_args(given[1:])
            table(asked.file, asked.minutes)
        case ["positions"]:
            positions()
        case ["people"]:
            parser.add_argument("record", type=Path, nargs="+")
            parser.add_argument("--every", type=int, default=1)
            asked = parser.parse_args(given[1:])
            people(asked.record, asked.every)
        case _:
            one_match(given)


def one_match(arguments: Sequence[str]) -> None:
    """Play one match, and print what came of it."""
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
