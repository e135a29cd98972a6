"""Rows that are handed to many receivers: leased, and each receiver has a lane of its own, so that a slow or dead one
holds up no other."""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import uuid4

import sqlalchemy as sa
from sqlmodel import col

from app.base import failures
from app.base.leases import Leases, keep_looking

if TYPE_CHECKING:
    from app.base.server import Server

log = logging.getLogger("postroad.lanes")

LOOK_EVERY_SECONDS = 1.0


class Lanes:
    """Hands the rows of one table over, for one process."""

    leases: ClassVar[Leases[Any]]
    lane: ClassVar[str]
    """The column that says to whom a row goes."""
    rests: ClassVar[tuple[sa.ColumnElement[bool], ...]] = ()
    """What else has to hold for a row to be taken at `now`."""
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
        raise NotImplementedError
