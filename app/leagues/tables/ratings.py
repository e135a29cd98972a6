"""Ratings, and the effect of each match on them."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlalchemy.orm import Mapped
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Status, UTCDateTime
from app.games.rating_tables import RatingSystem
from app.leagues.tables.clubs import of_player
from app.people.tables import Player


class Rating(SQLModel, table=True):
    """A player's current rating at one title; a job recomputes it from the results."""

    __table_args__ = (
        UniqueConstraint("player_id", "title", "system"),
        CheckConstraint("system IN ('glicko2', 'openskill')", name="system"),
        Index("ix_rating_title", "title", "system", "rating"),
    )

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE")
    title: str = Field(max_length=40)
    system: RatingSystem = Field(sa_type=Status(RatingSystem, 9))
    rating: float
    deviation: float
    volatility: float | None = None
    games: int = 0
    changed_at: datetime = Field(sa_type=UTCDateTime)

    name: ClassVar[Mapped[str]]
    """Of the player."""


Rating.name = of_player(Player.name, Rating.player_id)


class RatingChange(SQLModel, table=True):
    """The effect of one match on a player's rating. A result imported from a list has no game."""

    __tablename__ = "rating_change"
    __table_args__ = (UniqueConstraint("player_id", "match_id", "system"),)

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE")
    match_id: int = Field(foreign_key="event_match.id", ondelete="CASCADE", index=True)
    game_id: int | None = Field(default=None, foreign_key="game.id", ondelete="CASCADE", index=True)
    title: str = Field(max_length=40)
    system: RatingSystem = Field(sa_type=Status(RatingSystem, 9))
    before: float
    after: float
    deviation: float
    at: datetime = Field(sa_type=UTCDateTime)
