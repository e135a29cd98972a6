"""Rows of the database as the values that they make."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import sqlalchemy as sa

R = TypeVar("R")


def named(kind: Callable[..., R], row: sa.Row[*tuple[Any, ...]]) -> R:
    """A row as a value of this class, by the names of its columns: two of the same type that change places in the
    statement stay what they are. TypeError where the names are not the fields of the class."""
    return kind(**row._mapping)
