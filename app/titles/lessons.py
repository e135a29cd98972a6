"""A first game that teaches: what it consists of. A title has one as plain data (`TitlePages.lesson`).

Everything in it is fixed: what chance gives, what the learner is asked to do, what the other side answers. So a
position of it is the number of its step and nothing else: nothing is kept anywhere, and nothing has to be swept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LessonAct:
    """A step of the learner's turn: its line, and the sentences (a msgid) that say what to do and why."""

    line: str
    says: str


@dataclass(frozen=True, slots=True)
class LessonTurn:
    """A turn of the learner and what the other side does afterwards."""

    acts: tuple[LessonAct, ...]
    answers: tuple[str, ...] = ()
    """The lines of the other side."""
    told: str = ""
    """What has just happened before this turn, and why (a msgid)."""


@dataclass(frozen=True)
class Lesson:
    """A whole first game."""

    seat: str
    """Where the learner sits."""
    seats: tuple[str, ...]
    chance: Mapping[str, Sequence[tuple[str, ...]]]
    """For each thing that is shuffled, what lies on top each time; for each that is drawn from, all that is drawn."""
    turns: tuple[LessonTurn, ...]
    over: str
    """What to know at its end (a msgid)."""


class LessonChance:
    """Gives what a lesson says, and where it says nothing everything in the order in which it lies there."""

    def __init__(self, lesson: Lesson) -> None:
        self._left = {purpose: list(tops) for purpose, tops in lesson.chance.items()}
        self._drawn = {purpose: [one for top in tops for one in top] for purpose, tops in lesson.chance.items()}

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        """All the items, the named ones on top."""
        tops, rest = self._left.get(purpose) or [()], list(items)
        top = tops.pop(0)
        for one in top:
            rest.remove(one)
        return (*top, *rest)

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        """The next one."""
        return self._drawn[purpose].pop(0) if self._drawn.get(purpose) else items[0]
