"""Decisions about games of an event: rulings, and reserves who are asked to take over."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Document, Status, UTCDateTime, index_where, one_of
from app.leagues.tables.events import Entrant, of_entered_player, of_entrant
from app.people.tables import Player


class RulingDecision(StrEnum):
    """What is ruled about a match."""

    DISMISSED = "dismissed"
    EXTENSION = "extension"
    FORFEIT = "forfeit"
    RESULT = "result"
    VOID = "void"
    REPLAY = "replay"


class RulingStatus(StrEnum):
    OPEN = "open"
    DECIDED = "decided"
    APPEALED = "appealed"
    FINAL = "final"
    WITHDRAWN = "withdrawn"


class CallStatus(StrEnum):
    CALLED = "called"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class Ruling(SQLModel, table=True):
    """A player's claim, or a passed deadline, that needs a decision; with appeal to a different person."""

    __table_args__ = (
        one_of("status", RulingStatus),
        Index("ix_ruling_event_status", "event_id", "status"),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(default=None, foreign_key="event.id", ondelete="CASCADE", nullable=False)
    match_id: int = Field(default=None, foreign_key="event_match.id", ondelete="CASCADE", index=True, nullable=True)
    case_id: int | None = Field(default=None, foreign_key="overdue_case.id", ondelete="SET NULL", index=True)
    status: RulingStatus = Field(default=RulingStatus.OPEN, sa_type=Status(RulingStatus, 9))
    opened_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    """None: the server, at a passed deadline."""
    claim: str = Field(default="", sa_type=Text)
    opened_at: datetime = Field(sa_type=UTCDateTime)
    decision: RulingDecision | None = Field(default=None, sa_type=Status(RulingDecision, 20))
    details: dict[str, Any] = Field(sa_type=Document)
    reason: str = Field(default="", sa_type=Text)
    decided_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    decided_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    appeal_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    appealed_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    appeal: str = Field(default="", sa_type=Text)
    final_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    final_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class ReserveCall(SQLModel, table=True):
    """A reserve who was asked to take over a seat."""

    __tablename__ = "reserve_call"
    __table_args__ = (
        one_of("status", CallStatus),
        index_where("status = 'called'", "ix_reserve_call_answer_by", "answer_by"),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    leaver_id: int = Field(foreign_key="event_entry.id", ondelete="CASCADE")
    """The entrant whose seats are taken over."""
    entry_id: int = Field(foreign_key="event_entry.id", ondelete="CASCADE", index=True)
    status: CallStatus = Field(default=CallStatus.CALLED, sa_type=Status(CallStatus, 9))
    called_at: datetime = Field(sa_type=UTCDateTime)
    answer_by: datetime = Field(sa_type=UTCDateTime)
    answered_at: datetime | None = Field(default=None, sa_type=UTCDateTime)

    player_id: ClassVar[Mapped[int]]
    name: ClassVar[Mapped[str]]
    """Of the reserve."""


ReserveCall.player_id = of_entrant(Entrant.player_id, ReserveCall.entry_id)
ReserveCall.name = of_entered_player(Player.name, ReserveCall.entry_id)
