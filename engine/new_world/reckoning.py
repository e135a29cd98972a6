"""What each seat got its points for, over a whole game, by kind (new_world R8, R9.4, R11)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.kernel.title import Event
from engine.new_world import events as ev

KINDS = ("road", "town", "farm", "plain")


@dataclass(slots=True)
class Earned:
    """Points of a seat, and the features that gave them."""

    points: int = 0
    features: list[str] = field(default_factory=list)


Points = dict[str, dict[str, Earned]]
"""By kind and seat."""


@dataclass(frozen=True, slots=True)
class Reckoning:
    """The points of a game: those scored in play without the surveyors' bonus, the bonus by seat, and those at the
    end."""

    played: Points = field(default_factory=dict)
    bonus: dict[str, int] = field(default_factory=dict)
    at_end: Points = field(default_factory=dict)


def reckoning(events: Iterable[Event]) -> Reckoning:
    """Return the points that these events gave."""
    found = Reckoning()
    for event in events:
        if isinstance(event, ev.FeatureScored):
            for seat, points in event.gains.items():
                bonus = event.bonus.get(seat, 0)
                _add(found.played, event, seat, points - bonus)
                found.bonus[seat] = found.bonus.get(seat, 0) + bonus
        elif isinstance(event, ev.UnfinishedScored):
            for seat, points in event.gains.items():
                _add(found.at_end, event, seat, points)
    return found


def _add(earned: Points, event: ev.FeatureScored | ev.UnfinishedScored, seat: str, points: int) -> None:
    found = earned.setdefault(event.kind, {}).setdefault(seat, Earned())
    found.points += points
    found.features.append(event.feature)
