"""Clubs: members and their roles, seasons, and what a club keeps besides its events."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import ClassVar, TypeVar

from sqlalchemy import Index, Text, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, MappedSQLExpression, column_property
from sqlmodel import Field, SQLModel, col, select

from app.base.stored.columns import Status, UTCDateTime, one_of
from app.people.tables import Player


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
    """Increased for each new joining link; older links stop working."""
    own1: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    own2: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    own3: str = Field(default="", max_length=40, sa_column_kwargs={"server_default": text("''")})
    """Headings of the club's own columns on its members; empty for an unused column."""
    takes_requests: bool = Field(default=True, sa_column_kwargs={"server_default": text("true")})
    """Any signed-in player may ask to join."""

    members: ClassVar[Mapped[int]]
    """The number of members."""


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
    """When `status` last changed: of a member, when they joined."""
    banned_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """Since when a player who was taken out cannot come back."""

    name: ClassVar[Mapped[str]]
    address: ClassVar[Mapped[str]]
    """For the organisers of the club only."""


class JoinRequest(SQLModel, table=True):
    """A request to join a club. It is deleted when the player joins; a declined one stays, without its words."""

    __tablename__ = "join_request"
    __table_args__ = (UniqueConstraint("club_id", "player_id"),)

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    text: str = Field(default="", sa_type=Text)
    asked_at: datetime = Field(sa_type=UTCDateTime)
    declined_at: datetime | None = Field(default=None, sa_type=UTCDateTime)

    name: ClassVar[Mapped[str]]
    """The name of the applicant."""


class Announcement(SQLModel, table=True):
    """What a club tells its members, or everybody."""

    __table_args__ = (Index("ix_announcement_club", "club_id", "id"),)

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    by_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    subject: str = Field(max_length=120)
    text: str = Field(sa_type=Text)
    is_public: bool = False
    mails: int = 0
    """The number of mails sent with it."""
    once: str = Field(max_length=120, unique=True)
    """The club and the token of the form: sent twice, it is one."""
    at: datetime = Field(sa_type=UTCDateTime)
    taken_down_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class Season(SQLModel, table=True):
    """A stretch of a club's year; `previous_id` is the season that it was drafted from."""

    __table_args__ = (UniqueConstraint("club_id", "name"),)

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    name: str = Field(max_length=60)
    previous_id: int | None = Field(default=None, foreign_key="season.id", ondelete="SET NULL")


class MemberNote(SQLModel, table=True):
    """The organisers' note on a member; nobody else reads it."""

    __tablename__ = "member_note"
    __table_args__ = (UniqueConstraint("club_id", "player_id"),)

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", index=True)
    note: str = Field(default="", sa_type=Text)
    own1: str = Field(default="", max_length=200)
    own2: str = Field(default="", max_length=200)
    own3: str = Field(default="", max_length=200)
    """Under the headings of `Club.own1` to `own3`."""
    rating: float | None = None
    """From the club's own list: the seed for players without a rating here."""
    division: str = Field(default="", max_length=60)
    place: int | None = None
    """Division and place of the last season elsewhere."""


class PastPlace(SQLModel, table=True):
    """A line of a table of a season that was played elsewhere."""

    __tablename__ = "past_place"
    __table_args__ = (Index("ix_past_place_club", "club_id", "season"),)

    id: int = Field(default=None, primary_key=True)
    club_id: int = Field(foreign_key="club.id", ondelete="CASCADE")
    season: str = Field(max_length=60)
    division: str = Field(default="", max_length=60)
    level: int = 1
    """The position in the division, in the order of the list."""
    place: int
    name: str = Field(default="", max_length=60)
    """The name of a person not known here; empty beside `player_id`, who may change their own name."""
    player_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL", index=True)
    points: str = Field(default="", max_length=12)
    taken_at: datetime = Field(sa_type=UTCDateTime)


Club.members = column_property(
    select(func.count())
    .where(col(Member.club_id) == col(Club.id), col(Member.status) == MemberStatus.MEMBER)
    .correlate_except(Member)
    .scalar_subquery()
)
T = TypeVar("T")


def of_player(column: T, player: int | None) -> MappedSQLExpression[T]:
    """Map a column of the player with this number, read together with the row."""
    return column_property(
        select(col(column)).where(col(Player.id) == player).correlate_except(Player).scalar_subquery()
    )


JoinRequest.name = of_player(Player.name, JoinRequest.player_id)
Member.name = of_player(Player.name, Member.player_id)
Member.address = of_player(Player.address, Member.player_id)
