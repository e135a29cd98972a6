"""Table rows as JSON lines that are the same for either database.

Tables are read from the database itself and not from the models, so that a backup of any revision can be written and
read. Columns are sorted by name, rows by key.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy import Connection

AT_ONCE = 500
"""Rows in memory at a time."""
VERSIONS = "alembic_version"


class UnknownColumn(Exception):
    """A column that no backup can hold."""


def tables_of(connection: Connection) -> list[sa.Table]:
    """Return all tables of a database, by name; without that of the migrations."""
    metadata = sa.MetaData()
    metadata.reflect(connection)
    return [metadata.tables[name] for name in sorted(metadata.tables) if name != VERSIONS]


def columns_of(table: sa.Table) -> list[sa.Column[Any]]:
    """Return the columns of a table in the order in which rows hold them."""
    return sorted(table.columns, key=lambda column: column.name)


def lines_of(connection: Connection, table: sa.Table) -> Iterator[bytes]:
    """Yield the rows of a table, one per line."""
    columns = columns_of(table)
    writers = [_writer(column) for column in columns]
    asked = sa.select(*columns).order_by(*_order(connection, table)).execution_options(yield_per=AT_ONCE)
    for row in connection.execute(asked):
        values = [
            None if value is None else write(value) if write is not None else value
            for write, value in zip(writers, row, strict=True)
        ]
        yield orjson.dumps(values) + b"\n"


def insert(connection: Connection, table: sa.Table, names: list[str], lines: Iterable[bytes]) -> int:
    """Write rows into a table; return how many. `names` are the columns of a line."""
    readers = [(name, _reader(table.columns[name])) for name in names]
    statement, count = sa.insert(table), 0
    waiting: list[dict[str, Any]] = []
    for line in lines:
        values = orjson.loads(line)
        waiting.append(
            {
                name: None if value is None else read(value) if read is not None else value
                for (name, read), value in zip(readers, values, strict=True)
            }
        )
        count += 1
        if len(waiting) == AT_ONCE:
            connection.execute(statement, waiting)
            waiting = []
    if waiting:
        connection.execute(statement, waiting)
    return count


def digest(
    connection: Connection, table: sa.Table, take: Callable[[bytes], object] = lambda line: None
) -> tuple[int, str]:
    """Return how many rows a table has, and the SHA-256 of its lines, each of which goes to `take`."""
    seen, count = hashlib.sha256(), 0
    for line in lines_of(connection, table):
        take(line)
        seen.update(line)
        count += 1
    return count, seen.hexdigest()


def _order(connection: Connection, table: sa.Table) -> list[sa.ColumnElement[Any]]:
    """Return the columns of the key; texts by their bytes, which every database sorts alike."""
    plain = "C" if connection.dialect.name == "postgresql" else "BINARY"
    return [
        column.collate(plain) if isinstance(column.type, sa.String) else column for column in table.primary_key.columns
    ]


def _writer(column: sa.Column[Any]) -> Callable[[Any], Any] | None:
    if isinstance(column.type, sa.DateTime):
        return _moment
    if isinstance(column.type, sa.Date):
        return date.isoformat
    if isinstance(column.type, sa.LargeBinary):
        return lambda value: base64.b64encode(value).decode()
    if isinstance(column.type, sa.Boolean):
        return bool
    if isinstance(column.type, sa.Float):
        return float
    if isinstance(column.type, (sa.Integer, sa.String)):
        return None
    raise UnknownColumn(f"{column.table.name}.{column.name} is of the kind {column.type!r}")


def _reader(column: sa.Column[Any]) -> Callable[[Any], Any] | None:
    if isinstance(column.type, sa.DateTime):
        return datetime.fromisoformat
    if isinstance(column.type, sa.Date):
        return date.fromisoformat
    if isinstance(column.type, sa.LargeBinary):
        return base64.b64decode
    return None


def _moment(value: datetime) -> str:
    """Return the moment in UTC, as SQLite stores moments without saying so."""
    return (value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)).isoformat()
