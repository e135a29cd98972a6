"""One SELECT whose rows come as the database gives them: to see whether something has changed since it was drawn.

A statement that goes the usual way costs several times what its rows cost. The raw rows are compared with those of the
last time and never shown, so that nothing has to be made of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Connection, Dialect, Select

    from app.db import Database

Rows = list[tuple[Any, ...]]


class Glance:
    """A prepared SELECT with its parameters."""

    def __init__(self, statement: Select[Any]) -> None:
        self._statement = statement
        self._prepared: dict[str, _Prepared] = {}

    def alone(self, database: Database, **values: Any) -> Rows:
        """The rows, in no transaction."""
        connection = database.engine.raw_connection()
        try:
            return self._rows(connection.cursor(), database.engine.dialect, values)
        finally:
            connection.close()  # back into the pool, which ends what PostgreSQL's driver has begun

    def within(self, connection: Connection, **values: Any) -> Rows:
        """The rows as a transaction that has begun sees them."""
        return self._rows(connection.connection.cursor(), connection.dialect, values)

    def _rows(self, cursor: Any, dialect: Dialect, values: dict[str, Any]) -> Rows:
        prepared = self._prepared.get(dialect.name)
        if prepared is None:
            prepared = self._prepared[dialect.name] = _Prepared(self._statement, dialect, values)
        cursor.execute(prepared.sql, prepared.parameters(values))
        rows: Rows = cursor.fetchall()
        cursor.close()
        return rows


class _Prepared:
    """A statement for one kind of database; the values that it is prepared with are only examples."""

    def __init__(self, statement: Select[Any], dialect: Dialect, values: dict[str, Any]) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        expanded = compiled.construct_expanded_state(values)
        own = expanded.parameters
        self.sql: str = expanded.statement
        self._is_positional = bool(compiled.positional)
        names = expanded.positiontup if self._is_positional else own
        # Name, value where the statement has one of its own, and how a value is made ready.
        self._parameters = [(name, own[name], _made_ready(compiled.binds.get(name), dialect)) for name in names]

    def parameters(self, values: dict[str, Any]) -> Any:
        """The values as the driver wants them."""
        made = []
        for name, own, ready in self._parameters:
            value = values.get(name, own)
            made.append(value if ready is None else ready(value))
        if self._is_positional:
            return made
        return {name: value for (name, _, _), value in zip(self._parameters, made, strict=True)}


def _made_ready(parameter: Any, dialect: Dialect) -> Any:
    """The function that makes a value ready for the driver; None where it goes as it is."""
    if parameter is None:  # a member of a list
        return None
    return parameter.type.dialect_impl(dialect).bind_processor(dialect)
