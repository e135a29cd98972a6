"""What moves the clocks of games, and what is done when a clock has run out."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Index, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Document, Status, UTCDateTime, index_where, one_of
from app.clocks.leave import Away


class HolidayCalendar(SQLModel, table=True):
    """Days of a club on which the clocks of its games stand still."""

    __tablename__ = "holiday_calendar"

    id: int = Field(default=None, primary_key=True)
    name: str = Field(max_length=60, unique=True)
    days: list[Any] = Field(sa_type=Document)
    """Dates as `2026-12-25`, in the zone of the pace that uses them."""
    made_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    changed_at: datetime = Field(sa_type=UTCDateTime)


class LeaveKind(StrEnum):
    """Why a player is away."""

    PLANNED = "planned"
    NOW = "now"
    AUTOMATIC = "automatic"
    GRANTED = "granted"


class Leave(SQLModel, table=True):
    """Time off for a player, in which none of their clocks runs. Whole days in a zone, from midnight to midnight; the
    first one of `now` begins when it was asked for. `automatic` is a day for one game, taken automatically. `granted`
    is for the games of one event, from the moment it was granted, and uses none of the allowance."""

    __table_args__ = (one_of("kind", LeaveKind),)

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    kind: LeaveKind = Field(sa_type=Status(LeaveKind, 10))
    from_at: datetime = Field(sa_type=UTCDateTime)
    to_at: datetime = Field(sa_type=UTCDateTime)
    zone: str = Field(max_length=64)
    """The player's zone when it was made, in which its days are meant."""
    days: int
    """What it uses of the allowance."""
    made_at: datetime = Field(sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the player came back early or cancelled it; `to_at` and `days` then say what was taken."""
    event_id: int | None = Field(default=None, foreign_key="event.id", ondelete="CASCADE", index=True)
    """For `granted`: the event in whose games the clocks stand still. None: in all games."""
    game_id: int | None = Field(default=None, foreign_key="game.id", ondelete="CASCADE", index=True)
    """For `automatic`: the only game whose clock stands still. None: all games, as for days taken by earlier
    versions."""
    granted_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")

    @property
    def is_everywhere(self) -> bool:
        """Whether it stops the clocks of all games."""
        return self.event_id is None and self.game_id is None

    @property
    def away(self) -> Away:
        """Its time, and the zone of its days."""
        return Away(self.from_at, self.to_at, self.zone)

    def is_now(self, now: datetime) -> bool:
        """Return whether it has begun and not ended."""
        return self.from_at <= now < self.to_at


class Outage(SQLModel, table=True):
    """A gap in the heartbeats of a job, long enough to be credited to all clocks."""

    __table_args__ = (
        UniqueConstraint("job", "from_at"),
        Index("ix_outage_to_at", "to_at"),
    )

    id: int = Field(default=None, primary_key=True)
    job: str = Field(max_length=20)
    from_at: datetime = Field(sa_type=UTCDateTime)
    to_at: datetime = Field(sa_type=UTCDateTime)
    noted_at: datetime = Field(sa_type=UTCDateTime)
    credited_up_to: int = 0
    """The last game whose log mentions it; games are processed in the order of their numbers."""
    is_credited: bool = False
    """Whether all games are done."""


class NoteKind(StrEnum):
    """What happened to a clock."""

    CREDIT = "credit"
    EXTENSION = "extension"
    LEAVE = "leave"
    NUDGE = "nudge"
    WARNED = "warned"
    GRACE = "grace"
    FLAGGED = "flagged"
    RULED = "ruled"
    TIMEOUT = "timeout"
    CLAIMED = "claimed"
    MAIL_FAILED = "mail_failed"
    CALENDAR = "calendar"
    CLOSED = "closed"


class NoteCause(StrEnum):
    """Who caused a clock event."""

    PLAYER = "player"
    OPPONENT = "opponent"
    ORGANISER = "organiser"
    SUBSTITUTE = "substitute"
    PACE = "pace"
    """The time control of the game."""
    CALENDAR = "calendar"
    DEADLINE = "deadline"
    MAIL = "mail"
    BOUNCE = "bounce"
    OUTAGE = "outage"
    LATE = "late"
    """A mail that bounced after the time was over."""
    WAITS = "waits"
    """A seat that may claim prefers to wait."""


class ClockNote(SQLModel, table=True):
    """A clock event of a game: the log of time beside the log of actions. Never changed.

    `once` makes an act unique: a nudge pressed six times in a day counts once.
    """

    __tablename__ = "clock_event"
    __table_args__ = (
        one_of("kind", NoteKind),
        Index("ix_clock_event_game", "game_id", "id"),
    )

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE")
    entry: int
    """The last entry of the game's log at that point."""
    number: int
    """The decision owed at that point."""
    seat: str | None = Field(default=None, max_length=30)
    player_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL", index=True)
    """The player whose clock it is about."""
    by_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    """Who did it; None for the server."""
    kind: NoteKind = Field(sa_type=Status(NoteKind, 12))
    cause: NoteCause = Field(sa_type=Status(NoteCause, 20))
    seconds: int | None = None
    details: dict[str, Any] = Field(sa_type=Document)
    once: str | None = Field(default=None, max_length=120, unique=True)
    at: datetime = Field(sa_type=UTCDateTime)


class CaseKind(StrEnum):
    """A deadline has passed, or a mail has not arrived."""

    TIME = "time"
    MAIL = "mail"


class CaseRuling(StrEnum):
    """How a case was resolved: by an operator, a claim, an organiser, or the time control."""

    CLAIM = "claim"
    FORFEIT = "forfeit"
    VOID = "void"
    EXTEND = "extend"
    AGAIN = "again"


class CaseState(StrEnum):
    """How far a case has come."""

    OPENED = "opened"
    WARNED = "warned"
    GRACE = "grace"
    FLAGGED = "flagged"
    RULED = "ruled"
    CLOSED = "closed"


class Case(SQLModel, table=True):
    """A decision that is overdue, or whose mail did not arrive: what has been done about it, and what comes next.

    `state` goes from `opened` (mail that did not arrive) or `warned` through `grace` and `flagged` to `ruled`, and is
    `closed` when the seat has moved after all. `stage` counts the stages of the pace that have been carried out.
    """

    __tablename__ = "overdue_case"
    __table_args__ = (
        one_of("kind", CaseKind),
        one_of("state", CaseState),
        index_where("ended_at IS NULL", "uq_overdue_case_running", "game_id", unique=True),
    )

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE", index=True)
    number: int
    seat: str = Field(max_length=30)
    player_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL", index=True)
    kind: CaseKind = Field(sa_type=Status(CaseKind, 4))
    cause: NoteCause = Field(sa_type=Status(NoteCause, 20))
    """PLAYER, or what was at fault instead: MAIL, OUTAGE."""
    state: CaseState = Field(sa_type=Status(CaseState, 8))
    stage: int = 0
    opened_at: datetime = Field(sa_type=UTCDateTime)
    deadline_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The deadline that had passed."""
    ruling: CaseRuling | None = Field(default=None, sa_type=Status(CaseRuling, 20))
    reason: str = Field(default="", sa_type=Text)
    ruled_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
