"""Events: the title and terms, their divisions, and the entrants."""

from __future__ import annotations

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import Index, UniqueConstraint, func
from sqlalchemy.orm import Mapped, MappedSQLExpression, column_property, relationship
from sqlmodel import Field, SQLModel, col, select

from app.base.stored.columns import Document, Status, UTCDateTime, ValueColumn, one_of
from app.clocks.pace import Pace, read_pace, write_pace
from app.leagues.pure.formats import FORMATS, Format, PlayFormat
from app.leagues.pure.model import Competitor
from app.leagues.pure.pairing.swiss_weights import SwissTerms
from app.leagues.pure.terms import Terms, read_stored, write_terms
from app.leagues.tables.clubs import Season, T, of_player
from app.people.tables import IS_COMPUTER, Player
from app.titles.registry import TITLES
from engine.kernel.title import Title


class CompetitionStatus(StrEnum):
    DRAFT = "draft"
    SIGN_UP = "sign_up"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


class EntrantStatus(StrEnum):
    ENTERED = "entered"
    RESERVE = "reserve"
    WITHDRAWN = "withdrawn"
    REMOVED = "removed"


STILL_IN = (EntrantStatus.ENTERED, EntrantStatus.RESERVE)
"""Entrants who have not left and were not taken out."""


class TermsColumn(ValueColumn[Terms]):
    """The terms of an event."""

    cache_ok = True
    write = staticmethod(write_terms)
    read = staticmethod(read_stored)


class PaceColumn(ValueColumn[Pace]):
    """A pace."""

    cache_ok = True
    write = staticmethod(write_pace)
    read = staticmethod(read_pace)


class Division(SQLModel, table=True):
    """A part of an event that plays among itself; `level` 1 is the highest. An event has at least one."""

    __table_args__ = (UniqueConstraint("event_id", "name"),)

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE")
    name: str = Field(max_length=60)
    level: int = 1
    promoted: int = 0
    relegated: int = 0


class Competition(SQLModel, table=True):
    """A competition of one title in one format, described entirely by data (see `app.leagues.pure.terms`).

    Pages and the table call it an event.
    """

    __tablename__ = "event"
    __table_args__ = (
        one_of("status", CompetitionStatus),
        one_of("format", Format),
        Index("ix_event_club", "club_id", "id"),
    )

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    season_id: int | None = Field(default=None, foreign_key="season.id", ondelete="SET NULL", index=True)
    name: str = Field(max_length=80)
    status: CompetitionStatus = Field(default=CompetitionStatus.DRAFT, sa_type=Status(CompetitionStatus, 9))
    title_id: str = Field(max_length=40, sa_column_kwargs={"name": "title"})
    options: dict[str, Any] = Field(sa_type=Document)
    pace: Pace = Field(sa_type=PaceColumn)
    calendar_id: int | None = Field(default=None, foreign_key="holiday_calendar.id", ondelete="SET NULL")
    format: Format = Field(sa_type=Status(Format, 12))
    terms: Terms = Field(sa_type=TermsColumn)
    """Rounds, legs, table sizes, points, tie-breaks, rules for time-outs, withdrawals, substitutes and appeals, limits
    of sign-up, promotion and relegation.
    """
    lots: str = Field(max_length=64)
    """The seed for the drawing of lots: made at the start, shown on the page."""
    made_by: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    made_at: datetime = Field(sa_type=UTCDateTime)
    sign_up_from: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When sign-up opens automatically, in an event with an autopilot."""
    sign_up_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    started_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    paused_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Since when an organiser has paused the autopilot."""

    season: ClassVar[Mapped[str]]
    """The name of its season; empty without one."""
    divisions: ClassVar[Mapped[list[Division]]]
    """The highest first."""
    guest_id: ClassVar[Mapped[int | None]]
    """The other club of a match of two clubs; None for every other event."""

    @property
    def title(self) -> Title:
        return TITLES[self.title_id]

    @property
    def club_ids(self) -> tuple[int, ...]:
        """Return the club that prepared it, and the other one of a match of two clubs."""
        return (self.club_id,) if self.guest_id is None else (self.club_id, self.guest_id)

    @property
    def boards(self) -> int:
        """Return the number of boards at which teams meet; 0 for an event without teams."""
        return self.terms.boards or 0

    @property
    def plays(self) -> PlayFormat:
        """Return what is true of its format."""
        return FORMATS[self.format]

    def plays_in(self, division: Division) -> PlayFormat:
        """Return what is true of the format of one of its divisions: groups and finals have two."""
        return self.plays.of_division(division.level)

    @property
    def finals(self) -> Division | None:
        """Return the division of the finals, if it is played in groups before."""
        return self.divisions[0] if self.plays.stages else None

    @property
    def entry_divisions(self) -> list[Division]:
        """Return the divisions that its players belong to: those of the finals are in their groups."""
        return self.divisions[1:] if self.finals and self.started_at else self.divisions

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return how many can sit at a game, the best first."""
        return self.terms.sizes if self.plays.at_tables else (2,)

    @property
    def takes_late_entries(self) -> bool:
        return (self.plays.by_round or self.plays.by_challenge) and not self.boards

    @property
    def has_rounds_off(self) -> bool:
        """Whether players can miss a round and go on after it; a team uses other players instead."""
        return self.plays.by_round and not self.boards

    @property
    def swiss(self) -> SwissTerms:
        """Return the terms of its Swiss rounds."""
        return SwissTerms(by_sides=not self.title.seats_alike)

    def lot(self, number: int) -> str:
        """Return the place of an entrant, or a team, in the drawing of lots: the order of SHA-256(lots of the event,
        its number).
        """
        return hashlib.sha256(f"{self.lots}:{number}".encode()).hexdigest()

    def division(self, division_id: int | None) -> Division:
        """Return one of its divisions. Raises KeyError."""
        for division in self.divisions:
            if division.id == division_id:
                return division
        raise KeyError(division_id)


class Entrant(SQLModel, table=True):
    """A player in an event: playing, in reserve, or withdrawn."""

    __tablename__ = "event_entry"
    __table_args__ = (
        UniqueConstraint("event_id", "player_id"),
        one_of("status", EntrantStatus),
    )

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE")
    division_id: int | None = Field(default=None, foreign_key="division.id", ondelete="SET NULL", index=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    status: EntrantStatus = Field(default=EntrantStatus.ENTERED, sa_type=Status(EntrantStatus, 9))
    seed: int = 0
    """The pairing number, set at the start; 0 before."""
    rating: float | None = None
    """At entrant."""
    joined_round: int = 1
    withdrawn_after: int | None = None
    away: list[int] = Field(sa_type=Document)
    """Rounds without a game."""
    byes: list[int] = Field(sa_type=Document)
    """Rounds for which a bye was requested and granted."""
    entered_at: datetime = Field(sa_type=UTCDateTime)
    answers: dict[str, str] | None = Field(default=None, sa_type=Document)
    """To the organisers' own questions, by their term (`ask_line`, `ask_yes_no`)."""
    leaves_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Until when the place of a player who leaves is held while reserves are asked."""

    name: ClassVar[Mapped[str]]
    """Of the player."""
    computer: ClassVar[Mapped[bool]]
    """Whether the computer plays, and nobody."""

    def as_competitor(self) -> Competitor:
        """Return the entrant for pairing and standings."""
        return Competitor(
            id=self.id,
            name=self.name,
            seed=self.seed,
            joined=self.joined_round,
            withdrawn_after=self.withdrawn_after,
            away=frozenset(self.away),
            byes=frozenset(self.byes),
        )


def of_entrant(column: T, entrant: int | None) -> MappedSQLExpression[T]:
    """Map a column of the entrant with this number, read together with the row."""
    return column_property(
        select(col(column)).where(col(Entrant.id) == entrant).correlate_except(Entrant).scalar_subquery()
    )


def of_entered_player(column: T, entrant: int | None) -> MappedSQLExpression[T]:
    """Map a column of the player whose entrant this is, read together with the row."""
    here = select(col(column)).join(Entrant, col(Entrant.player_id) == col(Player.id)).where(col(Entrant.id) == entrant)
    return column_property(here.correlate_except(Player, Entrant).scalar_subquery())


Competition.season = column_property(
    func.coalesce(
        select(Season.name).where(col(Season.id) == Competition.season_id).correlate_except(Season).scalar_subquery(),
        "",
    )
)
Competition.divisions = relationship(Division, viewonly=True, order_by=[col(Division.level), col(Division.id)])
Entrant.name = of_player(Player.name, Entrant.player_id)
Entrant.computer = column_property(
    select(Player.id).where(col(Player.id) == Entrant.player_id, IS_COMPUTER).correlate_except(Player).exists()
)
