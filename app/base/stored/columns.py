"""Column types that behave alike on SQLite and PostgreSQL, and the names of constraints."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

import orjson
from sqlalchemy import CheckConstraint, Column, DateTime, Dialect, Index, Row, String, Table, Text, TypeDecorator, text
from sqlalchemy import inspect as mapper_of
from sqlmodel import Field, SQLModel

from engine.kernel.text import Counted
from engine.kernel.text import Text as Sentence

read_json = orjson.loads
R = TypeVar("R")

# Before any model: migrations can only change a constraint that has a name.
SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
# What would check values of rows from outside is never asked: making it took a seventh of each start.
SQLModel.model_config["defer_build"] = True


def table_of(model: type[SQLModel]) -> Table:
    """Return the table of a model."""
    table: Table = mapper_of(model).local_table
    return table


def columns_of(model: type[SQLModel]) -> list[Column[Any]]:
    """Return the columns of a model's table, in their order."""
    return list(mapper_of(model).columns)


def named(kind: Callable[..., R], row: Row[*tuple[Any, ...]]) -> R:
    """A row as a value of this class, by the names of its columns: two of the same type that change places in the
    statement stay what they are. TypeError where the names are not the fields of the class."""
    return kind(**row._mapping)


def write_json(value: object) -> str:
    """Data as compact text."""
    return orjson.dumps(value).decode()


def moment(at: datetime | None) -> str | None:
    """Return a moment as programs read it: `2026-11-24T20:00:00Z`."""
    return None if at is None else at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class UTCDateTime(TypeDecorator[datetime]):
    """A moment: aware in, UTC out. SQLite alone would lose the zone. Raises ValueError for a naive value."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a moment needs a time zone: {value!r}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Leased(SQLModel):
    """The columns of rows that workers take (`app.base.stored.leases`)."""

    id: int = Field(default=None, primary_key=True)
    made_at: datetime = Field(sa_type=UTCDateTime)
    due_at: datetime = Field(sa_type=UTCDateTime)
    """When it may be taken, which is also the order; while leased, when the lease ends, so that the rows of a killed
    worker become due again."""
    claimed_by: str | None = Field(default=None, max_length=40)
    attempts: int = 0
    """Attempts that count."""


E = TypeVar("E", bound=StrEnum)
V = TypeVar("V")


class Status(TypeDecorator[E]):
    """One value of an enumeration, stored as its text; `one_of` makes the database enforce the values."""

    impl = String
    cache_ok = True

    def __init__(self, values: type[E], length: int) -> None:
        super().__init__(length)
        self.values = values

    def process_bind_param(self, value: E | None, dialect: Dialect) -> str | None:
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> E | None:
        return None if value is None else self.values(value)


def one_of(column: str, values: type[StrEnum]) -> CheckConstraint:
    """Return the check that a column holds one of these."""
    return CheckConstraint(f"{column} IN ({', '.join(repr(str(value)) for value in values)})", name=column)


class Document(TypeDecorator[Any]):
    """JSON data stored as text: the order of keys survives, which JSONB would not keep."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, dialect: Dialect) -> str | None:
        return None if value is None else write_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> object:
        return None if value is None else read_json(value)


class ValueColumn(TypeDecorator[V]):
    """A value stored as JSON data; a subclass says how it is written and read."""

    impl = Document
    cache_ok = True
    write: Callable[[V], Any]
    read: Callable[[Any], V]

    def process_bind_param(self, value: V | None, dialect: Dialect) -> object:
        return None if value is None else self.write(value)

    def process_result_value(self, value: object, dialect: Dialect) -> V | None:
        return None if value is None else self.read(value)


def _write_sentence(said: Sentence) -> dict[str, Any]:
    values = {
        key: _write_sentence(value) if isinstance(value, Sentence) else value for key, value in said.values.items()
    }
    return {"say": said.template, "plural": said.plural if isinstance(said, Counted) else None, "values": values}


def _read_sentence(data: dict[str, Any]) -> Sentence:
    values: dict[str, Any] = {
        key: _read_sentence(value) if isinstance(value, dict) else value for key, value in data["values"].items()
    }
    one, many = data["say"], data["plural"]
    return Sentence(one, **values) if many is None else Counted(one, many, **values)


def index_where(condition: str, name: str, *columns: str, unique: bool = False) -> Index:
    """Return an index of only those rows."""
    where = text(condition)
    return Index(name, *columns, unique=unique, sqlite_where=where, postgresql_where=where)


class SentenceColumn(ValueColumn[Sentence]):
    """A sentence to be said in the reader's language."""

    cache_ok = True
    write = staticmethod(_write_sentence)
    read = staticmethod(_read_sentence)
