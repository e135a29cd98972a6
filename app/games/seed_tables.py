"""The trees of numbered seeds, and who got which numbers."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, Text
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Status, UTCDateTime, one_of


class SeedTree(SQLModel, table=True):
    """A secret, and the commitment to the `count` seeds from `first` on that follow from it. Never changed."""

    __tablename__ = "seed_tree"
    __table_args__ = (CheckConstraint("first > 0 AND count > 1", name="numbers"),)

    first: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    count: int
    secret: str = Field(max_length=64)
    """32 bytes in hexadecimal. Anyone who has it knows every seed of the tree; a backup contains it too."""
    tops: str = Field(sa_type=Text)
    """The tops of the slices in hexadecimal, 64 characters each: enough to compute any path in a few milliseconds."""
    root: str = Field(max_length=64)
    made_at: datetime = Field(sa_type=UTCDateTime)

    @property
    def last(self) -> int:
        """The last number that it covers."""
        return self.first + self.count - 1


class SeedCount(SQLModel, table=True):
    """One row: the last number that was given out."""

    __tablename__ = "seed_count"
    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)

    id: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    given: int


class SeedUse(StrEnum):
    """What a block of numbers is for."""

    GAME = "game"
    EVENT = "event"
    JUMP = "jump"


class SeedBlock(SQLModel, table=True):
    """Numbers that were given out together, publicly: blocks follow each other without gaps."""

    __tablename__ = "seed_block"
    __table_args__ = (
        one_of("use", SeedUse),
        CheckConstraint("first > 0 AND last >= first AND used >= 0 AND skipped >= 0", name="numbers"),
    )

    first: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    last: int
    use: SeedUse = Field(sa_type=Status(SeedUse, 5))
    event_id: int | None = Field(default=None, index=True)
    """The event whose games have these numbers. It stays when the event is deleted."""
    used: int = 0
    """How many of them, from the first on, games have received, or were later skipped."""
    skipped: int = 0
    """How many of these no game will ever have."""
    taken_at: datetime = Field(sa_type=UTCDateTime)
