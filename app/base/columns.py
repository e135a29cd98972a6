"""Column types that behave alike on SQLite and PostgreSQL, and the names of constraints."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import Column, DateTime, Dialect, Text, TypeDecorator
from sqlalchemy import inspect as mapper_of
from sqlmodel import SQLModel

read_json = orjson.loads

# Before any model: migrations can only change a constraint that has a name.
SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


def columns_of(model: type[SQLModel]) -> list[Column[Any]]:
    """The columns of a model's table, in their order."""
    return list(mapper_of(model).columns)


def write_json(value: Any) -> str:
    """Data as compact text."""
    return orjson.dumps(value).decode()


class UTCDateTime(TypeDecorator[datetime]):
    """A moment: aware in, UTC out. SQLite alone would lose the zone. A naive value is a ValueError."""

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


class Document(TypeDecorator[Any]):
    """JSON data kept as text: the order of keys survives, which JSONB would not keep."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else write_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else read_json(value)
