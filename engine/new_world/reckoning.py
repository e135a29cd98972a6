"""What each seat got for what: the points of a whole game, by kind (new_world R8, R9.4, R11)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.kernel.title import Event
from engine.new_world import events as ev

KINDS = ("road", "town", "farm", "plain")
Points = dict[str, dict[str, int]]
"""By kind and seat."""


@dataclass(frozen=True, slots=True)
class Reckoning:
    """The points of a game: without the surveyors' bonus as it was played, the bonus by seat, and at the end."""

    played: Points = field(default_factory=dict)
    bonus: dict[str, int] = field(default_factory=dict)
    at_end: Points = field(default_factory=dict)


def reckoning(events: Iterable[Event]) -> Reckoning:
    """The points that these events gave."""
    found = Reckoning()
    for event in events:
        if isinstance(event, ev.FeatureScored):
            for seat, points in event.gains.items():
                bonus = event.bonus.get(seat, 0)
                _add(found.played.setdefault(event.kind, {}), seat, points - bonus)
                _add(found.bonus, seat, bonus)
        elif isinstance(event, ev.UnfinishedScored):
            for seat, points in event.gains.items():
                _add(found.at_end.setdefault(event.kind, {}), seat, points)
    return found


def _add(points: dict[str, int], seat: str, n: int) -> None:
    points[seat] = points.get(seat, 0) + n
