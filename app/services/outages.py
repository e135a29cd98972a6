"""Outages: heartbeats, the gaps that they leave, and the time that every running clock is given back for them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from app.clocks.clock import Span
from app.clocks.outages import OUTAGE_AFTER, gaps
from app.models import Heartbeat, Outage

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.db import Database

JOBS = ("scheduler", "mail", "web")
"""What has to run for clocks to run: the timetable, the way to the mail host, the pages."""
NOT_RUN_HERE = timedelta(days=30)
"""A job that has been silent for longer is not run on this server any more, so that nobody waits for it."""
KEPT = timedelta(days=90)
"""How long heartbeats are kept, but for the newest older one of each job: a gap begins with it."""

_BEAT, _OUTAGE = Heartbeat.__table__, Outage.__table__  # type: ignore[attr-defined]
_INSERT = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


# -- heartbeats -------------------------------------------------------------------------------------


def beat(database: Database, job: str, owner: str, now: datetime) -> None:
    """Note that a job runs: the stretch of its process reaches to now, or a new one begins after a silence."""
    with database.write_lightly() as connection:
        going_on = sa.and_(_BEAT.c.job == job, _BEAT.c.owner == owner, _BEAT.c.last_at >= now - OUTAGE_AFTER)
        if connection.execute(sa.update(_BEAT).where(going_on).values(last_at=now)).rowcount == 0:
            connection.execute(sa.insert(_BEAT).values(job=job, owner=owner, first_at=now, last_at=now))
        connection.commit()


def last_beat(connection: Connection, job: str) -> datetime | None:
    """When the job was last known to run, in whichever process."""
    return connection.scalar(sa.select(sa.func.max(_BEAT.c.last_at)).where(_BEAT.c.job == job))


def forget_old_beats(connection: Connection, now: datetime) -> int:
    """Delete the heartbeats that nothing can follow from any more; how many."""
    old = now - KEPT
    newest = sa.select(sa.func.max(_BEAT.c.last_at)).where(_BEAT.c.last_at < old).group_by(_BEAT.c.job)
    return connection.execute(
        sa.delete(_BEAT).where(_BEAT.c.last_at < old, _BEAT.c.last_at.not_in(newest.scalar_subquery()))
    ).rowcount


# -- what is down -----------------------------------------------------------------------------------


def is_down(connection: Connection, now: datetime) -> bool:
    """Whether a job is silent right now, or was so and its outage has not been noted yet: until then deadlines are
    not what they will be, and nobody is reminded or flagged."""
    return bool(silent(connection, now)) or bool(_new_gaps(connection))


def silent(connection: Connection, now: datetime) -> list[tuple[str, Span]]:
    """The jobs that do not run now, each with the time since it did."""
    last = connection.execute(sa.select(_BEAT.c.job, sa.func.max(_BEAT.c.last_at)).group_by(_BEAT.c.job)).all()
    return [(job, Span(at, now)) for job, at in last if OUTAGE_AFTER < now - at < NOT_RUN_HERE]


def _new_gaps(connection: Connection) -> list[tuple[str, Span]]:
    stretches: dict[str, list[Span]] = {}
    for job, first, last in connection.execute(sa.select(_BEAT.c.job, _BEAT.c.first_at, _BEAT.c.last_at)):
        stretches.setdefault(job, []).append(Span(first, last))
    found = [(job, gap) for job, spans in stretches.items() for gap in gaps(spans)]
    if not found:
        return []
    noted = {tuple(row) for row in connection.execute(sa.select(_OUTAGE.c.job, _OUTAGE.c.from_at))}
    return [(job, gap) for job, gap in found if (job, gap.start) not in noted]
