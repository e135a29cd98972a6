"""`postroad simulate`: random legal games played to their ends and counted; the first that breaks a rule is stored as a
record."""

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
from engine.kernel.refusals import Refusal
from engine.kernel.title import Choice, Outcome, Title

BLOCK = 50
"""Games that one process plays before it reports."""


class RandomChance:
    """Chance for simulations: quick and reproducible, not secret."""

    def __init__(self, source: random.Random) -> None:
        self._source = source

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        order = list(items)
        self._source.shuffle(order)
        return tuple(order)

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        return self._source.choice(items)


LIVELY_WEIGHT = 4


def choose(title: Title, legal: Sequence[Any], source: random.Random) -> object:
    """Return a legal action at random: first a kind of action, then one of that kind.

    A uniform choice from the whole list would be dominated by the kinds with many variants. Kinds that the title calls
    lively are preferred: a player who never settles or fights makes games of Acres that hardly end.
    """
    kinds: dict[str, list[Any]] = {}
    for entry in legal:
        kinds.setdefault(getattr(entry, "kind", None) or type(entry).__name__, []).append(entry)
    names = list(kinds)
    for name in title.lively:
        if name in kinds:
            names += [name] * (LIVELY_WEIGHT - 1)
    return pick(source.choice(kinds[source.choice(names)]), source)


def pick(entry: object, source: random.Random) -> object:
    """Return one action of a legal list's entry: itself, or a random subset of a choice."""
    if not isinstance(entry, Choice):
        return entry
    for _ in range(8):
        picked = source.sample(entry.items, source.randint(entry.least, entry.most))
        if entry.allows(picked):
            return entry.action(picked)
    return source.choice(entry.smallest())


class PassLoop:
    """Detects a position in which nobody will ever be able to do anything but pass.

    The rules of Acres have no end for it (every card in a reserve that nobody can pay for); people would agree on a
    result, so the simulator does.
    """

    ENOUGH = 12
    """Decisions in a row with a single answer that leave the state unchanged: more than a round of turns."""

    def __init__(self, title: Title) -> None:
        self._title = title
        self._streak = 0
        self._before: Any = None

    def for_ever(self, state: object, answers: int) -> bool:
        """Return whether the game is idle; call it before each decision with its number of answers."""
        if answers > 1:
            self._streak = 0
            return False
        if self._streak == 0:
            self._before = self._title.after(state)
        self._streak += 1
        if self._streak <= self.ENOUGH:
            return False
        self._streak = 0
        return bool(self._before == self._title.after(state))


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
    source = random.Random(seed)
    chance = RandomChance(source)
    log: list[records.Entry] = []
    state: Any = None
    try:
        events = title.open(options, seats, chance)
        log.append(records.Entry(None, None, events))
        for event in events:
            state = title.apply(state, event)
        plies = 0
        idle = PassLoop(title)
        while (due := title.decision(state)) is not None and plies < most:
            legal = title.legal(state)
            if idle.for_ever(state, len(legal)):
                events = title.conclude(state, "agreed", ())
                log.append(records.Entry(None, None, events))
                state = title.apply(state, events[0])
                break
            action = choose(title, legal, source)
            happened = title.unfold(state, due.seat, action, chance)
            log.append(records.Entry(due.seat, action, tuple(event for event, _ in happened)))
            state = happened[-1][1]
            for event, _ in happened:
                figures.events[type(event).__name__] += 1
            if check:
                title.check_invariants(state)
            figures.actions[_label(due.kind, action)] += 1
            plies += 1
    except (Exception, Refusal) as error:
        raise BrokenGame(log, error) from error
    figures.plies += plies
    figures.count_end(title.outcome(state), log[-1].action)
    return log


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
        except BrokenGame as broken:
            return figures, _salvage(title, broken.log), f"game {number}: {broken.error!r}"
        if games.save is not None:
            _write(games.save, f"{title.id}-{seed}-{number}", records.export(title, log))
    figures.seconds = time.process_time() - began
    return figures, None, None


def _salvage(title: Title, log: list[records.Entry]) -> dict[str, Any]:
    """Return the record of a broken game: its last step may be what cannot be exported."""
    try:
        return records.export(title, log)
    except Exception:
        return records.export(title, log[:-1])


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
