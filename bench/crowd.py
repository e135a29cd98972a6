"""What a server of many players costs: real games of both titles, copied until there are so many, and then played.

    python -m bench.crowd [--players 1000,10000,100000] [--seconds 8]

Each player sits in two running games. Everything goes over loopback, to a web process of its own, and every run has an
end: turns as JSON (checked, durable, mail queued), turn pages and lists of one's own games, each asked once for other
players; then, in this process, the sweeps with nothing due. Sizes beside each other give the ratios that count.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sqlalchemy as sa
from sqlmodel import SQLModel

from app.base.house import House
from app.base.mail_tables import OutboxMail
from app.games.tables import Game, GameSeat
from app.lobby import offers
from app.overdue.cases import sweep_cases
from app.people import signin
from app.people.tables import Player, SignIn
from app.time.reminders import remind
from bench import games
from bench.processes import Server, free_port, serving

TEMPLATES = 8
"""Games that are played through the services, half of each title; all others are copies of them, log and all."""
TAKEN = 400
"""Games that are then asked for or played on, each once."""
HTML = {"Accept": "text/html", "Accept-Language": "en"}
JSON = {"Accept": "application/json", "Content-Type": "application/json"}


def people(house: House, many: int) -> None:
    """So many players after those who are there, each signed in under `secret-N`."""
    now = datetime.now(UTC)
    with house.database.write() as session:
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


def multiply(house: House, sources: list[int], many: int, players: list[int]) -> list[tuple[int, int]]:
    """Copies of games until there are so many, two of the players in each; copy and source."""
    made: list[tuple[int, int]] = []
    tables = SQLModel.metadata.tables
    columns = [c for c in Game.__table__.c if c.name not in ("id", "seed_number")]  # type: ignore[attr-defined]
    with house.database.write() as session:
        last = session.scalar(sa.select(sa.func.max(Game.id))) or 0
        ids = range(last + 1, last + 1 + many)
        for at, source in enumerate(sources):
            mine = list(ids[at :: len(sources)])
            given = sa.func.json_each(json.dumps(mine)).table_valued("value", name="numbers")
            row = sa.select(given.c.value, *columns).join(given, sa.true()).where(Game.id == source)
            session.execute(sa.insert(Game).from_select(["id", *(c.name for c in columns)], row))
            for name in games.COPIED:
                copied(session, tables[name], given, source)
            made += [(copy, source) for copy in mine]
        place = sa.cast((GameSeat.game_id + GameSeat.place * 7) % len(players) + players[0], sa.Integer)
        session.execute(sa.update(GameSeat).where(GameSeat.game_id > last).values(player_id=place))
        session.commit()
    return made


def copied(session: Any, table: sa.Table, given: Any, source: int) -> None:
    """The rows of a game once more for each of the given numbers."""
    others = [c for c in table.c if c.name not in ("id", "game_id")]
    rows = sa.select(given.c.value, *others).join(given, sa.true()).where(table.c.game_id == source)
    session.execute(sa.insert(table).from_select(["game_id", *(c.name for c in others)], rows))


def seeded(house: House, many: int, most: int = TAKEN) -> list[games.Position]:
    """A server of so many players, with as many running games; at most so many positions to play on."""
    source, sources, orders = random.Random(11), [], {}
    for n in range(TEMPLATES):
        title = ("acres", "new-world")[n % 2]
        game_id = games.begin(house, title, (f"anne{n}", f"ben{n}"), "en")
        game = games.play_on(house, game_id, source, 30 if title == "acres" else 8)
        while not game.is_over and (found := games.orders_of_a_turn(game, source)) is None:
            game = games.play_on(house, game_id, source, 1)
        orders[game_id] = found
        sources.append(game_id)
    people(house, many)
    with house.database.read() as session:
        players = list(session.scalars(sa.select(Player.id).where(Player.address.like("p%@example.org"))))
    made = multiply(house, sources, many, sorted(players))
    taken = source.sample(made, min(most, len(made)))
    return [games.position_of(house, games.read_game(house, copy), orders[like]) for copy, like in taken]


def timed(do: Callable[[], Any]) -> float:
    """Milliseconds of processor time, the best of five."""
    took = []
    for _ in range(5):
        began = time.process_time()
        do()
        took.append(time.process_time() - began)
    return min(took) * 1000


def measure(folder: Path, many: int, seconds: float) -> dict[str, float]:
    """The figures of one size."""
    port = free_port()
    house = games.fresh_house(folder, port)
    began = time.perf_counter()
    positions = seeded(house, many)
    found: dict[str, float] = {"seeded in, s": time.perf_counter() - began}
    now = datetime.now(UTC)
    found["reminders, nothing due, ms"] = timed(lambda: remind(house.database, now))
    found["cases, nothing due, ms"] = timed(lambda: sweep_cases(house.database, now))
    found["standing offers, none, ms"] = timed(lambda: offers.match(house.database, now))
    with house.database.read() as session:
        waits = sa.select(OutboxMail.id).where(OutboxMail.state == "waiting").order_by(OutboxMail.due_at).limit(50)
        found["next mails, ms"] = timed(lambda: session.execute(waits).all())
    house.database.close()
    environ = games.settings(folder, port)
    serve = ["-m", "app.cli", "serve", "--role", "web", "--workers", "1", "--port", str(port)]
    with serving(serve, port, folder, environ) as server:
        web(server, positions, many, seconds, found)
        found["memory of the web process, MiB"] = server.pss()
    size = sum(file.stat().st_size for file in (folder / "var").glob("postroad.db*"))
    found["database, MB"] = size / 1e6
    found["KB for each game"] = size / 1e3 / many
    return found


def web(server: Server, positions: list[games.Position], many: int, seconds: float, found: dict[str, float]) -> None:
    """What goes over the wire."""
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
    lists = [["GET", path, HTML, "", 200] for path in ("/", "/tables", "/watch", "/archive", "/chance") * 20]
    for name, asked in (("turn pages", pages), ("my games", mine), ("moves", moves), ("lists for everybody", lists)):
        load = server.drive(asked, 8, seconds)
        found[f"{name}: a second"] = load.rate
        found[f"{name}: CPU ms each"] = load.cpu * 1000
        found[f"{name}: 99th percentile, ms"] = load.slow * 1000


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--players", default="1000,10000,100000")
    reader.add_argument("--seconds", type=float, default=8)
    given = reader.parse_args()
    sizes = [int(one) for one in given.players.split(",")]
    taken = []
    for many in sizes:
        folder = Path(tempfile.mkdtemp())
        try:
            taken.append(measure(folder, many, given.seconds))
        finally:
            shutil.rmtree(folder)
        print(
            f"{many:,} players: {json.dumps({name: round(one, 1) for name, one in taken[-1].items()})}", file=sys.stderr
        )
    print(f"| | {' | '.join(f'{many:,} players' for many in sizes)} |")
    print(f"| --- |{' ---: |' * len(sizes)}")
    for name in taken[0]:
        print(f"| {name} | {' | '.join(f'{one[name]:,.1f}' for one in taken)} |")


if __name__ == "__main__":
    main()
