"""Clubs and leagues: who belongs to a club, its events, their rounds and results, and what was decided about them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import CheckConstraint, Dialect, Index, String, Text, TypeDecorator, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, column_property, relationship
from sqlmodel import Field, SQLModel, col, select
from sqlmodel._compat import SQLModelConfig

from app.base.columns import Document, SentenceColumn, Status, UTCDateTime, index_where, one_of
from app.clocks.pace import Pace, read_pace, write_pace
from app.leagues.club_tables import MemberNote as MemberNote
from app.leagues.club_tables import PastPlace as PastPlace
from app.leagues.pure.model import Ended, Entrant
from app.leagues.pure.terms import Terms, read_terms, write_terms
from app.leagues.pure.why import Reason
from app.people.tables import Player
from app.titles.registry import TITLES
from engine.kernel.text import Text as Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.kernel.title import Title


# -- what columns hold ----------------------------------------------------------------------------------


class Role(StrEnum):
    """What a member does in a club, from the highest."""

    OWNER = "owner"
    ORGANISER = "organiser"
    DEPUTY = "deputy"
    REFEREE = "referee"
    MEMBER = "member"


class MemberStatus(StrEnum):
    INVITED = "invited"
    MEMBER = "member"
    LEFT = "left"


class EventStatus(StrEnum):
    DRAFT = "draft"
    SIGN_UP = "sign_up"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


class Format(StrEnum):
    ROUND_ROBIN = "round_robin"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    LADDER = "ladder"
    TABLES = "tables"
    STAGES = "stages"


class EntryStatus(StrEnum):
    ENTERED = "entered"
    RESERVE = "reserve"
    WITHDRAWN = "withdrawn"
    REMOVED = "removed"


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


class RulingStatus(StrEnum):
    OPEN = "open"
    DECIDED = "decided"
    APPEALED = "appealed"
    FINAL = "final"
    WITHDRAWN = "withdrawn"


class CallStatus(StrEnum):
    CALLED = "called"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class TermsColumn(TypeDecorator[Terms]):
    """The terms of an event."""

    impl = Document
    cache_ok = True

    def process_bind_param(self, value: Terms | None, dialect: Dialect) -> dict[str, Any] | None:
        return None if value is None else write_terms(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Terms | None:
        return None if value is None else read_terms(value)


class PaceColumn(TypeDecorator[Pace]):
    """A pace."""

    impl = Document
    cache_ok = True

    def process_bind_param(self, value: Pace | None, dialect: Dialect) -> dict[str, Any] | None:
        return None if value is None else write_pace(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Pace | None:
        return None if value is None else read_pace(value)


class PointsColumn(TypeDecorator[Fraction]):
    """Points, written as fractions."""

    impl = String(12)
    cache_ok = True

    def process_bind_param(self, value: Fraction | None, dialect: Dialect) -> str | None:
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Fraction | None:
        return None if value is None else Fraction(value)


LATE_ENTRY = (Format.SWISS, Format.TABLES, Format.LADDER)
"""Formats that take somebody in after the start."""


# -- clubs ------------------------------------------------------------------------------------------------


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
    own1: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    own2: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    own3: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    """Headings of the club's own columns on its members; empty for a column that it does not have."""

    members: ClassVar[Mapped[int]]
    """How many belong to it."""


class Member(SQLModel, table=True):
    """A player in a club, with the highest of their roles."""

    __tablename__ = "club_member"
    __table_args__ = (
        UniqueConstraint("club_id", "player_id"),
        one_of("role", Role),
        one_of("status", MemberStatus),
    )

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    role: Role = Field(default=Role.MEMBER, sa_type=Status(Role, 10))
    status: MemberStatus = Field(default=MemberStatus.INVITED, sa_type=Status(MemberStatus, 7))
    since: datetime = Field(sa_type=UTCDateTime)

    name: ClassVar[Mapped[str]]
    address: ClassVar[Mapped[str]]
    """For the organisers of the club only."""


class Season(SQLModel, table=True):
    """A stretch of a club's year; `previous_id` is the season that it was drafted from."""

    __table_args__ = (UniqueConstraint("club_id", "name"),)

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    name: str = Field(max_length=60)
    previous_id: int | None = Field(default=None, foreign_key="season.id", ondelete="SET NULL")


class Division(SQLModel, table=True):
    """A part of an event that plays among itself; `level` 1 is the highest. An event has at least one."""

    __table_args__ = (UniqueConstraint("event_id", "name"),)

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE")
    name: str = Field(max_length=60)
    level: int = 1
    promoted: int = 0
    relegated: int = 0


class Event(SQLModel, table=True):
    """A competition of one title in one format, wholly described by data (see `app.leagues.pure.terms`)."""

    __table_args__ = (
        one_of("status", EventStatus),
        one_of("format", Format),
        Index("ix_event_club", "club_id", "id"),
    )

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    season_id: int | None = Field(default=None, foreign_key="season.id", ondelete="SET NULL", index=True)
    name: str = Field(max_length=80)
    status: EventStatus = Field(default=EventStatus.DRAFT, sa_type=Status(EventStatus, 9))
    title_id: str = Field(max_length=40, sa_column_kwargs={"name": "title"})
    options: dict[str, Any] = Field(sa_type=Document)
    pace: Pace = Field(sa_type=PaceColumn)
    calendar_id: int | None = Field(default=None, foreign_key="holiday_calendar.id", ondelete="SET NULL")
    format: Format = Field(sa_type=Status(Format, 12))
    terms: Terms = Field(sa_type=TermsColumn)
    """Rounds, legs, table sizes, points, tie-breaks, rules for time-outs, withdrawals, substitutes and appeals, limits
    of sign-up, promotion and relegation."""
    lots: str = Field(max_length=64)
    """Where drawing of lots comes from: made at the start, shown on the page."""
    made_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    made_at: datetime = Field(sa_type=UTCDateTime)
    sign_up_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)

    season: ClassVar[Mapped[str]]
    """The name of its season; empty for none."""
    divisions: ClassVar[Mapped[list[Division]]]
    """The highest first."""

    @property
    def title(self) -> Title:
        return TITLES[self.title_id]

    @property
    def takes_late_entries(self) -> bool:
        return self.format in LATE_ENTRY

    def division(self, division_id: int | None) -> Division:
        """One of its divisions; KeyError."""
        for division in self.divisions:
            if division.id == division_id:
                return division
        raise KeyError(division_id)


class Entry(SQLModel, table=True):
    """A player in an event: playing, in reserve, or withdrawn."""

    __tablename__ = "event_entry"
    __table_args__ = (
        UniqueConstraint("event_id", "player_id"),
        one_of("status", EntryStatus),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE")
    division_id: int | None = Field(default=None, foreign_key="division.id", ondelete="SET NULL", index=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    status: EntryStatus = Field(default=EntryStatus.ENTERED, sa_type=Status(EntryStatus, 9))
    seed: int = 0
    """The pairing number, set at the start; 0 before."""
    rating: float | None = None
    """At entry."""
    joined_round: int = 1
    withdrawn_after: int | None = None
    away: list[int] = Field(sa_type=Document)
    """Rounds without a game."""
    byes: list[int] = Field(sa_type=Document)
    """Rounds for which a bye was asked for and granted."""
    entered_at: datetime = Field(sa_type=UTCDateTime)

    name: ClassVar[Mapped[str]]
    """Of the player."""

    def as_entrant(self, division: str = "") -> Entrant:
        """For pairing and standings."""
        return Entrant(
            id=self.id,
            name=self.name,
            seed=self.seed,
            rating=self.rating,
            division=division,
            joined=self.joined_round,
            withdrawn_after=self.withdrawn_after,
            away=frozenset(self.away),
            byes=frozenset(self.byes),
        )


class MatchSeat(SQLModel, table=True):
    """An entrant at a match, in the order of seats, with what they got from it."""

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
    """Lost by time."""
    played_by: list[tuple[int, int | None]] = Field(sa_type=Document)
    """Entries that held the seat before a substitute took it over: [entry, up to which decision]."""

    player_id: ClassVar[Mapped[int]]
    name: ClassVar[Mapped[str]]
    """Of the player."""
    is_divided: ClassVar[bool] = False
    """It changed hands, and somebody else has a part of its points; known of seats read by `round_rows`."""


class Match(SQLModel, table=True):
    """One pairing of a round, or a bye: its game once it is published, its result once it is known."""

    __tablename__ = "event_match"
    __table_args__ = (
        UniqueConstraint("round_id", "number"),
        one_of("ended", Ended),
    )

    id: int = Field(default=None, primary_key=True)
    round_id: int = Field(foreign_key="event_round.id", ondelete="CASCADE")
    number: int
    leg: int = 1
    game_id: int | None = Field(default=None, foreign_key="game.id", ondelete="SET NULL", unique=True)
    ended: Ended = Field(default=Ended.OPEN, sa_type=Status(Ended, 14))
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
        """Why it is played."""
        return _reasons(self.why.get("why", ()))

    @property
    def rejected(self) -> tuple[tuple[int, Reason], ...]:
        """Opponents that were looked at before, each with the reason against."""
        return tuple((opponent, Reason(code, **values)) for opponent, code, values in self.why.get("rejected", ()))


class EventRound(SQLModel, table=True):
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
    """Of the draft: an edit or a publication names the one it was made from."""
    made_at: datetime = Field(sa_type=UTCDateTime)
    published_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    due_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When its games should be over."""
    closed_at: datetime | None = Field(default=None, sa_type=UTCDateTime)

    matches: ClassVar[Mapped[list[Match]]]
    """In the order of their numbers."""

    @property
    def warnings(self) -> tuple[Reason, ...]:
        return _reasons(self.why.get("warnings", ()))

    @property
    def open_matches(self) -> list[Match]:
        return [match for match in self.matches if not match.ended]


class PairingJob(SQLModel, table=True):
    """A pairing that somebody asked for and that is worked out beside the pages; a draft comes of it."""

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
    """Of the draft that was there when the pairing was asked for; 0 for none. Another one is left alone."""
    asked_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    asked_at: datetime = Field(sa_type=UTCDateTime)
    once: str | None = Field(default=None, max_length=120, unique=True)
    """The token of the form: pressed twice is one job."""
    state: JobState = Field(default=JobState.OPEN, sa_type=Status(JobState, 9))
    step: JobStep = Field(default=JobStep.WAITING, sa_type=Status(JobStep, 7))
    share: int = 0
    """How much is done, of 100."""
    claimed_by: str | None = Field(default=None, max_length=12)
    due_at: datetime = Field(sa_type=UTCDateTime)
    """When it may be taken up; while somebody works on it, when they are given up."""
    attempts: int = 0
    why: Sentence | None = Field(default=None, sa_type=SentenceColumn)
    """What was against it."""
    round_id: int | None = Field(default=None, foreign_key="event_round.id", ondelete="SET NULL", index=True)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class Ruling(SQLModel, table=True):
    """A claim of a player, or a passed deadline, that somebody has to decide; with appeal to somebody else."""

    __table_args__ = (
        one_of("status", RulingStatus),
        Index("ix_ruling_event_status", "event_id", "status"),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE")
    match_id: int = Field(default=None, foreign_key="event_match.id", ondelete="CASCADE", index=True, nullable=True)
    case_id: int | None = Field(default=None, foreign_key="overdue_case.id", ondelete="SET NULL", index=True)
    status: RulingStatus = Field(default=RulingStatus.OPEN, sa_type=Status(RulingStatus, 9))
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
        one_of("status", CallStatus),
        index_where("status = 'called'", "ix_reserve_call_answer_by", "answer_by"),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE", index=True)
    leaver_id: int = Field(foreign_key="event_entry.id", ondelete="CASCADE")
    """Whose seats are taken over."""
    entry_id: int = Field(foreign_key="event_entry.id", ondelete="CASCADE", index=True)
    status: CallStatus = Field(default=CallStatus.CALLED, sa_type=Status(CallStatus, 9))
    called_at: datetime = Field(sa_type=UTCDateTime)
    answer_by: datetime = Field(sa_type=UTCDateTime)
    answered_at: datetime | None = Field(default=None, sa_type=UTCDateTime)

    player_id: ClassVar[Mapped[int]]
    name: ClassVar[Mapped[str]]
    """Of the reserve."""


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


class About(StrEnum):
    """What an act of the audit trail was done to; `NAME` is something that only has a name there."""

    PLAYER = "player"
    ENTRY = "entry"
    DIVISION = "division"
    ROUND = "round"
    MATCH = "match"
    GAME = "game"
    EVENT = "event"
    LATE = "late"
    NAME = "name"


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
    about: About | None = Field(default=None, sa_type=Status(About, 10))
    """What it was done to; None for the club or the event itself."""
    about_number: int | None = None
    """Which one: the number of its row, which may have gone; of a round its number in the division."""
    about_division: int | None = None
    """Of a round."""
    subject: str = Field(default="", max_length=80)
    """What only has a name here, such as a season that was drafted."""
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


# -- what is read along ---------------------------------------------------------------------------------


def _reasons(data: Sequence[tuple[str, dict[str, Any]]]) -> tuple[Reason, ...]:
    return tuple(Reason(code, **values) for code, values in data)


def _of_player(column: Any, entry: Any) -> Any:
    """A column of the player whose entry this is."""
    here = select(column).join(Entry, col(Entry.player_id) == col(Player.id)).where(col(Entry.id) == entry)
    return column_property(here.correlate_except(Player, Entry).scalar_subquery())


def _of_member(column: Any, player: Any) -> Any:
    return column_property(select(column).where(col(Player.id) == player).correlate_except(Player).scalar_subquery())


Club.members = column_property(
    select(func.count())
    .where(col(Member.club_id) == col(Club.id), col(Member.status) == MemberStatus.MEMBER)
    .correlate_except(Member)
    .scalar_subquery()
)
Member.name = _of_member(Player.name, Member.player_id)
Member.address = _of_member(Player.address, Member.player_id)
Event.season = column_property(
    func.coalesce(
        select(Season.name).where(col(Season.id) == Event.season_id).correlate_except(Season).scalar_subquery(), ""
    )
)
Event.divisions = relationship(Division, viewonly=True, order_by=[col(Division.level), col(Division.id)])
Entry.name = _of_member(Player.name, Entry.player_id)
EventRound.matches = relationship(Match, viewonly=True, order_by=col(Match.number))
Match.seats = relationship(MatchSeat, viewonly=True, order_by=col(MatchSeat.place))
MatchSeat.player_id = column_property(
    select(Entry.player_id).where(col(Entry.id) == MatchSeat.entry_id).correlate_except(Entry).scalar_subquery()
)
MatchSeat.name = _of_player(Player.name, MatchSeat.entry_id)
ReserveCall.player_id = column_property(
    select(Entry.player_id).where(col(Entry.id) == ReserveCall.entry_id).correlate_except(Entry).scalar_subquery()
)
ReserveCall.name = _of_player(Player.name, ReserveCall.entry_id)
