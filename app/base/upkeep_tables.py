"""What the server keeps about itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from app.base.columns import Document, UTCDateTime


class Heartbeat(SQLModel, table=True):
    """A stretch of time in which a job (`web`, `scheduler`, `mail`) of one process ran; the gaps that the stretches of
    all processes leave are outages. A process that was held up for long begins a new stretch."""

    __table_args__ = (
        UniqueConstraint("job", "owner", "first_at"),
        Index("ix_heartbeat_job_last", "job", "last_at"),
    )

    id: int = Field(default=None, primary_key=True)
    job: str = Field(max_length=20)
    owner: str = Field(max_length=60)
    first_at: datetime = Field(sa_type=UTCDateTime)
    last_at: datetime = Field(sa_type=UTCDateTime)


class RateCount(SQLModel, table=True):
    """How often something was done by one key in one window of time, for all processes together."""

    __tablename__ = "rate_count"
    __table_args__ = (
        UniqueConstraint("rate_key", "window_start"),
        Index("ix_rate_count_window", "window_start"),
    )

    id: int = Field(default=None, primary_key=True)
    rate_key: str = Field(max_length=120)
    window_start: datetime = Field(sa_type=UTCDateTime)
    count: int


class InstalledSet(SQLModel, table=True):
    """Data that the operator has added to a title, such as a set of tiles. It never changes: games name it."""

    __tablename__ = "installed_set"
    __table_args__ = (UniqueConstraint("title", "name"),)

    id: int = Field(default=None, primary_key=True)
    title: str = Field(max_length=40)
    name: str = Field(max_length=60)
    content: Any = Field(sa_type=Document, nullable=False)
    installed_at: datetime = Field(sa_type=UTCDateTime)
