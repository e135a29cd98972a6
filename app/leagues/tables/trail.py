"""What organisers did and wrote: the audit trail, and messages."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Document, Status, UTCDateTime
from app.leagues.tables.clubs import of_player
from app.people.tables import Player


class About(StrEnum):
    """The object of an act of the audit trail; `NAME` is something that only has a name there."""

    PLAYER = "player"
    ENTRY = "entry"
    DIVISION = "division"
    ROUND = "round"
    MATCH = "match"
    GAME = "game"
    EVENT = "event"
    LATE = "late"
    SILENT = "silent"
    NAME = "name"


class Audit(SQLModel, table=True):
    """An act of an organiser or of the system. Never changed. `once` lets a button that is pressed twice act once."""

    __tablename__ = "audit_entry"
    __table_args__ = (Index("ix_audit_entry_club", "club_id", "id"),)

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    event_id: int | None = Field(default=None, foreign_key="event.id", ondelete="CASCADE", index=True)
    at: datetime = Field(sa_type=UTCDateTime)
    by_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    act: str = Field(max_length=40)
    about: About | None = Field(default=None, sa_type=Status(About, 10))
    """The object; None for the club or the event itself."""
    about_number: int | None = None
    """The number of its row, which may be gone; for a round its number in the division."""
    about_division: int | None = None
    """The division of a round."""
    subject: str = Field(default="", max_length=80)
    """The name of an object without a row, such as a season that was drafted."""
    reason: str = Field(default="", sa_type=Text)
    before: dict[str, Any] | None = Field(default=None, sa_type=Document)
    after: dict[str, Any] | None = Field(default=None, sa_type=Document)
    once: str | None = Field(default=None, max_length=120, unique=True)
    undone_by: int | None = Field(default=None, foreign_key="audit_entry.id", ondelete="SET NULL")

    by: ClassVar[Mapped[str]]
    """The name of the player; None or empty for the server and an account that is gone."""


Audit.by = of_player(Player.name, Audit.by_id)


class CompetitionMessage(SQLModel, table=True):
    """A message of an organiser to the people of an event, a division, or those who are late or silent."""

    __tablename__ = "event_message"

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    by_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    to: str = Field(max_length=40)
    subject: str = Field(max_length=120)
    text: str = Field(sa_type=Text)
    recipients: int = 0
    """How many got it."""
    once: str = Field(default="", max_length=64, unique=True)
    at: datetime = Field(sa_type=UTCDateTime)
