"""What a seed is worth for a seat, and what can be counted of it from a server's public list alone.

The measures are named ones: in New World the seat's part of the good tiles (those with a farm or a shield) among the
first twenty that are drawn; in A Few Acres of Snow the coins on the five cards of the first hand.
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
"""Tiles of New World that are counted, ten of each seat."""
SEATS = {"acres": ACRES.seats, "new-world": NEW_WORLD.seats[:2]}


def worth(title: str, seed: str) -> tuple[float, float]:
    """What the seed is worth for each of two seats."""
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
    """The next tiles, and what is left in the bag."""
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
    """Mean and standard deviation of what seeds are worth for a seat."""

    mean: float
    sigma: float
    suits: float
    """So much is among the best thirty in a hundred."""


REFERENCE = 20_000
"""Seeds that are made up to say what is fair."""


@cache
def spread(title: str, place: int) -> Spread:
    """Of seeds that anybody can make up, so that nothing of a server has a part in it. In New World the mean is known:
    no place in the order of a bag is better than another."""
    source = random.Random(title)
    values = sorted(worth(title, source.randbytes(32).hex())[place] for _ in range(REFERENCE))
    mean = 0.5 if title == "new-world" else sum(values) / REFERENCE
    sigma = math.sqrt(sum((value - mean) ** 2 for value in values) / REFERENCE)
    return Spread(mean, sigma, values[REFERENCE * 7 // 10])


def sigmas(got: Iterable[tuple[str, int, float]]) -> float:
    """By how many standard deviations a number of results (title, place at the table, worth) is better than fair. What
    is fair is an estimate itself, which widens them a little."""
    parts = [(value - spread(title, place).mean) / spread(title, place).sigma for title, place, value in got]
    return sum(parts) / math.sqrt(len(parts) * (1 + len(parts) / REFERENCE)) if parts else 0.0


def counted(numbers: Iterable[dict[str, Any]]) -> dict[str, float]:
    """From the lines of `/chance.json` alone: by how many standard deviations the luck of each player is better than
    fair, over all of their games that are over."""
    got: dict[str, list[tuple[str, int, float]]] = {}
    for line in numbers:
        if line.get("state") == "over" and line["seed"] and line["title"] in SEATS and len(line["seats"]) == 2:
            for place, name in enumerate(line["seats"].values()):
                got.setdefault(name, []).append((line["title"], place, worth(line["title"], line["seed"])[place]))
    return {name: sigmas(one) for name, one in got.items()}


def called_off(numbers: Iterable[dict[str, Any]]) -> Counter[str]:
    """From the lines alone: how often each player called a table off; those of private ones have no name."""
    return Counter(line["opened_by"] or "" for line in numbers if line.get("state") == "cancelled")
