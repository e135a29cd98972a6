"""The database: sessions that read or write, and declare which.

SQLite and PostgreSQL behave alike for the rest of the program: a reading transaction cannot write, a writing one sees
the newest rows, and what is committed is on disk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from threading import Lock, RLock
from typing import Any, cast

from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session, SQLModel

from app.base.process import failures, private
from app.base.process.failures import Failures
from app.base.process.jobs import job
from app.base.process.lent import in_hand

WRITES = "postroad_writes"
OF_READER = "connection of a transaction that only reads"
"""The key in `Session.info` of the driver's own connection."""
BUSY_MILLISECONDS = 10_000
POOLED = 10
"""Connections that stay open: more than a process has threads, because opening one costs as much as a page."""

IDLE = 4
"""Connections for each of reading and writing that wait for the next transaction."""

LOG_BYTES = 4 << 20
"""Maximum size of SQLite's write-ahead log: when the log restarts, its file is cut to this size."""

SHORTEN_SECONDS = 2.0
"""How long a checkpoint waits for active readers."""

CACHE_KIB = 512
"""Per SQLite connection; the pages of the file that are in use are cached by the operating system anyway."""

NewInsert = Callable[[Any], sqlite.Insert]
INSERTS: dict[str, NewInsert] = {"sqlite": sqlite.insert, "postgresql": cast(NewInsert, postgresql.insert)}
"""By kind of database; those of PostgreSQL have the same methods."""


class Database:
    """Connections to one database."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = make_engine(url)
        self.failures = Failures()
        """What this process has experienced of it."""
        self._writing = self.engine.execution_options(**{WRITES: True})
        is_sqlite = self.engine.dialect.name == "sqlite"
        # The database server may have gone away meanwhile; there, each connection is returned and checked again.
        self._readers = _Idle(self.engine, IDLE if is_sqlite else 0)
        self._writers = _Idle(self._writing, IDLE if is_sqlite else 0)
        self.turnstile: AbstractContextManager[Any] = Lock() if self.engine.dialect.name == "sqlite" else nullcontext()
        """Readers of one process take turns here. SQLite answers at once and in this process, but its driver lets
        another thread run at every row, and threads that alternate row by row need twice the CPU. A database server is
        waited for, so there all pass."""
        self.writers: AbstractContextManager[Any] = RLock() if self.engine.dialect.name == "sqlite" else nullcontext()
        """Moves of one process wait here for one another: SQLite would make them sleep longer than needed. Moves of
        other processes are waited for in SQLite."""

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a transaction that only reads; a write in it is a database error."""
        with self._readers.lent() as connection, _session_on(connection, again=False) as session:
            # Begun here, because a session that begins by itself takes as long as two statements.
            connection.begin()
            session.info[OF_READER] = connection.connection
            yield session

    @contextmanager
    def glancing(self) -> Iterator[Any]:
        """Lend the driver's own connection, for statements that read and need no transaction around them."""
        with self._readers.lent() as connection:
            yield connection.connection.dbapi_connection

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a transaction that may write. All of it lasts when the block ends, nothing if it raises.

        On SQLite it waits here for its turn, so what it reads cannot be changed by others meanwhile.
        """
        with self._writers.lent() as connection, _session_on(connection) as session:
            yield session
            session.commit()

    @contextmanager
    def write_lightly(self) -> Iterator[Session]:
        """Open a transaction like `write`, for notes that a power cut may lose (a killed process cannot): commits do
        not wait for the disk."""
        is_sqlite = self.engine.dialect.name == "sqlite"
        off, on = _LIGHT_SQLITE if is_sqlite else _LIGHT_POSTGRESQL
        connection = self._writing.connect()
        is_good = False
        try:
            raw: Any = connection.connection.dbapi_connection
            _outside_transactions(raw, off)
            with _session_on(connection) as session:
                yield session
                session.commit()
            if _is_settled(connection):
                _outside_transactions(raw, on)
                is_good = True
        finally:
            if is_good:
                connection.close()
            else:
                _throw_away(connection)  # it may keep settings that others must not get

    def close(self) -> None:
        """Release all connections; they are reopened when needed."""
        self._readers.close()
        self._writers.close()
        self.engine.dispose()


@contextmanager
def _session_on(connection: Connection, *, again: bool = True) -> Iterator[Session]:
    """Return a session for the next transaction of a connection.

    With `again`, rows that are read again are the newest; a transaction that only reads sees the same anyway. Rows that
    were read stay as they were until then, whatever statements write: what a service compares "before" with is what it
    has read. After an error the session is left as it is, because its connection is undone or thrown away as a whole.
    """
    options = {"populate_existing": again, "synchronize_session": False}
    # Closed for good: what was read may still be used, but nothing more is read on a connection that others then have.
    session = Session(connection, expire_on_commit=False, close_resets_only=False, execution_options=options)
    mine = in_hand()
    mine.append(connection)
    try:
        yield session
    finally:
        mine.remove(connection)
    session.close()


def kind_of(session: Session) -> str:
    """`sqlite` or `postgresql`."""
    return session.get_bind().dialect.name


def insert_into(session: Session, model: type[SQLModel]) -> sqlite.Insert:
    """Return an INSERT with `on_conflict_do_nothing` and `on_conflict_do_update`, for this session's database."""
    return INSERTS[kind_of(session)](model)


class _Idle:
    """Connections between two transactions, lent again as they are: opening and closing SQLAlchemy's takes longer than
    the statements of a page. The last one returned is lent first, because SQLite caches the pages read on each."""

    def __init__(self, engine: Engine, most: int) -> None:
        self._engine = engine
        self._most = most
        self._idle: list[Connection] = []

    @contextmanager
    def lent(self) -> Iterator[Connection]:
        """Lend one of them, or a new one. Uncommitted changes are rolled back; after an error it is not lent again.

        SQLite's own connection is not reused then either: a half-read statement lives as long as the error's traceback,
        and holds the connection at the snapshot at which it began. And after a failed commit (a full disk) the changes
        are neither committed nor rolled back.
        """
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._engine.connect()
        is_good = False
        try:
            yield connection
            is_good = True
        finally:
            may_serve_on = is_good or self._engine.dialect.name != "sqlite"
            if not (may_serve_on and _is_settled(connection)):
                _throw_away(connection)
            elif is_good and len(self._idle) < self._most:
                self._idle.append(connection)
            else:
                connection.close()

    def close(self) -> None:
        """Close the connections that are not lent now."""
        while self._idle:
            self._idle.pop().close()


def _is_settled(connection: Connection) -> bool:
    """Roll back what was not committed; return whether the connection is still usable.

    A lost one is not, nor one whose commit failed: SQLAlchemy considers that transaction over, the database does not.
    """
    transaction = connection.get_transaction()
    if connection.closed or connection.invalidated or (transaction is not None and not transaction.is_active):
        return False
    if getattr(connection.connection.dbapi_connection, "closed", False):
        return False  # lost while the driver's own connection was in use, which SQLAlchemy has not noticed
    try:
        connection.rollback()
    except Exception:
        # The work is done or has failed for its own reason; this error tells nobody anything new.
        return False
    return True


def _throw_away(connection: Connection) -> None:
    """End a connection for good, whatever its state. The next one is a new one."""
    if not (connection.closed or connection.invalidated):
        with suppress(Exception):
            # First, for SQLite: statements that are still referenced keep a closed connection, and its lock, alive.
            raw: Any = connection.connection.dbapi_connection
            raw.rollback()
        with suppress(Exception):
            connection.invalidate()
    with suppress(Exception):
        connection.close()


def file_of(url: str) -> Path | None:
    """Return the file of a SQLite database; None for a database server, and for special SQLite addresses."""
    parsed = make_url(url)
    name = parsed.database or ""
    return Path(name) if parsed.get_backend_name() == "sqlite" and not name.startswith("file:") else None


def log_bytes(url: str) -> int:
    """Return the size of SQLite's write-ahead log; 0 for a database server, which has its own."""
    path = file_of(url)
    try:
        return 0 if path is None else path.with_name(f"{path.name}-wal").stat().st_size
    except FileNotFoundError:
        return 0


@job("log of the database", every=10)
def _shorten_log(database: Database, now: datetime) -> int:
    return shorten_log(database.url)


def shorten_log(url: str) -> bool:
    """Write the contents of a long log into the database and truncate it; return whether that was done. If readers
    follow each other closely, SQLite finds no moment for it by itself. Writers wait meanwhile, so slow readers are not
    waited for."""
    path = file_of(url)
    if path is None or log_bytes(url) <= 2 * LOG_BYTES:
        return False
    with closing(sqlite3.connect(path, timeout=SHORTEN_SECONDS, isolation_level=None)) as raw:
        is_busy, _, _ = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy


def make_engine(url: str) -> Engine:
    """Return an engine whose transactions only read, unless the execution option `postroad_writes` is set."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        path = file_of(url)
        if path is not None:
            private.make_folder(path.parent)
        connect = {"check_same_thread": False, "isolation_level": None}
        engine = create_engine(url, connect_args=connect, pool_size=POOLED, pool_use_lifo=True)
        if path is not None:
            event.listen(engine, "do_connect", lambda *_: private.make_file(path))
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    engine = create_engine(url, pool_pre_ping=True, pool_size=POOLED)
    event.listen(engine, "connect", _need_letters, insert=True)  # before SQLAlchemy asks for the version as text
    event.listen(engine, "begin", _begin_postgresql)
    event.listen(engine, "handle_error", _let_go_of_the_lost)
    return engine


def _need_letters(connection: Any, record: ConnectionPoolEntry) -> None:  # noqa: ANN401  of psycopg
    if connection.info.parameter_status("server_encoding") == "SQL_ASCII":
        why = "its encoding is SQL_ASCII; createdb --encoding UTF8 --template template0 makes one that has all letters"
        raise connection.OperationalError(why)


def _let_go_of_the_lost(context: ExceptionContext) -> None:
    """Stop using a connection that a database server in trouble is about to close."""
    if failures.cannot_go_on(context.original_exception):
        context.is_disconnect = True


def _prepare_sqlite(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute(f"PRAGMA journal_size_limit={LOG_BYTES}")
    cursor.execute("PRAGMA synchronous=FULL")  # a committed move must survive a power cut
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
    cursor.close()
    record.info["query_only"] = False


def _begin_sqlite(connection: Connection) -> None:
    writes = bool(connection.get_execution_options().get(WRITES))
    raw: Any = connection.connection.dbapi_connection
    # A deferred BEGIN that writes later fails at once if another transaction wrote in between.
    begin = "BEGIN IMMEDIATE" if writes else "BEGIN"
    try:
        if connection.info.get("query_only") == writes:
            raw.execute(f"PRAGMA query_only={'OFF' if writes else 'ON'}")
            connection.info["query_only"] = not writes
        raw.execute(begin)  # the usual way would cost as much as a statement
    except sqlite3.Error as error:
        raise OperationalError(begin, None, error) from error


_LIGHT_SQLITE = ("PRAGMA synchronous=NORMAL", "PRAGMA synchronous=FULL")
_LIGHT_POSTGRESQL = ("SET synchronous_commit TO off", "RESET synchronous_commit")


def _outside_transactions(raw: DBAPIConnection, statement: str) -> None:
    """Change how a connection works from now on."""
    raw.cursor().execute(statement)
    raw.commit()  # psycopg has already begun a transaction; for SQLite this does nothing


def _begin_postgresql(connection: Connection) -> None:
    if not connection.get_execution_options().get(WRITES):
        # As on SQLite: everything read is of one moment.
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
