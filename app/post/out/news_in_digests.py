"""News of events goes out in the digest of readers who take that instead of single mails.

Each piece of news is its own row, written when and where it is caused, as everywhere. A sender that leases one puts it
back until its reader's next digest; a sender that leases the digest takes along all that wait, as one lease, and they
share its fate. So nothing is lost or said twice, whatever settings change in the meantime: a reader who no longer takes
a digest gets the waiting news as single mails, at the time at which it would have come; an erased account has no rows.

Only mails that start no clock and carry no right wait. What would be useless by the time of the digest goes out at
once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.links import Links
from app.base.stored.mail_tables import MailGroup, OutboxMail
from app.base.stored.outbox import group_of, is_asked_for
from app.people.tables import Player
from app.post.letters.writing import QueuedMail, can_wait, write_one
from app.post.out import mail_leases
from app.post.out.bundles import Line

DIGEST = "digest"
AFTER = timedelta(minutes=1)
"""How much later than the digest its news is due, so that the digest comes first and takes it along."""
MOST_LINES = 40
"""The number in one digest; the rest waits for the next."""

# Written out, no parameter: only so SQLite sees that the partial index fits.
_IS_NEWS = col(OutboxMail.mail_group) == sa.literal_column("'news'")
_READER = (
    sa.select(col(Player.digest_instead), col(Player.digest_at))
    .where(col(Player.id) == sa.bindparam("player"))
    .with_for_update(key_share=True)
)
_WAITING = (
    sa.select(*mail_leases.COLUMNS)
    .where(
        _IS_NEWS,
        col(OutboxMail.player_id) == sa.bindparam("player"),
        col(OutboxMail.sent_at).is_(None),
        col(OutboxMail.state) == sa.literal_column("'waiting'"),
        sa.or_(
            col(OutboxMail.claimed_by).is_(None),
            col(OutboxMail.due_at) <= sa.bindparam("now"),
            col(OutboxMail.id).in_(sa.bindparam("mine", expanding=True)),
        ),
    )
    .order_by(col(OutboxMail.id))
    .limit(MOST_LINES)
    .with_for_update()
)


def is_news(kind: str) -> bool:
    """Whether mails of a kind wait for digests."""
    return group_of(kind) is MailGroup.NEWS


def gather(
    marks: Session, me: str, found: Sequence[QueuedMail], now: datetime
) -> tuple[list[QueuedMail], dict[int, datetime]]:
    """The mails that have been leased, a digest with all news that waits for it; and the news that waits for a later
    one, by numbers, with the moments until when. Commits."""
    about = [mail for mail in found if mail.kind == DIGEST or is_news(mail.kind)]
    ready = [mail for mail in found if mail not in about]
    later: dict[int, datetime] = {}
    for player_id in sorted({mail.player_id for mail in about if mail.player_id is not None}):
        mine = [mail for mail in about if mail.player_id == player_id]
        reader = marks.execute(_READER, {"player": player_id}).first()
        if reader is None or not reader.digest_instead or reader.digest_at is None:
            ready += mine
        elif any(mail.kind == DIGEST for mail in mine):
            ready += _with_news(marks, me, mine, now)
        else:
            until = max(reader.digest_at, now) + AFTER
            waits = [one for one in mine if not is_asked_for(one) and can_wait(marks, one, until)]
            ready += [one for one in mine if one not in waits]
            later |= {one.id: until for one in waits}
        marks.commit()
    return ready, later


def _with_news(marks: Session, me: str, mine: Sequence[QueuedMail], now: datetime) -> list[QueuedMail]:
    # The first digest takes all; a second one, from an hour that was delayed, would list the games again.
    first, *others = [mail for mail in mine if mail.kind == DIGEST]
    own = [mail.id for mail in mine if mail is not first]
    rows = marks.execute(_WAITING, {"player": first.player_id, "now": now, "mine": own}).all()
    more = [QueuedMail(*row) for row in rows]
    taken = {mail.id for mail in more}
    if new := [mail_id for mail_id in taken if mail_id not in own]:
        mail_leases.take_these(marks, new, me, now)
    left = [mail for mail in mine if mail.kind != DIGEST and mail.id not in taken]
    return [replace(first, more=tuple(more)), *others, *left]


def lines(session: Session, links: Links, mail: QueuedMail) -> list[Line]:
    """Return what a digest says besides the waiting games: a line for each piece of news that is still true and
    wanted."""
    told = []
    for one in mail.more:
        if not is_news(one.kind):
            continue
        written = write_one(session, links, replace(one, handed_over_at=mail.handed_over_at))
        if written is not None:
            told.append(Line("news", written.subject, written.link, what=written.gist))
    return told


def left_over(session: Session, mail: QueuedMail) -> int:
    """Return how many more pieces wait for the next digest than this one contains."""
    asked = sa.select(sa.func.count()).where(
        _IS_NEWS,
        col(OutboxMail.player_id) == mail.player_id,
        col(OutboxMail.sent_at).is_(None),
        col(OutboxMail.state) == sa.literal_column("'waiting'"),
        col(OutboxMail.id).not_in([one.id for one in mail.more]),
    )
    return session.scalar(asked) or 0
