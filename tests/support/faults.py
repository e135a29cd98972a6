"""Faults in a database at a chosen step: the n-th statement or commit of a program fails.

On SQLite the driver reports "disk I/O error", and keeps doing so for that connection until it is closed. On PostgreSQL
the server ends the connection at that moment, as in a crash. Or a commit succeeds, and only its answer is lost.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import sqlalchemy as sa

from app.base.stored.database import Database

PING = ";"


class Faults:
    """Counts the steps of one database and makes one fail. The database must not have been opened yet."""

    def __init__(self, database: Database) -> None:
        self.count = 0
        self.fails_at: int | None = None
        self._loses_answer = False
        self.what = ""
        """The statement that failed; empty if none has."""
        self._url = database.url
        self._is_sqlite = database.engine.dialect.name == "sqlite"
        database.close()
        sa.event.listen(database.engine, "do_connect", self._connect)

    @contextmanager
    def at(self, step: int) -> Iterator[None]:
        """Let the `step`-th step from now on fail, counted from 1."""
        self.count, self.fails_at, self.what = 0, step, ""
        try:
            yield
        finally:
            self.fails_at = None

    @contextmanager
    def losing_an_answer(self) -> Iterator[None]:
        """Let the connection break after the first commit, which succeeds."""
        self._loses_answer, self.what = True, ""
        try:
            yield
        finally:
            self._loses_answer = False

    def _connect(self, dialect: Any, record: Any, args: Any, given: dict[str, Any]) -> Any:
        if self._is_sqlite:
            given["factory"] = type("Connection", (_Sqlite,), {"faults": self})
            return None
        return type("Connection", (_Postgres,), {"faults": self}).connect(*args, **given)

    def step(self, connection: Any, what: str) -> None:
        """Note a statement or commit before it runs.

        The check whether PostgreSQL is still there is not a step: if it fails, another connection is used.
        """
        if self.fails_at is None or what == PING:
            return
        self.count += 1
        if self.count == self.fails_at:
            self.what = what
            connection.break_off()

    def committed(self, connection: Any) -> None:
        """Note a successful commit, before its answer arrives."""
        if self._loses_answer:
            self._loses_answer, self.what = False, "COMMIT"
            connection.break_off()
            raise connection.error()

    def end_connection(self, pid: int) -> None:
        """Let PostgreSQL end a connection."""
        with psycopg.connect(self._url.replace("+psycopg", ""), autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


class _SqliteCursor(sqlite3.Cursor):
    def execute(self, sql: str, *rest: Any) -> Any:
        self.connection.step(sql)  # type: ignore[attr-defined]
        return super().execute(sql, *rest)

    def executemany(self, sql: str, *rest: Any) -> Any:
        self.connection.step(sql)  # type: ignore[attr-defined]
        return super().executemany(sql, *rest)


class _Sqlite(sqlite3.Connection):
    faults: Faults
    is_broken = False

    @staticmethod
    def error() -> Exception:
        return sqlite3.OperationalError("disk I/O error")

    def break_off(self) -> None:
        self.is_broken = True

    def step(self, what: str) -> None:
        self.faults.step(self, what)
        if self.is_broken:
            raise self.error()

    def cursor(self, factory: Any = _SqliteCursor) -> Any:
        return super().cursor(factory)

    def execute(self, sql: str, *rest: Any) -> Any:
        return self.cursor().execute(sql, *rest)

    def commit(self) -> None:
        self.step("COMMIT")
        super().commit()
        self.faults.committed(self)

    def rollback(self) -> None:
        if self.is_broken:
            raise self.error()
        super().rollback()


class _PostgresCursor(psycopg.Cursor[Any]):
    def execute(self, query: Any, *rest: Any, **more: Any) -> Any:
        self.connection.faults.step(self.connection, str(query))  # type: ignore[attr-defined]
        return super().execute(query, *rest, **more)

    def executemany(self, query: Any, *rest: Any, **more: Any) -> None:
        self.connection.faults.step(self.connection, str(query))  # type: ignore[attr-defined]
        super().executemany(query, *rest, **more)


class _Postgres(psycopg.Connection[Any]):
    faults: Faults

    @staticmethod
    def error() -> Exception:
        return psycopg.OperationalError("server closed the connection unexpectedly")

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.cursor_factory = _PostgresCursor

    def break_off(self) -> None:
        self.faults.end_connection(self.info.backend_pid)

    def commit(self) -> None:
        self.faults.step(self, "COMMIT")
        super().commit()
        self.faults.committed(self)
