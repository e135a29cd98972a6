"""Collects the events of one `play` while the state moves on, for rules that build on what just happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from engine.kernel.chance import Chance, ChanceExhausted

S = TypeVar("S")
E = TypeVar("E")


class Happenings(Generic[S, E]):
    """`state` is the state after all events so far, `states` those after each; `events` is what `play` returns."""

    __slots__ = ("_apply", "_chance", "events", "state", "states")

    def __init__(self, state: S, apply: Callable[[S, E], S], chance: Chance) -> None:
        self.state = state
        self.events: list[E] = []
        self.states: list[S] = []
        self._apply = apply
        self._chance = chance

    def add(self, event: E) -> None:
        """Apply the event and keep it."""
        self.state = state = self._apply(self.state, event)
        self.events.append(event)
        self.states.append(state)

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        """Ask chance for an order. If a script has run out, the exception keeps the events so far."""
        try:
            return self._chance.shuffle(purpose, items)
        except ChanceExhausted as exhausted:
            exhausted.events = tuple(self.events)
            raise

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        """Ask chance for one item; see `shuffle`."""
        try:
            return self._chance.draw(purpose, items)
        except ChanceExhausted as exhausted:
            exhausted.events = tuple(self.events)
            raise
