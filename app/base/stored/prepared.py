"""Statements that are run for every page and every move, prepared once and handed to the driver straight away.

SQLAlchemy's overhead per execution is several times what such a statement costs the database. The statements are still
written with it, and its types still read and write the values; only result objects and its own exceptions are missing:
code that needs those uses `session.exec`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Generic, TypeAlias, TypeVar, overload

from sqlalchemy import BindParameter, ClauseElement, Dialect, Insert, PoolProxiedConnection, Select, SelectBase
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.sql.compiler import SQLCompiler
from sqlmodel import Session, SQLModel
from sqlmodel.sql.expression import SelectOfScalar

from app.base.stored.columns import Document, UTCDateTime, write_json
from app.base.stored.database import INSERTS, OF_READER, Database, NewInsert

Rows: TypeAlias = "Sequence[tuple[Any, ...]]"
Written: TypeAlias = "ClauseElement | Callable[[NewInsert], ClauseElement]"
"""A statement, or a function that makes it with the database's `insert`."""
R = TypeVar("R")
M = TypeVar("M", bound=SQLModel)


class PreparedStatement:
    """What reading and writing have in common: the statement is compiled once per kind of database."""

    def __init__(self, statement: Written) -> None:
        self._statement = statement
        self._ready: dict[str, _Ready] = {}

    def prepare(self, session: Session) -> None:
        """Prepare the statement in advance, when its first run must not take longer than the others."""
        self._for(session.get_bind().dialect, {})

    def _execute(self, session: Session, values: Mapping[str, Any]) -> tuple[DBAPICursor, _Ready]:
        """Run the statement in a transaction."""
        ready, cursor = self._for(session.get_bind().dialect, values), _cursor(session)
        cursor.execute(ready.sql, ready.parameters(values))
        return cursor, ready

    def _for(self, dialect: Dialect, values: Mapping[str, Any]) -> _Ready:
        ready = self._ready.get(dialect.name)
        if ready is None:
            ready = self._ready[dialect.name] = _Ready(self._statement, dialect, values)
        return ready


class PreparedRead(PreparedStatement, Generic[R]):
    """A SELECT with its parameters.

    For a single model the rows are named tuples with the model's columns. Any other SELECT needs the class of its rows,
    a named tuple or a data class whose fields are the column names in order; else TypeError.
    """

    @overload
    def __init__(self: PreparedRead[M], statement: SelectOfScalar[M]) -> None: ...

    @overload
    def __init__(self, statement: Select[*tuple[Any, ...]], row: type[R]) -> None: ...

    def __init__(self, statement: SelectOfScalar[Any] | Select[*tuple[Any, ...]], row: type[R] | None = None) -> None:
        super().__init__(statement)
        names = [column.name for column in statement.selected_columns]
        self._make: Callable[[Iterable[Any]], R]
        if row is None:
            make_class: Any = namedtuple
            self._make = make_class("Row", names)._make
            return
        wanted: Any = [field.name for field in fields(row)] if is_dataclass(row) else getattr(row, "_fields", ())
        if names != list(wanted):
            raise TypeError(f"{row.__name__} is not made of the columns {names}")
        self._make = getattr(row, "_make", lambda values: row(*values))

    def all(self, session: Session, **values: object) -> list[R]:
        """Return the rows in a transaction, with the values made by the columns' types."""
        cursor, ready = self._execute(session, values)
        make = self._make
        rows = [make(ready.read(row)) for row in cursor.fetchall()]
        cursor.close()
        return rows

    def first(self, session: Session, **values: object) -> R | None:
        """Return the first row; None when there is none."""
        rows = self.all(session, **values)
        return rows[0] if rows else None


_CONNECTION = "connection of the transaction"


class PreparedGlance(PreparedStatement):
    """A SELECT whose rows are only compared, to see whether something has changed."""

    def glance(self, database: Database, **values: object) -> Rows:
        """Return the rows as the driver gives them, in no transaction."""
        return self.glances(database, (self, values))[0]

    @staticmethod
    def glances(database: Database, *asked: tuple[PreparedGlance, dict[str, Any]]) -> list[Rows]:
        """Return the same for several, on one connection."""
        dialect = database.engine.dialect
        with database.glancing() as connection:
            return [prepared._raw(connection.cursor(), dialect, values) for prepared, values in asked]

    def glance_within(self, session: Session, **values: object) -> Rows:
        """Return the same rows as a transaction sees them."""
        return self._raw(_cursor(session), session.get_bind().dialect, values)

    def _raw(self, cursor: DBAPICursor, dialect: Dialect, values: dict[str, Any]) -> Rows:
        ready = self._for(dialect, values)
        cursor.execute(ready.sql, ready.parameters(values))
        rows = cursor.fetchall()
        cursor.close()
        return rows


class PreparedWrite(PreparedStatement):
    """An UPDATE or an INSERT with its parameters. The columns of an INSERT are those of the first row; one that handles
    conflicts is a function that gets the database's own `insert`."""

    def run(self, session: Session, **values: object) -> int:
        """Run the statement; return the number of rows written."""
        cursor, _ = self._execute(session, values)
        count: int = cursor.rowcount
        cursor.close()
        return count

    def run_all(self, session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run it once for each of the rows."""
        if len(rows) == 1:
            self.run(session, **rows[0])
            return
        ready, cursor = self._for(session.get_bind().dialect, rows[0]), _cursor(session)
        every: list[Any] = [ready.parameters(values) for values in rows]
        cursor.executemany(ready.sql, every)
        cursor.close()


class _Ready:
    """A statement for one kind of database; the values that it is prepared with are only examples."""

    def __init__(self, statement: Written, dialect: Dialect, values: Mapping[str, Any]) -> None:
        if not isinstance(statement, ClauseElement):
            statement = statement(INSERTS[dialect.name])
        is_row = isinstance(statement, Insert) and statement.select is None
        more: dict[str, Any] = {"column_keys": list(values), "for_executemany": True} if is_row else {}
        compiled = statement.compile(dialect=dialect, **more)
        assert isinstance(compiled, SQLCompiler)
        if compiled.post_compile_params or compiled.literal_execute_params:
            expanded = compiled.construct_expanded_state(values)
            self.sql, own, order = expanded.statement, expanded.parameters, expanded.positiontup
        else:
            self.sql, own, order = str(compiled), compiled.params, compiled.positiontup
        self._is_positional = bool(compiled.positional)
        bound = list((order or ()) if self._is_positional else own)
        # Each with the statement's own value, and where a value must be converted, and how.
        self._parameters = [(name, own[name]) for name in bound]
        self._writers = [
            (at, writer)
            for at, name in enumerate(bound)
            if (writer := _writer(compiled.binds.get(name), dialect)) is not None
        ]
        columns = list(statement.selected_columns) if isinstance(statement, SelectBase) else []
        self._readers = [
            (at, reader)
            for at, column in enumerate(columns)
            if (reader := column.type.dialect_impl(dialect).result_processor(dialect, None)) is not None
        ]

    def parameters(self, values: Mapping[str, Any]) -> list[object] | dict[str, object]:
        """Return the values as the driver wants them."""
        find = values.get
        made = [find(name, own) for name, own in self._parameters]
        for at, ready in self._writers:
            value = made[at]
            if value is not None:  # which none of our types writes as anything else
                made[at] = ready(value)
        if self._is_positional:
            return made
        return {name: value for (name, _), value in zip(self._parameters, made, strict=True)}

    def read(self, raw: Sequence[Any]) -> Sequence[Any]:
        """Return the values that the columns' types make of the driver's."""
        if not self._readers:
            return raw
        values = list(raw)
        for at, read in self._readers:
            values[at] = read(values[at])
        return values


def _writer(parameter: BindParameter[Any] | None, dialect: Dialect) -> Callable[[Any], object] | None:
    """Return the function that converts a value for the driver; None if it is passed as it is."""
    if parameter is None:  # a member of a list
        return None
    if isinstance(parameter.type, Document):
        return write_json
    writer = parameter.type.dialect_impl(dialect).bind_processor(dialect)
    if writer is not None and isinstance(parameter.type, UTCDateTime):
        return lru_cache(16)(writer)  # one transaction writes the same moment many times
    return writer


def _cursor(session: Session) -> DBAPICursor:
    """Return a driver cursor in this session's transaction, beginning the transaction if needed. A page asks six times
    in one transaction, and SQLAlchemy takes as long to find its connection as SQLite takes to answer."""
    reads: DBAPIConnection | None = session.info.get(OF_READER)
    if reads is not None:
        return reads.cursor()
    connection: PoolProxiedConnection
    known, connection = session.info.get(_CONNECTION, (None, None))
    if known is None or known is not session.get_transaction():
        connection = session.connection().connection
        session.info[_CONNECTION] = session.get_transaction(), connection
    return connection.cursor()
