"""Ratings of casual play, kept so that pages and offers find them: always made anew from the games."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel


class CasualRating(SQLModel, table=True):
    """What a player is worth at a title in games of two (`glicko2`) or at tables (`openskill`), outside of events."""

    __tablename__ = "casual_rating"
    __table_args__ = (UniqueConstraint("player_id", "title", "system"),)

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE")
    title: str = Field(max_length=30)
    system: str = Field(max_length=10)
    rating: float
    deviation: float
    games: int
