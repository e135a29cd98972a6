"""INSERT that handles existing rows: both databases have it, each in its own dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel

from app.base.stored.database import kind_of

NewInsert = Callable[[Any], sqlite.Insert]
INSERTS: dict[str, NewInsert] = {"sqlite": sqlite.insert, "postgresql": cast(NewInsert, postgresql.insert)}
"""By kind of database; those of PostgreSQL have the same methods."""


def insert_into(session: Session, model: type[SQLModel]) -> sqlite.Insert:
    """Return an INSERT with `on_conflict_do_nothing` and `on_conflict_do_update`, for this session's database."""
    return INSERTS[kind_of(session)](model)
