"""A lesson by the numbers of its steps: where each leads, and what has happened before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.games.tables import LogCause
from app.play.turn.playing import Play
from app.titles.lessons import Lesson, LessonChance, LessonTurn
from app.titles.pages import pages_of
from app.titles.registry import TITLES
from engine.kernel.title import Title


@dataclass(frozen=True, slots=True)
class TaughtTurn:
    """A turn of a lesson: the state in which it begins, what the learner did before it, what the other side has done
    since, and the requested lines in their canonical form."""

    turn: LessonTurn
    state: Any
    own: tuple[Any, ...]
    others: tuple[Any, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LessonStep:
    """A step of a lesson: a turn of it, and how many of its lines stand in the draft."""

    taught: TaughtTurn
    drafted: int

    @property
    def draft(self) -> list[str]:
        """The lines in the draft."""
        return list(self.taught.lines[: self.drafted])

    @property
    def asked(self) -> str:
        """The requested line; "" if the turn is complete and is to be sent."""
        return self.taught.lines[self.drafted] if self.drafted < len(self.taught.lines) else ""


@dataclass(frozen=True)
class Course:
    """All steps of a title's lesson, counted from 1."""

    title: Title
    lesson: Lesson
    steps: tuple[LessonStep, ...]
    end: TaughtTurn
    """The result at its end."""

    def number_of(self, step: LessonStep, drafted: int) -> int:
        """Return the number of the step in the same turn with so many lines in its draft; if that is more than the turn
        has, the number of the first step of the next turn."""
        first = next(n for n, one in enumerate(self.steps, 1) if one.taught is step.taught)
        return first + min(drafted, len(step.taught.lines) + 1)


@cache
def course(title_id: str) -> Course | None:
    """Return the lesson of a title, played through once per process; None if it has none."""
    lesson = pages_of(title_id).lesson if title_id in TITLES else None
    return None if lesson is None else _course(TITLES[title_id], lesson)


def _course(title: Title, lesson: Lesson) -> Course:
    play = Play(title, None, 0, LessonChance(lesson.chance))
    play.open(title.read_options({}), lesson.seats)
    steps: list[LessonStep] = []
    own: Sequence[Any] = ()
    others: Sequence[Any] = ()
    for turn in lesson.turns:
        before, lines = play.state, []
        mark = len(play.steps)
        for act in turn.acts:
            lines.append(_play(play, act.line))
        _end(play, lesson.seat)
        taught = TaughtTurn(turn, before, tuple(own), tuple(others), tuple(lines))
        steps += [LessonStep(taught, n) for n in range(len(lines) + 1)]
        own, mark = _events(play, mark), len(play.steps)
        for line in turn.answers:
            _play(play, line)
        _end(play, None)
        others = _events(play, mark)
    return Course(title, lesson, tuple(steps), TaughtTurn(LessonTurn(()), play.state, tuple(own), tuple(others), ()))


def _play(play: Play, line: str) -> str:
    due = play.title.decision(play.state)
    assert due is not None
    action = play.title.read(play.state, due.seat, line)
    said = play.title.write(play.state, action)
    play.act(due.seat, action, LogCause.SEAT)
    return said


def _end(play: Play, seat: str | None) -> None:
    """End a turn whose end has to be said."""
    due, end = play.title.decision(play.state), play.title.end_of_steps(play.state)
    if due is not None and end is not None and seat in (None, due.seat):
        play.act(due.seat, end, LogCause.SEAT)


def _events(play: Play, mark: int) -> list[Any]:
    return [event for step in play.steps[mark:] for event in step.events]
