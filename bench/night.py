"""Simulates a club night and a day of correspondence: people who look, think and move, each at moments of their own.

    python -m bench.night [--database sqlite|postgres] [--workers 1] [--players N] [--people 50,...,1600] [--seconds 20]

Everybody opens the page of a turn, thinks, sends the turn, and comes back with the next one: on a club night every half
a minute, in correspondence twice a day. Moments are random (Poisson), so that nobody waits for anybody else; the time
of an answer counts from its moment, queue included. Real games of both titles, each continued once; all over loopback,
and every step has an end. Prints a table, and the waiting times as bars (median, then 99 of 100).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.base.stored.database import Database
from app.upkeep.backups import restoring, writing
from bench import games
from bench.crowd import HTML, JSON, seeded
from bench.processes import ServerProcess, free_port, serving
from tests.support import postgres

TURN_EVERY_SECONDS = 30.0
"""How often one person sends a turn on a club night."""
PAGE_BEFORE_SECONDS = (2.0, 15.0)
"""How long before a turn its page was opened."""
DAY_SECONDS = 86_400
TURNS_A_DAY = 2
"""What one correspondence player sends."""
EVENING = 3
"""The load of the busiest hour as a multiple of the average."""


def visits(positions: Sequence[games.Position], people: int, seconds: float) -> tuple[list[Any], list[float], int]:
    """Return pages and turns of this many people, each with its moment, and how many positions they take.

    At most one turn is made in each position. People who opened their page before the first second are included.
    """
    source, asked, taken = random.Random(people), [], 0
    at = -PAGE_BEFORE_SECONDS[1]
    for one in positions:
        at += source.expovariate(people / TURN_EVERY_SECONDS)
        if at > seconds:
            break
        taken += 1
        body = json.dumps({"orders": one.orders, "decision": one.number})
        asked.append((at, ["GET", one.path, HTML, "", 200]))
        asked.append((at + source.uniform(*PAGE_BEFORE_SECONDS), ["POST", one.path, JSON, body, 200]))
    else:
        raise SystemExit(f"{len(positions)} positions are too few for {people} people.")
    meant = sorted((each for each in asked if 0 <= each[0] <= seconds), key=lambda each: each[0])
    return [request for _, request in meant], [moment for moment, _ in meant], taken


@contextmanager
def server_of(
    kind: str, folder: Path, port: int, players: int, people: Sequence[int], seconds: float
) -> Iterator[tuple[Any, Any]]:
    """Yield a server's settings on a database of this kind with at least this many players, and positions for each
    step.
    """
    longest = seconds + PAGE_BEFORE_SECONDS[1]
    wanted = sum(round(1.2 * longest * many / TURN_EVERY_SECONDS) + 60 for many in people)
    server = games.fresh_server(folder, port)
    positions = [one for one in seeded(server, max(players, 2 * wanted), 2 * wanted) if one.orders is not None][:wanted]
    url = server.config.database_url
    server.database.close()
    environ = games.settings(folder, port)
    if kind == "sqlite":
        yield environ, positions
        return
    with postgres.server() as instance:
        environ["POSTROAD_DATABASE_URL"] = postgres.make_database(instance)
        # as `postroad move`, but without checking every game: copies of one game share a seed
        with tempfile.TemporaryFile() as file, closing(Database(url)) as made:
            writing.write(file, made, server.config, datetime.now(UTC))
            with restoring.opened(file) as found:
                restoring.restore(found, environ["POSTROAD_DATABASE_URL"])
        yield environ, positions
        postgres.drop_database(instance, environ["POSTROAD_DATABASE_URL"])


def step(server: ServerProcess, positions: list[games.Position], people: int, seconds: float) -> dict[str, float]:
    """Return the figures of this many people at once; the positions they use are removed."""
    requests, moments, used = visits(positions, people, seconds)
    del positions[:used]
    load, took, lost = server.drive_at(requests, moments)
    return {
        "requests a second": load.rate,
        "median, ms": took[len(took) // 2] * 1000,
        "95 of 100 within, ms": took[int(len(took) * 0.95)] * 1000,
        "99 of 100 within, ms": load.slow * 1000,
        "processor time each, ms": load.cpu * 1000,
        "without an answer": lost,
        "correspondence players": people / TURN_EVERY_SECONDS * DAY_SECONDS / (TURNS_A_DAY * EVENING),
    }


def main() -> None:
    reader = argparse.ArgumentParser(prog="python -m bench.night")
    reader.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    reader.add_argument("--workers", type=int, default=1)
    reader.add_argument("--players", type=int, default=0, help="as many as the steps need where it is more")
    reader.add_argument("--people", default="50,100,200,400,800,1600")
    reader.add_argument("--seconds", type=float, default=20)
    given = reader.parse_args()
    people = [int(one) for one in given.people.split(",")]
    folder, port, taken = Path(tempfile.mkdtemp()), free_port(), []
    serve = ["-m", "app.server.cli", "serve", "--role", "web", "--workers", str(given.workers), "--port", str(port)]
    try:
        with (
            server_of(given.database, folder, port, given.players, people, given.seconds) as (environ, positions),
            serving(serve, port, folder, environ) as server,
        ):
            step(server, positions, 20, 5)  # compiles templates, opens connections
            for many in people:
                taken.append(step(server, positions, many, given.seconds))
                print(f"{many}: {taken[-1]}", file=sys.stderr)
    finally:
        shutil.rmtree(folder)
    print(f"| people at once | {' | '.join(taken[0])} |\n| ---: |{' ---: |' * len(taken[0])}")
    for many, found in zip(people, taken, strict=True):
        print(f"| {many} | {' | '.join(f'{value:,.0f}' for value in found.values())} |")
    longest = max(found["99 of 100 within, ms"] for found in taken)
    for many, found in zip(people, taken, strict=True):
        slow, middle = found["99 of 100 within, ms"], found["median, ms"]
        whole = max(1, round(50 * slow / longest))
        half = max(1, round(50 * middle / longest))
        print(f"    {many:>5}  {'█' * half}{'░' * (whole - half)}  {middle:,.0f} / {slow:,.0f} ms")


if __name__ == "__main__":
    main()
