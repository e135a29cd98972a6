"""What a process counts about itself, for `/metrics`. Each stores its figures with its heartbeat, so that any process
can report all of them, on every machine, including those without pages."""

from __future__ import annotations

import os
import socket
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import Any

import sqlalchemy as sa
from prometheus_client import CollectorRegistry, Histogram
from sqlmodel import Session, col, select

from app.base.process import logs
from app.base.process.jobs import tidies
from app.base.stored.upkeep_tables import ProcessFigures
from app.base.stored.upserts import insert_into

HERE = CollectorRegistry()
JOBS = Histogram(
    "postroad_job_seconds",
    "Runs of the jobs of a process's timetable; one with nothing to do counts, too.",
    ["job"],
    buckets=(0.01, 0.1, 0.5, 1, 5, 15, 60, 300),
    registry=HERE,
)
KEPT = timedelta(days=1)


def process() -> str:
    """Return this process's name in the figures: its machine and its number there."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}"


def counted() -> dict[str, Any]:
    """Return what this process has counted: its version, its last `log` lines, and for each histogram the upper ends
    `le` of the buckets and its `rows`: labels, the count up to each end, and the sum."""
    said = logs.LAST.lines()
    found: dict[str, Any] = {"version": version("postroad"), "log": said, "histograms": {}}
    for family in HERE.collect():
        rows: dict[tuple[tuple[str, str], ...], list[Any]] = {}
        ends: dict[str, None] = {}
        for sample in family.samples:
            labels = {name: value for name, value in sample.labels.items() if name != "le"}
            row = rows.setdefault(tuple(sorted(labels.items())), [labels, [], 0.0])
            if sample.name.endswith("_bucket"):
                ends[sample.labels["le"]] = None
                row[1].append(int(sample.value))
            elif sample.name.endswith("_sum"):
                row[2] = round(sample.value, 6)
        found["histograms"][family.name] = {"le": [*ends], "rows": [*rows.values()]}
    return found


def write_down(session: Session, now: datetime) -> None:
    """Store what this process has counted, for the others."""
    told = {"at": now, "content": counted()}
    insert = insert_into(session, ProcessFigures).values(process=process(), **told)
    session.execute(insert.on_conflict_do_update(index_elements=["process"], set_=told))


def of_others(session: Session, since: datetime) -> dict[str, Any]:
    """Return what the other processes have counted that were heard of since then, by name."""
    asked = select(ProcessFigures.process, ProcessFigures.content).where(
        col(ProcessFigures.at) > since, col(ProcessFigures.process) != process()
    )
    return {name: content for name, content in session.exec(asked)}


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete the figures of processes that are long gone; return how many."""
    return session.exec(sa.delete(ProcessFigures).where(col(ProcessFigures.at) < now - KEPT)).rowcount
