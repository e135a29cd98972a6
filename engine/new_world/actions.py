"""What a seat can say: lay the tile with or without a settler, choose the order of scoring, resign."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Lay the drawn tile and put a settler on one of its segments, or none (new_world R4.1, R5, R6)."""

    x: int
    y: int
    rotation: int
    segment: str | None = None


class ScoreOrder(NamedTuple):
    """The order in which several completed features are scored, as `X,Y:SEGMENT` (new_world R9.7)."""

    features: tuple[str, ...]


class Resign(NamedTuple):
    """Give the game up; any seat may, at any moment."""


Action = Place | ScoreOrder | Resign
