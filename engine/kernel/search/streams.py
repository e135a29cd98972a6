"""The chance of the computer: numbers from a seed by SHA-256, the same everywhere, and never a game's own chance."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from struct import Struct

_WORDS = Struct(">8I")


class Stream:
    """Block n is SHA-256(SHA-256(seed and labels), n), read as eight 32-bit numbers. It is a `Chance` too."""

    __slots__ = ("_block", "_key", "_words")

    def __init__(self, seed: bytes, *labels: str | int) -> None:
        """Streams of one seed with other labels have nothing to do with each other."""
        self._key = sha256(b"\n".join((seed, *(str(label).encode() for label in labels)))).digest()
        self._block = 0
        self._words: list[int] = []

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1, for n far below 2 to the 32nd."""
        if not self._words:
            self._words = list(_WORDS.unpack(sha256(self._key + self._block.to_bytes(4, "big")).digest()))
            self._block += 1
        return self._words.pop() * n >> 32

    def error(self, size: float) -> float:
        """Return how far a judgement is off: at most one and a half sizes, half a size being usual."""
        return size * (self.below(1 << 16) + self.below(1 << 16) + self.below(1 << 16) - 3 * (1 << 15)) / (1 << 16)

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        """Return the items in a new order."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        """Return one of the items."""
        return items[self.below(len(items))]
