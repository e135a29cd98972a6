"""Matches of two clubs: an event of teams prepared by one club, in which another one plays too."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Text
from sqlalchemy.orm import column_property
from sqlmodel import Field, SQLModel, col, select

from app.base.stored.columns import Status, UTCDateTime, one_of
from app.leagues.tables.events import Competition


class InvitationStatus(StrEnum):
    INVITED = "invited"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


class ClubMatch(SQLModel, table=True):
    """An invitation of one club to another to play an event of its own; once accepted the event belongs to both.

    One per event.
    """

    __tablename__ = "club_match"
    __table_args__ = (one_of("status", InvitationStatus),)

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE", unique=True)
    guest_id: int = Field(foreign_key="club.id", ondelete="CASCADE", index=True)
    """The club that is invited."""
    status: InvitationStatus = Field(default=InvitationStatus.INVITED, sa_type=Status(InvitationStatus, 9))
    words: str = Field(default="", sa_type=Text)
    """The words of the inviting organiser."""
    asked_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    asked_at: datetime = Field(sa_type=UTCDateTime)
    answered_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    answered_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    host_names: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    guest_names: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    """The player each club names as the referee; one named by both is the referee."""
    host_ready_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    guest_ready_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When each club confirmed that its team is complete; the event starts with the second one."""

    @property
    def referee_id(self) -> int | None:
        """Return the referee both clubs have named."""
        return self.host_names if self.host_names == self.guest_names else None


_NAMED = select(ClubMatch.guest_id).where(col(ClubMatch.event_id) == Competition.id)
Competition.guest_id = column_property(
    _NAMED.where(col(ClubMatch.status) == InvitationStatus.ACCEPTED).correlate_except(ClubMatch).scalar_subquery()
)
