"""What statements cost SQLite, by its own count of steps."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app.base.stored.database import Database
from app.games.tables import Game
from tests.support.tables import NOW, start


def steps_with_few_and_many(database: Database, later: Mapping[str, Any], *due: Any) -> tuple[int, int]:
    """Return the steps of statements that look for what is due, with twenty games and with two thousand more, all of
    which have the values of `later`."""
    start(database, now=NOW - timedelta(days=10))
    _add(database, later, 20)
    _steps(database, due)  # a new connection reads the schema first
    few = _steps(database, due)
    _add(database, later, 2000)
    return few, _steps(database, due)


def _steps(database: Database, due: tuple[Any, ...]) -> int:
    counted: list[None] = []
    with database.read() as session:
        raw: Any = session.connection().connection.dbapi_connection
        raw.set_progress_handler(lambda: counted.append(None), 1)
        for statement in due:
            session.execute(statement, {"now": NOW}).all()
        raw.set_progress_handler(None, 0)
    return len(counted)


def _add(database: Database, later: Mapping[str, Any], games: int) -> None:
    with database.write() as session:
        row = session.execute(sa.select(Game.__table__).limit(1)).mappings().one()
        own = {key: value for key, value in row.items() if key not in ("id", "seed_number")}
        session.execute(sa.insert(Game), [own | dict(later)] * games)
        session.commit()
