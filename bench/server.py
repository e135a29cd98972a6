"""Measures the cost of the server, as ratios to a Flask "hello" behind the same gunicorn, in one interleaved run.

    python -m bench.server [--rounds N] [--only turn-page|my-games|move|mail|sweep|size|memory] [--title TITLE]

Games are begun and played at random through the services, in a temporary folder. Each round requests hello and the
pages in turn with 8 clients from another process; CPU is that of the server's processes, user and system. It prints the
medians of the rounds, with the smallest and the largest, and the bound of each figure.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import shutil
import statistics
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import games
from bench.processes import BENCH, ServerProcess, free_port, serving

FIGURES = ("turn-page", "my-games", "move", "mail", "sweep", "size", "memory")
CLIENTS = 8
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Accept-Language": "en"}
JSON = {"Accept": "application/json", "Content-Type": "application/json"}
KEPT_PAGES = 25
"""The number of links that are requested repeatedly; all of them stay cached."""


@dataclass
class Row:
    """A figure of all rounds, and its bound: `most` or `least`."""

    name: str
    values: list[float]
    unit: str = "×"
    most: float | None = None
    least: float | None = None
    exact: bool = False
    """The worst value counts, not the median."""

    def line(self) -> str:
        middle = statistics.median(self.values)
        judged = (max(self.values) if self.most is not None else min(self.values)) if self.exact else middle
        bound, holds = "", ""
        if self.most is not None:
            bound, holds = f"≤ {self.most:g}", "holds" if judged <= self.most else "MISSES"
        if self.least is not None:
            bound, holds = f"≥ {self.least:g}", "holds" if judged >= self.least else "MISSES"
        spread = f"{min(self.values):.2f} to {max(self.values):.2f}" if len(self.values) > 1 else ""
        return f"{self.name:58} {middle:8.2f} {self.unit:5} {spread:18} {bound:8} {holds}"


class Bench:
    """One run: a folder, a hello and a Post Road next to each other."""

    def __init__(self, folder: Path, title: str, rounds: int) -> None:
        self.folder = folder
        self.rounds = rounds
        self.port = free_port()
        self.server = games.fresh_server(folder, self.port)
        self.positions = games.positions(self.server, title, 44, 5)
        among = self.positions[:: len(self.positions) // games.MY_GAMES][: games.MY_GAMES]
        self.cookie = games.somebody_with_games(self.server, among)
        self.own = {position.game for position in among}
        self.positions = [self._as_now(position) for position in self.positions]
        self.rows: list[Row] = []

    def _as_now(self, position: games.Position) -> games.Position:
        """Return the position with a link for the seat's current player."""
        return games.position_of(self.server, games.read_game(self.server, position.game), position.orders)

    # -- what is asked ----------------------------------------------------------------------------

    def pages(self, among: Sequence[games.Position], count: int) -> list[Any]:
        return [["GET", among[n % len(among)].path, HTML, "", 200] for n in range(count)]

    def moves(self, count: int) -> list[games.Position]:
        """Return games at a moment where a turn can be sent at once: copies, so that there are enough."""
        usable = [position for position in self.positions if position.orders and position.game not in self.own]
        each = -(-count // len(usable))
        found = []
        for position in usable:
            found += games.copies(self.server, games.read_game(self.server, position.game), position.orders, each)
        random.Random(3).shuffle(found)
        return found[:count]

    # -- figures ----------------------------------------------------------------------------------

    def ratios(self, wanted: Callable[[str], bool], server: ServerProcess, hello: ServerProcess) -> None:
        """Measure everything that is compared with hello."""
        greet = [["GET", "/", HTML, "", 200]] * 1000
        mine = [["GET", "/games", HTML | {"Cookie": self.cookie}, "", 200]] * 800
        per_round = 80
        as_json = [self._move_as_json(p) for p in self.moves(per_round * self.rounds)] if wanted("move") else []
        as_form = self._moves_as_forms(server, per_round * self.rounds) if wanted("move") else []
        kept = self.positions[:KEPT_PAGES]
        # Like a server that has been running for a while: templates are compiled, connections open.
        hello.drive(greet)
        server.drive(self.pages(self.positions, len(self.positions)))
        taken: dict[str, list[float]] = {}

        def note(name: str, value: float) -> None:
            taken.setdefault(name, []).append(value)

        before = hello.drive(greet, CLIENTS)

        def measure(name: str, requests: list[Any], slow: str = "") -> None:
            """Measure one run, against the hellos right before and right after it."""
            nonlocal before
            load = server.drive(requests, CLIENTS)
            after = hello.drive(greet, CLIENTS)
            base = (before.cpu + after.cpu) / 2
            note(name, load.cpu / base)
            note("hello", base * 1000)
            if slow:
                note(slow, load.slow * 2 / (before.slow + after.slow))
            before = after

        for n in range(self.rounds):
            if wanted("turn-page"):
                # More links than are cached, one after another: each is drawn again.
                measure("cold", self.pages(self.positions, len(self.positions)))
                server.drive(self.pages(kept, len(kept)))
                measure("kept", self.pages(kept, 800), "slow")
            if wanted("my-games"):
                measure("mine", mine)
            if wanted("move"):
                here = slice(n * per_round, (n + 1) * per_round)
                measure("json", as_json[here])
                measure("form", as_form[here])
        names: dict[str, tuple[str, dict[str, Any]]] = {
            "kept": ("turn page, drawn before", {"most": 2.8}),
            "cold": ("turn page, drawn for the first time", {"most": 9}),
            "slow": ("turn page, 99th percentile of 8 clients", {"most": 3}),
            "mine": (f"my games ({games.MY_GAMES} running)", {"most": 2.5}),
            "json": ("move as JSON: checked, durable, mail queued", {"most": 6}),
            "form": ("move by the form: checked, durable, mail queued", {"most": 12}),
            "hello": ("(one hello, for information)", {"unit": "ms"}),
        }
        self.rows += [Row(names[key][0], taken[key], **names[key][1]) for key in names if key in taken]

    def _move_as_json(self, position: games.Position) -> list[Any]:
        body = json.dumps({"orders": position.orders, "decision": position.number})
        return ["POST", position.path, JSON, body, 200]

    def _moves_as_forms(self, server: ServerProcess, count: int) -> list[Any]:
        """Return the form of the page, with the token that the page carries."""
        from urllib.parse import urlencode

        from app.play.pages.turn.form import form_token

        found = []
        for position in self.moves(count):
            token = form_token(self.server, position.path.rpartition("/")[2])
            fields = {"csrf_token": token, "decision": position.number, "orders": position.orders, "do": "send"}
            head = HTML | {"Content-Type": "application/x-www-form-urlencoded"}
            found.append(["POST", position.path, head, urlencode(fields), 303])
        return found

    def statements(self, wanted: Callable[[str], bool]) -> None:
        """Count the database statements with SQLite's own driver."""
        from bench.counting import Counted

        counted = Counted(self.server)
        if wanted("turn-page"):
            page = self.positions[0].path
            counted.get(page)
            self._count("turn page, drawn before", counted.get(page))
        if wanted("my-games"):
            header = {"Cookie": self.cookie}
            counted.get("/games", header)
            said = counted.get("/games", header)
            self.rows.append(Row("my games: statements", [float(said.reads)], "", most=2, exact=True))
            self.rows.append(Row("my games: writes", [float(said.writes)], "", most=0, exact=True))
        if wanted("move"):
            position = self.moves(1)[0]
            said = counted.post(position.path, {"orders": position.orders, "decision": position.number})
            self.rows.append(Row("move: transactions that write", [float(said.commits)], "", most=1, exact=True))

    def _count(self, name: str, said: Any) -> None:
        self.rows.append(Row(f"{name}: statements", [float(said.reads)], ""))
        self.rows.append(Row(f"{name}: writes", [float(said.writes)], "", most=0, exact=True))

    def sizes(self, server: ServerProcess) -> None:
        """Measure the largest of all turn pages, without its script of 9 KB (3 packed)."""
        raw, packed = [], []
        for position in self.positions:
            request = urllib.request.Request(f"http://127.0.0.1:{server.port}{position.path}", headers=HTML)
            with urllib.request.urlopen(request, timeout=20) as answer:
                page = answer.read()
            assert not re.search(rb"<style", page), "a page brings no style sheet of its own"
            raw.append(len(page) / 1024)
            packed.append(len(gzip.compress(page, 6)) / 1024)
        self.rows.append(Row("turn page, raw (the largest counts)", raw, "KB", most=55, exact=True))
        self.rows.append(Row("turn page, gzip -6 (the largest counts)", packed, "KB", most=10, exact=True))

    def memory(self, server: ServerProcess) -> None:
        """Measure the memory after the load of all figures, with mails and timetable in the same process."""
        server.drive(self.pages(self.positions, 2 * len(self.positions)))
        server.drive([["GET", "/games", HTML | {"Cookie": self.cookie}, "", 200]] * 200)
        server.drive([self._move_as_json(position) for position in self.moves(100)])
        self.rows.append(Row("memory of the worker after the load (PSS)", [server.pss()], "MiB", most=110))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", choices=FIGURES, action="append")
    parser.add_argument("--title", default="acres", choices=tuple(games.SEATS))
    given = parser.parse_args()

    def wanted(figure: str) -> bool:
        return not given.only or figure in given.only

    folder = Path(tempfile.mkdtemp(prefix="postroad-bench-"))
    rows: list[Row] = []
    try:
        if any(map(wanted, ("turn-page", "my-games", "move", "size", "memory"))):
            bench = Bench(folder, given.title, given.rounds)
            environ = games.settings(folder, bench.port)
            web = ["-m", "app.server.cli", "serve", "--port", str(bench.port), "--role"]
            if any(map(wanted, ("turn-page", "my-games", "move", "size"))):
                port = free_port()
                with (
                    serving([str(BENCH / "hello.py"), str(port)], port, folder, {}) as hello,
                    serving([*web, "web"], bench.port, folder, environ) as server,
                ):
                    if any(map(wanted, ("turn-page", "my-games", "move"))):
                        bench.ratios(wanted, server, hello)
                    if wanted("size"):
                        bench.sizes(server)
                bench.statements(wanted)
            if wanted("memory"):
                with serving([*web, "all"], bench.port, folder, environ) as server:
                    bench.memory(server)
            rows += bench.rows
        if wanted("mail"):
            from bench import mail

            rows += [Row(**row) for row in mail.figures(folder / "mail", given.title, given.rounds)]
        if wanted("sweep"):
            from bench import sweep

            rows += [Row(**row) for row in sweep.figures(folder / "sweep")]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{'':58} {'median':>8} {'':5} {'spread':18} {'bound':8}")
    for row in rows:
        print(row.line())


if __name__ == "__main__":
    main()
