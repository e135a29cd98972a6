"""Measures the value of a seed for a seat, and what can be computed from a server's public list alone.

The measures are: in New World the seat's share of the good tiles (those with a farm or a shield) among the first twenty
that are drawn; in A Few Acres of Snow the coins on the five cards of the first hand.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from engine.acres import ACRES
from engine.acres.data import CARDS
from engine.kernel.chance import NUMBERED, SeededChance
from engine.new_world import NEW_WORLD
from engine.new_world.tiles import SHIPPED, tile_set

DRAWN = 20
"""The tiles of New World that count, ten of each seat."""
SEATS = {"acres": ACRES.seats, "new-world": NEW_WORLD.seats[:2]}


def worth(title: str, seed: str) -> tuple[float, float]:
    """Return the value of the seed for each of two seats."""
    chance = SeededChance(bytes.fromhex(seed), 0, None, algorithm=NUMBERED)
    return _acres(chance) if title == "acres" else _new_world(chance)


def _acres(chance: SeededChance) -> tuple[float, float]:
    opened = ACRES.open(ACRES.read_options({}), ACRES.seats, chance)[0]
    british, french = (float(sum(CARDS[seat][card].coins for card in opened.hands[seat])) for seat in ACRES.seats)
    return british, french


def _new_world(chance: SeededChance) -> tuple[float, float]:
    first, bag = drawn(chance, 1)
    order, _ = drawn(chance, DRAWN - 1, bag)
    good = [_is_good(tile) for tile in first + order]
    mine, theirs = sum(good[::2]), sum(good[1::2])
    both = mine + theirs
    return (mine / both, theirs / both) if both else (0.5, 0.5)


def drawn(chance: SeededChance, many: int, bag: Sequence[str] | None = None) -> tuple[list[str], list[str]]:
    """Return the next tiles, and what is left in the bag."""
    left = list(tile_set(SHIPPED).bag if bag is None else bag)
    order = []
    for _ in range(many):
        order.append(chance.draw("bag", left))
        left.remove(order[-1])
    return order, left


@cache
def _is_good(tile: str) -> bool:
    segments = tile_set(SHIPPED).kinds[tile].segments
    return any(one.kind == "farm" or (one.kind == "town" and one.extras) for one in segments)


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation of the value of seeds for a seat."""

    mean: float
    sigma: float
    suits: float
    """A value above this is among the best thirty in a hundred."""


REFERENCE = 20_000
"""The number of sample seeds that determine what is fair."""


@cache
def spread(title: str, place: int) -> Spread:
    """Return the spread over sample seeds, independent of any server.

    In New World the mean is known: no place in the order of a bag is better than another.
    """
    source = random.Random(title)
    values = sorted(worth(title, source.randbytes(32).hex())[place] for _ in range(REFERENCE))
    mean = 0.5 if title == "new-world" else sum(values) / REFERENCE
    sigma = math.sqrt(sum((value - mean) ** 2 for value in values) / REFERENCE)
    return Spread(mean, sigma, values[REFERENCE * 7 // 10])


def sigmas(got: Iterable[tuple[str, int, float]]) -> float:
    """Return by how many standard deviations results (title, place at the table, worth) are better than fair.

    The fair value is itself an estimate, which widens them a little.
    """
    parts = [(value - spread(title, place).mean) / spread(title, place).sigma for title, place, value in got]
    return sum(parts) / math.sqrt(len(parts) * (1 + len(parts) / REFERENCE)) if parts else 0.0


def counted(numbers: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Return, from the lines of `/chance.json` alone, by how many standard deviations each player's luck is better than
    fair.

    It covers all of their finished games.
    """
    got: dict[str, list[tuple[str, int, float]]] = {}
    for line in numbers:
        if line.get("state") == "over" and line["seed"] and line["title"] in SEATS and len(line["seats"]) == 2:
            for place, name in enumerate(line["seats"].values()):
                got.setdefault(name, []).append((line["title"], place, worth(line["title"], line["seed"])[place]))
    return {name: sigmas(one) for name, one in got.items()}


def called_off(numbers: Iterable[dict[str, Any]]) -> Counter[str]:
    """Return, from the lines alone, how often each player cancelled a table; private ones have no name."""
    return Counter(line["opened_by"] or "" for line in numbers if line.get("state") == "cancelled")
