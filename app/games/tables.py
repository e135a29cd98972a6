"""A game: its table and seats, the log of all that happened, and the state kept beside the log."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from app.base.columns import Document, Status, UTCDateTime, one_of

END_IS_MISSING = "end_hash IS NULL AND ended_at IS NOT NULL AND started_at IS NOT NULL AND seed_number IS NOT NULL"
"""Of games that were played and have ended, those whose end is still to be worked out (`app.play.fairness.ends`)."""


class GameStatus(StrEnum):
    """From its table to its end."""

    OPEN = "open"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


class GameSource(StrEnum):
    """Where a game comes from."""

    PLAYED = "played"
    IMPORTED = "imported"


class Game(SQLModel, table=True):
    """A game from its table to its end. While it runs, the columns from `number` on say which decision is owed.

    `number` counts the decisions from 1; the one with this number has not been made. It stays when the game is over.
    """

    __table_args__ = (
        one_of("status", GameStatus),
        CheckConstraint("number >= 0 AND chance_used >= 0", name="counts"),
        CheckConstraint("(status = 'running') = (decides IS NOT NULL)", name="decides_while_running"),
        # Sweeps cost what is due, and lists of tables what is open: these indexes hold nothing else.
        Index(
            "ix_game_remind_at",
            "remind_at",
            sqlite_where=text("remind_at IS NOT NULL"),
            postgresql_where=text("remind_at IS NOT NULL"),
        ),
        Index(
            "ix_game_check_at",
            "check_at",
            sqlite_where=text("check_at IS NOT NULL"),
            postgresql_where=text("check_at IS NOT NULL"),
        ),
        # The archive: whole pages of it, newest first, of all titles or of one.
        Index(
            "ix_game_over",
            "ended_at",
            "id",
            sqlite_where=text("status = 'over'"),
            postgresql_where=text("status = 'over'"),
        ),
        Index(
            "ix_game_over_title",
            "title",
            "ended_at",
            "id",
            sqlite_where=text("status = 'over'"),
            postgresql_where=text("status = 'over'"),
        ),
        # Games to watch, the last to have moved first: the first page and its list read as many as they show.
        Index(
            "ix_game_running",
            "asked_at",
            "id",
            sqlite_where=text("status = 'running'"),
            postgresql_where=text("status = 'running'"),
        ),
        Index(
            "ix_game_end_missing",
            "id",
            sqlite_where=text(END_IS_MISSING),
            postgresql_where=text(END_IS_MISSING),
        ),
        Index(
            "ix_game_open",
            "made_by",
            sqlite_where=text("status = 'open'"),
            postgresql_where=text("status = 'open'"),
        ),
    )

    id: int = Field(default=None, primary_key=True)
    title: str = Field(max_length=40)
    options: dict[str, Any] = Field(sa_type=Document)
    status: GameStatus = Field(default=GameStatus.OPEN, sa_type=Status(GameStatus, 10))
    pace: dict[str, Any] = Field(sa_type=Document)
    """How much time there is for a decision, and what happens when it is over (see `app.clocks.pace`)."""
    calendar_id: int | None = Field(default=None, foreign_key="holiday_calendar.id", ondelete="SET NULL", index=True)
    """The holidays on which the clocks of this game stand still."""
    drawn: bool = False
    """Sides are drawn when the game starts."""
    made_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    rematch_of: int | None = Field(default=None, foreign_key="game.id", ondelete="SET NULL")
    source: GameSource = Field(default=GameSource.PLAYED, sa_type=Status(GameSource, 10))
    created_at: datetime = Field(sa_type=UTCDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    seed: str | None = Field(default=None, max_length=64)
    """32 secret bytes in hexadecimal, from which every outcome of chance derives: that of `seed_number`, bound when
    the table is made."""
    seed_number: int | None = Field(default=None, index=True, unique=True)
    """None for a game of `postroad-chance-1`, which has a seed of its own and the salts of its players."""
    chance_used: int = 0
    number: int = 0
    entries: int = 0
    """How many entries the log has."""
    decides: str | None = Field(default=None, max_length=30)
    kind: str | None = Field(default=None, max_length=40)
    on_turn: str | None = Field(default=None, max_length=30)
    turn: int = 0
    asked_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    mailed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the clock of this decision started: its mail was accepted by the host or lay in the mailbox, or the seat
    needed none. Until then the deadline is provisional and nobody is late."""
    extra_seconds: int = 0
    """Time granted for this decision on top of the pace's."""
    deadline_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """What `app.clocks` computes from this row, the seat's bank, leave, outages and holidays; kept here so that sweeps
    find it. Whatever changes one of those writes it anew in the same transaction."""
    changed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When `mailed_at`, `deadline_at` or who sits here last changed otherwise than by a move: a calendar that was read
    before is out of date."""
    remind_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    check_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the sweep of cases must look at this game next."""
    result: dict[str, Any] | None = Field(default=None, sa_type=Document)
    end_hash: str | None = Field(default=None, max_length=64)
    """The number of all that was played, for the public list of seeds (docs/provable-chance.md, "The end"): a moment
    after the end."""
    is_private: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    """Only those who play in it see it, and no list names it. Said when its table is made, for good."""
    note: str = Field(default="", max_length=80, sa_column_kwargs={"server_default": text("''")})
    """What the host says of the table, to those who see it."""
    least_reliability: int | None = None
    """Whoever takes an open seat has lost at most the rest of their games on time, in percent; None: whoever likes."""
    is_rated: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    """Whether it counts for the ratings of casual play. Said before anybody sits down, and never changed."""
    brought: dict[str, Any] | None = Field(default=None, sa_type=Document)
    """What else the record of an imported game held, its proof among it: exported again as it came."""


class SeatOffer(StrEnum):
    """To whom an empty seat is offered."""

    MAIL = "mail"
    OPEN = "open"
    LINK = "link"


class GameSeat(SQLModel, table=True):
    """A seat of a game and who sits there; `place` is the order of play from 0."""

    __tablename__ = "game_seat"
    __table_args__ = (
        UniqueConstraint("game_id", "seat"),
        UniqueConstraint("game_id", "place"),
        one_of("offer", SeatOffer),
    )

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE")
    seat: str = Field(max_length=30)
    place: int
    offer: SeatOffer | None = Field(default=None, sa_type=Status(SeatOffer, 4))
    """Who may take the seat while it is empty: the player invited by mail, anybody, whoever has the private link."""
    player_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL", index=True)
    standing: str = Field(default="", sa_type=Text)
    """Standing orders, a line each."""
    ends_turn: int | None = None
    """The turn whose end the seat has said ahead: it is played as soon as others have answered and the seat owes
    nothing else. Only its own seat sees it."""
    mailed: str = Field(default="", max_length=6, sa_column_kwargs={"server_default": text("''")})
    """How the player hears of turns in this game: by a mail for each (`each`), by the one with all that waits alone
    (`digest`), or as on the account page (empty)."""
    bank_seconds: int | None = None
    """What was left of the seat's bank of time before the decision that is owed; None where the pace has no bank."""
    salt: str | None = Field(default=None, max_length=64)
    """What the player added to the chance of a game without a numbered seed."""


class GameState(SQLModel, table=True):
    """The state after the last entry: a cache of the log, made again by `postroad game rebuild`."""

    __tablename__ = "game_state"

    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE", primary_key=True)
    entry: int
    state: str = Field(sa_type=Text)
    """JSON text; read only where the state is needed."""


class LogCause(StrEnum):
    """Who answered, or why there is an entry."""

    OPEN = "open"
    SEAT = "seat"
    STANDING = "standing"
    FORCED = "forced"
    END = "end"
    RESIGN = "resign"
    AGREED = "agreed"
    TIME = "time"
    RECORD = "record"
    TAKEBACK = "takeback"
    AHEAD = "ahead"
    RULING = "ruling"


class LogEntry(SQLModel, table=True):
    """One action with what chance gave and what happened. Never changed, never deleted while the game lives.

    An entry of cause `takeback` has neither action nor events: the state after it is the one after entry `back_to`.
    `cause` tells who answered: the seat itself, its standing orders, the server where the answer was forced, the end
    of its turn that it said ahead (`end` is one of an earlier version, which ended turns itself); `open` is the first
    entry, which has no action. A seat that leaves does so by itself (`resign`), on time, or by a ruling.
    """

    __tablename__ = "log_entry"
    __table_args__ = (
        UniqueConstraint("game_id", "number"),
        one_of("cause", LogCause),
    )

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE")
    number: int
    decision: int
    """The number of the decision that it answers or belongs to; 0 for the opening."""
    turn: int
    seat: str | None = Field(default=None, max_length=30)
    kind: str | None = Field(default=None, max_length=40)
    cause: LogCause = Field(sa_type=Status(LogCause, 10))
    line: str | None = Field(default=None, sa_type=Text)
    action: dict[str, Any] | None = Field(default=None, sa_type=Document)
    chance: list[Any] = Field(sa_type=Document)
    events: list[Any] = Field(sa_type=Document)
    back_to: int | None = None
    at: datetime = Field(sa_type=UTCDateTime)


class DecisionMade(SQLModel, table=True):
    """An answered decision, and what its POST gave, so that the same POST again is answered alike.

    One POST can answer several decisions: those of standing orders in between and its own later ones. They have
    rows too; `orders` is empty there.
    """

    __tablename__ = "decision_made"
    __table_args__ = (UniqueConstraint("game_id", "number"),)

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE")
    number: int
    seat: str = Field(max_length=30)
    kind: str = Field(max_length=40)
    turn: int
    asked_at: datetime = Field(sa_type=UTCDateTime)
    mailed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    deadline_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    made_at: datetime = Field(sa_type=UTCDateTime)
    used_seconds: int | None = None
    """How long the seat's clock ran, standstills left out; None where no clock ran."""
    banks: dict[str, Any] | None = Field(default=None, sa_type=Document)
    """The seconds that were in the bank of each seat before it was made, by seat; None where the pace has no bank."""
    orders: str | None = Field(default=None, sa_type=Text)
    """The lines as they were sent, normalised; None when the server answered."""
    last_entry: int
    """The entry after which its POST was answered."""
    next_number: int
    """The decision that was owed then."""
    played: int = 0
    """How many lines of `orders` were committed."""
    refused: dict[str, Any] | None = Field(default=None, sa_type=Document)
    """The refusal of the line after them, if one was refused: code, rule, line."""


class Draft(SQLModel, table=True):
    """Lines of a turn put together but not sent; worthless once the decision is made.

    With `held_until` they are sealed, and will be played then as the answer to decision `number`; until then they can
    be taken back, and nobody but the seat knows of it. When that decision ends otherwise, they are a draft again.
    """

    __table_args__ = (
        UniqueConstraint("game_id", "seat"),
        Index(
            "ix_draft_held_until",
            "held_until",
            sqlite_where=text("held_until IS NOT NULL"),
            postgresql_where=text("held_until IS NOT NULL"),
        ),
    )

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE")
    seat: str = Field(max_length=30)
    number: int
    lines: str = Field(default="", sa_type=Text)
    changed_at: datetime = Field(sa_type=UTCDateTime)
    sealed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When they were sealed: the clock of the decision is charged until then."""
    held_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ahead: dict[str, Any] | None = Field(default=None, sa_type=Document)
    """The answers to foreseen questions that were sealed with them."""
