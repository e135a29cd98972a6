"""The timetable: what happens without anybody asking for it. Each job costs what is due, not what exists.

Any number of processes may run it: every row is claimed by a guarded update, so that one of them acts on it.
"""

from __future__ import annotations

import logging
import os
import socket
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa
from apscheduler.schedulers.background import BackgroundScheduler

from app.mail.outbox import Planned
from app.models import Game, GameSeat, Heartbeat, LoginToken, Player, RateCount, SignIn
from app.work import Work

if TYPE_CHECKING:
    from app.db import Database

log = logging.getLogger("postroad.jobs")

BEAT_EVERY_SECONDS = 10
BEAT_IS_RECENT = timedelta(seconds=60)
REMIND_EVERY_SECONDS = 1
TIDY_EVERY_SECONDS = 3600
AT_ONCE = 100
DAY = timedelta(days=1)
SHORT_OF_BEATS = timedelta(days=90)
"""How long heartbeats are kept."""

_GAME, _SEAT, _PLAYER = Game.__table__, GameSeat.__table__, Player.__table__  # type: ignore[attr-defined]
_DUE = (
    sa.select(
        _GAME.c.id, _GAME.c.number, _GAME.c.decides, _GAME.c.remind_at, _GAME.c.deadline_at,
        _SEAT.c.player_id, _PLAYER.c.address,
    )
    .outerjoin(_SEAT, sa.and_(_SEAT.c.game_id == _GAME.c.id, _SEAT.c.seat == _GAME.c.decides))
    .outerjoin(_PLAYER, _PLAYER.c.id == _SEAT.c.player_id)
    .where(_GAME.c.remind_at <= sa.bindparam("now"))
    .order_by(_GAME.c.remind_at)
    .limit(AT_ONCE)
)  # fmt: skip
_ANY_DUE = sa.select(_GAME.c.id).where(_GAME.c.remind_at <= sa.bindparam("now")).limit(1)
_CLAIM = (
    sa.update(_GAME)
    .where(
        _GAME.c.id == sa.bindparam("game"),
        _GAME.c.number == sa.bindparam("decision"),
        _GAME.c.remind_at == sa.bindparam("was"),
    )
    .values(remind_at=sa.bindparam("next"))
)


def next_reminder(after: datetime, deadline: datetime) -> datetime | None:
    """The reminder that follows the one at `after`: a day before the deadline, when that is still ahead."""
    day_before = deadline - DAY
    return day_before if day_before > after else None


def remind(database: Database, now: datetime) -> int:
    """Put the reminders that are due into the outbox; how many.

    Somebody who is late for this sweep gets one reminder, not all that were missed; nobody is reminded of a deadline
    that has passed.
    """
    reminded = 0
    while True:
        with database.read() as connection:
            if connection.execute(_ANY_DUE, {"now": now}).first() is None:
                return reminded
        with Work(database) as work:
            rows = work.connection.execute(_DUE, {"now": now}).all()
            mails = []
            for row in rows:
                following = next_reminder(max(now, row.remind_at), row.deadline_at)
                claim = {"game": row.id, "decision": row.number, "was": row.remind_at, "next": following}
                if work.connection.execute(_CLAIM, claim).rowcount != 1:
                    continue  # another process has it
                if row.player_id is not None and now < row.deadline_at:
                    key = f"reminder:{row.id}:{row.number}:{row.remind_at:%Y%m%dT%H%M%S}"
                    mails.append(Planned(key, "reminder", row.address, row.player_id, row.id, row.decides, row.number))
            work.outbox.add(mails, now)
            work.commit()
        reminded += len(mails)
        if len(rows) < AT_ONCE:
            return reminded


def beat(database: Database, job: str, owner: str, first: datetime, now: datetime) -> None:
    """Note that a job runs: its stretch reaches to now."""
    table = Heartbeat.__table__  # type: ignore[attr-defined]
    mine = sa.and_(table.c.job == job, table.c.owner == owner)
    with database.write() as connection:
        if connection.execute(sa.update(table).where(mine).values(last_at=now)).rowcount == 0:
            connection.execute(sa.insert(table).values(job=job, owner=owner, first_at=first, last_at=now))
        connection.commit()


def last_beat(connection: sa.Connection, job: str) -> datetime | None:
    """When the job was last known to run, in whichever process."""
    return connection.scalar(sa.select(sa.func.max(Heartbeat.last_at)).where(Heartbeat.job == job))


def tidy(database: Database, now: datetime) -> int:
    """Delete what has run out: sign-in links, sessions, counts of requests, old heartbeats. How many rows."""
    with database.write() as connection:
        gone = 0
        for table, too_old in (
            (LoginToken, LoginToken.expires_at < now - DAY),
            (SignIn, SignIn.expires_at < now),
            (RateCount, RateCount.window_start < now - 2 * DAY),
            (Heartbeat, Heartbeat.last_at < now - SHORT_OF_BEATS),
        ):
            gone += connection.execute(sa.delete(table).where(too_old)).rowcount
        connection.commit()
    return gone


def timetable(database: Database) -> BackgroundScheduler:
    """The jobs of one process, ready to be started. A late run happens once, however many were missed."""
    owner = f"{socket.gethostname()[:40]}:{os.getpid()}:{os.urandom(3).hex()}"
    first = datetime.now(UTC)
    scheduler = BackgroundScheduler(
        timezone=UTC, job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
    )

    def every(seconds: int, job: object, *, at_once: bool = True) -> None:
        start = {"next_run_time": datetime.now(UTC)} if at_once else {}
        scheduler.add_job(job, "interval", seconds=seconds, **start)

    every(BEAT_EVERY_SECONDS, lambda: beat(database, "scheduler", owner, first, datetime.now(UTC)))
    every(REMIND_EVERY_SECONDS, lambda: remind(database, datetime.now(UTC)))
    every(TIDY_EVERY_SECONDS, lambda: tidy(database, datetime.now(UTC)), at_once=False)
    return scheduler
