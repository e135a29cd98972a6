"""How a feature is named: `X,Y:SEGMENT`, by one of its segments on one of its tiles."""

from __future__ import annotations

import re
from typing import NamedTuple

_REFERENCE = re.compile(r"(\d+),(-?\d+):([trpf]\d+)", re.ASCII)


class Reference(NamedTuple):
    """A segment on a laid tile."""

    x: int
    y: int
    segment: str

    def __str__(self) -> str:
        return f"{self.x},{self.y}:{self.segment}"


def parse_reference(text: str) -> Reference:
    """Return the parts of a canonical reference; ValueError for other texts."""
    match = _REFERENCE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return Reference(int(match[1]), int(match[2]), match[3])
