"""`python -m tests.architecture.house [FOLDER]`: rooms, floors, arrows and circles of `app` and of its largest rooms.

FOLDER is the top of another tree of the project, such as one checked out at an older commit.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from tests.architecture.graph import ROOT, Arrow, arrows, circles, modules, under


def between(found: Iterable[Arrow], top: str) -> set[tuple[str, str]]:
    """Return the arrows between the rooms directly below a package, each once; a module there counts as a room, too."""

    def room(module: str) -> str:
        return ".".join(module.split(".")[: top.count(".") + 2])

    inside = (one for one in found if under(one.here, top) and under(one.there, top))
    return {(room(one.here), room(one.there)) for one in inside if room(one.here) != room(one.there)} - {(top, top)}


def floors(pairs: set[tuple[str, str]]) -> int:
    """Return how many rooms the longest way down passes; arrows of a circle of rooms are left out."""
    known: dict[str, int] = {}

    def height(room: str, above: frozenset[str]) -> int:
        if room not in known:
            below = {there for here, there in pairs if here == room} - above - {room}
            known[room] = 1 + max((height(one, above | {room}) for one in below), default=0)
        return known[room]

    return max((height(room, frozenset()) for room, _ in pairs), default=0)


def main(folder: str = str(ROOT)) -> None:
    """Print a line for each."""
    found = arrows(modules(Path(folder), "engine", "app"))
    for top in ("app", "app.leagues", "app.play", "app.post"):
        pairs = between(found, top)
        rooms = {room for pair in pairs for room in pair}
        print(f"{top}: {len(rooms)} rooms, {floors(pairs)} floors, {len(pairs)} arrows")
    print(f"circles of modules: {len(circles(found))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
