"""Measures what a player waits while eight strangers ask for public pages without end, and without them.

    python -m bench.strangers [--strangers 8] [--times 40]

A server in one process with the games and the club of the demo. For each kind of public page: the median answer times
of `/health/live` and of a turn page, quiet and beside strangers who keep asking for that page (each in another language
or at another turn, so that nothing kept answers), and the ratios. Ends with 1 if one is over 3.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import multiprocessing
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.base.links import TurnLink
from app.base.process.config import load
from app.games.store import GameStore
from app.server.registry import open_server
from bench.processes import ROOT, free_port, serving

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue
    from multiprocessing.synchronize import Event

MOST = 3.0
LANGUAGES = ("en", "fr", "es", "it")


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m bench.strangers")
    reader.add_argument("--strangers", type=int, default=8)
    reader.add_argument("--times", type=int, default=40)
    given = reader.parse_args()
    folder, port = Path(tempfile.mkdtemp()), free_port()
    base = f"http://127.0.0.1:{port}"
    environ = {"POSTROAD_DATA": str(folder), "POSTROAD_BASE_URL": base, "POSTROAD_SEEDS": "1024"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("POSTROAD_")}
    demo = [sys.executable, "-m", "app.server.cli", "demo", "--club"]
    subprocess.run(demo, env=kept | {"PYTHONPATH": str(ROOT)} | environ, cwd=folder, check=True, capture_output=True)
    serve = ["-m", "app.server.cli", "serve", "--role", "web", "--workers", "1", "--port", str(port)]
    worst = 0.0
    with serving(serve, port, folder, environ):
        turn = _turn_page(environ, folder)
        _median(port, turn, 10)
        for name, pages in _public_pages(folder).items():
            quiet = [_median(port, path, given.times) for path in ("/health/live", turn)]
            stop, answers = multiprocessing.Event(), multiprocessing.SimpleQueue()
            crowd = multiprocessing.Process(target=_crowd, args=(given.strangers, port, pages, stop, answers))
            crowd.start()
            time.sleep(1)
            beside = [_median(port, path, given.times) for path in ("/health/live", turn)]
            stop.set()
            said = answers.get()
            crowd.join()
            ratios = [after / before for before, after in zip(quiet, beside, strict=True)]
            worst = max(worst, *ratios)
            print(
                f"{name:18} health {quiet[0]:5.1f} → {beside[0]:5.1f} ms ({ratios[0]:4.1f})   "
                f"turn {quiet[1]:5.1f} → {beside[1]:5.1f} ms ({ratios[1]:4.1f})   answers to strangers {dict(said)}",
                flush=True,
            )
    print(f"the worst ratio: {worst:.1f}")
    return int(worst > MOST)


def _turn_page(environ: dict[str, str], folder: Path) -> str:
    server = open_server(load(environ, folder))
    with server.database.read() as session:
        asked = "select id from game where status = 'running' and title = 'acres' and decides is not null limit 1"
        game = GameStore(session).load(session.connection().exec_driver_sql(asked).scalar_one())
    assert game.decides is not None
    player = game.seated(game.decides).player_id
    server.database.close()
    return f"/t/{server.links.turn_token(TurnLink(game.id, game.decides, game.number, player))}"


def _public_pages(folder: Path) -> dict[str, Callable[[], str]]:
    with sqlite3.connect(folder / "postroad.db") as rows:
        over, last, entries = rows.execute(
            "select id, turn, entries from game where status = 'over' and title = 'acres' order by entries desc"
        ).fetchone()
        running = rows.execute("select id from game where status = 'running' order by entries desc").fetchone()[0]
        event = rows.execute("select max(id) from event where status = 'running'").fetchone()[0]
    n = itertools.count(1)
    return {
        "pictures of turns": lambda: f"/games/{over}/turns/{next(n) % last + 1}.png?lang={LANGUAGES[next(n) % 4]}",
        "drawings of turns": lambda: f"/games/{over}/turns/{next(n) % last + 1}.svg",
        "steps of a replay": lambda: f"/games/{over}/replay/{next(n) * 37 % entries + 1}",
        "records": lambda: f"/games/{over}/record.json",
        "running games": lambda: f"/games/{running}",
        "events": lambda: f"/events/{event}",
        "front page": lambda: "/",
        "sign-in": lambda: "/sign-in",
        "links not ours": lambda: f"/t/{'a' * 60}.{next(n):043d}",
        "nothing there": lambda: f"/nothing/{next(n)}",
    }


def _crowd(strangers: int, port: int, page: Callable[[], str], stop: Event, answers: SimpleQueue[Counter[int]]) -> None:
    """In a process of its own, and behind the others: strangers bring machines of their own."""
    os.nice(15)
    said = Counter[int]()

    def ask_on() -> None:
        while not stop.is_set():
            said[_ask(port, page())[0]] += 1

    threads = [threading.Thread(target=ask_on) for _ in range(strangers)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    answers.put(said)


def _ask(port: int, path: str) -> tuple[int, float]:
    wire = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    begun = time.monotonic()
    try:
        wire.request("GET", path)
        answer = wire.getresponse()
        answer.read()
        return answer.status, (time.monotonic() - begun) * 1000
    finally:
        wire.close()


def _median(port: int, path: str, times: int) -> float:
    found = [_ask(port, path) for _ in range(times)]
    assert {status for status, _ in found} == {200}, path
    return statistics.median(took for _, took in found)


if __name__ == "__main__":
    sys.exit(main())
