"""Programs without a mailbox: a bot made from docs/turn-links.md alone plays whole games in all titles and editions.

    python -m bench.trials.programs [--games N]

It knows the addresses of its players' `waiting.json` and nothing else: neither the engine nor the database. It prints
for each game its decisions, what was refused (nothing may be), and the calls for each decision, looks at feeds among
them; answers 304 stand apart.
A second copy with the same keys looks at the same moment and answers otherwise: it may be told that it came second, but
no game is harmed.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

Fetch = Callable[[str, str, Mapping[str, str], bytes | None], tuple[int, Mapping[str, str], bytes]]
"""Send a request (method, path, headers, body); return status, headers and body."""
Waiting = Mapping[str, Any]
"""A decision as `waiting.json` tells it."""
JSON = {"Accept": "application/json"}
LIVELY = ("settle", "develop", "besiege", "reinforce", "raid")
"""What brings A Few Acres of Snow nearer to its end (docs/titles/acres.md)."""
SECOND = ("decision.made", "link_ended", "decision.other")
"""What a program hears whose twin was faster."""


@dataclass
class Bot:
    """A program that plays for some players, whose feeds it knows."""

    fetch: Fetch
    feeds: list[str]
    chooser: random.Random
    tags: dict[str, str] = field(default_factory=dict)
    """By feed, of what waited last."""
    empty: dict[str, str] = field(default_factory=dict)
    """The same of a feed in which nothing waits."""
    seen: Counter[str] = field(default_factory=Counter)
    """How many calls, looks, answers 304, decisions, and errors by code."""

    def look(self) -> list[Waiting]:
        """Return what waits now, each with its link; look at every feed once."""
        found = []
        for feed in self.feeds:
            known = [tag for tag in (self.empty.get(feed), self.tags.get(feed)) if tag]
            status, headers, body = self._ask("GET", feed, {"If-None-Match": ", ".join(known)})
            if status == 200:
                there = json.loads(body)["waiting"]
                # That nothing waits after one's own answer is no news: its tag is told beside the newest one.
                (self.tags if there else self.empty)[feed] = headers["ETag"]
                found += there
        return found

    def answer(self, one: Waiting) -> None:
        """Answer a decision that waits, and those to which it leads on."""
        link, status, turn = one["link"], 200, one.get("get")
        if turn is None:  # of many only the first say what is asked
            status, _, body = self._ask("GET", link, JSON)
            turn = json.loads(body)
        while link is not None and status == 200 and turn["to_decide"]:
            sent = json.dumps({"orders": self._choose(turn["legal"]), "decision": turn["decision"]}).encode()
            status, _, body = self._ask("POST", link, JSON | {"Content-Type": "application/json"}, sent)
            turn = json.loads(body)
            self.seen["decisions"] += status == 200
            link = turn.get("next")
        if "error" in turn:
            self.seen[turn["error"]["code"]] += 1

    def _choose(self, lines: list[str]) -> str:
        """Return any line, half the time one that brings the game nearer to its end."""
        lively = [line for line in lines if line.startswith(LIVELY)]
        return self.chooser.choice(lively if lively and self.chooser.random() < 0.5 else lines)

    def _ask(
        self, method: str, address: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        asked = urlsplit(address)
        answered = self.fetch(method, asked.path, headers, body)
        self.seen["304" if answered[0] == 304 else "looks" if address in self.feeds else "calls"] += 1
        return answered


def play(bot: Bot, twin: Bot | None = None, most: int = 5_000) -> None:
    """Let a bot play until nothing waits; its twin answers every tenth link first."""
    for _ in range(most):
        found = bot.look()
        if not found:
            bot.tags.clear()
            found = bot.look()
        if not found:
            return
        for one in found:
            bot.seen["links"] += 1
            if twin is not None and bot.seen["links"] % 10 == 0:
                twin.answer(one)
            bot.answer(one)


def main() -> None:
    """Play the games and print what happened."""
    from tests.support.programs import games_of_programs

    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--games", type=int, default=20)
    wanted: Any = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        failed = 0
        for told in games_of_programs(Path(folder), wanted.games):
            print(told, flush=True)
            failed += "HARMED" in told
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
