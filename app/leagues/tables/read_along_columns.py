"""Columns of other tables that are read together with a row."""

from __future__ import annotations

from typing import TypeVar

from sqlalchemy.orm import MappedSQLExpression, column_property
from sqlmodel import col, select

from app.people.tables import Player

T = TypeVar("T")


def of_player(column: T, player: int | None) -> MappedSQLExpression[T]:
    """Map a column of the player with this number."""
    return column_property(
        select(col(column)).where(col(Player.id) == player).correlate_except(Player).scalar_subquery()
    )
