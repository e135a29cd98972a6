"""A title's board before the first turn, for pages that explain it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.titles.contract import View
from engine.kernel.title import Title


class _InOrder:
    """Chance that keeps everything in its given order: a page that explains looks the same every time."""

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        return tuple(items)

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        return items[0]


def opening_view(title: Title, seats: Sequence[str]) -> View:
    """Return what a spectator sees of a game that has just begun."""
    state: Any = None
    for event in title.open(title.read_options({}), seats, _InOrder()):
        state = title.apply(state, event)
    return title.view(state, None)
