"""The timetable: what happens without being requested. Each job costs what is due, not what exists.

The jobs are those that rooms declare (`app.base.process.jobs`). Any number of processes may run them: every row is
taken by a guarded update, so that one of them acts on it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

from apscheduler.schedulers.background import BackgroundScheduler

from app.base.process import failures, jobs
from app.base.process.config import MAILS_KEPT_DAYS
from app.base.server import Server
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.stored.process_metrics import JOBS
from app.post.kept import queue
from app.upkeep.clock_watch import keep_steady

log = logging.getLogger("postroad.jobs")

TIDY_EVERY_SECONDS = 3600
Made = TypeVar("Made")


def tidy(database: Database, now: datetime, mails_kept_days: int = MAILS_KEPT_DAYS) -> int:
    """Delete what has run out, and mails that were done with so many days ago; how many rows. Of mails that cannot be
    sent again, forget what they would say."""

    def forget(one: jobs.Tidy) -> int:
        with database.write() as session:
            gone = one(session, now)
        return gone or 0

    gone = failing.over(database, "tidying", jobs.tidying(), _place_of, forget, now)
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


def timetable(server: Server) -> BackgroundScheduler:
    """The jobs of one process, ready to be started. A late run happens once, however many were missed."""
    database = server.database
    scheduler = BackgroundScheduler(
        timezone=UTC, job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
    )

    def every(seconds: float, name: str, job: jobs.Run, *, at_once: bool) -> None:
        def run() -> None:
            now = datetime.now(UTC)
            with JOBS.labels(name).time():
                as_a_whole(database, name, partial(job, database, now), now)

        start = {"next_run_time": datetime.now(UTC)} if at_once else {}
        scheduler.add_job(run, "interval", seconds=seconds, id=name, **start)

    for job in jobs.jobs():
        if job.every is not None:
            every(job.every, job.name, job.begin(server.config), at_once=job.at_once)
    tidying = partial(tidy, mails_kept_days=server.config.mails_kept_days)
    every(TIDY_EVERY_SECONDS, "tidying", tidying, at_once=False)
    keep_steady(scheduler, database)
    return scheduler
