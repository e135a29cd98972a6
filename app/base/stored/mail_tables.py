"""Outgoing mails."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Index, LargeBinary, Text
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Document, Leased, Status, UTCDateTime, index_where, one_of


class MailState(StrEnum):
    """What has become of a mail."""

    WAITING = "waiting"
    SENT = "sent"
    DROPPED = "dropped"
    FAILED = "failed"
    KEPT = "kept"


class MailGroup(StrEnum):
    """When a mail goes out, and with which others; each kind says it where it is declared
    (`app.post.letters.writing`)."""

    ASKED = "asked"
    """A person waits for it at this moment: before all others."""
    TURN = "turn"
    """At once, by itself."""
    CLOCK = "clock"
    """Time passes: few of these a day go to one player, and those about passed deadlines go out together."""
    NEWS = "news"
    """News of clubs and events and no more: with the digest of players who take one."""


OF_TIME = timedelta(minutes=2)
"""How long mails about passed deadlines wait for each other before the first one goes out."""


class OutboxMail(Leased, table=True):
    """A mail that is owed to a player, written in the transaction that causes it.

    `mail_key` makes it unique (`turn:12:31`): planning the same mail twice gives one. The message itself is rendered
    for each attempt, outside any request. Its Message-ID stays, so that a mail handed over twice after a crash is
    recognised as one. `state` goes from `waiting` to `sent`, `dropped` (no longer true, or not wanted), `failed` (given
    up) or `kept` (in the embedded mailbox; only there is `message` stored).
    """

    __tablename__ = "outbox_mail"
    __table_args__ = (
        one_of("state", MailState),
        one_of("mail_group", MailGroup),
        index_where("state = 'waiting'", "ix_outbox_mail_due_at", "due_at"),
        # Reminders still to be sent absorb others for the same player.
        index_where("state = 'waiting' AND kind = 'reminder'", "ix_outbox_mail_reminders", "player_id"),
        # News about passed deadlines goes out together, and a few times a day at most.
        index_where("mail_group = 'clock'", "ix_outbox_mail_clock", "player_id", "sent_at"),
        # News goes out with its reader's digest.
        index_where("mail_group = 'news'", "ix_outbox_mail_news", "player_id", "sent_at"),
        # Failed mails are counted and listed, and there are few of them.
        index_where("state = 'failed'", "ix_outbox_mail_failed", "sent_at"),
        # What sent mails said is forgotten after a while.
        index_where("state = 'sent' AND details <> '{}'", "ix_outbox_mail_said", "sent_at"),
    )

    mail_key: str = Field(max_length=120, unique=True)
    kind: str = Field(max_length=30)
    mail_group: MailGroup | None = Field(default=None, sa_type=Status(MailGroup, 5))
    """None where a process of a version without it has put the mail in, until it is leased."""
    player_id: int | None = Field(default=None, foreign_key="player.id", ondelete="CASCADE")
    address: str = Field(max_length=254)
    game_id: int | None = Field(default=None, foreign_key="game.id", ondelete="CASCADE", index=True)
    seat: str | None = Field(default=None, max_length=30)
    number: int | None = None
    """The decision that the mail is about; the mail is dropped once it has been made."""
    details: dict[str, Any] = Field(sa_type=Document)
    state: MailState = Field(default=MailState.WAITING, sa_type=Status(MailState, 10))
    tried_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it was last tried without success."""
    last_error: str | None = Field(default=None, sa_type=Text)
    message_id: str | None = Field(default=None, max_length=80)
    """The part of its Message-ID before the `@`, from the first rendering on."""
    rendered_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    message: bytes | None = Field(default=None, sa_type=LargeBinary)
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    answer: str | None = Field(default=None, sa_type=Text)
    """The mail host's answer when it took it."""
    bounced_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When a report came that a mail the host had taken did not arrive: it is `failed` from then on."""
    seen_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When its reader first did something with it. (Fetching a page says nothing: programs do that.)"""
    answered_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    answered_by: str | None = Field(default=None, max_length=5)
    """`page` or `mail`."""
    again_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When an operator last had it resent."""
    again_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")


class InboundVerdict(StrEnum):
    """The verdict on an incoming mail."""

    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"
    BOUNCE = "bounce"
    REPORT = "report"
    AUTOMATIC = "automatic"
    BULK = "bulk"
    OWN = "own"
    NO_TAG = "no_tag"
    NOT_OWED = "not_owed"
    STRANGER = "stranger"
    UNPROVEN = "unproven"
    REPLY = "reply"


class InboundMail(SQLModel, table=True):
    """An incoming mail and the verdict on it; stored for 30 days, without its text."""

    __tablename__ = "inbound_mail"
    __table_args__ = (
        one_of("verdict", InboundVerdict),
        Index("ix_inbound_mail_at", "at"),
        Index("ix_inbound_mail_about", "about"),
        Index("ix_inbound_mail_answered", "answered_to", "at"),
    )

    id: int = Field(default=None, primary_key=True)
    message_key: str = Field(max_length=64, unique=True)
    """A hash of its Message-ID, or of the whole mail if it has none: delivering it again gets no second answer."""
    at: datetime = Field(sa_type=UTCDateTime)
    size: int
    verdict: InboundVerdict = Field(sa_type=Status(InboundVerdict, 12))
    mail_id: int | None = Field(default=None, foreign_key="outbox_mail.id", ondelete="SET NULL", index=True)
    """The mail of ours that it is about."""
    about: str | None = Field(default=None, max_length=80)
    """The decision that it is about, for counting answers."""
    answered_to: str | None = Field(default=None, max_length=40)
    """A hash of the address that got an answer."""
    details: dict[str, Any] = Field(sa_type=Document)


class BouncedAddress(SQLModel, table=True):
    """An address that bounces: no mails go there until a person says that it works again."""

    __tablename__ = "bounced_address"

    address_key: str = Field(primary_key=True, max_length=254)
    """In lower case."""
    at: datetime = Field(sa_type=UTCDateTime)
    reason: str = Field(sa_type=Text)
    mail_id: int | None = Field(default=None, foreign_key="outbox_mail.id", ondelete="SET NULL", index=True)


class MailRoute(SQLModel, table=True):
    """The route to a mail host, for all processes that use it: whether mails go out now, and since when they do not.

    Pauses that follow one another within an hour are one incident, and operators are told about it once.
    """

    __tablename__ = "mail_route"

    host: str = Field(primary_key=True, max_length=260)
    """Name and port."""
    taken_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it last accepted a mail, to the second."""
    paused_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Since when only probe mails are sent; None while mails flow."""
    stage: str | None = Field(default=None, max_length=10)
    """How far the mails that caused the pause got."""
    reason: str | None = Field(default=None, sa_type=Text)
    """What the host said last, or why it could not be reached."""
    probe_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When one mail is tried next."""
    probes: int = 0
    resumed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the last pause ended."""
    incident_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    times: int = 0
    """Pauses in the incident."""
