"""Measures a server with many players: real games of both titles, copied to the wanted number and then played.

    python -m bench.crowd [--database postgres] [--players 1000,10000,100000] [--ended 5] [--seconds 8]

Each player sits in two running games and has `--ended` finished ones (their rows and seats, which is what lists read).
Everything goes over loopback to a separate web process, and every run has an end: turns as JSON (checked, durable, mail
queued), turn pages, lists of a player's own games and public ones, each requested once for different players; then, in
this process, the resulting mails, handed over to a host that accepts all, and the sweeps with nothing due. Each
request's processor time is also given as a multiple of that of a page without a database, measured at the same time;
comparing sizes gives the ratios that count, and bars show them.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sqlalchemy as sa
from sqlmodel import SQLModel

from app.base.process.config import load
from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from app.games.tables import Game, GameSeat
from app.overdue.cases import sweep_cases
from app.people import signin
from app.people.tables import Player, SignIn
from app.play.agreed import results
from app.post.out.sender import Sender
from app.server.registry import open_server
from app.time.reminding.reminders import remind
from app.upkeep import migrating
from app.upkeep.backups.restoring import know_the_tables
from bench import games
from bench.mail import sink
from bench.processes import ServerProcess, free_port, serving
from tests.support import postgres

TEMPLATES = 8
"""Games played through the services, half of each title; all others are complete copies of them, including the log."""
TAKEN = 400
"""Games that are then requested or continued, each once."""
HTML = {"Accept": "text/html", "Accept-Language": "en"}
JSON = {"Accept": "application/json", "Content-Type": "application/json"}
TOKEN = "a-token-for-the-figures"
LISTS = ("/", "/tables", "/watch", "/archive", "/chance", "/metrics")
LASTING = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "autovacuum": "on"}
"""PostgreSQL with the settings of people who want to keep their data."""
ALIVE: Any = [["GET", "/health/live", HTML, "", 200]] * 200
"""A page without a database: the processor time of the others is shown relative to it, before and after them in the
same run, since a shared machine can take up to twice as long for everything.
"""
BARS = ("turn pages", "my games", "moves", *LISTS)


def people(server: Server, many: int) -> None:
    """Add this many players, each signed in under `secret-N`."""
    now = datetime.now(UTC)
    with server.database.write() as session:
        for start in range(0, many, 5000):
            numbers = range(start, min(start + 5000, many))
            rows = [
                {
                    "address": f"p{n}@example.org",
                    "address_key": f"p{n}@example.org",
                    "name": f"P {n}",
                    "created_at": now,
                }
                for n in numbers
            ]
            ids = session.scalars(sa.insert(Player).returning(Player.id), rows).all()
            until = now + signin.SIGNED_IN_FOR
            session.execute(
                sa.insert(SignIn),
                [
                    {
                        "token_hash": signin.hashed(f"secret-{n}"), "player_id": id, "device": "bench",
                        "created_at": now, "expires_at": until,
                    }
                    for n, id in zip(numbers, ids, strict=True)
                ],
            )  # fmt: skip
        session.commit()


def multiply(
    server: Server, sources: list[int], many: int, players: list[int], of: tuple[str, ...] = games.COPIED
) -> list[tuple[int, int]]:
    """Make this many copies of games, with their rows of these tables, two of the players in each; return copy and
    source.
    """
    made: list[tuple[int, int]] = []
    tables = SQLModel.metadata.tables
    columns = [c for c in Game.__table__.c if c.name not in ("id", "seed_number")]  # type: ignore[attr-defined]
    with server.database.write() as session:
        last = session.scalar(sa.select(sa.func.max(Game.id))) or 0
        ids = range(last + 1, last + 1 + many)
        for at, source in enumerate(sources):
            mine = list(ids[at :: len(sources)])
            given = numbered(server, mine)
            row = sa.select(given.c.value, *columns).join(given, sa.true()).where(Game.id == source)
            session.execute(sa.insert(Game).from_select(["id", *(c.name for c in columns)], row))
            for name in of:
                copied(session, tables[name], given, source)
            made += [(copy, source) for copy in mine]
        place = sa.cast((GameSeat.game_id + GameSeat.place * 7) % len(players) + players[0], sa.Integer)
        session.execute(sa.update(GameSeat).where(GameSeat.game_id > last).values(player_id=place))
        if server.database.engine.dialect.name == "postgresql":
            counter = sa.func.pg_get_serial_sequence("game", "id")
            session.execute(sa.select(sa.func.setval(counter, sa.select(sa.func.max(Game.id)).scalar_subquery())))
        session.commit()
    return made


def numbered(server: Server, numbers: list[int]) -> Any:
    """Return numbers as a table."""
    if server.database.engine.dialect.name == "postgresql":
        as_rows = sa.func.unnest(sa.cast(numbers, sa.ARRAY(sa.Integer)))
        return as_rows.table_valued("value", name="numbers").render_derived()
    return sa.func.json_each(json.dumps(numbers)).table_valued("value", name="numbers")


def copied(session: Any, table: sa.Table, given: Any, source: int) -> None:
    """Insert the rows of a game again for each of the given numbers."""
    others = [c for c in table.c if c.name not in ("id", "game_id")]
    rows = sa.select(given.c.value, *others).join(given, sa.true()).where(table.c.game_id == source)
    session.execute(sa.insert(table).from_select(["game_id", *(c.name for c in others)], rows))


def seeded(server: Server, many: int, most: int = TAKEN, ended: int = 0) -> list[games.Position]:
    """Set up a server with these players, running games, and `ended` finished ones for each; return at most `most`
    positions.
    """
    source, sources, orders = random.Random(11), [], {}
    for n in range(TEMPLATES):
        title = ("acres", "new-world")[n % 2]
        game_id = games.begin(server, title, (f"anne{n}", f"ben{n}"), "en")
        game = games.play_on(server, game_id, source, 30 if title == "acres" else 8)
        while not game.is_over and (found := games.orders_of_a_turn(game, source)) is None:
            game = games.play_on(server, game_id, source, 1)
        orders[game_id] = found
        sources.append(game_id)
    people(server, many)
    with server.database.read() as session:
        players = list(session.scalars(sa.select(Player.id).where(Player.address.like("p%@example.org"))))
    made = multiply(server, sources, many, sorted(players))
    if ended:
        now = datetime.now(UTC)
        for game_id in sources[:2]:
            results.resign(server.database, game_id, read_seat(server, game_id), now=now)
        multiply(server, sources[:2], many * ended, sorted(players), ("game_seat",))
    taken = source.sample(made, min(most, len(made)))
    return [games.position_of(server, games.read_game(server, copy), orders[like]) for copy, like in taken]


def read_seat(server: Server, game_id: int) -> int:
    """Return the player at the first seat of a game."""
    return games.read_game(server, game_id).seats[0].player_id or 0


def timed(do: Callable[[], Any]) -> float:
    """Return the milliseconds, including the database's; the best of five."""
    took = []
    for _ in range(5):
        began = time.perf_counter()
        do()
        took.append(time.perf_counter() - began)
    return min(took) * 1000


@contextmanager
def new_database(kind: str) -> Iterator[tuple[str, postgres.Private | None]]:
    """Make an empty PostgreSQL database with its server, or return an empty text and None for the SQLite file."""
    if kind == "sqlite":
        yield "", None
        return
    with postgres.private(**LASTING) as server:
        yield postgres.make_database(server.url), server


def measure(kind: str, folder: Path, many: int, ended: int, seconds: float) -> dict[str, float]:
    """Return the figures of one size."""
    port = free_port()
    with sink() as host, new_database(kind) as (url, instance):
        environ = games.settings(folder, port, f"smtp://127.0.0.1:{host}")
        environ |= {"POSTROAD_MAIL_PICTURES": "none", "POSTROAD_METRICS_TOKEN": TOKEN}
        environ |= {"POSTROAD_DATABASE_URL": url} if url else {}
        server = open_server(load(environ, folder))
        migrating.upgrade(server.config.database_url)
        began = time.perf_counter()
        positions = seeded(server, many, ended=ended)
        found: dict[str, float] = {"seeded in, s": time.perf_counter() - began}
        if instance:
            know_the_tables(server.config.database_url)
        server.database.close()
        serve = ["-m", "app.server.cli", "serve", "--role", "web", "--workers", "1", "--port", str(port)]
        with serving(serve, port, folder, environ) as web_process:
            web(web_process, positions, many, seconds, found)
            found["memory of the web process, MiB"] = web_process.pss()
        server = open_server(load(environ, folder))
        sweeps(server, found)
        found["database, MB"] = size_of(server, folder) / 1e6
        server.database.close()
    return found


def size_of(server: Server, folder: Path) -> float:
    """Return the bytes of the database."""
    if server.database.engine.dialect.name == "sqlite":
        return sum(file.stat().st_size for file in (folder / "var").glob("postroad.db*"))
    with server.database.read() as session:
        return float(session.execute(sa.text("SELECT pg_database_size(current_database())")).scalar_one())


def sweeps(server: Server, found: dict[str, float]) -> None:
    """Measure the work besides the pages: the mails that wait, then the timetable with nothing due."""
    sender, began = Sender(server), time.perf_counter()
    sent = sender.send_all(datetime.now(UTC))
    took = time.perf_counter() - began
    sender.close()
    found["mails written and handed over: a second"] = sent / took
    now = datetime.now(UTC)
    found["reminders, nothing due, ms"] = timed(lambda: remind(server.database, now))
    found["cases, nothing due, ms"] = timed(lambda: sweep_cases(server.database, now))
    with server.database.read() as session:
        waits = sa.select(OutboxMail.id).where(OutboxMail.state == "waiting").order_by(OutboxMail.due_at).limit(50)
        found["next mails, ms"] = timed(lambda: session.execute(waits).all())


def web(
    server: ServerProcess, positions: list[games.Position], many: int, seconds: float, found: dict[str, float]
) -> None:
    """Measure the requests over the wire."""
    pages = [["GET", one.path, HTML, "", 200] for one in positions]
    mine = [
        ["GET", "/games", HTML | {"Cookie": f"postroad_sign_in=secret-{n % many}"}, "", 200]
        for n in random.Random(3).sample(range(many), min(TAKEN, many))
    ]
    moves = [
        ["POST", one.path, JSON, json.dumps({"orders": one.orders, "decision": one.number}), 200]
        for one in positions
        if one.orders is not None
    ]
    shown = HTML | {"Authorization": f"Bearer {TOKEN}"}
    lists = [(path, [["GET", path, shown, "", 200]] * 40) for path in LISTS]
    server.drive(ALIVE[:1], 1, seconds)
    for name, asked in (("turn pages", pages), ("my games", mine), ("moves", moves), *lists):
        server.drive(asked[:1], 1, seconds)  # templates are compiled once
        beside = server.drive(ALIVE, 8, seconds).cpu
        load = server.drive(asked[1:], 8, seconds)
        beside = (beside + server.drive(ALIVE, 8, seconds).cpu) / 2
        found[f"{name}: a second"] = load.rate
        found[f"{name}: CPU ms each"] = load.cpu * 1000
        found[f"{name}: the same, × {ALIVE[0][1]}"] = load.cpu / beside
        found[f"{name}: 99th percentile, ms"] = load.slow * 1000


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    reader.add_argument("--players", default="1000,10000,100000")
    reader.add_argument("--ended", type=int, default=5, help="ended games for each player")
    reader.add_argument("--seconds", type=float, default=8)
    given = reader.parse_args()
    sizes = [int(one) for one in given.players.split(",")]
    taken = []
    for many in sizes:
        folder = Path(tempfile.mkdtemp())
        try:
            taken.append(measure(given.database, folder, many, given.ended, given.seconds))
        finally:
            shutil.rmtree(folder)
        print(
            f"{many:,} players: {json.dumps({name: round(one, 1) for name, one in taken[-1].items()})}", file=sys.stderr
        )
    print(f"| | {' | '.join(f'{many:,} players' for many in sizes)} |")
    print(f"| --- |{' ---: |' * len(sizes)}")
    for name in taken[0]:
        print(f"| {name} | {' | '.join(f'{one[name]:,.1f}' for one in taken)} |")
    bars(sizes, taken)


def bars(sizes: list[int], taken: list[dict[str, float]]) -> None:
    """Print the web process's time per request, by size: as a multiple of a page without a database."""
    times = f"the same, × {ALIVE[0][1]}"
    longest = max(found[f"{name}: {times}"] for found in taken for name in BARS)
    for name in BARS:
        for many, found in zip(sizes, taken, strict=True):
            each, ratio = found[f"{name}: CPU ms each"], found[f"{name}: {times}"]
            called, bar = name if many == sizes[0] else "", "█" * max(1, round(50 * ratio / longest))
            print(f"    {called:<10} {many:>9,}  {bar}  {ratio:.1f} ×, {each:.1f} ms")


if __name__ == "__main__":
    main()
