"""What players sent and were told: the other side of the log."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from app.play.turn.playing import split_orders
from engine.kernel.refusals import Refusal


@dataclass(frozen=True)
class Sent:
    """Orders that answer a decision; `by` is `json` or `form`. A form may add the end of the turn to them."""

    game: int
    number: int
    orders: str
    by: str

    def is_in(self, kept: str | None) -> bool:
        """Whether these are the orders that the server has stored for the decision."""
        if kept is None:
            return False
        lines, there = normal(self.orders).split("\n"), kept.split("\n")
        return there == lines if self.by == "json" else there[: len(lines)] == lines


def normal(orders: str) -> str:
    """Return orders as the server stores them."""
    try:
        return "\n".join(split_orders(orders))
    except Refusal:
        return orders


@dataclass
class Ledger:
    """Shared by all players, who write to it concurrently."""

    accepted: set[Sent] = field(default_factory=set)
    tried: dict[tuple[int, int], set[Sent]] = field(default_factory=lambda: defaultdict(set))
    statuses: Counter[str] = field(default_factory=Counter)
    """Answers by their status, `none` for a connection that broke."""
    counts: Counter[str] = field(default_factory=Counter)
    """How turns were played: by which way, by which link, again without an answer, twice at once."""
    troubles: list[str] = field(default_factory=list)
    turns: set[tuple[int, int]] = field(default_factory=set)
    """The turns, by game and number, in which a decision was accepted."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def tries(self, sent: Sent) -> None:
        """Record orders that are sent."""
        with self._lock:
            self.tried[sent.game, sent.number].add(sent)

    def told(self, status: int | None, what: str = "") -> None:
        """Record an answer, or that there was none."""
        with self._lock:
            self.statuses[str(status or "none")] += 1
            if status == 500:
                self.troubles.append(f"500 for {what}")

    def count(self, *what: str) -> None:
        """Count one more of each."""
        with self._lock:
            self.counts.update(what)

    def accepts(self, sent: Sent, turn: int) -> None:
        """Record that the server has accepted."""
        with self._lock:
            self.accepted.add(sent)
            self.turns.add((sent.game, turn))
            self.counts[sent.by] += 1

    def trouble(self, what: str) -> None:
        """Record what must never happen, whatever the weather."""
        with self._lock:
            self.troubles.append(what)
