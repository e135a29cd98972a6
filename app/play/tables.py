"""What people arrange around a game: invitations, agreements, chat and private notes."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, Text, UniqueConstraint
from sqlalchemy import text as sql_text
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Document, Status, UTCDateTime, one_of


class AnswerStatus(StrEnum):
    """The state of an invitation or a proposal."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


class Invitation(SQLModel, table=True):
    """A seat offered by mail, or by a private link for anyone who has it (`player_id` is None)."""

    __table_args__ = (
        one_of("status", AnswerStatus),
        UniqueConstraint("game_id", "seat_place", "player_id"),
    )

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE")
    seat_place: int
    player_id: int | None = Field(default=None, foreign_key="player.id", ondelete="CASCADE", index=True)
    status: AnswerStatus = Field(default=AnswerStatus.WAITING, sa_type=Status(AnswerStatus, 10))
    made_at: datetime = Field(sa_type=UTCDateTime)
    answered_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    kept_back_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Since when it is withheld from the invited player, because a block stands between them and the table: for the
    host it is pending, for them it is withdrawn. The creation time if it was never mailed."""


class ProposalKind(StrEnum):
    """What a proposal asks of all others."""

    CANCEL = "cancel"
    AGREED = "agreed"
    TAKEBACK = "takeback"


class Proposal(SQLModel, table=True):
    """A proposal that all other seats must agree to: to cancel the game, to end it with an agreed result, or to take
    back what the seat has played since entry `back_to`."""

    __table_args__ = (
        one_of("kind", ProposalKind),
        one_of("status", AnswerStatus),
    )

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE", index=True)
    kind: ProposalKind = Field(sa_type=Status(ProposalKind, 10))
    seat: str = Field(max_length=30)
    winners: list[Any] = Field(sa_type=Document)
    back_to: int | None = None
    at_entry: int | None = None
    """The last entry of the log when it was made; a takeback is void once there is another."""
    status: AnswerStatus = Field(default=AnswerStatus.WAITING, sa_type=Status(AnswerStatus, 10))
    made_at: datetime = Field(sa_type=UTCDateTime)
    settled_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class Consent(SQLModel, table=True):
    """One seat's answer to a proposal."""

    __table_args__ = (UniqueConstraint("proposal_id", "seat"),)

    id: int = Field(default=None, primary_key=True)
    proposal_id: int = Field(foreign_key="proposal.id", ondelete="CASCADE")
    seat: str = Field(max_length=30)
    agrees: bool
    at: datetime = Field(sa_type=UTCDateTime)


class ChatMessage(SQLModel, table=True):
    """A message at the table, for all seats."""

    __tablename__ = "chat_message"

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE", index=True)
    seat: str = Field(max_length=30)
    text: str = Field(sa_type=Text)
    at: datetime = Field(sa_type=UTCDateTime)


class ChatReport(SQLModel, table=True):
    """A chat line or a player reported to the operators. Only the first report of a line counts; for a player, the
    first by the same reader on one day."""

    __tablename__ = "talk_report"
    __table_args__ = (
        UniqueConstraint("by_id", "player_id", "on_day"),
        CheckConstraint("(line_id IS NULL) <> (player_id IS NULL)", name="about"),
    )

    id: int = Field(default=None, primary_key=True)
    line_id: int | None = Field(default=None, foreign_key="chat_message.id", ondelete="CASCADE", unique=True)
    player_id: int | None = Field(default=None, foreign_key="player.id", ondelete="CASCADE")
    """The player reported without a line."""
    game_id: int | None = Field(default=None, foreign_key="game.id", ondelete="SET NULL")
    """The game in which it was, if at a table."""
    on_day: date | None = None
    by_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    why: str = Field(default="", max_length=500, sa_column_kwargs={"server_default": sql_text("''")})
    at: datetime = Field(sa_type=UTCDateTime)
    closed_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    closed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    closed_why: str = Field(default="", max_length=500, sa_column_kwargs={"server_default": sql_text("''")})


class Note(SQLModel, table=True):
    """A seat's private notes on a game (`entry` 0) or on the position after an entry of its log."""

    __table_args__ = (UniqueConstraint("game_id", "seat", "entry"),)

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE")
    seat: str = Field(max_length=30)
    entry: int = 0
    text: str = Field(sa_type=Text)
    changed_at: datetime = Field(sa_type=UTCDateTime)


class AnalysisBranch(SQLModel, table=True):
    """A branch of a player's analysis of a game: lines of the notation tried out after an entry of the log, with
    what the seat knew then."""

    __tablename__ = "planned_line"

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE", index=True)
    seat: str = Field(max_length=30)
    entry: int
    name: str = Field(max_length=60)
    lines: str = Field(default="", sa_type=Text)
    changed_at: datetime = Field(sa_type=UTCDateTime)
