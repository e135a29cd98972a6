"""The entries of a game's log as steps: read from rows, without those taken back, and the state after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from app.games.tables import LogCause, LogEntry
from engine.kernel.chance import ChanceOutcome
from engine.kernel.takeback import TakenBack
from engine.kernel.title import Title


class _Entry(Protocol):
    @property
    def back_to(self) -> int | None: ...


S = TypeVar("S", bound=_Entry)


@dataclass(frozen=True, slots=True)
class Step:
    """One action and its events, already in the log or not yet."""

    decision: int
    turn: int
    seat: str | None
    kind: str | None
    """The kind of the decision that it answers."""
    cause: LogCause
    line: str | None
    action: Any
    chance: tuple[Any, ...]
    """`ChanceOutcome`s."""
    events: tuple[Any, ...]
    back_to: int | None = None
    """The entry after which the game continues, for a takeback."""

    def told(self, title: Title) -> tuple[Any, ...]:
        """Return what happened as a reader of the log sees it: the events, or that something was taken back."""
        if self.back_to is not None:
            return (TakenBack(self.seat or ""),)
        return told_as(title, self.events, self.kind, self.cause)


class PlayedSteps(NamedTuple):
    """What has been played: the steps, the state after them, and the outcomes of chance used since the start."""

    steps: Sequence[Step]
    state: Any
    chance_used: int


class SentOrders(NamedTuple):
    """What a seat has sent for its decision."""

    lines: str | None = None
    played: int = 0
    """How many of the lines were played."""
    refused: Mapping[str, Any] | None = None
    """The refusal that stopped the rest."""


NOTHING_SENT = SentOrders()


def step_of(title: Title, row: LogEntry) -> Step:
    """Return a row of the log as a step."""
    return Step(
        row.decision,
        row.turn,
        row.seat,
        row.kind,
        row.cause,
        row.line,
        None if row.action is None else title.action_from_json(row.action),
        tuple(ChanceOutcome(kind, purpose, tuple(value)) for kind, purpose, value in row.chance),
        events_of(title, row.events),
        row.back_to,
    )


TAKEN_OUT = ("time", "ruling")
"""The causes by which a seat leaves a game without having resigned."""


def told_as(title: Title, events: tuple[Any, ...], kind: str | None, cause: str) -> tuple[Any, ...]:
    """Return the events of an entry as they are told to its readers. (The entry of an action played for a seat out of
    time has a kind.)"""
    return title.told(events, cause) if kind is None and cause in TAKEN_OUT else events


def events_of(title: Title, events: list[Any]) -> tuple[Any, ...]:
    """Return the events from the column of the log."""
    return tuple([title.event_from_json(event) for event in events])


def in_force(steps: Iterable[S]) -> list[tuple[int, S]]:
    """Return the steps from the first one on that have not been taken back, with their numbers; no takebacks are
    left."""
    kept: list[tuple[int, S]] = []
    for number, step in enumerate(steps, 1):
        if step.back_to is None:
            kept.append((number, step))
        else:
            while kept and kept[-1][0] > step.back_to:
                kept.pop()
    return kept


def replayed(title: Title, steps: Iterable[Step]) -> object:
    """Return the state after these steps, the first of the game and those that follow: events applied, nothing
    judged."""
    state: Any = None
    for _, step in in_force(steps):
        for event in step.events:
            state = title.apply(state, event)
    return state
