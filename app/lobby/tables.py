"""What is left of standing offers, which versions before 1.1 matched: nothing reads it but a player's own file."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, text
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Document, UTCDateTime, index_where


class StandingOffer(SQLModel, table=True):
    """A player's wish for games of a title, up to a number at once, against anyone suitable who wants the same."""

    __tablename__ = "standing_offer"
    __table_args__ = (
        CheckConstraint("at_once BETWEEN 1 AND 20 AND players >= 2", name="counts"),
        CheckConstraint("weakest IS NULL OR strongest IS NULL OR weakest <= strongest", name="range"),
        index_where("NOT is_paused", "ix_standing_offer_active", "title", "players"),
    )

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    title: str = Field(max_length=30)
    players: int
    options: dict[str, Any] = Field(sa_type=Document)
    """The title's first option, if it matters; empty: any."""
    pace: str = Field(default="", max_length=20, sa_column_kwargs={"server_default": text("''")})
    """A named pace; empty: any."""
    weakest: int | None = None
    strongest: int | None = None
    """The upper limit of others' casual ratings; None: any."""
    is_rated: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    at_once: int = 1
    is_paused: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    since: datetime = Field(sa_type=UTCDateTime)
    """When it was made or last resumed."""
