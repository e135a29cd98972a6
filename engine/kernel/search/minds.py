"""What a title offers so that a computer can play it: a contract beside `engine.kernel.title`, and optional."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from engine.kernel.chance import Chance
from engine.kernel.title import Title


class Ranked(NamedTuple):
    """A whole action (no choice with a free subset) and what it is worth to its seat, in points."""

    points: float
    action: Any


class Mind(Protocol):
    """How a title is judged. All methods are pure; `ranked` and `worth` are only ever given drawn states."""

    @property
    def swing(self) -> float:
        """How many points ahead of the best other seat make it win three games of four."""

    def drawn(self, state: Any, seat: str, chance: Chance) -> Any:
        """Return a state that the seat cannot tell from this one, each as likely as it is to the seat. Must sort what
        is hidden before chance sees it, so that the answer is the same for all states that look the same."""

    def ranked(self, state: Any, seat: str) -> Sequence[Ranked]:
        """Return legal actions of the seat that decides, the best first: all that may be worth playing, at least
        one."""

    def worth(self, state: Any) -> Mapping[str, float]:
        """Return how each seat stands, in points, while the game runs."""


@dataclass(frozen=True, slots=True)
class Level:
    """How well the computer plays, as data. Without playouts it plays the first of `ranked`."""

    name: str
    """A stable word: `beginner`, `club`, `strong`."""
    label: str
    """Its name for people, a msgid."""
    says: str
    """One sentence about how it plays, a msgid."""
    mind: Mind
    noise: float = 0.0
    """Points by which its judgement of an action is off, in either direction."""
    width: int = 1
    """How many of the best actions it plays out."""
    playouts: int = 0
    """How often it does that for one decision; an operator may grant other numbers."""
    turns: int = 0
    """Turns of the game, of all seats together, after which a playout ends."""
    doubt: float = 0.0
    """The noise of each seat in its playouts."""


def levels_of(title: Title) -> tuple[Level, ...]:
    """Return the levels at which a computer plays the title, the weakest first: its `levels`; none if it has none."""
    return tuple(getattr(title, "levels", ()))
