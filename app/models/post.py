"""Mails on their way out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, LargeBinary, Text, text
from sqlmodel import Field, SQLModel

from app.models.columns import Document, UTCDateTime


class OutboxMail(SQLModel, table=True):
    """A mail that somebody is owed, written in the transaction that causes it.

    `mail_key` makes it unique (`turn:12:31`): whoever plans the same mail twice gets one. `message` is what goes over
    the wire, rendered outside of any request; Message-ID and Date are fixed in it, so that a mail handed over twice
    after a crash is recognised as one. `state` goes from `waiting` to `sent`, `dropped` (no longer true, or not
    wanted), `failed` (refused for good) or `kept` (in the embedded mailbox).
    """

    __tablename__ = "outbox_mail"
    __table_args__ = (
        CheckConstraint("state IN ('waiting', 'sent', 'dropped', 'failed', 'kept')", name="state"),
        Index(
            "ix_outbox_mail_due_at",
            "due_at",
            sqlite_where=text("state = 'waiting'"),
            postgresql_where=text("state = 'waiting'"),
        ),
        # Reminders that are still to go out take in others for the same player.
        Index(
            "ix_outbox_mail_reminders",
            "player_id",
            sqlite_where=text("state = 'waiting' AND kind = 'reminder'"),
            postgresql_where=text("state = 'waiting' AND kind = 'reminder'"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    mail_key: str = Field(max_length=120, unique=True)
    kind: str = Field(max_length=30)
    player_id: int | None = Field(default=None, foreign_key="player.id", ondelete="CASCADE")
    address: str = Field(max_length=254)
    game_id: int | None = Field(default=None, foreign_key="game.id", ondelete="CASCADE", index=True)
    seat: str | None = Field(default=None, max_length=30)
    number: int | None = None
    """The decision that the mail is about; the mail is dropped when it has been made."""
    details: dict[str, Any] = Field(sa_type=Document)
    state: str = Field(default="waiting", max_length=10)
    made_at: datetime = Field(sa_type=UTCDateTime)
    due_at: datetime = Field(sa_type=UTCDateTime)
    """Not handed over before; a claim moves it ahead, so that a killed sender's mails come up again."""
    claimed_by: str | None = Field(default=None, max_length=40)
    attempts: int = 0
    last_error: str | None = Field(default=None, sa_type=Text)
    message: bytes | None = Field(default=None, sa_type=LargeBinary)
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
