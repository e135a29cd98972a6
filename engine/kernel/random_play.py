"""Random legal games, for the simulator and the laws of a title. Where their luck comes from is an argument."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar

from engine.kernel.chance import ChanceOutcome
from engine.kernel.records import Entry
from engine.kernel.title import Choice, Decision, Title

T = TypeVar("T")
LIVELY_WEIGHT = 4


class Luck(Protocol):
    """What is asked of a generator such as `random.Random`."""

    def choice(self, seq: Sequence[T], /) -> T: ...
    def randint(self, a: int, b: int, /) -> int: ...
    def sample(self, population: Sequence[T], /, k: int) -> list[T]: ...
    def shuffle(self, x: MutableSequence[Any], /) -> None: ...


class RandomChance:
    """Chance for simulations: quick and reproducible, not secret."""

    def __init__(self, source: Luck) -> None:
        self._source = source

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        order = list(items)
        self._source.shuffle(order)
        return tuple(order)

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        return self._source.choice(items)


class OrderedChance:
    """Chance that keeps what it gave, and tells of items that were handed over in an order of their own."""

    def __init__(self, chance: RandomChance, unsorted: Callable[[str], None]) -> None:
        self._chance, self._unsorted = chance, unsorted
        self._taken: list[ChanceOutcome] = []

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        self._look(purpose, items)
        order = self._chance.shuffle(purpose, items)
        self._taken.append(ChanceOutcome("shuffle", purpose, order))
        return order

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        self._look(purpose, items)
        item = self._chance.draw(purpose, items)
        self._taken.append(ChanceOutcome("draw", purpose, (item,)))
        return item

    def taken(self) -> list[ChanceOutcome]:
        """Return the outcomes since the last call."""
        taken, self._taken = self._taken, []
        return taken

    def _look(self, purpose: str, items: Sequence[str]) -> None:
        if list(items) != sorted(items):
            self._unsorted(purpose)


def choose(title: Title, legal: Sequence[Any], source: Luck) -> object:
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


def pick(entry: object, source: Luck) -> object:
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


class Ply(NamedTuple):
    """An action of a random game, with the state before it, what was legal there, and what happened."""

    before: Any
    due: Decision
    legal: list[Any]
    action: Any
    happened: Sequence[tuple[Any, Any]]

    @property
    def after(self) -> Any:
        return self.happened[-1][1]


@dataclass
class RandomGame:
    """A game that `plies` plays; its log is there even if a rule breaks."""

    title: Title
    options: Any
    seats: Sequence[str]
    source: Luck
    chance: Any = None
    log: list[Entry] = field(default_factory=list)
    state: Any = None

    def begin(self) -> None:
        """Open the game."""
        self.chance = self.chance or RandomChance(self.source)
        events = self.title.open(self.options, self.seats, self.chance)
        self.log.append(Entry(None, None, events))
        for event in events:
            self.state = self.title.apply(self.state, event)

    def plies(self, most: int) -> Iterator[Ply]:
        """Play to the end, or for so many plies."""
        if not self.log:
            self.begin()
        title, idle = self.title, PassLoop(self.title)
        for _ in range(most):
            due = title.decision(self.state)
            if due is None:
                return
            legal = title.legal(self.state)
            if idle.for_ever(self.state, len(legal)):
                events = title.conclude(self.state, "agreed", ())
                self.log.append(Entry(None, None, events))
                self.state = title.apply(self.state, events[0])
                return
            before, action = self.state, choose(title, legal, self.source)
            happened = title.unfold(before, due.seat, action, self.chance)
            self.log.append(Entry(due.seat, action, tuple(event for event, _ in happened)))
            self.state = happened[-1][1]
            yield Ply(before, due, legal, action, happened)
