"""Publishes drafts at an hour set by an organiser, with the changes made to them until then.

A draft that is paired again, or thrown away because a player left, loses its hour: nobody has reviewed its replacement.
Of several workers one publishes: what is due is read again with the event and the round locked.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import col

from app.base.process.jobs import job
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.events import lifecycle, round_rows
from app.leagues.rounds import round_loop
from app.leagues.tables import CompetitionRound, CompetitionStatus, RoundStatus
from engine.kernel.text import Text


def name_hour(acting: Acting, round: CompetitionRound, at: datetime, *, until: datetime | None = None) -> bool:
    """Have a draft, which is locked, published at an hour; return False if that is already set.

    `until`: when the round then ends; None is after the days of the event's terms. Raises NotAccepted.
    """
    if acting.event.status != CompetitionStatus.RUNNING:
        raise NotAccepted("event.not_running", Text("The event is not running."))
    if at <= acting.now:
        raise passed()
    if until is not None and until <= at:
        raise NotAccepted("round.until", Text("A round ends after it was published."))
    if (round.publish_at, round.due_at) == (at, until):
        return False
    _set(acting, round, at, until)
    return True


def passed() -> NotAccepted:
    """Return the refusal of an hour that has passed."""
    return NotAccepted(
        "round.at", Text("Choose an hour in the future for publishing, or leave it empty to publish now.")
    )


def call_off(acting: Acting, round: CompetitionRound) -> bool:
    """Leave a draft, which is locked, to its organisers again; return False if it has no hour."""
    if round.publish_at is None:
        return False
    _set(acting, round, None, None)
    return True


def _set(acting: Acting, round: CompetitionRound, at: datetime | None, until: datetime | None) -> None:
    here = sa.update(CompetitionRound).where(col(CompetitionRound.id) == round.id)
    before = round.publish_at
    acting.session.execute(here.values(publish_at=at, due_at=until))
    acting.write(
        "round.hour_off" if at is None else "round.hour",
        audit.round_of(round.number, round.division_id),
        before=None if before is None else {"publish_at": before.isoformat()},
        after=None if at is None else {"publish_at": at.isoformat()},
    )


@job("publish drafts", every=60)
def sweep(database: Database, now: datetime) -> int:
    """Publish the drafts whose hour has come; return how many. Nothing during an outage: its mails would wait."""
    at = col(CompetitionRound.publish_at)
    is_due = sa.and_(col(CompetitionRound.status) == RoundStatus.DRAFT, at <= now)
    return round_rows.over_due(database, "drafts", is_due, at, _publish, now)


def _publish(database: Database, event_id: int, round_id: int, now: datetime) -> bool:
    with Work(database) as work:
        event = lifecycle.get(work.session, event_id, lock=True)  # before its rounds, as everywhere
        try:
            round = round_rows.get(work.session, round_id, lock=True)
        except round_rows.NoSuchRound:  # thrown away in the meantime
            return False
        is_due = round.status == RoundStatus.DRAFT and round.publish_at is not None and round.publish_at <= now
        if not is_due or event.status != CompetitionStatus.RUNNING:
            return False
        round_loop.put_out(Acting(work, event, None, now), round)
        return True
