"""Slowly recounts features from the laid tiles, independently of the engine.

It uses the rules document and the raw tile data, walks from segment to segment over facing half-edges and sides, and
shares no code with the engine.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

HALVES = ["Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn"]
FACING_HALF = {"Nw": "Sw", "Ne": "Se", "En": "Wn", "Es": "Ws", "Sw": "Nw", "Se": "Ne", "Wn": "En", "Ws": "Es"}
OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E"}
BESIDE = {"N": (0, -1), "S": (0, 1), "W": (1, 0), "E": (-1, 0)}

Part = tuple[int, int, str]
"""Column, row, segment."""


@dataclass
class Whole:
    """A feature as the recount finds it."""

    kind: str
    parts: set[Part] = field(default_factory=set)
    extras: int = 0
    open: int = 0

    @property
    def cells(self) -> set[tuple[int, int]]:
        return {(x, y) for x, y, _ in self.parts}


def turn_mark(mark: str, rotation: int) -> str:
    """Return a half-edge or a side after a clockwise turn."""
    if len(mark) == 1:
        return "NESW"[("NESW".index(mark) + rotation // 90) % 4]
    return HALVES[(HALVES.index(mark) + rotation // 45) % 8]


def table_of(data: dict[str, Any], laid: dict[tuple[int, int], tuple[str, int]]) -> dict[Part, tuple[Any, set[str]]]:
    """Return every segment on the table with its raw data and its marks as it lies."""
    kinds = {tile["id"]: tile for tile in data["tiles"]}
    pieces = {(0, row["row"]): (row, 0) for row in data["start"]["rows"]}
    pieces |= {cell: (kinds[tile], rotation) for cell, (tile, rotation) in laid.items()}
    return {
        (x, y, segment["id"]): (
            segment,
            {turn_mark(mark, rotation) for mark in segment.get("sides", segment.get("edges", []))},
        )
        for (x, y), (piece, rotation) in pieces.items()
        for segment in piece["segments"]
    }


def features_of(data: dict[str, Any], laid: dict[tuple[int, int], tuple[str, int]]) -> list[Whole]:
    """Return all features by walking from each segment to its neighbours."""
    table = table_of(data, laid)
    at_mark = {(x, y, mark): (x, y, name) for (x, y, name), (_, marks) in table.items() for mark in marks}
    found: list[Whole] = []
    seen: set[Part] = set()
    for first, (segment, _) in table.items():
        if first in seen:
            continue
        whole = Whole(segment["kind"])
        walk = [first]
        seen.add(first)
        while walk:
            part = walk.pop()
            x, y, _ = part
            data_of_part, marks = table[part]
            whole.parts.add(part)
            whole.extras += (
                data_of_part.get("shields", 0) + data_of_part.get("posts", 0) + data_of_part.get("animals", 0)
            )
            for mark in marks:
                dx, dy = BESIDE[mark[0]]
                met = at_mark.get((x + dx, y + dy, FACING_HALF.get(mark) or OPPOSITE[mark]))
                if met is None:
                    whole.open += len(mark) == 1
                elif met not in seen:
                    seen.add(met)
                    walk.append(met)
        found.append(whole)
    return found


def filled_around(data: dict[str, Any], laid: dict[tuple[int, int], tuple[str, int]], x: int, y: int) -> int:
    """Count filled cells around one; start spaces count."""
    spaces = {(0, row["row"]) for row in data["start"]["rows"]}
    cells = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} - {(x, y)}
    return len(cells & (spaces | laid.keys()))


def value(data: dict[str, Any], laid: dict[tuple[int, int], tuple[str, int]], whole: Whole, *, complete: bool) -> int:
    """Return the value of a feature: R8.1 to R8.3, R11.2 to R11.4."""
    tiles = len(whole.cells)
    if whole.kind == "plain":
        return whole.extras
    if whole.kind == "farm":
        ((x, y),) = whole.cells
        return 1 + filled_around(data, laid, x, y)
    if whole.kind == "town":
        return 2 * (tiles + whole.extras) if complete else tiles + whole.extras
    return tiles + 2 * whole.extras if complete else tiles


def gains(points: int, settlers: list[tuple[str, int]], surveyors: tuple[int, int] | None) -> dict[str, int]:
    """Return the points of the seats with most settlers (seat, column), with the bonus if surveyors are asked: R8.5,
    R9.4.
    """
    counts = Counter(seat for seat, _ in settlers)
    best = {seat for seat, number in counts.items() if number == max(counts.values())}
    found = dict.fromkeys(best, points)
    for seat, column in settlers:
        if seat in best and surveyors is not None:
            found[seat] += 4 * sum(column == at for at in surveyors)
    return found
