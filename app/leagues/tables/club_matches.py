"""Matches of two clubs: an event of teams that one club has prepared and another one plays in, too."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import Text
from sqlalchemy.orm import column_property
from sqlmodel import Field, SQLModel, col, select

from app.base.columns import Status, UTCDateTime, one_of
from app.leagues.tables.events import Competition


class InvitationStatus(StrEnum):
    INVITED = "invited"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


class ClubMatch(SQLModel, table=True):
    """A club invites another one to play an event of its own; once accepted the event is that of both. One an event."""

    __tablename__ = "club_match"
    __table_args__ = (one_of("status", InvitationStatus),)

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE", unique=True)
    guest_id: int = Field(foreign_key="club.id", ondelete="CASCADE", index=True)
    """The club that is invited."""
    status: InvitationStatus = Field(default=InvitationStatus.INVITED, sa_type=Status(InvitationStatus, 9))
    words: str = Field(default="", sa_type=Text)
    """Of whoever invites."""
    asked_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    asked_at: datetime = Field(sa_type=UTCDateTime)
    answered_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    answered_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    host_names: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    guest_names: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    """Whom each club names as the referee; who is named by both is it."""
    host_ready_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    guest_ready_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When each club has said that its team is complete; the event starts with the second one."""

    @property
    def referee_id(self) -> int | None:
        """Whom both clubs have named."""
        return self.host_names if self.host_names == self.guest_names else None


_NAMED = select(ClubMatch.guest_id).where(col(ClubMatch.event_id) == Competition.id)
Competition.guest_id = column_property(
    _NAMED.where(col(ClubMatch.status) == InvitationStatus.ACCEPTED).correlate_except(ClubMatch).scalar_subquery()
)
