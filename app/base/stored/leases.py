"""Rows that are processed by workers: any number of them, in any number of processes, and each row by one at a time.

A lease is a guarded update that names its worker and moves `due_at` ahead: the rows of a killed worker become due again
by themselves, and a worker that takes long over one renews its lease. No transaction is open while a row is processed,
so the result is written only if the row is still `mine`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from logging import Logger
from typing import Any, Generic, Protocol, TypeVar

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process import failures
from app.base.stored.database import Database

AFTER_A_FAILURE_SECONDS = 5.0


class LeaseColumns(Protocol):
    """The columns of a table whose rows are leased."""

    id: int
    due_at: datetime
    """When it may be taken; while leased, when the lease ends."""
    claimed_by: str | None
    attempts: int


Row = TypeVar("Row", bound=LeaseColumns)


class Leases(Generic[Row]):
    """How the rows of one table are leased.

    `is_waiting` says that a row is not done, as the table's partial index does: written out, not with parameters, so
    that SQLite sees that the index fits. A lease `lasts` this long.
    """

    def __init__(self, model: type[Row], is_waiting: sa.ColumnElement[bool], lasts: timedelta) -> None:
        self.model = model
        self.is_waiting = is_waiting
        self.lasts = lasts
        self.is_due = sa.and_(is_waiting, col(model.due_at) <= sa.bindparam("now"))
        self.any_due = select(col(model.id)).where(self.is_due).limit(1)
        """The number of a row that is due at `now`."""
        leased = sa.and_(is_waiting, col(model.claimed_by).is_not(None), col(model.due_at) <= sa.bindparam("until"))
        self.any_leased = select(col(model.id)).where(leased).limit(1)
        """The number of a row that is being processed, its lease ending at `until` at the latest."""
        self._take = self.taking(col(model.due_at)).returning(model)

    def taking(self, *order: sa.ColumnExpressionArgument[Any]) -> sa.Update:
        """Return the statement that leases at `most` this many rows due at `now` to `me`, until `until`."""
        row = self.model
        due = select(col(row.id)).where(self.is_due).order_by(*order).limit(sa.bindparam("most"))
        return (
            sa.update(row)
            .where(col(row.id).in_(due.with_for_update(skip_locked=True).scalar_subquery()))
            .values(claimed_by=sa.bindparam("me"), due_at=sa.bindparam("until"), attempts=col(row.attempts) + 1)
        )

    def take(self, database: Database, me: str, now: datetime, most: int, **also: object) -> Sequence[Row]:
        """Lease up to `most` rows to `me`, the longest waiting first, and set the additional columns. If none is due,
        nothing is locked."""
        with database.read() as session:
            if session.exec(self.any_due, params={"now": now}).first() is None:
                return []
        with database.write() as session:
            values = {"now": now, "me": me, "until": now + self.lasts, "most": most}
            rows = session.scalars(self._take.values(**also), values).all()
        return rows

    def mine(self, row_id: int | sa.BindParameter[int], me: str | sa.BindParameter[str]) -> sa.ColumnElement[bool]:
        """Return the condition that a row is still leased to `me`, and not done."""
        return sa.and_(col(self.model.id) == row_id, col(self.model.claimed_by) == me, self.is_waiting)

    def renew(self, session: Session, row_id: int, me: str, now: datetime, **also: object) -> bool:
        """Extend the lease of a row and set the additional columns; return False if it is no longer `mine`."""
        longer = sa.update(self.model).where(self.mine(row_id, me)).values(due_at=now + self.lasts, **also)
        return session.exec(longer).rowcount == 1


@dataclass(frozen=True)
class Pauses:
    """How long a row rests after each failed attempt."""

    between: Sequence[timedelta]

    def after(self, attempts: int) -> timedelta | None:
        """Return the pause after this many attempts; None when the row is to be given up."""
        return self.between[attempts - 1] if attempts <= len(self.between) else None


def keep_looking(
    stop: threading.Event,
    work: Callable[[], object],
    every: float,
    log: Logger,
    failed: str,
    *,
    woken: threading.Event | None = None,
) -> None:
    """Do `work` until `stop` is set: again at once as long as it finds something, else after `every` seconds or when
    `woken` is set. An error is logged with the text `failed`, and followed by a longer pause."""
    while not stop.is_set():
        if woken is not None:
            woken.clear()
        pause = every
        try:
            while not stop.is_set() and work():
                pass
        except Exception as error:
            failures.report(log, failed, error)
            pause = max(every, AFTER_A_FAILURE_SECONDS)
        (woken or stop).wait(pause)
