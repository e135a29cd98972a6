"""The contents of a lesson. A title has one as plain data (`PlainPages.lesson`), which may be a file beside it.

Everything in it is fixed: the outcomes of chance, what the learner is asked to do, what the other side answers. So a
position of it is just the number of its step: nothing is stored anywhere, and nothing has to be swept.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from app.titles.contract import View
from engine.kernel.title import Title


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
    """A whole lesson."""

    seat: str
    """Where the learner sits."""
    seats: tuple[str, ...]
    chance: Mapping[str, Sequence[tuple[str, ...]]]
    """For each shuffle, what lies on top each time; for each draw, everything that is drawn."""
    turns: tuple[LessonTurn, ...]
    over: str
    """What to know at its end (a msgid)."""


def read(file: Path) -> Lesson:
    """Return the lesson in a TOML file, whose keys are the fields above."""
    return TypeAdapter(Lesson).validate_python(tomllib.loads(file.read_text(encoding="utf-8")))


class LessonChance:
    """The outcomes that a lesson gives, and otherwise everything in the given order."""

    def __init__(self, chance: Mapping[str, Sequence[tuple[str, ...]]]) -> None:
        """`chance` is as in a lesson."""
        self._left = {purpose: list(tops) for purpose, tops in chance.items()}
        self._drawn = {purpose: [one for top in tops for one in top] for purpose, tops in chance.items()}

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        """Return all the items, the named ones on top."""
        tops, rest = self._left.get(purpose) or [()], list(items)
        top = tops.pop(0)
        for one in top:
            rest.remove(one)
        return (*top, *rest)

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        """Return the next one."""
        return self._drawn[purpose].pop(0) if self._drawn.get(purpose) else items[0]


def opening_view(title: Title, seats: Sequence[str]) -> View:
    """Return what a spectator sees of a game that has just begun; all chance keeps the given order, so that a page that
    explains looks the same every time."""
    state: Any = None
    for event in title.open(title.read_options({}), seats, LessonChance({})):
        state = title.apply(state, event)
    return title.view(state, None)
