"""Scheduled mails: planned batch by batch, and none during an outage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from app.base.stored import failing
from app.base.stored.database import Database
from app.base.stored.outbox import PlannedMail
from app.games.work import Work
from app.time import outages

Sparing = Callable[[int], AbstractContextManager[None]]
"""What fails within it is set aside, under the number of its row (`app.base.stored.failing`)."""
AT_ONCE = 100
"""Rows examined in one transaction; due rows are queried with this limit."""


def plan_due(
    database: Database,
    now: datetime,
    any_due: sa.Select[*tuple[Any, ...]],
    due: sa.Select[*tuple[Any, ...]],
    job: tuple[str, str],
    plan: Callable[[Session, sa.Row[Any], Sparing], PlannedMail | None],
) -> int:
    """Put the due mails into the outbox; return how many. `plan` makes one from a row of `due`, which it moves on, so
    that it is no longer due. `job` names the job and what its rows are, as their conditions skip those that rest."""
    mails = 0
    while True:
        with database.read() as session:
            if session.execute(any_due, {"now": now}).first() is None or outages.is_down(session, now):
                return mails
        with Work(database) as work:
            rows = work.session.execute(due, {"now": now}).all()
            planned = _planned(work.session, rows, now, job, plan)
            work.outbox.add(planned, now)
        mails += len(planned)
        if len(rows) < AT_ONCE:
            return mails


def _planned(
    session: Session,
    rows: Sequence[sa.Row[Any]],
    now: datetime,
    job: tuple[str, str],
    plan: Callable[[Session, sa.Row[Any], Sparing], PlannedMail | None],
) -> list[PlannedMail]:
    before = failing.known(session, job[0]) if rows else {}

    def sparing(number: int) -> AbstractContextManager[None]:
        return failing.spared(session, job[0], f"{job[1]} {number}", now, before)

    planned = []
    for row in rows:
        with sparing(row.id):
            mail = plan(session, row, sparing)
            if mail is not None:
                planned.append(mail)
    return planned
