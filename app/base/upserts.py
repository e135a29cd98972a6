"""INSERT that minds what is there already: both databases have it, each in a dialect of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy.dialects import postgresql, sqlite

from app.base.database import kind_of

if TYPE_CHECKING:
    from sqlmodel import Session, SQLModel

NewInsert = Callable[[Any], sqlite.Insert]
INSERTS: dict[str, NewInsert] = {"sqlite": sqlite.insert, "postgresql": cast(NewInsert, postgresql.insert)}
"""By kind of database; those of PostgreSQL have the same methods."""


def insert_into(session: Session, model: type[SQLModel]) -> sqlite.Insert:
    """An INSERT with `on_conflict_do_nothing` and `on_conflict_do_update`, for the database of this session."""
    return INSERTS[kind_of(session)](model)
