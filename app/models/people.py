"""People: who they are, how they sign in, and what they asked for by mail."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field, SQLModel

from app.models.columns import UTCDateTime


class Player(SQLModel, table=True):
    """Somebody with an address. `address` is lower case in its domain; `address_key` finds it whatever the case."""

    __table_args__ = (
        CheckConstraint("language IN ('en', 'fr', 'es', 'it')", name="language"),
        CheckConstraint("role IN ('player', 'operator')", name="role"),
    )

    id: int | None = Field(default=None, primary_key=True)
    address: str = Field(max_length=254)
    address_key: str = Field(max_length=254, unique=True)
    name: str = Field(max_length=60)
    language: str = Field(default="en", max_length=2)
    zone: str = Field(default="UTC", max_length=64)
    role: str = Field(default="player", max_length=10)
    mail_turns: bool = True
    mail_reminders: bool = True
    mail_news: bool = True
    created_at: datetime = Field(sa_type=UTCDateTime)


class LoginToken(SQLModel, table=True):
    """A mailed link that signs in once, or confirms a change of address. Only the token's hash is kept."""

    __tablename__ = "login_token"
    __table_args__ = (
        CheckConstraint("purpose IN ('sign_in', 'new_address', 'old_address')", name="purpose"),
        Index("ix_login_token_expires", "expires_at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    token_hash: str = Field(max_length=64, unique=True)
    purpose: str = Field(max_length=12)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    change_id: int | None = Field(default=None, foreign_key="address_change.id", ondelete="CASCADE", index=True)
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class AddressChange(SQLModel, table=True):
    """A wish for another address; it happens when both addresses have confirmed."""

    __tablename__ = "address_change"

    id: int | None = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    address: str = Field(max_length=254)
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
    confirmed_old_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    confirmed_new_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    done_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class SignIn(SQLModel, table=True):
    """A browser that is signed in (a session): listed for its owner, ended by deleting it."""

    __tablename__ = "sign_in"
    __table_args__ = (Index("ix_sign_in_expires", "expires_at"),)

    id: int | None = Field(default=None, primary_key=True)
    token_hash: str = Field(max_length=64, unique=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    device: str = Field(default="", max_length=120)
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
