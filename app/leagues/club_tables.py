"""What a club keeps beside its events: notes on members, and the tables of seasons before it came here."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from app.base.columns import UTCDateTime


class MemberNote(SQLModel, table=True):
    """What those who run a club keep about a member; nobody else reads it."""

    __tablename__ = "member_note"
    __table_args__ = (UniqueConstraint("club_id", "player_id"),)

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    note: str = Field(default="", sa_type=Text)
    own1: str = Field(default="", max_length=200)
    own2: str = Field(default="", max_length=200)
    own3: str = Field(default="", max_length=200)
    """Under the headings of `Club.own1` to `own3`."""
    rating: float | None = None
    """From the club's own list: it seeds whoever has no rating here yet."""
    division: str = Field(default="", max_length=60)
    place: int | None = None
    """Division and place of the last season elsewhere."""


class PastPlace(SQLModel, table=True):
    """A line of a table of a season that was played elsewhere."""

    __tablename__ = "past_place"
    __table_args__ = (Index("ix_past_place_club", "club_id", "season"),)

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    season: str = Field(max_length=60)
    division: str = Field(default="", max_length=60)
    level: int = 1
    """Of the division, in the order of the list."""
    place: int
    name: str = Field(default="", max_length=60)
    """Of somebody who is not known here; empty beside `player_id`, whose name is theirs to change."""
    player_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL", index=True)
    points: str = Field(default="", max_length=12)
    taken_at: datetime = Field(sa_type=UTCDateTime)
