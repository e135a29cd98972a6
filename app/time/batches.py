"""Mails that are due at a moment of their own: planned batch by batch, and none while something is down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.base.outbox import PlannedMail
from app.games.work import Work
from app.time import outages

if TYPE_CHECKING:
    import sqlalchemy as sa
    from sqlmodel import Session

    from app.base.database import Database

AT_ONCE = 100
"""So many rows are looked at in one transaction; what is due is asked for with this limit."""


def plan_due(
    database: Database,
    now: datetime,
    any_due: sa.Select[*tuple[Any, ...]],
    due: sa.Select[*tuple[Any, ...]],
    plan: Callable[[Session, Sequence[sa.Row[Any]]], list[PlannedMail]],
) -> int:
    """Put the mails that are due into the outbox; how many. `plan` makes them of the rows of `due`, which it moves on,
    so that they are due no more."""
    mails = 0
    while True:
        with database.read() as session:
            if session.execute(any_due, {"now": now}).first() is None or outages.is_down(session, now):
                return mails
        with Work(database) as work:
            rows = work.session.execute(due, {"now": now}).all()
            planned = plan(work.session, rows)
            work.outbox.add(planned, now)
            work.commit()
        mails += len(planned)
        if len(rows) < AT_ONCE:
            return mails
