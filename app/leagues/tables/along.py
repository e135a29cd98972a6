"""Columns of others that are read along with a row."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import column_property
from sqlmodel import col, select

from app.people.tables import Player


def of_player(column: Any, player: Any) -> Any:
    """A column of the player with this number."""
    return column_property(select(column).where(col(Player.id) == player).correlate_except(Player).scalar_subquery())
