"""Measures the cost of drawing a board, as a ratio to a fixed yardstick in one interleaved run.

    python -m bench.drawing [--rounds N] [--seconds S]

The yardstick is the same view as JSON text (`json.dumps`), which any page of data would cost. One round draws, one
after another, each for about S CPU-seconds on one core, boards of recorded games from their first to their last turn in
four languages. It prints the medians of the rounds and their spread, the size of the largest board raw and compressed,
and the cost of the first board of a process.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from app.base.words.i18n import LANGUAGES  # noqa: E402
from app.base.words.speech import Voice  # noqa: E402
from app.titles.boards import board_svg  # noqa: E402
from app.titles.registry import TITLES  # noqa: E402
from engine.kernel import records  # noqa: E402

GAMES = {
    "acres": ("acres/second-quebec-besieged.json", "acres/first-towns-placed.json"),
    "new-world": ("new_world/nw-five-orders-of-scoring.json", "new_world/nw-two-other-rulings.json"),
}


def views_of(title_id: str) -> list[dict[str, Any]]:
    """Return every fifth position of the recorded games, as their first seat sees it."""
    title = TITLES[title_id]
    found = []
    for name in GAMES[title_id]:
        record = records.load((ROOT / "tests" / "records" / name).read_bytes(), TITLES)
        states = [played.state for played in records.replay(record)]
        found += [title.view(state, record.seats[0]) for state in states[::5]]
    return found


def _draw(title_id: str, thing: tuple[dict[str, Any], Voice]) -> str:
    return board_svg(title_id, *thing)


def cost(draw: Callable[[Any], Any], things: list[Any], seconds: float) -> float:
    """Return the milliseconds of CPU for each thing drawn."""
    done, again, began = 0, cycle(things), time.process_time()
    while (taken := time.process_time() - began) < seconds:
        for _ in range(10):
            draw(next(again))
        done += 10
    return 1000 * taken / done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0)
    given = parser.parse_args()
    for title_id in GAMES:
        views = views_of(title_id)
        voices = [Voice(lang, title=TITLES[title_id]) for lang in LANGUAGES]
        began = time.process_time()
        board_svg(title_id, views[-1], voices[0])
        first = 1000 * (time.process_time() - began)
        things = [(view, voices[number % len(voices)]) for number, view in enumerate(views)]
        boards = [board_svg(title_id, view, voice).encode() for view, voice in things]
        drawn, dumped = [], []
        for _ in range(given.rounds):
            drawn.append(cost(partial(_draw, title_id), things, given.seconds))
            dumped.append(cost(json.dumps, views, given.seconds))
        ratios = sorted(one / other for one, other in zip(drawn, dumped, strict=True))
        print(
            f"{title_id:<10}{statistics.median(drawn):>7.2f} ms a board   "
            f"ratio to JSON {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})   "
            f"first {first:.0f} ms   at most {max(map(len, boards)) / 1000:.1f} KB, "
            f"{max(len(gzip.compress(board)) for board in boards) / 1000:.1f} KB compressed"
        )


if __name__ == "__main__":
    main()
