"""Rows that are worked off by workers: any number of them, in any number of processes, and each row by one at a time.

A lease is a guarded update that names its worker and moves `due_at` ahead: the rows of a killed worker come up again by
themselves, and whoever takes long over one renews its lease. No transaction is open while a row is worked on, so what
is then written about it is written only where it is still `mine`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base import failures

if TYPE_CHECKING:
    from logging import Logger

    from app.base.database import Database

AFTER_A_FAILURE_SECONDS = 5.0


class LeaseColumns(Protocol):
    """The columns of a table whose rows are leased."""

    id: int
    due_at: datetime
    """When it may be taken; while somebody has it, when their lease ends."""
    claimed_by: str | None
    attempts: int


Row = TypeVar("Row", bound=LeaseColumns)


class Leases(Generic[Row]):
    """How the rows of one table are leased.

    `is_waiting` says that a row is not done, as the table's partial index does: written out, not with parameters, so
    that SQLite sees that the index fits. A lease `lasts` so long.
    """

    def __init__(self, model: type[Row], is_waiting: sa.ColumnElement[bool], lasts: timedelta) -> None:
        self.model = model
        self.is_waiting = is_waiting
        self.lasts = lasts
        self.is_due = sa.and_(is_waiting, col(model.due_at) <= sa.bindparam("now"))
        self.any_due = select(col(model.id)).where(self.is_due).limit(1)
        """The number of a row that is due at `now`."""
        self._take = self.taking(col(model.due_at)).returning(model)

    def taking(self, *order: sa.ColumnExpressionArgument[Any]) -> sa.Update:
        """The statement that leases at `most` so many rows that are due at `now` to `me`, until `until`."""
        row = self.model
        due = select(col(row.id)).where(self.is_due).order_by(*order).limit(sa.bindparam("most"))
        return (
            sa.update(row)
            .where(col(row.id).in_(due.with_for_update(skip_locked=True).scalar_subquery()))
            .values(claimed_by=sa.bindparam("me"), due_at=sa.bindparam("until"), attempts=col(row.attempts) + 1)
        )

    def take(self, database: Database, me: str, now: datetime, most: int, **also: object) -> Sequence[Row]:
        """Lease so many rows to `me`, those that have waited longest, and write what else there is to say of them.

        While none is due, nothing is locked.
        """
        with database.read() as session:
            if session.exec(self.any_due, params={"now": now}).first() is None:
                return []
        with database.write() as session:
            values = {"now": now, "me": me, "until": now + self.lasts, "most": most}
            rows = session.scalars(self._take.values(**also), values).all()
            session.commit()
        return rows

    def mine(self, row_id: int | sa.BindParameter[int], me: str | sa.BindParameter[str]) -> sa.ColumnElement[bool]:
        """That a row is still leased to `me`, and not done."""
        return sa.and_(col(self.model.id) == row_id, col(self.model.claimed_by) == me, self.is_waiting)

    def renew(self, session: Session, row_id: int, me: str, now: datetime, **also: object) -> bool:
        """Have a row for longer, and write what else there is to say of it; False when it is not `mine` any more."""
        longer = sa.update(self.model).where(self.mine(row_id, me)).values(due_at=now + self.lasts, **also)
        return session.exec(longer).rowcount == 1


@dataclass(frozen=True)
class Pauses:
    """How long a row rests after each try in vain."""

    between: Sequence[timedelta]

    def after(self, attempts: int) -> timedelta | None:
        """The pause after so many tries; None when the row is to be given up."""
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
    `woken` is set. An error is logged with the words `failed`, and followed by a longer pause."""
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
