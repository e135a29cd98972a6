"""People: who they are, how they sign in, and what they requested by mail."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from unicodedata import combining, normalize

from sqlalchemy import CheckConstraint, Connection, Index, Text, UniqueConstraint, event, inspect, text
from sqlalchemy.orm import Mapper
from sqlmodel import Field, SQLModel, col, select

from app.base.stored.columns import Document, Leased, Status, UTCDateTime, index_where, one_of


class PlayerRole(StrEnum):
    """What a person may do on the server."""

    PLAYER = "player"
    OPERATOR = "operator"


class MailShows(StrEnum):
    """How much of a position is shown in mails about it."""

    HAND = "hand"
    """Everything that the seat knows."""
    TABLE = "table"
    """Only what everybody knows."""
    LINK = "link"
    """Only the link."""


class Player(SQLModel, table=True):
    """A person with an address. `address` is lower case in its domain; `address_key` finds it whatever the case."""

    __table_args__ = (
        CheckConstraint("language IN ('en', 'fr', 'es', 'it')", name="language"),
        one_of("role", PlayerRole),
        Index("ix_player_digest_at", "digest_at"),
        CheckConstraint("(quiet_from IS NULL) = (quiet_to IS NULL)", name="quiet"),
        # Names are searched by their beginning; PostgreSQL needs to be told.
        Index("ix_player_name_key", "name_key", postgresql_ops={"name_key": "varchar_pattern_ops"}),
    )

    id: int = Field(default=None, primary_key=True)
    address: str = Field(max_length=254)
    address_key: str = Field(max_length=254, unique=True)
    second_address: str | None = Field(default=None, max_length=254)
    """Where mails go that the first address does not accept; its owner has confirmed it."""
    name: str = Field(max_length=60)
    name_key: str = Field(default="", max_length=60, sa_column_kwargs={"server_default": text("''")})
    """The name for searching (`searchable`); maintained by the listeners below."""
    sign: str = Field(default="", max_length=10, sa_column_kwargs={"server_default": text("''")})
    """The small picture beside the name (`app.people.signs`); "" for none."""
    looks: str = Field(default="", max_length=16, sa_column_kwargs={"server_default": text("''")})
    """Theme and size of the text for browsers that sign in (`app.web.reader.Looks`): `dark.large`; "" for none."""
    language: str = Field(default="en", max_length=2)
    zone: str = Field(default="UTC", max_length=64)
    zone_chosen: bool | None = None
    """Whether the player has chosen it; False: their browser has named it; None: unknown."""
    role: PlayerRole = Field(default=PlayerRole.PLAYER, sa_type=Status(PlayerRole, 10))
    mail_turns: bool = True
    mail_reminders: bool = True
    mail_news: bool = True
    push_turns: bool = Field(default=True, sa_column_kwargs={"server_default": text("true")})
    """Whether the player's devices are told what the mails of the same name tell, whichever of those are wanted."""
    push_reminders: bool = Field(default=True, sa_column_kwargs={"server_default": text("true")})
    push_news: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    has_device: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    """Whether a device of the player's is told, as far as is known: kept until its loss has been made good."""
    mail_shows: MailShows = Field(
        default=MailShows.HAND, sa_type=Status(MailShows, 5), sa_column_kwargs={"server_default": text("'hand'")}
    )
    digest_hours: str = Field(default="", max_length=80, sa_column_kwargs={"server_default": text("''")})
    """The hours of the player's day at which one mail lists all that waits: `8 18`; empty for none."""
    digest_instead: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    """Whether it replaces the mails about single turns; those with less than a day left come at once."""
    digest_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the next one is due; None if there is none."""
    hold_minutes: int | None = None
    """How many minutes a sealed turn waits before it is played, so that it can be taken back; 0: it is played at once;
    None: never said, so that it is `USUAL_HOLD`."""
    quiet_from: int | None = None
    """Minutes after midnight in the player's zone from which no mail goes out, until `quiet_to`; None: mails at any
    time."""
    quiet_to: int | None = None
    reminders: dict[str, Any] | None = Field(default=None, sa_type=Document)
    """A ladder of the player's own, from version 1.0. Not read any more."""
    auto_leave: bool = True
    """Whether to take a day of leave automatically before the player is late, while the allowance lasts."""
    acted_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The last sign of life: something sent on a page, or an answer by mail (`app.people.life`)."""
    profile_is_public: bool = True
    program_of: str | None = Field(default=None, max_length=40)
    """Who runs the program that plays here, by a name for all to read; None for a person. Never taken back."""
    feed_version: int = 1
    """Increases when the player wants new private keys for the feeds; links with another number are dead."""
    erased_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the account was erased; the row stays, without anything that identifies the person. Set from the first in
    the rows that the computer plays events as (`app.people.computers`)."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    changed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the name, the language or the zone last changed, since which feeds have other words."""


IS_PROGRAM = select(col(Player.id)).where(col(Player.program_of).is_not(None))
"""The query for the players who are programs."""
USUAL_HOLD = 1
"""Minutes that a sealed turn waits if its player has never said how long: what a title draws cannot be taken back."""
COMPUTER_KEY = "computer:"
"""Begins the key of a row that is the computer, where people have their address; its level follows."""
IS_COMPUTER = col(Player.address_key).startswith(COMPUTER_KEY)


def searchable(name: str) -> str:
    """Return a name without case and accents."""
    plain = "".join(c for c in normalize("NFKD", name.casefold()) if not combining(c))
    return " ".join(plain.split())[:60]


@event.listens_for(Player, "before_insert")
@event.listens_for(Player, "before_update")
def _keep_name_key(mapper: Mapper[Player], connection: Connection, player: Player) -> None:
    player.name_key = searchable(player.name)


@event.listens_for(Player, "before_update")
def _note_change(mapper: Mapper[Player], connection: Connection, player: Player) -> None:
    now = inspect(player)
    if any(now.attrs[name].history.has_changes() for name in ("name", "language", "zone")):
        player.changed_at = datetime.now(UTC)


class SanctionKind(StrEnum):
    """What operators have withdrawn from a player."""

    MUTE = "mute"
    """The player cannot speak at any table."""
    BAN = "ban"
    """The player cannot sign in, create or join anything."""


class Sanction(SQLModel, table=True):
    """A sanction by operators on a player, with the reason; it stays when it is over, as the trail of who did what."""

    __table_args__ = (one_of("kind", SanctionKind),)

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    kind: SanctionKind = Field(sa_type=Status(SanctionKind, 4))
    reason: str = Field(max_length=500)
    until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it ends by itself; None: when it is lifted."""
    made_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    """The operator; None for a command."""
    made_at: datetime = Field(sa_type=UTCDateTime)
    lifted_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    lifted_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    lifted_why: str = Field(default="", max_length=500, sa_column_kwargs={"server_default": text("''")})

    def holds(self, now: datetime) -> bool:
        """Return whether it holds now."""
        return self.lifted_at is None and (self.until is None or self.until > now)


class LinkPurpose(StrEnum):
    """What a mailed link is for."""

    SIGN_IN = "sign_in"
    NEW_ADDRESS = "new_address"
    OLD_ADDRESS = "old_address"


class LoginToken(SQLModel, table=True):
    """A mailed link that signs in once, or confirms a change of address. Only the token's hash is kept."""

    __tablename__ = "login_token"
    __table_args__ = (
        one_of("purpose", LinkPurpose),
        Index("ix_login_token_expires", "expires_at"),
    )

    id: int = Field(default=None, primary_key=True)
    token_hash: str = Field(max_length=64, unique=True)
    purpose: LinkPurpose = Field(sa_type=Status(LinkPurpose, 12))
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    change_id: int | None = Field(default=None, foreign_key="address_change.id", ondelete="CASCADE", index=True)
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    asked_by: str | None = Field(default=None, max_length=64)
    """The hash of a secret of the browser that asked for it; any other one must type the digits in the mail."""
    code_hash: str | None = Field(default=None, max_length=64)
    tries: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    """The number of times wrong digits were typed."""


class AddressChange(SQLModel, table=True):
    """A request for another address; it takes effect when both addresses have confirmed, or at `due_at` unless one of
    them objects."""

    __tablename__ = "address_change"

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    address: str = Field(max_length=254)
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
    confirmed_old_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    confirmed_new_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    done_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When it happens by itself: another person vouches that the old mailbox is gone."""


class SignIn(SQLModel, table=True):
    """A signed-in browser (a session): listed for its owner, ended by deleting it."""

    __tablename__ = "sign_in"
    __table_args__ = (Index("ix_sign_in_expires", "expires_at"),)

    id: int = Field(default=None, primary_key=True)
    token_hash: str = Field(max_length=64, unique=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    device: str = Field(default="", max_length=120)
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
    told: bool | None = None
    """Whether this browser is told of turns; False: it was, and its push service takes nothing for it any more."""


class BlockKind(StrEnum):
    """Not to play with another player, or not to read what they say."""

    BLOCK = "block"
    MUTE = "mute"


class Block(SQLModel, table=True):
    """A player's wish not to play with another (`block`), or not to read what they say (`mute`)."""

    __table_args__ = (
        UniqueConstraint("player_id", "other_id", "kind"),
        one_of("kind", BlockKind),
    )

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE")
    other_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    kind: BlockKind = Field(sa_type=Status(BlockKind, 5))
    made_at: datetime = Field(sa_type=UTCDateTime)


class WebhookKind(StrEnum):
    """The format that a webhook takes."""

    JSON = "json"
    DISCORD = "discord"
    SLACK = "slack"


class Webhook(SQLModel, table=True):
    """An address of the player's that is called when a decision waits, or one of a club that is told of its events:
    plain JSON signed with `secret`, or a channel."""

    __table_args__ = (one_of("kind", WebhookKind),)

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    club_id: int | None = Field(default=None, foreign_key="club.id", ondelete="CASCADE", index=True)
    """The club whose it is; then `player_id` is the organiser who has entered it."""
    kind: WebhookKind = Field(sa_type=Status(WebhookKind, 7))
    url: str = Field(max_length=2000)
    secret: str = Field(max_length=64)
    is_on: bool = True
    failures: int = 0
    """In a row; after too many it is switched off."""
    made_at: datetime = Field(sa_type=UTCDateTime)


class DeliveryState(StrEnum):
    """The state of a delivery."""

    WAITING = "waiting"
    SENT = "sent"
    DROPPED = "dropped"
    FAILED = "failed"


class Owed(Leased):
    """The columns of what is owed to a receiver of a player's."""

    game_id: int | None = Field(default=None, foreign_key="game.id", ondelete="CASCADE", index=True)
    number: int | None = None
    """The decision that it is about."""
    state: DeliveryState = Field(default=DeliveryState.WAITING, sa_type=Status(DeliveryState, 10))
    last_error: str | None = Field(default=None, sa_type=Text)
    sent_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class WebhookDelivery(Owed, table=True):
    """A call owed to a webhook, written in the transaction that causes it, as mails are."""

    __tablename__ = "webhook_call"
    __table_args__ = (
        UniqueConstraint("webhook_id", "call_key"),
        one_of("state", DeliveryState),
        index_where("state = 'waiting'", "ix_webhook_call_due_at", "due_at"),
    )

    webhook_id: int = Field(foreign_key="webhook.id", ondelete="CASCADE")
    call_key: str = Field(max_length=120)
    payload: dict[str, Any] = Field(sa_type=Document)
