"""Handing rows to many receivers, calls to webhooks and notifications to devices: leased as mails are, several workers
side by side, and each receiver has a lane of its own, so that a slow or dead one holds up no other.

What is said to a receiver, and what follows from its answer, is in a class of each. No transaction is open meanwhile.
"""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from uuid import uuid4

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process import failures
from app.base.server import Server
from app.base.stored import failing
from app.base.stored.leases import Leases, Pauses, keep_looking
from app.base.words.refusals import TitleMissing
from app.games.work import Work
from app.people.tables import DeliveryState
from app.post.webhooks.wire import CallFailed, patience

log = logging.getLogger("postroad.lanes")

LOOK_EVERY_SECONDS = 2.0
WHILE_MISSING = timedelta(hours=1)


class Lanes:
    """Hands the rows of one table over, for one process."""

    leases: ClassVar[Leases[Any]]
    lane: ClassVar[str]
    """The column that says to whom a row goes."""
    rests: ClassVar[tuple[sa.ColumnElement[bool], ...]] = ()
    """What else has to hold for a row to be taken at `now`."""
    model: ClassVar[type[Any]]
    receiver: ClassVar[str]
    """The table of those to whom rows are owed, and the column that names one."""
    content: ClassVar[str]
    """The column that is emptied when a row is done."""
    job: ClassVar[str]
    noun: ClassVar[str]
    """What operators read of a row that cannot be processed: of which job, and what it is."""
    pauses: ClassVar[Pauses]
    """Before the second attempt, the third, and so on; after the last the row is given up."""
    tried_for: ClassVar[timedelta]
    """Who asks for patience longer than this is given up as well."""
    most_lanes: ClassVar[int]
    side_by_side: ClassVar[int]
    """Rows handed to one receiver at a time."""
    at_once: ClassVar[int]
    """Rows leased at a time: with those of one receiver alone a lane has to end before its lease."""

    def __init__(self, server: Server, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.server = server
        self.name = uuid4().hex[:12]
        self._now = clock
        self._database = server.database
        self._private = server.config.webhook_private
        self._busy: set[Any] = set()
        """The receivers with a lane just now."""
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def run(self, stop: threading.Event) -> None:
        """Hand rows over until `stop` is set; what a lane has not begun by then is put back."""
        self._stop = stop
        with ThreadPoolExecutor(self.most_lanes, thread_name_prefix=type(self).__name__) as lanes:

            def look() -> int:
                taken = self._take()
                for to, ids in taken.items():
                    lanes.submit(self._lane, to, ids)
                return len(taken)

            keep_looking(stop, look, LOOK_EVERY_SECONDS, log, f"what is due of {type(self).__name__} was not taken")

    def deliver_due(self) -> int:
        """Hand over some of what is due; return how many were leased."""
        taken = self._take()
        with ThreadPoolExecutor(max(1, len(taken))) as lanes:
            for to, ids in taken.items():
                lanes.submit(self._lane, to, ids)
        return sum(map(len, taken.values()))

    def _take(self) -> dict[Any, list[int]]:
        """Lease some rows; return their numbers by receiver. One that has a lane gets no other."""
        row, now = self.leases.model, self._now()
        lane = col(getattr(row, self.lane))
        with self._lock:
            free, busy = self.most_lanes - len(self._busy), sorted(self._busy)
        if free <= 0:
            return {}
        due = sa.select(col(row.id)).where(self.leases.is_due, *self.rests).order_by(col(row.due_at))
        due = due.where(lane.not_in(busy)) if busy else due
        with self._database.read() as session:
            if session.execute(due.limit(1), {"now": now}).first() is None:
                return {}
        mine = {"claimed_by": self.name, "due_at": now + self.leases.lasts, "attempts": col(row.attempts) + 1}
        which = due.limit(self.at_once).with_for_update(skip_locked=True).scalar_subquery()
        take = sa.update(row).where(col(row.id).in_(which)).values(**mine).returning(col(row.id), lane)
        with self._database.write() as session:
            rows = session.execute(take, {"now": now}).all()
        taken: defaultdict[Any, list[int]] = defaultdict(list)
        for number, to in sorted(map(tuple, rows)):
            taken[to].append(number)
        with self._lock:
            self._busy.update(taken)
        return taken

    def _lane(self, to: str | int, ids: Sequence[int]) -> None:
        """Hand the rows of one receiver over."""
        down = threading.Event()
        try:
            with ThreadPoolExecutor(min(self.side_by_side, len(ids))) as pool:
                list(pool.map(lambda one: self._one(one, self._now(), down), ids))
        except Exception as error:  # what is leased becomes due again
            failures.report(log, f"the lane of {to} ended", error)
        finally:
            with self._lock:
                self._busy.discard(to)

    def _one(self, number: int, now: datetime, down: threading.Event) -> None:
        """Hand one row over. Whatever goes wrong with it is noted, so that it holds up no other one; `down` is set when
        the receiver does not answer at all."""
        if down.is_set() or self._stop.is_set():
            return self._put_back(number, now)
        row = f"{self.noun} {number}"
        try:
            attempts = self._hand_over(number, now, down)
        except TitleMissing:
            self._put_back(number, now + WHILE_MISSING)
        except Exception as error:
            if failures.is_of_the_database(error):
                raise
            failing.tell(self._database, self.job, row, error, now)
            self._not_taken(number, CallFailed(type(error).__name__), now)
        else:
            if attempts > 1:
                failing.well(self._database, self.job, row)

    def _hand_over(self, number: int, now: datetime, down: threading.Event) -> int:
        """Hand one row over and note what became of it; return how often that has been tried, 0 if it is gone."""
        raise NotImplementedError

    # -- what is noted. The rows of receivers are written before those that are owed to them, everywhere, so that no two
    # -- wait for each other.

    def _mine(self, number: int) -> sa.Update:
        return sa.update(self.leases.model).where(self.leases.mine(number, self.name))

    def _done(self, number: int, state: DeliveryState, now: datetime, session: Session | None = None) -> None:
        """Note that a row is done, in the transaction of what else is noted, if there is one."""
        if session is None:
            with self._database.write() as session:
                self._done(number, state, now, session)
            return
        done = {"state": state, "sent_at": now, "claimed_by": None, "last_error": None, self.content: {}}
        session.execute(self._mine(number).values(**done))

    def _put_back(self, number: int, until: datetime) -> None:
        """Release a row untried, until a moment."""
        with self._database.write() as session:
            untried = col(self.leases.model.attempts) - 1
            session.execute(self._mine(number).values(due_at=until, claimed_by=None, attempts=untried))

    def _not_taken(self, number: int, failed: CallFailed, now: datetime) -> None:
        """Postpone a row, with all others of its receiver, if that asks for patience: this counts neither as a failure
        nor as an attempt. Else try it again after a pause, or give it up."""
        row, receiver = self.leases.model, col(getattr(self.leases.model, self.receiver))
        error = failed.code[:80]
        with Work(self._database) as work:
            session = work.session
            asked = sa.select(col(row.attempts), col(row.made_at), receiver).where(col(row.id) == number)
            found = session.execute(asked).first()
            if found is None:
                return
            attempts, made_at, to = found
            session.execute(sa.select(col(self.model.id)).where(col(self.model.id) == to).with_for_update())
            if failed.retry_after is not None and now - made_at < self.tried_for:
                until = now + patience(failed.retry_after, now)
                untried = col(row.attempts) - 1
                session.execute(
                    self._mine(number).values(due_at=until, claimed_by=None, attempts=untried, last_error=error)
                )
                others = self.leases.is_waiting, col(row.claimed_by).is_(None), col(row.due_at) < until
                session.execute(sa.update(row).where(receiver == to, *others).values(due_at=until))
                return
            pause = None if failed.for_good else self.pauses.after(attempts)
            values = {"due_at": now + pause} if pause else {"state": DeliveryState.FAILED, "sent_at": now}
            session.execute(self._mine(number).values(**values, claimed_by=None, last_error=error))
            self._failed(work, to, now)

    def _failed(self, work: Work, to: int, now: datetime) -> None:
        """Do what else follows when something was not taken."""
