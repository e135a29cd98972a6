"""Jumps of the machine's clock: detected by comparison with the monotonic one, and reported to operators.

The timetable of the process then starts over: its next runs were planned by the old clock, and after a jump back by an
hour nothing would happen for an hour.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, datetime, timedelta

from apscheduler.events import EVENT_SCHEDULER_SHUTDOWN, EVENT_SCHEDULER_STARTED
from apscheduler.schedulers.background import BackgroundScheduler
from sqlmodel import Session

from app.base.process import failures
from app.base.stored import facts
from app.base.stored.database import Database
from app.base.stored.upkeep_tables import ServerFact

log = logging.getLogger("postroad.clock")

LOOK_EVERY_SECONDS = 5.0
JUMPED = "clock.jumped"
"""The fact that tells of the last jump: by how many seconds, ahead or (below 0) back."""
LEAST_SECONDS = 20.0
"""Less is the correction of a time service, or a very busy machine."""
TOLD_FOR = timedelta(minutes=15)


class ClockWatch:
    """Compares the machine's clock with the monotonic one, from check to check; a machine that slept jumps ahead."""

    def __init__(self) -> None:
        self._before: tuple[datetime, float] | None = None

    def look(self, database: Database, now: datetime, steady: float) -> float:
        """Return by how many seconds the clock has jumped since the last check, 0.0 for nearly none; the database is
        told."""
        before = self._before or (now, steady)
        jumped = (now - before[0]).total_seconds() - (steady - before[1])
        if abs(jumped) < LEAST_SECONDS:
            self._before = now, steady
            return 0.0
        with database.write() as session:
            facts.tell(session, JUMPED, f"{jumped:.0f}", now)
        self._before = now, steady  # not before the database knows it
        return jumped


def keep_steady(scheduler: BackgroundScheduler, database: Database) -> None:
    """Keep a scheduler going when the machine's clock jumps, also back, from its start to its end."""
    ends = threading.Event()

    def look() -> None:
        watch = ClockWatch()
        while not ends.wait(LOOK_EVERY_SECONDS):
            try:
                if watch.look(database, datetime.now(UTC), time.monotonic()):
                    begin_anew(scheduler)
            except Exception as error:  # it is noticed again at the next check
                failures.report(log, "the jump of the clock could not be noted", error)

    thread = threading.Thread(target=look, name="clock", daemon=True)
    scheduler.add_listener(lambda _: thread.start(), EVENT_SCHEDULER_STARTED)
    scheduler.add_listener(lambda _: ends.set(), EVENT_SCHEDULER_SHUTDOWN)


def begin_anew(scheduler: BackgroundScheduler) -> None:
    """Have every job run now, and at its intervals from then on."""
    for job in scheduler.get_jobs():
        job.modify(next_run_time=datetime.now(UTC))


def last_jump(session: Session, now: datetime) -> float:
    """Return by how many seconds the clock jumped recently; 0.0 when it did not."""
    told = session.get(ServerFact, JUMPED)
    return float(told.value) if told is not None and abs(now - told.noted_at) < TOLD_FOR else 0.0
