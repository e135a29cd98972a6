"""What the computer thinks things are worth, in points of the game. Rules of thumb, nothing here is a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """The table. A feature is worth what it brings complete by the chance of that, else what it brings unfinished."""

    closing: Mapping[str, tuple[float, ...]]
    """By kind, the chance to complete a feature with so many open sides (a farm: cells), with tiles without end."""
    pace: float = 3.0
    """Tiles that a missing side takes on the average; with as many left the chance is half as good."""
    growth: float = 0.6
    """By how many tiles a feature grows for each open side until it is complete."""
    step: float = 2.8
    """Tiles that are laid for one step of a surveyor."""
    abandoned: float = 0.25
    """What remains of an unfinished feature whose settler the surveyors will pass."""
    bonus_here: float = 2.2
    """What the surveyors' bonus is worth where one stands, `bonus_ahead` where one comes within three steps."""
    bonus_ahead: float = 1.0
    animals: float = -0.01
    """What a plain gains for each tile left, less what its trapper, who never comes home, could do elsewhere."""
    supply: tuple[float, ...] = (0.0, 3.2, 5.2, 6.6, 7.6, 8.4)
    """The worth of so many settlers in supply while there is much to do."""
    busy: float = 6.0
    """Tiles left for each seat at which a settler is worth half as much."""


_CLOSING = {
    "road": (1.0, 0.85, 0.7, 0.5, 0.35, 0.25, 0.15),
    "town": (1.0, 0.8, 0.6, 0.4, 0.25, 0.15, 0.1),
    "farm": (1.0, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15),
}
CLUB = Weights(_CLOSING)
BEGINNER = Weights(
    {kind: (1.0, *[0.5] * (len(chances) - 1)) for kind, chances in _CLOSING.items()},
    step=100.0,
    bonus_here=0.0,
    bonus_ahead=0.0,
    supply=(0.0, 2.0, 3.0, 4.0, 5.0, 6.0),
    busy=0.0,
)
"""Sees what a tile brings now; does not reckon with the surveyors, nor with the end."""
