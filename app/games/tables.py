"""A game: its table and seats, the log of everything that happened, and the state stored beside the log."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Document, Status, UTCDateTime, index_where, one_of

END_IS_MISSING = "end_hash IS NULL AND ended_at IS NOT NULL AND started_at IS NOT NULL AND seed_number IS NOT NULL"
"""Condition for finished games whose end hash is still to be computed (`app.play.fairness.ends`)."""


class GameStatus(StrEnum):
    """The stages of a game, from its table to its end."""

    OPEN = "open"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


class GameSource(StrEnum):
    """The origin of a game."""

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
        # Sweeps cost only what is due, and lists of tables only what is open: these indexes hold nothing else.
        index_where("remind_at IS NOT NULL", "ix_game_remind_at", "remind_at"),
        index_where("check_at IS NOT NULL", "ix_game_check_at", "check_at"),
        # The archive: pages of it, newest first, of all titles or of one.
        index_where("status = 'over'", "ix_game_over", "ended_at", "id"),
        index_where("status = 'over'", "ix_game_over_title", "title", "ended_at", "id"),
        # Games to watch, the most recently moved first: the first page and its list read only as many as they show.
        index_where("status = 'running'", "ix_game_running", "asked_at", "id"),
        index_where(END_IS_MISSING, "ix_game_end_missing", "id"),
        index_where("status = 'open'", "ix_game_open", "made_by"),
    )

    id: int = Field(default=None, primary_key=True)
    title: str = Field(max_length=40)
    options: dict[str, Any] = Field(sa_type=Document)
    status: GameStatus = Field(default=GameStatus.OPEN, sa_type=Status(GameStatus, 10))
    pace: dict[str, Any] = Field(sa_type=Document)
    """How much time there is for a decision, and what happens when it is over (see `app.clocks.pace`)."""
    calendar_id: int | None = Field(default=None, foreign_key="holiday_calendar.id", ondelete="SET NULL", index=True)
    """The holidays on which this game's clocks stand still."""
    drawn: bool = False
    """Whether sides are drawn when the game starts."""
    made_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    rematch_of: int | None = Field(default=None, foreign_key="game.id", ondelete="SET NULL")
    source: GameSource = Field(default=GameSource.PLAYED, sa_type=Status(GameSource, 10))
    created_at: datetime = Field(sa_type=UTCDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    seed: str | None = Field(default=None, max_length=64)
    """32 secret bytes in hexadecimal, from which every outcome of chance derives: the seed of `seed_number`, bound when
    the table is created."""
    seed_number: int | None = Field(default=None, index=True, unique=True)
    """None for a game of `postroad-chance-1`, which has its own seed and the salts of its players."""
    rules: int = Field(default=1, sa_column_kwargs={"server_default": text("1")})
    """The number of the title's rules with which it began (`Title.rules`)."""
    chance_used: int = 0
    number: int = 0
    entries: int = 0
    """The number of entries in the log."""
    decides: str | None = Field(default=None, max_length=30)
    kind: str | None = Field(default=None, max_length=40)
    on_turn: str | None = Field(default=None, max_length=30)
    turn: int = 0
    asked_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    mailed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the clock of this decision started: its mail was accepted by the host or put in the mailbox, or the seat
    needed none. Until then the deadline is provisional and nobody is late."""
    extra_seconds: int = 0
    """Extra time granted for this decision."""
    deadline_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """The deadline computed by `app.clocks` from this row, the seat's bank, leave, outages and holidays; stored so that
    sweeps find it. Any change to one of those rewrites it in the same transaction."""
    changed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When `mailed_at`, `deadline_at` or the players last changed other than by a move: a calendar read before that is
    out of date."""
    remind_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    check_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When the sweep of cases must next look at this game."""
    result: dict[str, Any] | None = Field(default=None, sa_type=Document)
    end_hash: str | None = Field(default=None, max_length=64)
    """The number of everything that was played, for the public list of seeds (docs/provable-chance.md, "The end"): set
    a moment after the end."""
    is_private: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    """Whether only its players see it and no list names it. Set when its table is created; never changes."""
    note: str = Field(default="", max_length=80, sa_column_kwargs={"server_default": text("''")})
    """The host's note about the table, for those who see it."""
    least_reliability: int | None = None
    """Players who take an open seat must have finished at least this percentage of their games on time; None: anybody
    may."""
    is_rated: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    """Whether it counts for casual ratings. Set before anybody sits down; with a program it is not, from its start."""
    has_computer: bool = Field(default=False, sa_column_kwargs={"server_default": text("false")})
    """Whether the computer plays in it: such a game counts for nothing, and no list for others names it."""
    brought: dict[str, Any] | None = Field(default=None, sa_type=Document)
    """What else the record of an imported game held, including its proof: exported again as it came."""


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
    """Who may take the seat while it is empty: the player invited by mail, anybody, or anyone with the private link."""
    player_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL", index=True)
    held_by: str | None = Field(default=None, max_length=20)
    """Who plays a seat without a player: the computer at a level (`club`, or `club 2` for the second one there), or
    a person without an account, by a link alone (`guest fr`, with their language)."""
    named: str | None = Field(default=None, max_length=60)
    """Who played here, as the record of an imported game says."""
    standing: str = Field(default="", sa_type=Text)
    """Standing orders, a line each."""
    ends_turn: int | None = None
    """The turn whose end the seat has announced in advance: it is played as soon as others have answered and the seat
    owes nothing else. Only its own seat sees it."""
    mailed: str = Field(default="", max_length=6, sa_column_kwargs={"server_default": text("''")})
    """How the player wanted to hear of turns here, from version 1.0. Not read any more."""
    bank_seconds: int | None = None
    """What was left in the seat's bank before the decision that is owed; None if the pace has no bank."""
    salt: str | None = Field(default=None, max_length=64)
    """What the player added to the chance of a game without a numbered seed."""
    chat_read: int = Field(default=0, sa_column_kwargs={"server_default": text("0")})
    """The number of the last message of the chat that was read here on the page of the game."""


class GameState(SQLModel, table=True):
    """The state after the last entry: a cache of the log, rebuilt by `postroad game rebuild`."""

    __tablename__ = "game_state"

    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE", primary_key=True)
    entry: int
    state: str = Field(sa_type=Text)
    """JSON text; read only when the state is needed."""


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
    """One action with its outcomes of chance and its events. Never changed, never deleted while the game exists.

    An entry of cause `takeback` has neither action nor events: the state after it is the one after entry `back_to`.
    `cause` tells who answered: the seat itself, its standing orders, the server because the answer was forced, the end
    of its turn announced in advance (`end` is one of an earlier version, which ended turns itself); `open` is the first
    entry, which has no action. A seat leaves by itself (`resign`), on time, or by a ruling.
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
    """An answered decision and the result of its POST, so that repeating the POST gets the same answer.

    One POST can answer several decisions: those of standing orders in between and its own later ones. They have rows
    too; `orders` is empty there.
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
    """How long the seat's clock ran, without standstills; None if no clock ran."""
    banks: dict[str, Any] | None = Field(default=None, sa_type=Document)
    """The seconds in each seat's bank before it was made, by seat; None if the pace has no bank."""
    orders: str | None = Field(default=None, sa_type=Text)
    """The lines as sent, normalised; None when the server answered."""
    last_entry: int
    """The last entry when its POST was answered."""
    next_number: int
    """The decision owed at that point."""
    played: int = 0
    """How many lines of `orders` were committed."""
    refused: dict[str, Any] | None = Field(default=None, sa_type=Document)
    """The refusal of the next line, if it was refused: code, rule, line."""


class Draft(SQLModel, table=True):
    """Lines of a turn that were prepared but not sent; useless once the decision is made.

    With `held_until` they are sealed, and will be played at that moment as the answer to decision `number`; until then
    they can be taken back, and only the seat knows. If that decision ends otherwise, they are a draft again.
    """

    __table_args__ = (
        UniqueConstraint("game_id", "seat"),
        index_where("held_until IS NOT NULL", "ix_draft_held_until", "held_until"),
    )

    id: int = Field(default=None, primary_key=True)
    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE")
    seat: str = Field(max_length=30)
    number: int
    lines: str = Field(default="", sa_type=Text)
    changed_at: datetime = Field(sa_type=UTCDateTime)
    sealed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When they were sealed: the clock of the decision runs until then."""
    held_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ahead: dict[str, Any] | None = Field(default=None, sa_type=Document)
    """The answers to foreseen questions, sealed with them."""
