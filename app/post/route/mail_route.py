"""The route to the mail host: whether mails go out, and since when and why they do not.

What one process finds out holds for all: a pause is a row. During it one mail at a time is tried, and the first one
that is accepted ends it. It counts as an outage of the mail from its first moment.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.database import Database, insert_into
from app.base.stored.mail_tables import MailRoute, OutboxMail
from app.base.stored.prepared import PreparedRead, PreparedWrite
from app.clocks.clock import Span
from app.clocks.outages import OUTAGE_AFTER
from app.games.work import Work
from app.people import accounts
from app.time import outages

log = logging.getLogger("postroad.mail")

LONGEST_PROBE_PAUSE = 60
"""Seconds between two probe mails while the others wait."""
PROBE_TAKES = timedelta(minutes=2)
"""How long a probe mail has before another one is tried."""
SAME_INCIDENT = timedelta(hours=1)
"""A pause that begins within this time after the last one is the same incident."""
TELL_AFTER = timedelta(minutes=1)
"""Nobody is told about a shorter pause: that is a restart of the mail host."""

_HERE = col(MailRoute.host) == sa.bindparam("at_host")
_READ = PreparedRead(select(MailRoute).where(_HERE))
_TAKEN = PreparedWrite(
    sa.update(MailRoute).where(_HERE, col(MailRoute.paused_at).is_(None)).values(taken_at=sa.bindparam("now"))
)
_IS_WAITING = col(OutboxMail.state) == sa.literal_column("'waiting'")


# -- as senders see it --------------------------------------------------------------------------------


def read(session: Session, host: str) -> MailRoute | None:
    """Return the row of a host; None when no mail has been given to it yet."""
    return _READ.first(session, at_host=host)


def know(database: Database, host: str) -> None:
    """Make sure that a host has a row."""
    with database.write() as session:
        insert = insert_into(session, MailRoute).on_conflict_do_nothing(index_elements=["host"])
        session.execute(insert.values(host=host, probes=0, times=0))


def taken(session: Session, host: str, now: datetime) -> bool:
    """Note that the host has accepted a mail; return False, and note nothing, during a pause."""
    return _TAKEN.run(session, at_host=host, now=now) == 1


def pause(database: Database, host: str, stage: str, reason: str, since: datetime, now: datetime) -> bool:
    """Send no more mails to a host, and tell the operators once per incident; return False if that was already so.
    `since` is when the first mail was refused for this reason."""
    with Work(database) as work:
        row = work.session.exec(select(MailRoute).where(_HERE).with_for_update(), params={"at_host": host}).first()
        if row is None or row.paused_at is not None:
            return False
        goes_on = row.resumed_at is not None and since - row.resumed_at < SAME_INCIDENT
        incident = (goes_on and row.incident_at) or since
        values = {
            "paused_at": since,
            "stage": stage,
            "reason": reason,
            "probe_at": now + _until_next_probe(0),
            "probes": 0,
            "incident_at": incident,
            "times": row.times + 1 if goes_on else 1,
        }
        work.session.exec(sa.update(MailRoute).where(_HERE).values(**values), params={"at_host": host})
        _tell_operators(work, host, incident, reason, now)
    log.error("no mails go to %s until it takes them again (%s): %s", host, stage, reason)
    return True


def _tell_operators(work: Work, host: str, incident: datetime, reason: str, now: datetime) -> None:
    details = {"host": host, "since": incident.isoformat(), "reason": reason}
    key, operators = f"mail_pause:{incident:%Y%m%dT%H%M%S}", work.session.execute(accounts.OPERATORS).all()
    work.outbox.tell(operators, "mail_pause", key, details, now, wait=TELL_AFTER)


def take_probe(session: Session, host: str, now: datetime) -> bool:
    """Return whether this process is the one that sends the probe now."""
    due = sa.and_(_HERE, col(MailRoute.paused_at).is_not(None), col(MailRoute.probe_at) <= now)
    taken = sa.update(MailRoute).where(due).values(probe_at=now + PROBE_TAKES)
    return session.exec(taken, params={"at_host": host}).rowcount == 1


def probe_failed(session: Session, host: str, stage: str, reason: str, now: datetime) -> None:
    """Note that the probe was refused too; the next one follows after a longer pause."""
    row = read(session, host)
    if row is None or row.paused_at is None:
        return
    values = {"probe_at": now + _until_next_probe(row.probes + 1), "probes": row.probes + 1}
    values |= {"stage": stage, "reason": reason}
    session.exec(sa.update(MailRoute).where(_HERE).values(**values), params={"at_host": host})


def probe_told_nothing(session: Session, host: str, now: datetime) -> None:
    """Note that the probe's fate says nothing about us, so that the next one is tried at once."""
    session.exec(
        sa.update(MailRoute).where(_HERE, col(MailRoute.paused_at).is_not(None)).values(probe_at=now),
        params={"at_host": host},
    )


def _until_next_probe(probes: int) -> timedelta:
    return timedelta(seconds=min(2 ** min(probes, 10), LONGEST_PROBE_PAUSE))


def resume(database: Database, host: str, now: datetime) -> None:
    """Note that the host accepts mails again: those that waited for it are due, and a long enough pause is an outage of
    the mail."""
    with database.write() as session:
        row = session.exec(select(MailRoute).where(_HERE).with_for_update(), params={"at_host": host}).first()
        if row is None or row.paused_at is None:
            return
        values = {"paused_at": None, "probe_at": None, "probes": 0, "resumed_at": now, "taken_at": now}
        session.exec(sa.update(MailRoute).where(_HERE).values(**values), params={"at_host": host})
        stepped_behind = sa.and_(
            _IS_WAITING,
            col(OutboxMail.tried_at).is_not(None),
            col(OutboxMail.claimed_by).is_(None),
            col(OutboxMail.due_at) > now,
        )
        session.exec(sa.update(OutboxMail).where(stepped_behind).values(due_at=now))
        if now - row.paused_at > OUTAGE_AFTER:
            outages.note(session, outages.MAIL, Span(row.paused_at, now), now)
    log.warning("%s takes mails again; none had gone there since %s", host, row.paused_at.isoformat("T", "seconds"))


# -- as others see it ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PostState:
    """The state of the post, for those who run the server."""

    last_taken: datetime | None
    """When a mail host last accepted a mail, to the second; None if never."""
    waiting: int
    """Mails that are due, are being handed over, or wait for their next attempt or the end of a night."""
    behind: int
    """Those of them with a failed attempt."""
    given_up: int
    pauses: Sequence[MailRoute]
    """Hosts to which no mails go."""


def pauses(session: Session) -> Sequence[MailRoute]:
    """Return the hosts to which no mails go now."""
    paused = select(MailRoute).where(col(MailRoute.paused_at).is_not(None))
    return session.exec(paused.order_by(col(MailRoute.host))).all()


def post_state(session: Session) -> PostState:
    """Return the current state of the post. Its cost is that of the mails that wait or were given up."""
    last: datetime | None = session.scalar(sa.select(sa.func.max(col(MailRoute.taken_at))))
    counts = sa.select(sa.func.count(), sa.func.count(col(OutboxMail.tried_at))).where(_IS_WAITING)
    waiting, behind = session.execute(counts).one()
    is_failed = col(OutboxMail.state) == sa.literal_column("'failed'")
    given_up = session.scalar(sa.select(sa.func.count()).select_from(OutboxMail).where(is_failed)) or 0
    return PostState(last, waiting, behind, given_up, pauses(session))


def ended(session: Session, host: str, since: datetime) -> datetime | None:
    """Return when the incident that began at `since` ended; None during a pause."""
    row = read(session, host)
    if row is None or row.paused_at is not None or row.resumed_at is None or row.resumed_at < since:
        return None
    at: datetime = row.resumed_at
    return at
