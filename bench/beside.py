"""Measures pages beside processes that think, and without them: do people wait longer because the computer plays?

    python -m bench.beside [--thinkers 4] [--people 100] [--seconds 8] [--rounds 4]

A server with real games answers people as `bench.night` has them, in rounds that alternate: in one the `postroad think`
processes search for moves of *strong*, in the other they are stopped. Printed are the answer times of both, over all
rounds, and the ratio of the 99th percentiles.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.base.process.config import load
from app.computer.starting import Wish, start
from app.server.registry import open_server
from bench.night import server_of, step
from bench.processes import ROOT, free_port, serving

THINK = ("-c", "from app.server.cli import main; main()", "think")
STARTS_WITHIN_SECONDS = 15.0
DECISIONS_A_SECOND = 2
"""So many a process makes at most."""


def main() -> None:
    reader = argparse.ArgumentParser(prog="python -m bench.beside")
    reader.add_argument("--thinkers", type=int, default=4)
    reader.add_argument("--people", type=int, default=100)
    reader.add_argument("--seconds", type=float, default=8)
    reader.add_argument("--rounds", type=int, default=4)
    given = reader.parse_args()
    folder, port = Path(tempfile.mkdtemp()), free_port()
    serve = ["-m", "app.server.cli", "serve", "--role", "web", "--workers", "1", "--port", str(port)]
    steps = [given.people] * 2 * given.rounds
    with server_of("sqlite", folder, port, 0, steps, given.seconds) as (environ, positions):
        _owe_decisions(folder, environ, round(given.thinkers * given.rounds * given.seconds * DECISIONS_A_SECOND))
        kept = {name: value for name, value in os.environ.items() if not name.startswith("POSTROAD_")}
        environ_of_all = kept | {"PYTHONPATH": str(ROOT)} | environ
        thinkers: list[subprocess.Popen[bytes]] = []
        found: dict[bool, list[dict[str, float]]] = {False: [], True: []}
        try:
            with serving(serve, port, folder, environ) as server:
                step(server, positions, 20, 3)  # compiles templates, opens connections
                for _ in range(given.thinkers):
                    thinkers.append(subprocess.Popen([sys.executable, *THINK], cwd=folder, env=environ_of_all))
                time.sleep(STARTS_WITHIN_SECONDS)
                for number in range(2 * given.rounds):
                    thinks = bool(number % 2)
                    _tell(thinkers, signal.SIGCONT if thinks else signal.SIGSTOP)
                    found[thinks].append(step(server, positions, given.people, given.seconds))
        finally:
            _tell(thinkers, signal.SIGKILL)
    for name in ("median, ms", "95 of 100 within, ms", "99 of 100 within, ms"):
        without, beside = (statistics.median([one[name] for one in found[thinks]]) for thinks in (False, True))
        print(f"{name}: {without:.0f} without, {beside:.0f} beside {given.thinkers}, ratio {beside / without:.2f}")


def _tell(thinkers: list[subprocess.Popen[bytes]], what: signal.Signals) -> None:
    for one in thinkers:
        one.send_signal(what)


def _owe_decisions(folder: Path, environ: dict[str, str], count: int) -> None:
    server = open_server(load(environ, folder))
    for number in range(count):
        wish = Wish(title_id="acres", level="strong", seat="french", place=f"place {number}")
        start(server.database, wish, now=datetime.now(UTC))
    server.database.close()


if __name__ == "__main__":
    main()
