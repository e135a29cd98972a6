"""What a process knows about itself: what it counts, for `/metrics`. Each stores that with its heartbeat, so that
any process can report all of them, on every machine, including those without pages."""

from __future__ import annotations

import os
import re
import socket
import time
from contextlib import suppress
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import Any

import sqlalchemy as sa
from prometheus_client import CollectorRegistry, Histogram
from sqlmodel import Session, col, select

from app.base.process import env_file, logs
from app.base.process.jobs import tidies
from app.base.stored.database import insert_into
from app.base.stored.upkeep_tables import ProcessFigures

HERE = CollectorRegistry()
JOBS = Histogram(
    "postroad_job_seconds",
    "Runs of the jobs of a process's timetable; one with nothing to do counts, too.",
    ["job"],
    buckets=(0.01, 0.1, 0.5, 1, 5, 15, 60, 300),
    registry=HERE,
)
KEPT = timedelta(days=1)
BEGAN = time.time()
"""When this process began, or that which it is a fork of: its settings are of that time."""
_ROLES: set[str] = set()


def _is_outdated() -> bool:
    """Return whether the file of settings has changed since this process began."""
    with suppress(OSError):
        return env_file.place().stat().st_mtime > BEGAN
    return False


def _memory() -> int:
    """Return this process's share of memory in bytes; 0 where the system does not say."""
    with suppress(OSError), open("/proc/self/smaps_rollup", encoding="ascii") as file:
        found = re.search(r"^Pss: *(\d+) kB", file.read(), re.M)
        return int(found[1]) * 1024 if found else 0
    return 0


def process() -> str:
    """Return this process's name in the figures: its machine and its number there."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}"


def counted() -> dict[str, Any]:
    """Return what this process has counted: its version, its last `log` lines, what it runs (`roles`), when it `began`,
    whether its settings are `outdated`, the bytes of `memory` and the seconds of `cpu`; and
    for each histogram the upper ends `le` of the buckets and its `rows`: labels, the count up to each end, the sum."""
    found: dict[str, Any] = {"version": version("postroad"), "log": logs.LAST.lines(), "histograms": {}}
    found |= {"roles": sorted(_ROLES), "began": BEGAN, "outdated": _is_outdated()}
    found |= {"memory": _memory(), "cpu": round(time.process_time(), 1)}
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


def write_down(session: Session, role: str, now: datetime) -> None:
    """Store what this process has counted, for the others; a beat of what it runs as `role`."""
    _ROLES.add(role)
    told = {"at": now, "content": counted()}
    insert = insert_into(session, ProcessFigures).values(process=process(), **told)
    session.execute(insert.on_conflict_do_update(index_elements=["process"], set_=told))


def heard(session: Session) -> list[ProcessFigures]:
    """Return what all processes had counted when they were last heard of."""
    return list(session.exec(select(ProcessFigures).order_by(ProcessFigures.process)))


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete the figures of processes that are long gone; return how many."""
    return session.exec(sa.delete(ProcessFigures).where(col(ProcessFigures.at) < now - KEPT)).rowcount
