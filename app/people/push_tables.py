"""The devices that are told at once what mails tell, and what they are owed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Document, UTCDateTime, index_where, one_of
from app.people.tables import DeliveryState, Owed


class PushDevice(SQLModel, table=True):
    """A browser that a player has let us notify (a push subscription, RFC 8030). It goes with its sign-in: after
    a sign-out nothing is told there."""

    __tablename__ = "push_device"

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    sign_in_id: int = Field(foreign_key="sign_in.id", ondelete="CASCADE", index=True)
    endpoint: str = Field(max_length=2000, unique=True)
    """The address at the push service, which is a secret."""
    host: str = Field(max_length=255)
    public_key: str = Field(max_length=90)
    """The device's, for which everything is encrypted (RFC 8291): P-256, base64url."""
    auth: str = Field(max_length=30)
    server_key: str = Field(max_length=90)
    """The public key of ours that it has subscribed with: it takes nothing that another one signs."""
    name: str = Field(default="", max_length=120)
    made_at: datetime = Field(sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When its push service last took something for it."""


class Push(Owed, table=True):
    """A notification that is owed to a device, written in the transaction that plans the mail of which it tells.

    One about a decision that was `sent` is taken back when the decision is made: the same row waits once more, and
    `closes` the notification.
    """

    __table_args__ = (
        UniqueConstraint("device_id", "mail_id"),
        one_of("state", DeliveryState),
        index_where("state = 'waiting'", "ix_push_due_at", "due_at"),
        # Those that may have to be taken back.
        index_where("state = 'sent' AND number IS NOT NULL AND NOT closes", "ix_push_open", "game_id"),
        Index("ix_push_made_at", "made_at"),
    )

    device_id: int = Field(foreign_key="push_device.id", ondelete="CASCADE")
    mail_id: int = Field(foreign_key="outbox_mail.id", ondelete="CASCADE", index=True)
    host: str = Field(max_length=255)
    details: dict[str, Any] = Field(sa_type=Document)
    """Those of the mail, which forgets them when it is sent."""
    closes: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
