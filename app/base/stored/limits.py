"""How often something may be done, counted in the database for all processes together.

Only sign-in, invitations and failures are counted; a player with a valid turn link is never stopped from playing.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.jobs import tidies
from app.base.process.networks import wider
from app.base.stored.database import Database, insert_into
from app.base.stored.upkeep_tables import RateCount
from app.base.words.addresses import mailbox_of
from app.base.words.refusals import TooOften
from engine.kernel.text import Text

KEPT = timedelta(days=2)
LONG, LONG_KEPT = "record-", timedelta(days=60)
"""How the names of limits begin whose windows are longer, and how long these counts are kept."""


class Counts(Enum):
    """What the key of a limit is, and so which keys count as one."""

    ANYTHING = "anything"
    MAILBOX = "mailbox"
    """An address, however it is written (`mailbox_of`)."""
    NETWORK = "network"
    """A network; all that a customer of IPv6 may have count together, too, with `WIDER` times as many."""


WIDER = 4


@dataclass(frozen=True, slots=True)
class Limit:
    """At most this many in each window of time."""

    name: str
    most: int
    window: timedelta
    counts: Counts = Counts.ANYTHING


SIGN_IN_ADDRESS = Limit("sign-in-address", 6, timedelta(hours=1), Counts.MAILBOX)
SIGN_IN_PLACE = Limit("sign-in-place", 40, timedelta(hours=1), Counts.NETWORK)
BAD_LINKS = Limit("bad-links", 60, timedelta(hours=1), Counts.NETWORK)
TABLES = Limit("tables", 40, timedelta(days=1))
INVITATIONS = Limit("invitations", 60, timedelta(days=1))
JOIN_REQUESTS = Limit("join-requests", 10, timedelta(days=1))
CHAT = Limit("talk", 120, timedelta(hours=1))
REPORTS = Limit("reports", 20, timedelta(days=1))
EXPORTS = Limit("exports", 10, timedelta(hours=1))
SEEN = Limit("seen", 120, timedelta(hours=1))
HOOK_TRIALS = Limit("hook-trials", 20, timedelta(hours=1))


def add(session: Session, limit: Limit, key: str, now: datetime) -> int:
    """Count one more in the caller's transaction, and so only if it commits; return how many there are now."""
    return _add(session, limit, key, now)[0]


def need(session: Session, limit: Limit, key: str, now: datetime, why: Text | None = None) -> None:
    """Count one more in the caller's transaction. Raises TooOften if it is one too many, which `why` explains."""
    number, start = _add(session, limit, key, now)
    if number > limit.most:
        raise TooOften(limit.name, start + limit.window, why)


def so_far(session: Session, limit: Limit, key: str, now: datetime) -> int:
    """Return how many there were in this window."""
    return _since(session, limit, key, _start(limit, now))


def lately(session: Session, limit: Limit, key: str, now: datetime) -> int:
    """Return how many there were in this window and the one before it."""
    return _since(session, limit, key, _start(limit, now) - limit.window)


def _since(session: Session, limit: Limit, key: str, since: datetime) -> int:
    here = sa.and_(col(RateCount.rate_key) == _rate_key(limit, key), col(RateCount.window_start) >= since)
    return session.scalar(sa.select(sa.func.coalesce(sa.func.sum(col(RateCount.count)), 0)).where(here)) or 0


def _start(limit: Limit, now: datetime) -> datetime:
    seconds = limit.window.total_seconds()
    return datetime.fromtimestamp(now.timestamp() // seconds * seconds, UTC)


def _rate_key(limit: Limit, key: str) -> str:
    counted = mailbox_of(key) if limit.counts is Counts.MAILBOX else key.lower()
    # A hash: the counts reveal no addresses that were tried.
    return f"{limit.name}:{hashlib.sha256(counted.encode('utf-8', 'replace')).hexdigest()[:40]}"


def _add(session: Session, limit: Limit, key: str, now: datetime) -> tuple[int, datetime]:
    number, start = _add_one(session, limit, key, now)
    if limit.counts is Counts.NETWORK and (around := wider(key)) is not None:
        number = max(number, -(-_add_one(session, limit, around, now)[0] // WIDER))
    return number, start


def _add_one(session: Session, limit: Limit, key: str, now: datetime) -> tuple[int, datetime]:
    start = _start(limit, now)
    values = {"rate_key": _rate_key(limit, key), "window_start": start, "count": 1}
    added = (
        insert_into(session, RateCount)
        .values(**values)
        .on_conflict_do_update(index_elements=["rate_key", "window_start"], set_={"count": col(RateCount.count) + 1})
        .returning(col(RateCount.count))
    )
    return session.scalars(added).one(), start


def count(database: Database, counted: Sequence[tuple[Limit, str]], now: datetime) -> None:
    """Count one more of each, permanently, whatever follows. Raises TooOften if one of them was already full."""
    full: list[TooOften] = []
    with database.write() as session:
        for limit, key in sorted(counted, key=lambda pair: (pair[0].name, pair[1])):
            number, start = _add(session, limit, key, now)
            if number > limit.most:
                full.append(TooOften(limit.name, start + limit.window))
    if full:
        raise full[0]


class OfProcess:
    """Counts in this process alone and keeps nothing, for requests that only read."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._start: datetime | None = None
        self._counts: Counter[str] = Counter()

    def count(self, key: str, now: datetime) -> None:
        """Count one more. Raises TooOften if it is one too many."""
        start = _start(self.limit, now)
        if start != self._start:
            self._start, self._counts = start, Counter()
        self._counts[key] += 1
        if self._counts[key] > self.limit.most:
            raise TooOften(self.limit.name, start + self.limit.window)


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete the counts of windows that are over; how many."""
    is_long = col(RateCount.rate_key).startswith(LONG)
    start = col(RateCount.window_start)
    gone = sa.or_(start < now - LONG_KEPT, sa.and_(~is_long, start < now - KEPT))
    return session.exec(sa.delete(RateCount).where(gone)).rowcount
