"""Row numbers that jump ahead after a restore: numbers given in the lost days may be in people's mails.

On PostgreSQL the sequences are set ahead once. SQLite gives the largest number plus one, so there the number of such a
row is computed by the statement that inserts it.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col

from app.base.stored.columns import table_of
from app.base.stored.database import kind_of
from app.base.stored.upkeep_tables import ServerFact

FIRST = "first."
"""Begins the name of the fact which number of a table comes first after a restore."""


def number_of_next(session: Session, model: type[SQLModel]) -> Any:  # noqa: ANN401  an expression, which models and INSERTs take for a number
    """Return what a new row gets as its `id`: None if the database knows."""
    if kind_of(session) != "sqlite":
        return None
    table = table_of(model)
    largest = sa.select(sa.func.coalesce(sa.func.max(table.c.id), 0) + 1).scalar_subquery()
    first = sa.select(sa.cast(col(ServerFact.value), sa.Integer)).where(col(ServerFact.name) == FIRST + table.name)
    return sa.func.max(largest, sa.func.coalesce(first.scalar_subquery(), 1))
