"""What the server stores about itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

from app.base.stored.columns import Document, UTCDateTime


class Heartbeat(SQLModel, table=True):
    """A stretch of time in which a job (`web`, `scheduler`, `mail`) of one process ran; the gaps that the stretches of
    all processes leave are outages. A process that was held up for long starts a new stretch."""

    __table_args__ = (
        UniqueConstraint("job", "owner", "first_at"),
        Index("ix_heartbeat_job_last", "job", "last_at"),
    )

    id: int = Field(default=None, primary_key=True)
    job: str = Field(max_length=20)
    owner: str = Field(max_length=60)
    first_at: datetime = Field(sa_type=UTCDateTime)
    last_at: datetime = Field(sa_type=UTCDateTime)


class ProcessFigures(SQLModel, table=True):
    """What a process had counted about itself when it was last heard of (`app.base.stored.process_metrics`): its
    timetable and its pages."""

    __tablename__ = "process_figures"

    process: str = Field(primary_key=True, max_length=60)
    at: datetime = Field(sa_type=UTCDateTime)
    content: Any = Field(sa_type=Document, nullable=False)


class RateCount(SQLModel, table=True):
    """How often one key did something in one window of time, for all processes together."""

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


class ServerFact(SQLModel, table=True):
    """Something that all processes of one server have to agree on, by its name."""

    __tablename__ = "server_fact"

    name: str = Field(primary_key=True, max_length=40)
    value: str = Field(max_length=120)
    more: str | None = Field(default=None, sa_type=Text)
    """What is said of it at length."""
    noted_at: datetime = Field(sa_type=UTCDateTime)


class FailingRow(SQLModel, table=True):
    """A row that a job could not process (`app.base.stored.failing`): it rests until `again_at`, and the others go
    on."""

    __tablename__ = "failing_row"
    __table_args__ = (UniqueConstraint("job", "row"),)

    id: int = Field(default=None, primary_key=True)
    job: str = Field(max_length=40)
    row: str = Field(max_length=80)
    """For example `game 7`; empty if the job failed as a whole."""
    times: int
    """In a row."""
    first_at: datetime = Field(sa_type=UTCDateTime)
    last_at: datetime = Field(sa_type=UTCDateTime)
    again_at: datetime = Field(sa_type=UTCDateTime)
    error: str = Field(max_length=200)
