"""Features: roads, towns, farms and plains that grow over many tiles (new_world R6.2, R7, R10.1).

Union-find on values: every feature has a number, and a joined one links to the number it was joined to. A feature's
record is a few numbers whatever its size, so joining costs the same early and late.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.new_world.tiles import Segment


class Settler(NamedTuple):
    """One settler on the table: whose it is, its cell and the id of the segment it stands on."""

    seat: str
    x: int
    y: int
    segment: str

    @property
    def at(self) -> str:
        """The cell as the notation writes it."""
        return f"{self.x},{self.y}"


class Feature(NamedTuple):
    """Everything known about a whole feature.

    `cells` has a bit for each tile (a start space is a low bit), so a tile counts once however many parts of the
    feature lie on it (new_world R8.1, R8.2). `open` counts the sides where a road or town still has to continue.
    """

    kind: str
    cells: int
    open: int
    extras: int
    """Relay posts, shields or animals."""
    settlers: tuple[Settler, ...]
    """Sorted, so that two ways to the same position give the same value."""


JOINED = Feature("joined", 0, 0, 0, ())
"""What remains at the number of a feature that was joined to another."""


def find(links: Sequence[int], number: int) -> int:
    """Return the number that stands for the whole feature now."""
    while links[number] != number:
        number = links[number]
    return number


def join(
    links: list[int], features: list[Feature], segments: Sequence[Segment], touching: Sequence[list[int]], bit: int
) -> list[int]:
    """Add the segments of a tile to what they touch; changes both lists and returns the segments' numbers.

    `touching` has for each segment the features that meet it, one for each port where they meet. All segments are
    joined before any of them is checked for being free: two segments of one tile may belong to the same feature by a
    detour through other tiles.
    """
    numbers = []
    for segment, met in zip(segments, touching, strict=True):
        _, kind, _, open_sides, extras, _ = segment
        if not met:
            number = len(links)
            links.append(number)
            features.append(Feature(kind, bit, open_sides, extras, ()))
            numbers.append(number)
            continue
        number = find(links, met[0])
        _, cells, sides, more, settlers = features[number]
        if len(met) > 1:
            for other in met[1:]:
                other = find(links, other)
                if other == number:
                    continue
                joined = features[other]
                if joined.cells.bit_count() > cells.bit_count():
                    number, other = other, number
                links[other] = number
                cells |= joined.cells
                sides += joined.open
                more += joined.extras
                if joined.settlers:
                    settlers = tuple(sorted(settlers + joined.settlers)) if settlers else joined.settlers
                features[other] = JOINED
        if kind != "plain":
            # Where two open sides meet, both are closed.
            sides += open_sides - 2 * len(met)
        features[number] = Feature(kind, cells | bit, sides, more + extras, settlers)
        numbers.append(number)
    return [find(links, number) for number in numbers]
