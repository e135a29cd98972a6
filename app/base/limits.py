"""How often something may be done, counted in the database for all processes together.

Only sign-in, invitations and failures are counted; a player with a valid turn link is never stopped from playing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.base.jobs import tidies
from app.base.refusals import TooOften
from app.base.upkeep_tables import RateCount
from app.base.upserts import insert_into

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database


KEPT = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most this many in each window of time."""

    name: str
    most: int
    window: timedelta


SIGN_IN_ADDRESS = Limit("sign-in-address", 6, timedelta(hours=1))
SIGN_IN_PLACE = Limit("sign-in-place", 40, timedelta(hours=1))
BAD_LINKS = Limit("bad-links", 60, timedelta(hours=1))
TABLES = Limit("tables", 40, timedelta(days=1))
INVITATIONS = Limit("invitations", 60, timedelta(days=1))
INVITED = Limit("invited", 20, timedelta(days=1))
JOIN_REQUESTS = Limit("join-requests", 10, timedelta(days=1))
CHAT = Limit("talk", 120, timedelta(hours=1))
REPORTS = Limit("reports", 20, timedelta(days=1))
EXPORTS = Limit("exports", 10, timedelta(hours=1))
SEEN = Limit("seen", 120, timedelta(hours=1))
HOOK_TRIALS = Limit("hook-trials", 20, timedelta(hours=1))


def add(session: Session, limit: Limit, key: str, now: datetime) -> int:
    """Count one more in the caller's transaction, and so only if it commits; return how many there are now."""
    return _add(session, limit, key, now)[0]


def _add(session: Session, limit: Limit, key: str, now: datetime) -> tuple[int, datetime]:
    seconds = limit.window.total_seconds()
    start = datetime.fromtimestamp(now.timestamp() // seconds * seconds, UTC)
    # A hash: the counts reveal no addresses that were tried.
    digest = hashlib.sha256(key.lower().encode("utf-8", "replace")).hexdigest()[:40]
    values = {"rate_key": f"{limit.name}:{digest}", "window_start": start, "count": 1}
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
        session.commit()
    if full:
        raise full[0]


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete the counts of windows that are over; how many."""
    return session.exec(sa.delete(RateCount).where(col(RateCount.window_start) < now - KEPT)).rowcount
