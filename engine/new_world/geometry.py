"""Cells, sides, half-edges and how they face each other.

A cell is (x, y): x counts columns west of the coast, y rows from north to south (new_world R2.1), so the
neighbour to the west is x + 1. A *port* is a place on a tile's rim where it meets its neighbour: 0 to 7 are
the half-edges clockwise from the north-west corner, where plains meet; 8 to 11 are the whole sides north,
east, south, west, where roads and towns meet.
"""

from __future__ import annotations

SIDES = "NESW"
HALF_EDGES = ("Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn")
STEPS = ((0, -1), (-1, 0), (0, 1), (1, 0))
"""What to add to a cell to go north, east, south, west."""

FIRST_SIDE_PORT = 8
PORTS = 12
FACING = (5, 4, 7, 6, 1, 0, 3, 2, 10, 11, 8, 9)
"""For each port the neighbour's port that it touches."""

HALVES_OF_SIDE = ((0, 1), (2, 3), (4, 5), (6, 7))
ROTATIONS = (0, 90, 180, 270)

LETTERS = "-PRT"
"""What a side shows: nothing, plain, road, town. The position in this string is the letter's number."""

PATTERNS = 256

Cell = tuple[int, int]


def turned(port: int, quarters: int) -> int:
    """Return the port where this one lies after so many clockwise quarter turns."""
    if port < FIRST_SIDE_PORT:
        return (port + 2 * quarters) % 8
    return FIRST_SIDE_PORT + (port - FIRST_SIDE_PORT + quarters) % 4


def side_of(port: int) -> int:
    """Return the side (0 to 3) on which the port lies."""
    return port // 2 if port < FIRST_SIDE_PORT else port - FIRST_SIDE_PORT


def pattern(letters: str) -> int:
    """Return four letters as one number of two bits a side; `-` requires nothing."""
    return sum(LETTERS.index(letter) << (2 * side) for side, letter in enumerate(letters))


def letter_at(pattern: int, side: int) -> str:
    """Return the letter that a pattern has on a side."""
    return LETTERS[pattern >> (2 * side) & 3]


def around(x: int, y: int) -> tuple[Cell, ...]:
    """Return the eight cells around a cell."""
    return tuple((x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
