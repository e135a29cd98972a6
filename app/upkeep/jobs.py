"""The timetable: what happens without being requested. Each job costs what is due, not what exists.

Any number of processes may run it: every row is taken by a guarded update, so that one of them acts on it.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import sqlalchemy as sa
from apscheduler.schedulers.background import BackgroundScheduler
from sqlmodel import col

from app.base import failing, failures, figures
from app.base.config import MAILS_KEPT_DAYS
from app.base.database import shorten_log
from app.base.figures import JOBS
from app.base.upkeep_tables import RateCount
from app.clocks.leave import DAYS_A_YEAR
from app.games import seeds
from app.overdue import cases
from app.people.tables import LoginToken, SignIn
from app.play.turn import holding
from app.post import queue
from app.post.inbound import gate
from app.time import digest, outages, reminders
from app.upkeep.clock_watch import keep_steady

if TYPE_CHECKING:
    import threading

    from sqlmodel import Session

    from app.base.database import Database
    from app.base.server import Server

log = logging.getLogger("postroad.jobs")

REMIND_EVERY_SECONDS = 1
HELD_EVERY_SECONDS = 1
DIGEST_EVERY_SECONDS = 20
CASES_EVERY_SECONDS = 5
TIDY_EVERY_SECONDS = 3600
LOG_EVERY_SECONDS = 10
DAY = timedelta(days=1)
Made = TypeVar("Made")


# -- what subjects add --------------------------------------------------------------------------------


class Worker(Protocol):
    """Something that processes rows in its own thread."""

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set."""


@dataclass(frozen=True, slots=True)
class TimedJob:
    """A job of the timetable. `begin` is called once per timetable and returns what runs every so many seconds."""

    seconds: int
    begin: Callable[[], Callable[[Database], object]]
    at_once: bool = True


@dataclass(frozen=True, slots=True)
class Sweep:
    """What `postroad sweep` does once: a count, and the words after that number."""

    run: Callable[[Database, datetime], int]
    did: str


@dataclass(frozen=True, slots=True)
class Chores:
    """The work of a subject that happens without being requested."""

    timed: Sequence[TimedJob] = ()
    sweeps: Sequence[Sweep] = ()
    tidying: Sequence[Callable[[Session, datetime], int]] = ()
    """Each deletes expired rows, and returns how many."""
    workers: Sequence[tuple[str, Callable[[Server], Worker]]] = ()
    """Names of threads, and what runs in them."""


_chores: dict[str, Chores] = {}


def register(subject: str, chores: Chores) -> None:
    """Have the chores of a subject done from now on; registering the name again replaces them."""
    _chores[subject] = chores


def of_subjects() -> Iterator[Chores]:
    """Yield the chores of all subjects."""
    yield from _chores.values()


# -- the timetable ------------------------------------------------------------------------------------


def tidy(database: Database, now: datetime, mails_kept_days: int = MAILS_KEPT_DAYS) -> int:
    """Delete what has expired: sign-in links, sessions, counts of requests, old heartbeats, rows of subjects, and mails
    that were finished so many days ago; return how many rows. Forget the content of mails that cannot be resent."""

    def forget(one: Callable[[Session, datetime], int | None]) -> int:
        with database.write() as session:
            gone = one(session, now)
            session.commit()
        return gone or 0

    subjects = [one for chores in of_subjects() for one in chores.tidying]
    gone = failing.over(database, "tidying", [*TIDIED, *subjects], _place_of, forget, now)
    return sum(gone) + queue.prune(database, now - timedelta(days=mails_kept_days))


def _place_of(job: Callable[..., object]) -> str:
    return f"{job.__module__}.{job.__name__}"


def _forget_people(session: Session, now: datetime) -> int:
    """Delete sign-in links, sessions and counts of requests."""
    old = (
        (LoginToken, col(LoginToken.expires_at) < now - DAY),
        (SignIn, col(SignIn.expires_at) < now),
        (RateCount, col(RateCount.window_start) < now - 2 * DAY),
    )
    return sum(session.exec(sa.delete(table).where(too_old)).rowcount for table, too_old in old)


TIDIED: tuple[Callable[[Session, datetime], int | None], ...] = (
    _forget_people,
    outages.forget_old_beats,
    figures.forget,
    failing.forget,
    queue.forget,
    gate.forget,
)


def name_of_process() -> str:
    """Return the name under which the heartbeats of a process are stored."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{os.urandom(3).hex()}"


def _named(job: Callable[[Database], object]) -> str:
    """Return the name of a subject's job in the figures: `_end_calls` is "end calls"."""
    return str(getattr(job, "__qualname__", "job")).strip("_").replace("_", " ")


def as_a_whole(database: Database, name: str, job: Callable[[], Made], now: datetime) -> Made | None:
    """Run a job. A failing one is shown and returns None; what was due is due at the next run."""
    try:
        return next(iter(failing.over(database, name, [""], str, lambda _: job(), now, patiently=False)), None)
    except Exception as error:
        failures.report(log, f"the job {name} failed", error)
        return None


def timetable(
    database: Database, leave_days: int = DAYS_A_YEAR, mails_kept_days: int = MAILS_KEPT_DAYS
) -> BackgroundScheduler:
    """Return the jobs of one process, ready to be started. A late run happens once, however many were missed.

    `leave_days` is how many days of leave a player has in a year; mails stay for `mails_kept_days`.
    """
    owner = name_of_process()
    scheduler = BackgroundScheduler(
        timezone=UTC, job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
    )

    def every(seconds: int, name: str, job: Callable[[], object], *, at_once: bool = True) -> None:
        def run() -> None:
            with JOBS.labels(name).time():
                as_a_whole(database, name, job, datetime.now(UTC))

        start = {"next_run_time": datetime.now(UTC)} if at_once else {}
        scheduler.add_job(run, "interval", seconds=seconds, id=name, **start)

    def beat() -> None:
        outages.beat(database, "scheduler", owner, datetime.now(UTC))
        outages.watch(database, datetime.now(UTC))

    every(outages.BEAT_EVERY_SECONDS, "beat", beat)
    every(REMIND_EVERY_SECONDS, "reminders", lambda: reminders.remind(database, datetime.now(UTC)))
    every(HELD_EVERY_SECONDS, "held turns", lambda: holding.play_due(database, datetime.now(UTC)))
    every(DIGEST_EVERY_SECONDS, "digests", lambda: digest.send_due(database, datetime.now(UTC)))
    every(CASES_EVERY_SECONDS, "cases", lambda: cases.sweep_cases(database, datetime.now(UTC), allowance=leave_days))
    every(LOG_EVERY_SECONDS, "log of the database", lambda: shorten_log(database.url))
    for chores in of_subjects():
        for timed in chores.timed:
            job = timed.begin()
            every(timed.seconds, _named(job), partial(job, database), at_once=timed.at_once)
    every(TIDY_EVERY_SECONDS, "tidying", lambda: tidy(database, datetime.now(UTC), mails_kept_days), at_once=False)
    every(TIDY_EVERY_SECONDS, "seeds", lambda: seeds.set_up(database, datetime.now(UTC)), at_once=False)
    keep_steady(scheduler, database)
    return scheduler
