"""Rows that a job cannot process: each is set aside and retried later, after longer and longer pauses, while the job
goes on with the others. One list for all jobs, which operators see.

A failure of the database is not a row's fault: it is logged, and what was due is due at the next run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col, select

from app.base.process import failures
from app.base.process.jobs import tidies
from app.base.stored.database import Database, insert_into
from app.base.stored.upkeep_tables import FailingRow

log = logging.getLogger("postroad.jobs")

LONGEST_REST = timedelta(hours=6)
KEPT = timedelta(hours=2)
"""A row that nobody has retried this long after its pause is no longer due: it has been dealt with."""
PUSHES = "push services"
"""The job whose rows are push services that do not answer: operators read of them in another place."""
Row = TypeVar("Row")
Made = TypeVar("Made")


def rest(times: int) -> timedelta:
    """Return how long a row rests after this many failures in a row."""
    return min(timedelta(minutes=2 ** min(times - 1, 10)), LONGEST_REST)


def rests(job: str, what: str, number: Mapped[int], now: datetime | None = None) -> sa.ColumnElement[bool]:
    """Return the condition that the row `what` with a number rests at a moment (None: the parameter `now`), so that the
    job skips it."""
    name = sa.literal(f"{what} ") + sa.cast(number, sa.String)
    return sa.exists().where(
        col(FailingRow.job) == sa.literal(job),
        col(FailingRow.row) == name,
        col(FailingRow.again_at) > (sa.bindparam("now") if now is None else now),
    )


def known(session: Session, job: str) -> dict[str, datetime]:
    """Return the rows of a job that have failed, and until when each rests."""
    asked = sa.select(col(FailingRow.row), col(FailingRow.again_at)).where(col(FailingRow.job) == job)
    return {row.row: row.again_at for row in session.execute(asked)}


def over(
    database: Database,
    job: str,
    rows: Iterable[Row],
    name: Callable[[Row], str],
    do: Callable[[Row], Made],
    now: datetime,
    *,
    patiently: bool = True,
) -> list[Made]:
    """Process each row except resting ones (`patiently`), in transactions of `do`'s own; return the results. A second
    failure of the database ends the run."""
    rows = list(rows)
    if not rows:
        return []
    with database.read() as session:
        before = known(session, job)
    made, is_shaky = [], False
    for row in rows:
        what = name(row)
        if patiently and what in before and before[what] > now:
            continue
        try:
            made.append(do(row))
        except Exception as error:
            if failures.is_of_the_database(error):
                if is_shaky:
                    raise
                is_shaky = True
            tell(database, job, what, error, now)
        else:
            if what in before:
                well(database, job, what)
    return made


@contextmanager
def spared(
    session: Session, job: str, what: str, now: datetime, before: dict[str, datetime], *also: str
) -> Iterator[None]:
    """Process a row inside a larger transaction: if it fails, its changes are rolled back, and the rest continues.
    `before`: the rows that had failed before this run (`known`). `also`: other rows that can be at fault."""
    try:
        with session.begin_nested():
            yield
    except Exception as error:
        if failures.is_of_the_database(error):
            raise
        _report(job, what, error)
        for one in (what, *also):
            _note(session, job, one, error, now)
            before.pop(one, None)  # also for callers that spare the same row
    else:
        for one in (what, *also):
            if before.pop(one, None) is not None:
                clear(session, job, one)


def tell(database: Database, job: str, what: str, error: Exception, now: datetime) -> None:
    """Log that a row has failed and set it aside, unless the failure is the database's."""
    _report(job, what, error)
    if not failures.is_of_the_database(error):
        with database.write() as session:
            _note(session, job, what, error, now)


def well(database: Database, job: str, what: str) -> None:
    """Note that a row that had failed was processed."""
    with database.write() as session:
        clear(session, job, what)


def clear(session: Session, job: str, what: str) -> None:
    """Note the same in the caller's transaction."""
    session.execute(sa.delete(FailingRow).where(is_row(job, what)))


def is_row(job: str, what: str) -> sa.ColumnElement[bool]:
    """Return the condition that a row is what a job has set aside under this name."""
    return sa.and_(col(FailingRow.job) == job, col(FailingRow.row) == what[:80])


def listed(session: Session, now: datetime) -> list[FailingRow]:
    """Return the rows that are set aside, as operators see them, the first to fail at the top."""
    asked = select(FailingRow).where(*_is_listed(now))
    return list(session.exec(asked.order_by(col(FailingRow.first_at), col(FailingRow.id))))


def how_many(session: Session, now: datetime) -> int:
    """Return how many rows are set aside."""
    return session.scalar(sa.select(sa.func.count()).select_from(FailingRow).where(*_is_listed(now))) or 0


def _is_listed(now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return col(FailingRow.again_at) > now - KEPT, col(FailingRow.job) != PUSHES


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete those that nobody retries any more; return how many."""
    return session.exec(sa.delete(FailingRow).where(col(FailingRow.again_at) <= now - KEPT)).rowcount


def _report(job: str, what: str, error: Exception) -> None:
    failures.report(log, f"{job}: {what} could not be done" if what else f"the job {job} failed", error)


def _note(session: Session, job: str, what: str, error: Exception, now: datetime) -> None:
    times = (session.scalar(sa.select(col(FailingRow.times)).where(is_row(job, what))) or 0) + 1
    said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    again = {"times": times, "last_at": now, "again_at": now + rest(times), "error": said}
    new = insert_into(session, FailingRow).values(job=job, row=what[:80], first_at=now, **again)
    session.execute(new.on_conflict_do_update(index_elements=["job", "row"], set_=again))
