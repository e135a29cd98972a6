"""Actions with a free subset of cards: what may be picked, how many, at what price.

They are the raid (R10.1), the merchant (R11.2), discarding (R11.6), the Governor (R11.8) and the trader (R11.10).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from engine.acres.actions import Action, Discard, Govern, Merchant, Raid, Trade
from engine.acres.state import Cards
from engine.kernel.title import Choice

_MAKE: dict[str, Callable[[str, Cards], Action]] = {
    "raid": Raid,
    "merchant": Merchant,
    "trade": lambda about, cards: Trade(cards),
    "discard": lambda about, cards: Discard(cards),
    "govern": lambda about, cards: Govern(cards),
}


class _Fields(NamedTuple):
    kind: str
    items: Cards
    least: int
    most: int
    money: int
    about: str = ""
    each: Mapping[str, int] = {}
    first_free: bool = False
    gain: Mapping[str, int] = {}
    one_of: frozenset[str] = frozenset()


class CardChoice(_Fields, Choice):
    """One such action. `about` is the place raided or the merchant's ship card.

    `each` is the price of an item if it is not free; with `first_free` every item but one costs 1. `gain` is the money
    that an item brings. If `one_of` is not empty, one of those must be picked.
    """

    __slots__ = ()

    def price(self, picked: Sequence[str]) -> int:
        """Return what picking these costs."""
        if self.first_free:
            return max(0, len(picked) - 1)
        return sum(self.each.get(item, 0) for item in picked)

    def allows(self, picked: Sequence[str]) -> bool:
        """Return whether these items make a legal action; they must be among `items`."""
        return (
            self.least <= len(picked) <= self.most
            and (not self.one_of or not self.one_of.isdisjoint(picked))
            and self.price(picked) <= self.money
        )

    def action(self, picked: Sequence[str]) -> Action:
        return _MAKE[self.kind](self.about, tuple(sorted(picked)))

    def smallest(self) -> list[Action]:
        subsets = dict.fromkeys(combinations(sorted(self.items), self.least))
        return [self.action(picked) for picked in subsets if self.allows(picked)]

    def describe(self) -> dict[str, Any]:
        told: dict[str, Any] = {"kind": self.kind, "least": self.least, "most": self.most, "cards": list(self.items)}
        if self.about:
            told["place" if self.kind == "raid" else "with"] = self.about
        if self.first_free:
            told["price"] = {"first": 0, "further": 1}
        elif self.each:
            told["price"] = dict(self.each)
        if self.gain:
            told["gain"] = dict(self.gain)
        if self.one_of:
            told["one_of"] = sorted(self.one_of)
        return told
