"""Clubs and leagues: who belongs to a club, its events, their rounds and results, and what was decided about them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from app.base.columns import Document, UTCDateTime


class Club(SQLModel, table=True):
    """A club with a page of its own at `/clubs/SLUG`."""

    id: int = Field(default=None, primary_key=True)
    slug: str = Field(max_length=40, unique=True)
    name: str = Field(max_length=60)
    about: str = Field(default="", sa_type=Text)
    language: str = Field(default="en", max_length=2)
    zone: str = Field(default="UTC", max_length=64)
    made_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    made_at: datetime = Field(sa_type=UTCDateTime)
    join_version: int = 1
    """Goes up when the club wants a new joining link; older ones are dead."""


class Member(SQLModel, table=True):
    """A player in a club, with the highest of their roles."""

    __tablename__ = "club_member"
    __table_args__ = (
        UniqueConstraint("club_id", "player_id"),
        CheckConstraint("role IN ('owner', 'organiser', 'deputy', 'referee', 'member')", name="role"),
        CheckConstraint("status IN ('invited', 'member', 'left')", name="status"),
    )

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    role: str = Field(default="member", max_length=10)
    status: str = Field(default="invited", max_length=7)
    since: datetime = Field(sa_type=UTCDateTime)


class Season(SQLModel, table=True):
    """A stretch of a club's year; `previous_id` is the season that it was drafted from."""

    __table_args__ = (UniqueConstraint("club_id", "name"),)

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    name: str = Field(max_length=60)
    starts_on: date | None = None
    ends_on: date | None = None
    previous_id: int | None = Field(default=None, foreign_key="season.id", ondelete="SET NULL")


class Event(SQLModel, table=True):
    """A competition of one title in one format, wholly described by data (see `app.leagues.pure.terms`)."""

    __table_args__ = (
        CheckConstraint("status IN ('draft', 'sign_up', 'running', 'over', 'cancelled')", name="status"),
        CheckConstraint(
            "format IN ('round_robin', 'swiss', 'knockout', 'ladder', 'tables', 'stages')",
            name="format",
        ),
        Index("ix_event_club", "club_id", "id"),
    )

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    season_id: int | None = Field(default=None, foreign_key="season.id", ondelete="SET NULL", index=True)
    name: str = Field(max_length=80)
    status: str = Field(default="draft", max_length=9)
    title: str = Field(max_length=40)
    options: dict[str, Any] = Field(sa_type=Document)
    pace: dict[str, Any] = Field(sa_type=Document)
    calendar_id: int | None = Field(default=None, foreign_key="holiday_calendar.id", ondelete="SET NULL")
    format: str = Field(max_length=12)
    terms: dict[str, Any] = Field(sa_type=Document)
    """Rounds, legs, table sizes, points, tie-breaks, rules for time-outs, withdrawals, substitutes and appeals, limits
    of sign-up, promotion and relegation."""
    lots: str = Field(max_length=64)
    """Where drawing of lots comes from: made at the start, shown on the page."""
    made_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    made_at: datetime = Field(sa_type=UTCDateTime)
    sign_up_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class Division(SQLModel, table=True):
    """A part of an event that plays among itself; `level` 1 is the highest. An event has at least one."""

    __table_args__ = (UniqueConstraint("event_id", "name"),)

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE")
    name: str = Field(max_length=60)
    level: int = 1
    promoted: int = 0
    relegated: int = 0


class Entry(SQLModel, table=True):
    """A player in an event: playing, in reserve, or withdrawn."""

    __tablename__ = "event_entry"
    __table_args__ = (
        UniqueConstraint("event_id", "player_id"),
        CheckConstraint("status IN ('entered', 'reserve', 'withdrawn', 'removed')", name="status"),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE")
    division_id: int | None = Field(default=None, foreign_key="division.id", ondelete="SET NULL", index=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    status: str = Field(default="entered", max_length=9)
    seed: int = 0
    """The pairing number, set at the start; 0 before."""
    rating: float | None = None
    """At entry."""
    joined_round: int = 1
    withdrawn_after: int | None = None
    away: list[Any] = Field(sa_type=Document)
    """Rounds without a game."""
    byes: list[Any] = Field(sa_type=Document)
    """Rounds for which a bye was asked for and granted."""
    entered_at: datetime = Field(sa_type=UTCDateTime)


class EventRound(SQLModel, table=True):
    """A round of a division: a draft until it is published, closed when its results stand."""

    __tablename__ = "event_round"
    __table_args__ = (
        UniqueConstraint("division_id", "number"),
        CheckConstraint("status IN ('draft', 'published', 'closed')", name="status"),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    division_id: int = Field(foreign_key="division.id", ondelete="CASCADE")
    number: int
    status: str = Field(default="draft", max_length=9)
    why: dict[str, Any] = Field(sa_type=Document)
    """Warnings and totals of the pairing."""
    version: int = 1
    """Of the draft: an edit or a publication names the one it was made from."""
    made_at: datetime = Field(sa_type=UTCDateTime)
    published_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When its games should be over."""
    closed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class PairingJob(SQLModel, table=True):
    """A pairing that somebody asked for and that is worked out beside the pages; a draft comes of it."""

    __tablename__ = "pairing_job"
    __table_args__ = (
        CheckConstraint("state IN ('open', 'done', 'failed', 'cancelled')", name="state"),
        CheckConstraint("step IN ('waiting', 'reading', 'pairing')", name="step"),
        Index("ix_pairing_job_due", "due_at", sqlite_where=text("state = 'open'"),
              postgresql_where=text("state = 'open'")),
        Index("uq_pairing_job_open", "division_id", unique=True, sqlite_where=text("state = 'open'"),
              postgresql_where=text("state = 'open'")),
        Index("ix_pairing_job_division", "division_id", "id"),
    )  # fmt: skip

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    division_id: int = Field(foreign_key="division.id", ondelete="CASCADE")
    number: int
    """Of the round."""
    version: int = 0
    """Of the draft that was there when the pairing was asked for; 0 for none. Another one is left alone."""
    asked_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    asked_at: datetime = Field(sa_type=UTCDateTime)
    once: str | None = Field(default=None, max_length=120, unique=True)
    """The token of the form: pressed twice is one job."""
    state: str = Field(default="open", max_length=9)
    step: str = Field(default="waiting", max_length=7)
    share: int = 0
    """How much is done, of 100."""
    claimed_by: str | None = Field(default=None, max_length=12)
    due_at: datetime = Field(sa_type=UTCDateTime)
    """When it may be taken up; while somebody works on it, when they are given up."""
    attempts: int = 0
    why: dict[str, Any] | None = Field(default=None, sa_type=Document)
    """What was against it, as a sentence to be said in the reader's language."""
    round_id: int | None = Field(default=None, foreign_key="event_round.id", ondelete="SET NULL", index=True)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class Match(SQLModel, table=True):
    """One pairing of a round, or a bye: its game once it is published, its result once it is known."""

    __tablename__ = "event_match"
    __table_args__ = (
        UniqueConstraint("round_id", "number"),
        CheckConstraint(
            "ended IN ('', 'played', 'walkover', 'double_forfeit', 'pairing_bye', 'full_bye', 'half_bye', 'zero_bye',"
            " 'void')",
            name="ended",
        ),
    )

    id: int = Field(default=None, primary_key=True)
    round_id: int = Field(foreign_key="event_round.id", ondelete="CASCADE")
    number: int
    leg: int = 1
    game_id: int | None = Field(default=None, foreign_key="game.id", ondelete="SET NULL", unique=True)
    ended: str = Field(default="", max_length=14)
    """How it came by its points (`app.leagues.pure.model`); empty while it is open."""
    source: str = Field(default="", max_length=10)
    """`game`, `ruling`, `correction`, `withdrawal`, `bye`, `import`."""
    why: dict[str, Any] = Field(sa_type=Document)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class MatchSeat(SQLModel, table=True):
    """An entrant at a match, in the order of seats, with what they got from it. Points are written as fractions."""

    __tablename__ = "match_seat"
    __table_args__ = (UniqueConstraint("match_id", "place"),)

    id: int = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="event_match.id", ondelete="CASCADE")
    place: int
    entry_id: int = Field(foreign_key="event_entry.id", ondelete="CASCADE", index=True)
    points: str | None = Field(default=None, max_length=12)
    score: int | None = None
    """Victory points."""
    by_time: bool = False
    """Lost by time."""
    played_by: list[Any] = Field(sa_type=Document)
    """Entries that held the seat before a substitute took it over: [entry, up to which decision]."""


class Ruling(SQLModel, table=True):
    """A claim of a player, or a passed deadline, that somebody has to decide; with appeal to somebody else."""

    __table_args__ = (
        CheckConstraint("status IN ('open', 'decided', 'appealed', 'final', 'withdrawn')", name="status"),
        Index("ix_ruling_event_status", "event_id", "status"),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE")
    match_id: int | None = Field(default=None, foreign_key="event_match.id", ondelete="CASCADE", index=True)
    case_id: int | None = Field(default=None, foreign_key="overdue_case.id", ondelete="SET NULL", index=True)
    status: str = Field(default="open", max_length=9)
    opened_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    """None: the server, at a passed deadline."""
    claim: str = Field(default="", sa_type=Text)
    opened_at: datetime = Field(sa_type=UTCDateTime)
    decision: str | None = Field(default=None, max_length=20)
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
        CheckConstraint("status IN ('called', 'accepted', 'declined', 'expired', 'withdrawn')", name="status"),
        Index(
            "ix_reserve_call_answer_by",
            "answer_by",
            sqlite_where=text("status = 'called'"),
            postgresql_where=text("status = 'called'"),
        ),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    leaver_id: int = Field(foreign_key="event_entry.id", ondelete="CASCADE")
    """Whose seats are taken over."""
    entry_id: int = Field(foreign_key="event_entry.id", ondelete="CASCADE", index=True)
    status: str = Field(default="called", max_length=9)
    called_at: datetime = Field(sa_type=UTCDateTime)
    answer_by: datetime = Field(sa_type=UTCDateTime)
    answered_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class Rating(SQLModel, table=True):
    """A player's rating at one title, as it stands; made again from the results by `postroad league ratings`."""

    __table_args__ = (
        UniqueConstraint("player_id", "title", "system"),
        CheckConstraint("system IN ('glicko2', 'openskill')", name="system"),
        Index("ix_rating_title", "title", "system", "rating"),
    )

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE")
    title: str = Field(max_length=40)
    system: str = Field(max_length=9)
    rating: float
    deviation: float
    volatility: float | None = None
    games: int = 0
    changed_at: datetime = Field(sa_type=UTCDateTime)


class RatingChange(SQLModel, table=True):
    """What one match did to a player's rating. A result that was taken over from a list has no game."""

    __tablename__ = "rating_change"
    __table_args__ = (UniqueConstraint("player_id", "match_id", "system"),)

    id: int = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE")
    match_id: int = Field(foreign_key="event_match.id", ondelete="CASCADE", index=True)
    game_id: int | None = Field(default=None, foreign_key="game.id", ondelete="CASCADE", index=True)
    title: str = Field(max_length=40)
    system: str = Field(max_length=9)
    before: float
    after: float
    deviation: float
    at: datetime = Field(sa_type=UTCDateTime)


class Audit(SQLModel, table=True):
    """An act of an organiser or of the system. Never changed. `once` lets a button that is pressed twice act once."""

    __tablename__ = "audit_entry"
    __table_args__ = (Index("ix_audit_entry_club", "club_id", "id"),)

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    event_id: int | None = Field(default=None, foreign_key="event.id", ondelete="CASCADE", index=True)
    at: datetime = Field(sa_type=UTCDateTime)
    by_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    act: str = Field(max_length=40)
    subject: str = Field(default="", max_length=80)
    """What it was done to: `round:3/12` (the round and its division), `entry:17` ..."""
    reason: str = Field(default="", sa_type=Text)
    before: dict[str, Any] | None = Field(default=None, sa_type=Document)
    after: dict[str, Any] | None = Field(default=None, sa_type=Document)
    once: str | None = Field(default=None, max_length=120, unique=True)
    undone_by: int | None = Field(default=None, foreign_key="audit_entry.id", ondelete="SET NULL")


class EventMessage(SQLModel, table=True):
    """A message of an organiser to the people of an event, a division, or those who are late."""

    __tablename__ = "event_message"

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    by_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    to: str = Field(max_length=40)
    subject: str = Field(max_length=120)
    text: str = Field(sa_type=Text)
    recipients: int
    once: str = Field(max_length=64, unique=True)
    at: datetime = Field(sa_type=UTCDateTime)
