"""Compares the work of the reminder sweep with few and very many running games; see `server.py`.

The games are rows inserted by SQL, with the one seat that owes the decision and a player of its own: a reminder names
everything its player owes. As many are due in the small database as in the large one. PostgreSQL is told to use the
indexes in both; otherwise it scans small tables, because that is as fast there.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sqlalchemy as sa
from sqlalchemy import event

from app.base.stored.database import Database
from app.server import registry
from app.time.reminding.reminders import remind
from app.upkeep import migrating

registry.register()
SIZES = (1_000, 1_000_000)
DUE = 10
NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
HALF = 7 * 86400 // 2
"""Seconds: each game is reminded at half its time."""

# Every hundredth of the thousand is due, and as many in the million; all others are due in the coming days.
_NUMBERS = {
    "sqlite": "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {most}) SELECT i FROM n)",
    "postgresql": "(SELECT generate_series(1, {most}) AS i)",
}
_MOMENT = {
    "sqlite": "strftime('%Y-%m-%d %H:%M:%S.000000', '2026-11-24 12:00:00', ({seconds}) || ' seconds')",
    "postgresql": "timestamptz '2026-11-24 12:00:00+00' + ({seconds}) * interval '1 second'",
}
_STATEMENTS = (
    """INSERT INTO player (id, address, address_key, name, language, zone, role, mail_turns, mail_reminders, mail_news,
        auto_leave, profile_is_public, feed_version, created_at)
    SELECT i, 'p' || i || '@example.org', 'p' || i || '@example.org', 'P' || i, 'en', 'UTC', 'player', {true}, {true},
        {true}, {true}, {true}, 1, {now} FROM {players} AS n""",
    """INSERT INTO game (id, title, options, status, pace, extra_seconds, drawn, source, created_at, started_at,
        chance_used, number, entries, decides, kind, on_turn, turn, asked_at, mailed_at, deadline_at,
        remind_at)
    SELECT i, 'acres', '{{}}', 'running', '{{"decision":604800}}', 0, {false}, 'played', {now}, {now}, 0, 5, 5,
        'british', 'action', 'british', 3, {asked}, {asked}, {later}, {remind} FROM {games} AS n""",
    """INSERT INTO game_seat (game_id, seat, place, player_id, standing)
    SELECT i, 'british', 0, i, '' FROM {games} AS n""",
)


def fill(database: Database, games: int) -> None:
    """Insert this many running games, `DUE` of them with a reminder that is due."""
    dialect = database.engine.dialect.name
    moment, numbers = _MOMENT[dialect], _NUMBERS[dialect]
    every = games // DUE
    seconds = f"(CASE WHEN i % {every} = 0 THEN 0 - 60 - i / {every} ELSE 4000 + i % 600000 END)"
    parts = {
        "now": moment.format(seconds="-300000"),
        "asked": moment.format(seconds=f"{seconds} - {HALF}"),
        "later": moment.format(seconds=f"{seconds} + {HALF}"),
        "remind": moment.format(seconds=seconds),
        "games": numbers.format(most=games),
        "players": numbers.format(most=games),
        "true": "1" if dialect == "sqlite" else "true",
        "false": "0" if dialect == "sqlite" else "false",
    }
    with database.write_lightly() as connection:
        for statement in _STATEMENTS:
            connection.execute(sa.text(statement.format(**parts).replace(":", r"\:")))
        connection.commit()


def steps_on_sqlite(
    folder: Path, games: int, fill: Callable[[Database, int], None] = fill,
    sweep: Callable[[Database, datetime], int] = remind,
) -> tuple[int, int]:  # fmt: skip
    """Return the progress reports of SQLite's virtual machine in a sweep that finds `DUE` games, and in one that finds
    none.
    """
    folder.mkdir(parents=True)
    url = f"sqlite:///{folder / 'postroad.db'}"
    migrating.upgrade(url)
    database = Database(url)
    fill(database, games)
    counted = 0

    @event.listens_for(database.engine, "checkout")
    def listen(connection: Any, record: Any, proxy: Any) -> None:
        def step() -> int:
            nonlocal counted
            counted += 1
            return 0

        connection.set_progress_handler(step, 1)

    found = []
    for wanted in (DUE, 0):
        counted = 0
        assert sweep(database, NOW) == wanted
        found.append(counted)
    database.close()
    shutil.rmtree(folder)
    return found[0], found[1]


def touched_on_postgresql(server: str, games: int) -> tuple[float, float]:
    """Return the rows and index entries, and blocks of tables and indexes, that a sweep with `DUE` reminders reads, as
    the server itself counts them.
    """
    from tests.support import postgres

    url = postgres.make_database(server)
    migrating.upgrade(url)
    database = Database(url)
    fill(database, games)
    with database.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")
        name = connection.exec_driver_sql("SELECT current_database()").scalar_one()
        for way in ("seqscan", "hashjoin", "mergejoin"):
            connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET enable_{way} TO off')
    before = _counted(database)
    assert remind(database, NOW) == DUE
    after = _counted(database)
    database.close()
    postgres.drop_database(server, url)
    return after[0] - before[0], after[1] - before[1]


_ROWS = """SELECT (SELECT sum(seq_tup_read) + sum(coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables)
    + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)"""
_BLOCKS = """SELECT sum(coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0)
    + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)) FROM pg_statio_user_tables"""


def _counted(database: Database) -> tuple[float, float]:
    """Return the counts so far. A connection adds its own when it is closed."""
    database.close()
    with database.engine.connect() as connection:
        found = tuple(float(connection.exec_driver_sql(asked).scalar_one()) for asked in (_ROWS, _BLOCKS))
    database.close()
    return found[0], found[1]


def figures(folder: Path) -> list[dict[str, Any]]:
    """Return rows for the table."""
    from tests.support import postgres
    from tests.support.tools import postgres_programs

    few, many = (steps_on_sqlite(folder / str(games), games) for games in SIZES)
    span = f"{SIZES[1]:,} games to {SIZES[0]:,}"
    rows = [
        {"name": f"sweep, SQLite steps: {span} ({few[0]})", "values": [many[0] / few[0]], "most": 1.0, "exact": True},
        {"name": f"the same with nothing due ({few[1]})", "values": [many[1] / few[1]], "most": 1.0, "exact": True},
    ]
    if not postgres_programs():
        print("PostgreSQL is not installed here: its figures are left out.")
        return rows
    with postgres.server() as server:
        less, more = (touched_on_postgresql(server, games) for games in SIZES)
    return [
        *rows,
        {"name": f"sweep, PostgreSQL rows: {span} ({less[0]:.0f})", "values": [more[0] / less[0]], "most": 1.0},
        {
            "name": f"the same, blocks ({less[1]:.0f}; trees are one level deeper)",
            "values": [more[1] / less[1]],
            "most": 1.5,
        },
    ]
