"""Ratings of casual play, stored for pages and offers: always recomputed from the games."""

from __future__ import annotations

from enum import StrEnum

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Status


class RatingSystem(StrEnum):
    """How games are rated: between two players, or at tables of three or more."""

    GLICKO2 = "glicko2"
    OPENSKILL = "openskill"


class CasualRating(SQLModel, table=True):
    """A player's rating for a title in games of two or at tables, outside events."""

    __tablename__ = "casual_rating"
    __table_args__ = (UniqueConstraint("player_id", "title", "system"),)

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE")
    title: str = Field(max_length=30)
    system: RatingSystem = Field(sa_type=Status(RatingSystem, 10))
    rating: float
    deviation: float
    games: int
