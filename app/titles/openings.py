"""A title's board before the first turn, for pages that explain it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.titles.contract import View
from app.titles.lessons import LessonChance
from engine.kernel.title import Title


def opening_view(title: Title, seats: Sequence[str]) -> View:
    """Return what a spectator sees of a game that has just begun; all chance keeps the given order, so that a page that
    explains looks the same every time."""
    state: Any = None
    for event in title.open(title.read_options({}), seats, LessonChance({})):
        state = title.apply(state, event)
    return title.view(state, None)
