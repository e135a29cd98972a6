"""What a watchdog wants to know: whether database, timetable and mail are working, and since when not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored import failing
from app.base.stored.mail_tables import MailState, OutboxMail
from app.base.stored.outbox import AHEAD
from app.clocks.outages import OUTAGE_AFTER
from app.post.route import mail_route
from app.post.route.mail_route import PostState
from app.time import installed, outages
from app.upkeep import schema

BEAT_IS_RECENT = timedelta(seconds=60)
"""A timetable that has been silent for longer is not running."""
MAY_BE_AHEAD = timedelta(seconds=5)
"""By how much the clocks of two machines may differ; a beat that is further ahead is of a clock that was set back."""
MAIL_MAY_STAND = OUTAGE_AFTER
"""How long no mail may go out, or a due one may wait: longer than a restart, as for the clocks."""
LOOKED_AT = 100
"""How many of the newest mails are searched for the last hand-over."""

_WAITING = col(OutboxMail.state) == sa.literal_column("'waiting'")  # as its index has it
# Requested mails are due from long before they were written, so as to go ahead of all others.
_DUE_SINCE = sa.case(
    (col(OutboxMail.due_at) < sa.bindparam("ahead"), col(OutboxMail.made_at)), else_=col(OutboxMail.due_at)
)
_OLDEST_DUE = sa.select(sa.func.min(_DUE_SINCE)).where(_WAITING, col(OutboxMail.due_at) <= sa.bindparam("now"))
_NEWEST = (
    sa.select(col(OutboxMail.sent_at))
    .where(col(OutboxMail.state).in_((MailState.SENT, MailState.KEPT)))
    .order_by(col(OutboxMail.id).desc())
    .limit(LOOKED_AT)
    .subquery()
)
_LAST_HAND_OVER = sa.select(sa.func.max(_NEWEST.c.sent_at))


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a server at a moment. `revision` is the database's, None if it is empty or does not answer."""

    revision: str | None
    beat_at: datetime | None = None
    """When the timetable was last known to run."""
    last_hand_over: datetime | None = None
    oldest_due: datetime | None = None
    """When the longest overdue mail was due."""
    post: PostState | None = None
    standing: Mapping[str, int] = field(default_factory=dict)
    """Running games whose title is not installed; all others go on."""
    down: tuple[str, ...] = ("database",)
    """What is not working, of `database`, `scheduler` and `mail`."""
    failing: int = 0
    """How many rows are set aside because a job cannot process them (`app.base.stored.failing`)."""

    @property
    def is_well(self) -> bool:
        return not self.down and not self.failing

    def oldest_due_seconds(self, now: datetime) -> int | None:
        """Return how long the longest overdue mail has waited; None if there is none."""
        return None if self.oldest_due is None else max(0, int((now - self.oldest_due).total_seconds()))


NO_DATABASE = Health(None)


def look(session: Session, now: datetime, *, host: str | None) -> Health:
    """Return the health of the server whose mails go to this host (name and port). Without one mails stay in the
    mailbox, and mail is never down."""
    revision = schema.revision_of(session)
    if schema.is_behind(revision):
        return Health(revision)
    beat = outages.last_beat(session, "scheduler", now + MAY_BE_AHEAD)
    oldest = session.scalar(_OLDEST_DUE, {"now": now, "ahead": now - AHEAD / 2})
    down = []
    if beat is None or now - beat >= BEAT_IS_RECENT:
        down.append("scheduler")
    post = mail_route.post_state(session)
    # Nothing is expected of a host that is no longer used.
    post = replace(post, pauses=[pause for pause in post.pauses if pause.host == host])
    if host is not None and _mail_stands(session, post, oldest, now):
        down.append("mail")
    standing, aside = installed.noted(session), failing.how_many(session, now)
    return Health(revision, beat, session.scalar(_LAST_HAND_OVER), oldest, post, standing, tuple(down), aside)


def _mail_stands(session: Session, post: PostState, oldest: datetime | None, now: datetime) -> bool:
    """Return whether the route to the mail host has been paused for too long, or nobody takes mails there."""
    beat = outages.last_beat(session, "mail")
    silent = beat is not None and now - beat > MAIL_MAY_STAND
    paused = any(pause.paused_at and now - pause.paused_at > MAIL_MAY_STAND for pause in post.pauses)
    return silent or paused or (oldest is not None and now - oldest > MAIL_MAY_STAND)
