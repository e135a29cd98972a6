"""`python -m bench.simulate TITLE`: random legal games, counted; the first that breaks a rule is stored as a record."""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import click

from app.base.words.speech import Voice
from app.titles.registry import TITLES
from engine.kernel import records
from engine.kernel.random_play import RandomGame
from engine.kernel.refusals import Refusal
from engine.kernel.title import Outcome, Title

BLOCK = 50
"""Games that one process plays before it reports."""


@dataclass
class Figures:
    """What a run counted."""

    games: int = 0
    plies: int = 0
    winners: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    unfinished: int = 0
    seconds: float = 0.0
    """CPU seconds."""

    def add(self, other: Figures) -> None:
        self.games += other.games
        self.plies += other.plies
        self.unfinished += other.unfinished
        self.seconds += other.seconds
        for name in ("winners", "reasons", "actions", "events"):
            getattr(self, name).update(getattr(other, name))

    def count_end(self, outcome: Outcome | None, last: object) -> None:
        """Count a game that has ended, or was stopped, with its last action."""
        self.games += 1
        if outcome is None:
            self.unfinished += 1
            return
        self.winners[" ".join(outcome.winners) or "nobody"] += 1
        # The same reason can come about in several ways; what triggered it, or was done last, tells them apart.
        way = ", ".join(outcome.detail.get("trigger", ())) or (
            f"after {type(last).__name__}" if last else "nobody can move"
        )
        self.reasons[f"{outcome.reason} ({way})"] += 1


class BrokenGame(Exception):
    """A crash or a broken invariant in a game; the log up to it goes with it."""

    def __init__(self, log: list[records.Entry], error: Exception) -> None:
        super().__init__(log, error)
        self.log = log
        self.error = error


def play_game(
    title: Title, options: object, seats: Sequence[str], seed: str, figures: Figures, *, most: int, check: bool
) -> list[records.Entry]:
    """Play one random game; return its log. Raises `BrokenGame`."""
    game = RandomGame(title, options, seats, random.Random(seed))
    plies = 0
    try:
        for ply in game.plies(most):
            plies += 1
            for event, _ in ply.happened:
                figures.events[type(event).__name__] += 1
            if check:
                title.check_invariants(ply.after)
            figures.actions[_label(ply.due.kind, ply.action)] += 1
    except (Exception, Refusal) as error:
        raise BrokenGame(game.log, error) from error
    figures.plies += plies
    figures.count_end(title.outcome(game.state), game.log[-1].action)
    return game.log


def _label(kind: str, action: object) -> str:
    """Return how an action is counted: the kind of decision it answers, what it is, and where a lost card came from."""
    name = f"{kind}: {type(action).__name__}"
    source = getattr(action, "source", "hand")
    if source == "hand" or kind == "siege-loss":
        return name
    return f"{name} from {'the reserve' if source == 'reserve' else 'a siege'}"


def _option(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> dict[str, Any]:
    words: dict[str, Any] = {"yes": True, "no": False, "none": None}
    found: dict[str, Any] = {}
    for value in values:
        key, equals, word = value.partition("=")
        if not equals:
            raise click.BadParameter(f"write it as NAME=VALUE, not {value!r}.")
        found[key] = words[word] if word in words else int(word) if word.lstrip("-").isdigit() else word
    return found


PlayedBlock: TypeAlias = tuple[Figures, dict[str, Any] | None, str | None]
"""The result of some games: their figures, and for a broken game its record and what went wrong."""


@dataclass(frozen=True, slots=True)
class SimulatedGames:
    """What all games of one call have in common."""

    title_id: str
    options: dict[str, Any]
    seats: Sequence[str]
    seed: int
    most: int
    check: bool
    save: Path | None


def _play_block(games: SimulatedGames, first: int, count: int) -> PlayedBlock:
    """Play some games in one process."""
    title, seed = TITLES[games.title_id], games.seed
    options = title.read_options(games.options)
    figures = Figures()
    began = time.process_time()
    for number in range(first, first + count):
        try:
            log = play_game(
                title, options, games.seats, f"{seed}:{number}", figures, most=games.most, check=games.check
            )
            if games.save is not None:
                _write(games.save, f"{title.id}-{seed}-{number}", _exported(title, log))
        except BrokenGame as broken:
            return figures, _salvage(title, broken.log), f"game {number}: {broken.error!r}"
    figures.seconds = time.process_time() - began
    return figures, None, None


def _exported(title: Title, log: list[records.Entry]) -> dict[str, Any]:
    """Return the record of a game. Raises `BrokenGame`."""
    try:
        return records.export(title, log)
    except Exception as error:
        raise BrokenGame(log, error) from error


def _salvage(title: Title, log: list[records.Entry]) -> dict[str, Any]:
    """Return the record of a broken game as far as it can be exported: its last steps may be what cannot."""
    while log:
        try:
            return records.export(title, log)
        except Exception:
            log = log[:-1]
    return {"game": title.id, "turns": []}


def _write(folder: Path, name: str, data: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(data, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


@click.command()
@click.argument("title_id", metavar="TITLE")
@click.option(
    "--option", "given", multiple=True, callback=_option, metavar="K=V", help="An option, such as edition=first."
)
@click.option("--seats", default=None, help="Seats in turn order, with commas; the fewest when absent.")
@click.option("--games", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed plays the same games.")
@click.option("--save", type=click.Path(path_type=Path, file_okay=False), help="Keep every game as a record here.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@click.option("--no-checks", is_flag=True, help="Do not check the invariants after each step.")
@click.option("--most", type=click.IntRange(min=1), default=100_000, show_default=True, help="Plies of a game.")
def simulate(
    title_id: str,
    given: dict[str, Any],
    seats: str | None,
    games: int,
    seed: int,
    save: Path | None,
    jobs: int,
    no_checks: bool,
    most: int,
) -> None:
    """Play random legal games to the end and count.

    Exits with 1 and keeps the game as a record when one crashes, breaks an invariant or does not end.
    """
    if title_id not in TITLES:
        raise click.BadParameter(f"{title_id!r} is no title; known are {', '.join(TITLES)}.", param_hint="TITLE")
    title = TITLES[title_id]
    try:
        title.read_options(given)
        chosen = title.check_seats(seats.split(",") if seats else title.seats[: title.least_seats])
    except Refusal as refusal:
        raise click.UsageError(Voice(title=title).say(refusal.why)) from None
    total = Figures()
    same = SimulatedGames(title_id, given, chosen, seed, most, not no_checks, save)
    blocks = [(same, first, min(BLOCK, games - first)) for first in range(0, games, BLOCK)]
    if jobs == 1:
        _collect(same, (_play_block(*block) for block in blocks), total, games)
    else:
        with ProcessPoolExecutor(jobs) as pool:
            futures = [pool.submit(_play_block, *block) for block in blocks]
            _collect(same, (future.result() for future in futures), total, games)
    _print(total)
    if total.unfinished:
        click.echo(f"{total.unfinished} games did not end within {most} plies", err=True)
        sys.exit(1)


def _collect(same: SimulatedGames, results: Iterable[PlayedBlock], total: Figures, games: int) -> None:
    """Add up the blocks, with a progress bar if a person watches."""
    with click.progressbar(length=games, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        for figures, broken, why in results:
            total.add(figures)
            bar.update(figures.games)
            if broken is not None:
                path = _write(same.save or Path(), f"{same.title_id}-{same.seed}-broken", broken)
                click.echo(f"{why}; kept in {path}", err=True)
                sys.exit(1)


def _print(total: Figures) -> None:
    rate = total.games / total.seconds if total.seconds else 0.0
    speed = total.plies / total.seconds if total.seconds else 0.0
    click.echo(f"games {total.games}, plies {total.plies}, {total.plies / total.games:.0f} a game")
    click.echo(f"{rate:.2f} games and {speed:.0f} plies a CPU-second")
    for heading, counter in (
        ("results", total.winners),
        ("ends", total.reasons),
        ("actions and answers", total.actions),
        ("events", total.events),
    ):
        click.echo(f"{heading}:")
        for name, count in sorted(counter.items()):
            click.echo(f"  {name:<44}{count:>12}")


if __name__ == "__main__":
    simulate()
