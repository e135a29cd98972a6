"""A million hostile inputs for the functions that read input.

    python -m bench.trials.hostile_inputs [--count N] [--only KIND] [--database sqlite|postgres] [--seed S] [--from N]

Kinds: orders of both titles, lines of an answer, records, links, addresses with tags, forms, JSON, lists,
mails (raw bytes into the gate, on a database), addresses, paces and other terms. An input is made from a
good one (cut, doubled, spoilt, with other letters) or from values in `tests/support/hostile.py`. Each is read, or
refused with a sentence in four languages; any other exception is a complaint, and so is more than a second.

Prints its findings with the line that reproduces each, and exits with 1. Over HTTP: `bench.trials.crawl`.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from app.base.words.speech import Voice
from app.server import registry
from app.upkeep import migrating
from engine.kernel.refusals import Refusal
from tests.support import postgres
from tests.support.afterwards import end_when_told
from tests.support.hostile_kinds import KINDS, Kind, on_database
from tests.support.watchful import noting

SLOW = 2.0
"""Seconds of this process for one input."""
ENOUGH = 20
LANGUAGES = ("en", "fr", "es", "it")


@dataclass
class Tried:
    """What was tried, and the outcome."""

    read: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Return the number of inputs so far."""
        return self.read.total() + self.refused.total()

    def report(self, seconds: float) -> str:
        """Return a report of a few lines."""
        kinds = sorted({*self.read, *self.refused})
        lines = [
            *self.found[:ENOUGH],
            *(f"{kind}: {self.read[kind]} read, {self.refused[kind]} refused" for kind in kinds),
        ]
        lines.append(f"{self.count} inputs in {seconds:.0f} s, {len(self.found)} complaints")
        return "\n".join(lines)


def shares(kinds: Sequence[Kind], count: int) -> Iterator[tuple[Kind, int]]:
    """Return how many inputs of each kind make up a total."""
    whole = sum(kind.share for kind in kinds)
    for kind in kinds:
        yield kind, max(1, round(count * kind.share / whole))


def try_all(kinds: Sequence[Kind], count: int, seed: str, first: int = 0) -> Tried:
    """Try inputs of these kinds; each is made from the seed, its kind and its number."""
    tried = Tried()
    with noting() as noted:
        for kind, share in shares(kinds, count):
            for number in range(first, first + share):
                if len(tried.found) >= ENOUGH:
                    return tried
                _try(kind, seed, number, tried, noted.taken)
    return tried


def _try(kind: Kind, seed: str, number: int, tried: Tried, tracebacks: Callable[[], list[str]]) -> None:
    chooser = random.Random(f"{seed} {kind.name} {number}")
    given = kind.make(chooser)
    began, wrong = time.process_time(), ""
    try:
        kind.read(given)
        tried.read[kind.name] += 1
    except kind.refuses as no:
        tried.refused[kind.name] += 1
        wrong = _unsaid(no, chooser)
    except Exception as error:
        tried.refused[kind.name] += 1
        wrong = f"{type(error).__name__}: {str(error)[:200]}"
    spent = time.process_time() - began
    if spent > SLOW:
        wrong = wrong or f"{spent:.1f} seconds"
    for what in [wrong] * bool(wrong) + tracebacks():
        again = f"python -m bench.trials.hostile_inputs --only {kind.name} --seed {seed} --from {number} --count 1"
        tried.found.append(f"{kind.name}: {what}\n  {str(given)[:600]!r}\n  {again}")


def _unsaid(no: BaseException, chooser: random.Random) -> str:
    """Return what is wrong with the sentence of a refusal."""
    if not isinstance(no, Refusal):
        return ""
    said = Voice(chooser.choice(LANGUAGES)).say(no.why)
    return "" if len(said.split()) > 1 else f"a refusal without a sentence: {said!r}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--only", choices=[kind.name for kind in KINDS] + ["mails"])
    parser.add_argument("--database", default="sqlite")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--from", dest="first", type=int, default=0)
    given = parser.parse_args()
    logging.basicConfig(format="%(message)s", level=logging.CRITICAL)
    os.environ["POSTROAD_SEEDS"] = "2048"
    registry.register()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if given.database == "sqlite":
            url = f"sqlite:///{folder / 'post.db'}"
        else:
            server = given.database if "://" in given.database else stack.enter_context(postgres.server())
            url = postgres.make_database(server)
        migrating.upgrade(url)
        kinds = [*KINDS, *stack.enter_context(on_database(url))]
        began = time.process_time()
        tried = try_all(
            [kind for kind in kinds if given.only in (None, kind.name)], given.count, given.seed, given.first
        )
        print(tried.report(time.process_time() - began))
    return 1 if tried.found else 0


if __name__ == "__main__":
    end_when_told()
    sys.exit(main())
