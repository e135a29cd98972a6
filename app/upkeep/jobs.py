"""The timetable: what happens without being requested. Each job costs what is due, not what exists.

The jobs are those that rooms declare (`app.base.process.jobs`). Any number of processes may run them: every row is
taken by a guarded update, so that one of them acts on it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

from app.base.process import failures, jobs
from app.base.process.config import MAILS_KEPT_DAYS
from app.base.server import Server
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.stored.process_metrics import JOBS
from app.post.kept import queue

log = logging.getLogger("postroad.jobs")

TIDY_EVERY_SECONDS = 3600
APART_SECONDS = 0.1
"""Between the first runs of two jobs."""
Made = TypeVar("Made")


def tidy(database: Database, now: datetime, mails_kept_days: int = MAILS_KEPT_DAYS) -> int:
    """Delete what has run out, and mails that were done with so many days ago; how many rows. Of mails that cannot be
    sent again, forget what they would say."""

    def forget(one: jobs.Tidy) -> int:
        with database.write() as session:
            gone = one(session, now)
        return gone or 0

    gone = failing.over(database, "tidying", jobs.TIDYING, _place_of, forget, now)
    return sum(gone) + queue.prune(database, now - timedelta(days=mails_kept_days))


def _place_of(job: Callable[..., object]) -> str:
    return f"{job.__module__}.{job.__name__}"


def as_a_whole(database: Database, name: str, job: Callable[[], Made], now: datetime) -> Made | None:
    """Run a job. A failing one is shown and returns None; what was due is due at the next run."""
    try:
        return next(iter(failing.over(database, name, [""], str, lambda _: job(), now, patiently=False)), None)
    except Exception as error:
        failures.report(log, f"the job {name} failed", error)
        return None


@dataclass(frozen=True, slots=True)
class Timed:
    """A job of a process, in a thread of its own: a long one holds up no other."""

    name: str
    after: float
    """Seconds to the first run, by a clock that nobody sets."""
    every: float
    """Seconds between two runs."""
    do: Callable[[], object]

    def run(self, stop: threading.Event) -> None:
        """Do it again and again until `stop` is set."""
        pause = self.after
        while not stop.wait(pause):
            self.do()
            pause = self.every


def timetable(server: Server) -> list[Timed]:
    """Return the jobs of one process. They begin one after another, lest all want a connection at the same moment."""
    database = server.database

    def timed(name: str, after: float, every: float, job: jobs.Run) -> Timed:
        def do() -> None:
            now = datetime.now(UTC)
            with JOBS.labels(name).time():
                as_a_whole(database, name, partial(job, database, now), now)

        return Timed(name, after, every, do)

    tidying = partial(tidy, mails_kept_days=server.config.mails_kept_days)
    return [
        *(
            timed(job.name, APART_SECONDS * n if job.at_once else job.every, job.every, job.begin(server.config))
            for n, job in enumerate(jobs.JOBS)
        ),
        timed("tidying", TIDY_EVERY_SECONDS, TIDY_EVERY_SECONDS, tidying),
    ]
