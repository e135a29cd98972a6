"""Chance is an argument. Its outcomes are written into events, so a replay never draws again."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol


class Chance(Protocol):
    """The source of shuffles and draws. `purpose` names what is shuffled or drawn (a seat's deck, the bag).

    Titles pass the items sorted, so that the input says nothing about an older order.
    """

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        """Return all the items in a new order, the top one first."""

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        """Return one of the items."""


@dataclass(frozen=True, slots=True)
class ChanceOutcome:
    """One result of chance in the form that records and tests use; `value` is an order (shuffle) or one item (draw)."""

    kind: str
    purpose: str
    value: tuple[str, ...]


class ChanceMismatch(Exception):
    """The scripted outcome is not what the rules ask for at this point."""

    def __init__(self, wanted: ChanceOutcome, found: ChanceOutcome) -> None:
        super().__init__(f"the rules need a {wanted.kind} of {wanted.purpose}, the script has {found}")
        self.wanted = wanted
        self.found = found


class ChanceExhausted(Exception):
    """The rules need an outcome of chance and the script has no more; `events` is what happened before it."""

    def __init__(self, wanted: ChanceOutcome) -> None:
        super().__init__(f"the rules need a {wanted.kind} of {wanted.purpose} and there is none")
        self.wanted = wanted
        self.events: tuple[Any, ...] = ()


class ScriptedChance:
    """Chance with outcomes that are known: from a record, or from a test."""

    def __init__(self, outcomes: Iterable[ChanceOutcome] = ()) -> None:
        self._outcomes = list(outcomes)
        self._next = 0

    @property
    def left(self) -> int:
        """How many outcomes are still unused."""
        return len(self._outcomes) - self._next

    def _take(self, kind: str, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        wanted = ChanceOutcome(kind, purpose, tuple(items))
        if self._next == len(self._outcomes):
            raise ChanceExhausted(wanted)
        found = self._outcomes[self._next]
        if (found.kind, found.purpose) != (kind, purpose):
            raise ChanceMismatch(wanted, found)
        fits = sorted(found.value) == sorted(items) if kind == "shuffle" else found.value[0] in items
        if not fits:
            raise ChanceMismatch(wanted, found)
        self._next += 1
        return found.value

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        return self._take("shuffle", purpose, items)

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        return self._take("draw", purpose, items)[0]


@dataclass(frozen=True, slots=True)
class ChanceUse:
    """One outcome together with the items that chance was given for it, sorted."""

    outcome: ChanceOutcome
    items: tuple[str, ...]


class WatchedChance:
    """Chance that remembers what it was given and what it returned."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.uses: list[ChanceUse] = []

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        order = self._chance.shuffle(purpose, items)
        self.uses.append(ChanceUse(ChanceOutcome("shuffle", purpose, order), tuple(sorted(items))))
        return order

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        item = self._chance.draw(purpose, items)
        self.uses.append(ChanceUse(ChanceOutcome("draw", purpose, (item,)), tuple(sorted(items))))
        return item


def commitment(seed: bytes) -> str:
    """Return what is published of a secret seed before anything is drawn from it: its SHA-256 in hexadecimal."""
    return hashlib.sha256(seed).hexdigest()


FIRST, NUMBERED = "postroad-chance-1", "postroad-chance-2"
"""The algorithms: for games whose players could add salts, and for games with a numbered seed (`seeds`)."""
ALGORITHMS = (FIRST, NUMBERED)


class SeededChance:
    """Chance derived from a secret seed: everybody who knows the seed gets the same outcomes.

    Both algorithms (docs/provable-chance.md) differ in the key alone:

    - the key of `postroad-chance-2` is HMAC-SHA256(seed, "postroad-chance-2");
    - that of `postroad-chance-1` is HMAC-SHA256(seed, "postroad-chance-1" and, for each seat with a salt in
      alphabetical order, a line feed, the seat, "=", and the SHA-256 of its salt in hexadecimal);
      an empty salt counts as no salt;
    - the outcomes of a game are numbered 0, 1, 2 ... (`ordinal`); the random bytes of an outcome are
      HMAC-SHA256(key, "ORDINAL:0"), HMAC-SHA256(key, "ORDINAL:1"), ... one after another, read as 64-bit
      big-endian numbers;
    - a number below n is the first of these that is below the largest multiple of n that fits, modulo n;
    - a shuffle sorts the items (by code point), then for i from the last position down to 1 swaps i with
      a number below i + 1; a draw sorts the items and takes the one at a number below their count.
    """

    def __init__(
        self, seed: bytes, ordinal: int = 0, salts: Mapping[str, str] | None = None, *, algorithm: str = FIRST
    ) -> None:
        """`ordinal` is the number of outcomes that the game has used so far; it counts on."""
        self._seed = seed
        self._salts = dict(salts or {}) if algorithm == FIRST else {}
        self.algorithm = algorithm
        self.ordinal = ordinal

    @cached_property
    def _key(self) -> bytes:
        """The key, derived only when chance is asked: most moves do without."""
        lines = [self.algorithm]
        lines += [
            f"{seat}={hashlib.sha256(salt.encode()).hexdigest()}" for seat, salt in sorted(self._salts.items()) if salt
        ]
        return hmac.digest(self._seed, "\n".join(lines).encode(), "sha256")

    def _words(self) -> Iterable[int]:
        block = 0
        while True:
            data = hmac.digest(self._key, f"{self.ordinal}:{block}".encode(), "sha256")
            for start in range(0, 32, 8):
                yield int.from_bytes(data[start : start + 8], "big")
            block += 1

    @staticmethod
    def _below(n: int, words: Iterable[int]) -> int:
        limit = (1 << 64) // n * n
        return next(word for word in words if word < limit) % n

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        words = iter(self._words())
        order = sorted(items)
        for i in range(len(order) - 1, 0, -1):
            j = self._below(i + 1, words)
            order[i], order[j] = order[j], order[i]
        self.ordinal += 1
        return tuple(order)

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        chosen = sorted(items)[self._below(len(items), iter(self._words()))]
        self.ordinal += 1
        return chosen
