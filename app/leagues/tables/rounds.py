"""Rounds of a division: their pairings, games and results, and pairings that are being worked out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar

import sqlalchemy as sa
from sqlalchemy import Dialect, Index, String, TypeDecorator, UniqueConstraint, false, func
from sqlalchemy.orm import Mapped, MappedSQLExpression, aliased, column_property, relationship
from sqlmodel import Field, SQLModel, col, select
from sqlmodel._compat import SQLModelConfig

from app.base.stored.columns import Document, SentenceColumn, Status, UTCDateTime, index_where, one_of
from app.leagues.pure.model import Ending
from app.leagues.pure.why import Reason
from app.leagues.tables.events import Division, Entrant, of_entered_player, of_entrant
from app.people.tables import Player
from engine.kernel.text import Text as Sentence


class RoundStatus(StrEnum):
    DRAFT = "draft"
    PUBLISHED = "published"
    CLOSED = "closed"


class JobState(StrEnum):
    OPEN = "open"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobStep(StrEnum):
    WAITING = "waiting"
    READING = "reading"
    PAIRING = "pairing"


class Source(StrEnum):
    """Where the result of a match comes from."""

    NONE = ""
    GAME = "game"
    RULING = "ruling"
    CORRECTION = "correction"
    WITHDRAWAL = "withdrawal"
    BYE = "bye"
    IMPORT = "import"


class PointsColumn(TypeDecorator[Fraction]):
    """Points, written as fractions."""

    impl = String(12)
    cache_ok = True

    def process_bind_param(self, value: Fraction | None, dialect: Dialect) -> str | None:
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Fraction | None:
        return None if value is None else Fraction(value)


class MatchSeat(SQLModel, table=True):
    """An entrant at a match, in the order of seats, with the points they got."""

    __tablename__ = "match_seat"
    __table_args__ = (UniqueConstraint("match_id", "place"),)

    id: int = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="event_match.id", ondelete="CASCADE")
    place: int
    entry_id: int = Field(foreign_key="event_entry.id", ondelete="CASCADE", index=True)
    points: Fraction | None = Field(default=None, sa_type=PointsColumn)
    score: int | None = None
    """Victory points."""
    by_time: bool = False
    """Lost on time."""
    played_by: list[tuple[int, int | None]] = Field(sa_type=Document)
    """Entries that held the seat before a substitute took it over: [entrant, up to which decision]."""
    as_recorded: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Its game ended while a player who had never moved still got a part of its points, which they keep."""

    player_id: ClassVar[Mapped[int]]
    name: ClassVar[Mapped[str]]
    """Of the player."""
    is_divided: ClassVar[bool] = False
    """The seat changed hands and its points are divided; set on seats read by `round_rows`."""


class Match(SQLModel, table=True):
    """One pairing of a round, or a bye: with its game once it is published, and its result once it is known."""

    __tablename__ = "event_match"
    __table_args__ = (
        UniqueConstraint("round_id", "number"),
        one_of("ended", Ending),
    )

    id: int = Field(default=None, primary_key=True)
    round_id: int = Field(foreign_key="event_round.id", ondelete="CASCADE")
    number: int
    leg: int = 1
    game_id: int | None = Field(default=None, foreign_key="game.id", ondelete="SET NULL", unique=True)
    ended: Ending = Field(default=Ending.OPEN, sa_type=Status(Ending, 14))
    source: Source = Field(default=Source.NONE, sa_type=Status(Source, 10))
    why: dict[str, Any] = Field(sa_type=Document)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)

    seats: ClassVar[Mapped[list[MatchSeat]]]
    """In their order."""

    @property
    def is_bye(self) -> bool:
        return len(self.seats) == 1

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Return why it is played."""
        return _reasons(self.why.get("why", ()))

    @property
    def rejected(self) -> tuple[tuple[int, Reason], ...]:
        """Return the opponents that were rejected, each with the reason."""
        return tuple((opponent, Reason(code, **values)) for opponent, code, values in self.why.get("rejected", ()))


class CompetitionRound(SQLModel, table=True):
    """A round of a division: a draft until it is published, closed when its results stand."""

    __tablename__ = "event_round"
    __table_args__ = (
        UniqueConstraint("division_id", "number"),
        one_of("status", RoundStatus),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    division_id: int = Field(foreign_key="division.id", ondelete="CASCADE")
    number: int
    status: RoundStatus = Field(default=RoundStatus.DRAFT, sa_type=Status(RoundStatus, 9))
    why: dict[str, Any] = Field(sa_type=Document)
    """Warnings and totals of the pairing."""
    version: int = 1
    """The version of the draft: an edit or a publication names the one it was made from."""
    made_at: datetime = Field(sa_type=UTCDateTime)
    published_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    publish_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """For a draft: the hour set by an organiser for its automatic publication."""
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When its games should be over; for a draft with an hour, the end chosen with it."""
    closed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    was_by_row: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Older mails use the number of this row (`id`) in its address instead of that of the round."""

    matches: ClassVar[Mapped[list[Match]]]
    """In the order of their numbers."""
    place: ClassVar[Mapped[str]]
    """The address under its event: `rounds/3`; if that is ambiguous `divisions/2/rounds/3`, with the division's place
    among those of the event.
    """

    @property
    def warnings(self) -> tuple[Reason, ...]:
        return _reasons(self.why.get("warnings", ()))

    @property
    def open_matches(self) -> list[Match]:
        return [match for match in self.matches if not match.ended]


class PairingJob(SQLModel, table=True):
    """A requested pairing that is worked out in the background; it produces a draft."""

    model_config = SQLModelConfig(arbitrary_types_allowed=True)
    __tablename__ = "pairing_job"
    __table_args__ = (
        one_of("state", JobState),
        one_of("step", JobStep),
        index_where("state = 'open'", "ix_pairing_job_due", "due_at"),
        index_where("state = 'open'", "uq_pairing_job_open", "division_id", unique=True),
        Index("ix_pairing_job_division", "division_id", "id"),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    division_id: int = Field(foreign_key="division.id", ondelete="CASCADE")
    number: int
    """Of the round."""
    version: int = 0
    """The version of the draft when the pairing was requested; 0 for none. A different draft is left alone."""
    asked_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    asked_at: datetime = Field(sa_type=UTCDateTime)
    once: str | None = Field(default=None, max_length=120, unique=True)
    """The token of the form: pressed twice is one job."""
    state: JobState = Field(default=JobState.OPEN, sa_type=Status(JobState, 9))
    step: JobStep = Field(default=JobStep.WAITING, sa_type=Status(JobStep, 7))
    share: int = 0
    """The progress in percent."""
    claimed_by: str | None = Field(default=None, max_length=12)
    due_at: datetime = Field(sa_type=UTCDateTime)
    """When it may be taken up; while a worker has it, when the worker is given up."""
    attempts: int = 0
    why: Sentence | None = Field(default=None, sa_type=SentenceColumn)
    """Why it failed."""
    round_id: int | None = Field(default=None, foreign_key="event_round.id", ondelete="SET NULL", index=True)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


def _reasons(data: Sequence[tuple[str, dict[str, Any]]]) -> tuple[Reason, ...]:
    return tuple(Reason(code, **values) for code, values in data)


def _place() -> MappedSQLExpression[str]:
    """Map the address of the round that is read.

    In older mails `rounds/3` can be another round of the event (`was_by_row`).
    """
    before, part, own = aliased(CompetitionRound), aliased(Division), aliased(Division)
    meant = sa.exists().where(
        col(before.id) == CompetitionRound.number,
        col(before.id) != CompetitionRound.id,
        col(before.event_id) == CompetitionRound.event_id,
        col(before.was_by_row),
    )
    parts = select(func.count()).where(col(part.event_id) == CompetitionRound.event_id).scalar_subquery()
    at = select(func.count()).where(
        col(own.id) == CompetitionRound.division_id,
        col(part.event_id) == col(own.event_id),
        sa.or_(col(part.level) < own.level, sa.and_(col(part.level) == own.level, col(part.id) <= own.id)),
    )
    short = "rounds/" + sa.cast(CompetitionRound.number, String)
    within = "divisions/" + sa.cast(at.correlate(CompetitionRound).scalar_subquery(), String) + "/"
    return column_property(sa.case((sa.and_(parts == 1, ~meant), short), else_=within + short))


CompetitionRound.place = _place()
CompetitionRound.matches = relationship(Match, viewonly=True, order_by=col(Match.number))
Match.seats = relationship(MatchSeat, viewonly=True, order_by=col(MatchSeat.place))
MatchSeat.player_id = of_entrant(Entrant.player_id, MatchSeat.entry_id)
MatchSeat.name = of_entered_player(Player.name, MatchSeat.entry_id)
