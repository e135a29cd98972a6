"""Drafts that are published at an hour which an organiser has named, with what is changed in them until then.

A draft that is paired anew, or thrown away since somebody left, has no hour any more: nobody has looked at what takes
its place. Of several workers one publishes: what is due is read anew with the event and the round locked.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.base import failing
from app.base.jobs import job
from app.base.refusals import NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit
from app.leagues.events import events, round_rows
from app.leagues.rounds import rounds
from app.leagues.tables import Competition, CompetitionRound, CompetitionStatus, RoundStatus
from app.leagues.teams import line_ups
from app.time import outages
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database


def name_hour(
    database: Database,
    round_id: int,
    by_id: int,
    version: int,
    at: datetime,
    *,
    event_id: int | None = None,
    until: datetime | None = None,
    now: datetime,
) -> bool:
    """Have a draft published at an hour; False when that is so already. `until`: when the round ends then; None is
    after the days of the event's terms. NoSuchRound, NotAllowed, NotAccepted."""
    with Work(database) as work:
        event, round = rounds.lock_draft(work.session, round_id, by_id, version, event_id)
        if event.status != CompetitionStatus.RUNNING:
            raise NotAccepted("event.not_running", Text("The event is not running."))
        if at <= now:
            raise passed()
        line_ups.need_chosen(work.session, event, round, at)
        if until is not None and until <= at:
            raise NotAccepted("round.until", Text("A round ends after it was published."))
        if (round.publish_at, round.due_at) == (at, until):
            return False
        _set(work.session, event, round, at, until, by_id, now)
        work.commit()
        return True


def passed() -> NotAccepted:
    """The hour that somebody has named is over."""
    return NotAccepted("round.at", Text("The hour of publishing lies in the future; leave it empty for now."))


def call_off(
    database: Database, round_id: int, by_id: int, version: int, *, event_id: int | None = None, now: datetime
) -> bool:
    """Leave a draft to its organisers again; False when it has no hour. NoSuchRound, NotAllowed, NotAccepted."""
    with Work(database) as work:
        event, round = rounds.lock_draft(work.session, round_id, by_id, version, event_id)
        if round.publish_at is None:
            return False
        _set(work.session, event, round, None, None, by_id, now)
        work.commit()
        return True


def _set(
    session: Session,
    event: Competition,
    round: CompetitionRound,
    at: datetime | None,
    until: datetime | None,
    by_id: int,
    now: datetime,
) -> None:
    here = sa.update(CompetitionRound).where(col(CompetitionRound.id) == round.id)
    before = round.publish_at
    session.execute(here.values(publish_at=at, due_at=until))
    audit.write(
        session,
        event.club_id,
        "round.hour_off" if at is None else "round.hour",
        at=now,
        by_id=by_id,
        event_id=event.id,
        subject=audit.round_of(round.number, round.division_id),
        before=None if before is None else {"publish_at": before.isoformat()},
        after=None if at is None else {"publish_at": at.isoformat()},
    )


@job("publish drafts", every=60, did="drafts published at their hour")
def sweep(database: Database, now: datetime) -> int:
    """Publish the drafts whose hour has come; how many. Nothing while something is down: its mails would wait."""
    with database.read() as session:
        asked = (
            sa.select(col(CompetitionRound.id), col(CompetitionRound.event_id))
            .join(Competition, col(Competition.id) == col(CompetitionRound.event_id))
            .where(
                col(CompetitionRound.status) == RoundStatus.DRAFT,
                col(CompetitionRound.publish_at) <= now,
                col(Competition.status) == CompetitionStatus.RUNNING,
            )
            .order_by(col(CompetitionRound.publish_at), col(CompetitionRound.id))
        )
        due = session.execute(asked).all()
        if not due or outages.is_down(session, now):
            return 0
    return sum(
        failing.over(
            database,
            "drafts",
            due,
            lambda row: f"round {row.id}",
            lambda row: _publish(database, row.event_id, row.id, now),
            now,
        )
    )


def _publish(database: Database, event_id: int, round_id: int, now: datetime) -> bool:
    with Work(database) as work:
        event = events.get(work.session, event_id, lock=True)  # before its rounds, as everywhere
        try:
            round = round_rows.get(work.session, round_id, lock=True)
        except round_rows.NoSuchRound:  # thrown away meanwhile
            return False
        is_due = round.status == RoundStatus.DRAFT and round.publish_at is not None and round.publish_at <= now
        if not is_due or event.status != CompetitionStatus.RUNNING:
            return False
        rounds.publish_in(work, event, round, None, now)
        work.commit()
        return True
