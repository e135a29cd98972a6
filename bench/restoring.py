"""A server of many games, backed up, restored and moved to PostgreSQL; how long each takes.

    python -m bench.restoring [--games 10000] [--decisions 60] [--each 4]

A few random games of both titles are played by the services, up to so many decisions, and given up; their rows are
then copied until there are so many games, each with its whole log, decisions, seats and state. The backup is restored
into an empty SQLite database and an empty PostgreSQL, as the commands `backup` and `restore` do it: each table is
compared row by row and every game replayed, its chance worked out from its seed.
Then every game is read from both databases and compared. Exit code 1 when one differs.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sqlalchemy as sa
from sqlmodel import col

from app.base.process.config import load
from app.base.stored.database import Database
from app.games import seeds
from app.games.store import GameStore
from app.games.tables import DecisionMade, Game, GameSeat, GameState, LogEntry
from app.play.agreed import results
from app.server import registry
from app.upkeep import migrating
from app.upkeep.backups import restoring, writing
from tests.support import postgres
from tests.support.tables import NOW, random_line, say, start
from tests.support.tables import load as load_game

TITLES = ("acres", "new-world")
COPIED = (GameSeat, GameState, LogEntry, DecisionMade)
"""The tables of a game besides its own row."""
Found = TypeVar("Found")


@dataclass
class Times:
    """Seconds by step."""

    seconds: dict[str, float] = field(default_factory=dict)

    def of(self, what: str, do: Callable[[], Found]) -> Found:
        began = time.perf_counter()
        found = do()
        self.seconds[what] = time.perf_counter() - began
        print(f"{what}: {self.seconds[what]:.1f} s", flush=True)
        return found


def fill(database: Database, games: int, decisions: int, each: int) -> None:
    """Play `each` games of both titles and copy them until there are this many."""
    source = random.Random(1)
    bind, seeds.bind = seeds.bind, _bind_without_number
    try:
        played = [_played(database, title, decisions, source) for _ in range(each) for title in TITLES]
    finally:
        seeds.bind = bind
    with database.write() as session:
        for n, base in enumerate(played):
            _copy(session, base, range(len(played) + 1 + n, games + 1, len(played)))
        session.commit()


def _bind_without_number(session: Any, game_id: int, now: Any) -> None:
    """Give the copy a seed of its own: copies may not share a number, and chance must follow from the seed in each."""
    seed = random.Random(game_id).randbytes(32).hex()
    session.execute(sa.update(Game).where(col(Game.id) == game_id).values(seed=seed))
    session.expire_all()


def _played(database: Database, title: str, decisions: int, source: random.Random) -> int:
    game_id = start(database, title)
    for _ in range(decisions):
        game = load_game(database, game_id)
        if game.is_over:
            return game_id
        line = random_line(game, source)
        if line != "resign":
            say(database, game_id, line)
    game = load_game(database, game_id)
    if not game.is_over:
        results.resign(database, game_id, game.seats[0].player_id or 0, now=NOW)
    return game_id


def _copy(session: Any, base: int, numbers: range) -> None:
    """Copy a game under these numbers."""
    new = sa.literal_column("numbered.i")
    more = f"SELECT i + {numbers.step} FROM numbered WHERE i + {numbers.step} < {numbers.stop}"
    numbered = f"WITH RECURSIVE numbered(i) AS (SELECT {numbers.start} UNION ALL {more}) "
    for model, key in ((Game, "id"), *((model, "game_id") for model in COPIED)):
        table = model.__table__
        kept = [column for column in table.columns if column.name not in ("id", key)]
        asked = sa.select(new, *kept).select_from(table).where(table.c[key] == base)
        text = str(asked.compile(compile_kwargs={"literal_binds": True})).replace("FROM ", "FROM numbered, ", 1)
        names = ", ".join(f'"{name}"' for name in (key, *(column.name for column in kept)))
        session.connection().exec_driver_sql(f'INSERT INTO "{table.name}" ({names}) {numbered}{text}')


def compare(one: Database, other: Database) -> int:
    """Return how many games are equal in both databases, as the store reads them.

    Raises ValueError for the first that differs.
    """
    same = 0
    with one.read() as left, other.read() as right:
        for number in left.scalars(sa.select(col(Game.id)).order_by(col(Game.id))):
            games = [GameStore(session).load(number) for session in (left, right)]
            logs = [GameStore(session).log(games[0].title, number) for session in (left, right)]
            if games[0] != games[1] or logs[0] != logs[1]:
                raise ValueError(f"game {number} differs")
            same += 1
    return same


def restored(backup: Path, url: str, jump: int = 1000) -> int:
    """Restore as `postroad restore` does; return how many games were replayed."""
    with backup.open("rb") as file, restoring.opened(file) as found:
        restoring.restore(found, url)
    with closing(Database(url)) as database:
        restoring.jump(database, jump, NOW)
        return restoring.verify_games(database)


def run(folder: Path, server: str, games: int, decisions: int, each: int) -> Times:
    """Run all steps; `server` is a PostgreSQL in which a database can be made."""
    registry.register()
    times = Times()
    url, second = f"sqlite:///{folder / 'first.db'}", f"sqlite:///{folder / 'second.db'}"
    migrating.upgrade(url)
    config = load({"POSTROAD_DATA": str(folder), "POSTROAD_DATABASE_URL": url}, folder)
    backup = folder / "backup.zip"
    with closing(Database(url)) as first:
        times.of("make", lambda: fill(first, games, decisions, each))
        written = times.of("backup", lambda: writing.write_file(backup, first, config, NOW))
        size = (folder / "first.db").stat().st_size
        entries = written.rows["log_entry"]
        print(
            f"{written.rows['game']} games, {entries} entries, {size >> 20} MB, backup {backup.stat().st_size >> 20} MB"
        )
        replayed = times.of("restore", lambda: restored(backup, second))
        target = postgres.make_database(server)
        moved = times.of("restore, PostgreSQL", lambda: restored(backup, target, 0))
        with closing(Database(second)) as restored_one, closing(Database(target)) as moved_one:
            for name, other in (("compare with restored", restored_one), ("compare with moved", moved_one)):
                same = times.of(name, lambda other=other: compare(first, other))  # type: ignore[misc]
                if not same == replayed == moved == games:
                    raise ValueError(f"{games} games, {replayed} and {moved} replayed, {same} the same")
    postgres.drop_database(server, target)
    print(f"{games} games replayed in both and the same in all three")
    return times


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--decisions", type=int, default=60)
    parser.add_argument("--each", type=int, default=4)
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder, postgres.server() as server:
        try:
            run(Path(folder), server, given.games, given.decisions, given.each)
        except ValueError as differs:
            print(f"WRONG: {differs}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
