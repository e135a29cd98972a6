"""The rows of the outbox as their senders see them: leased, renewed, and their fate.

Mails are leased (`app.base.stored.leases`): a killed sender's mails become due again by themselves, and a sender that
takes long over one mail renews its lease in time. Only the lease's holder writes anything about a mail here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored import outbox
from app.base.stored.leases import Leases, Pauses
from app.base.stored.mail_tables import MailGroup, MailState, OutboxMail
from app.base.stored.prepared import PreparedRead, PreparedWrite
from app.games.tables import Game
from app.post.letters.writing import QueuedMail
from app.titles.registry import TITLES

LEASE = timedelta(seconds=30)
"""A leased mail becomes due again after this, unless its sender renews the lease."""
FIRST_PAUSE = timedelta(seconds=30)
TEN_MINUTES, AN_HOUR, FOUR_HOURS = timedelta(minutes=10), timedelta(hours=1), timedelta(hours=4)
PAUSES = Pauses(
    [*(FIRST_PAUSE * 2**n for n in range(5)), *[TEN_MINUTES] * 70, *[AN_HOUR] * 36, *[FOUR_HOURS] * 18],
)
"""A mail is given up five days after its first attempt."""


class _OnlyId(NamedTuple):
    id: int


_LEASES = Leases(OutboxMail, col(OutboxMail.state) == sa.literal_column("'waiting'"), LEASE)
ANY_DUE = PreparedRead(_LEASES.any_due, _OnlyId)
ANY_LEASED = PreparedRead(_LEASES.any_leased, _OnlyId)
COLUMNS = (
    col(OutboxMail.id),
    col(OutboxMail.kind),
    col(OutboxMail.address),
    col(OutboxMail.player_id),
    col(OutboxMail.game_id),
    col(OutboxMail.seat),
    col(OutboxMail.number),
    col(OutboxMail.details),
    col(OutboxMail.made_at),
    col(OutboxMail.attempts),
    col(OutboxMail.message_id),
    col(OutboxMail.tried_at),
)
"""The columns of `QueuedMail`."""


_RETURNED = (*COLUMNS, col(OutboxMail.mail_group))
_TAKE = _LEASES.taking(col(OutboxMail.due_at)).returning(*_RETURNED)
_TAKE_NEW = _LEASES.taking(col(OutboxMail.tried_at).is_not(None), col(OutboxMail.due_at)).returning(*_RETURNED)
_SET_GROUP = (
    sa.update(OutboxMail).where(col(OutboxMail.id) == sa.bindparam("mail_id")).values(mail_group=sa.bindparam("group"))
)
_MINE = _LEASES.mine(sa.bindparam("mail_id"), sa.bindparam("me"))
_IS_MINE = PreparedRead(sa.select(col(OutboxMail.id)).where(_MINE), _OnlyId)
_IS_DONE = (
    sa.update(OutboxMail)
    .where(_MINE)
    .values(
        state=sa.bindparam("to"),
        sent_at=sa.bindparam("now"),
        message=sa.bindparam("kept"),
        answer=sa.bindparam("answer"),
        last_error=None,
        claimed_by=None,
    )
)
_DONE = PreparedWrite(_IS_DONE.values(details={}))
# What is needed to render it stays for a while (`app.post.kept.queue.forget`), so that it can be resent.
_SENT = PreparedWrite(_IS_DONE)
_GIVE_UP = (
    sa.update(OutboxMail)
    .where(_MINE)
    .values(
        state=MailState.FAILED,
        sent_at=sa.bindparam("now"),
        tried_at=sa.bindparam("now"),
        message=None,
        last_error=sa.bindparam("error"),
        claimed_by=None,
    )
)
_BEHIND = (
    sa.update(OutboxMail)
    .where(_MINE)
    .values(
        due_at=sa.bindparam("at"),
        tried_at=sa.bindparam("now"),
        last_error=sa.bindparam("error"),
        claimed_by=None,
        attempts=col(OutboxMail.attempts) - sa.bindparam("back"),
    )
)
_UNTRIED = (
    sa.update(OutboxMail)
    .where(_MINE)
    .values(due_at=sa.bindparam("at"), claimed_by=None, attempts=col(OutboxMail.attempts) - 1)
)
_KEEP_FIRST = sa.update(OutboxMail).where(
    col(OutboxMail.id) == sa.bindparam("mail_id"), col(OutboxMail.message_id).is_(None)
)
_KEEP_FIRST = _KEEP_FIRST.values(message_id=sa.bindparam("new_id"))
_READ_ID = sa.select(col(OutboxMail.message_id)).where(col(OutboxMail.id) == sa.bindparam("mail_id"))
_SAME_ID = (
    sa.update(OutboxMail)
    .where(col(OutboxMail.id) == sa.bindparam("mail_id"), _LEASES.is_waiting)
    .values(message_id=sa.bindparam("new_id"))
)


def take(marks: Session, me: str, now: datetime, most: int, *, new_first: bool = False) -> list[QueuedMail]:
    """Lease up to `most` due mails, the longest waiting first, and commit. `new_first` puts mails without a failed
    attempt before the others."""
    values = {"now": now, "me": me, "until": now + LEASE, "most": most}
    rows = marks.execute(_TAKE_NEW if new_first else _TAKE, values).all()
    found = [QueuedMail(*row[: len(COLUMNS)]) for row in rows]
    for mail, row in zip(found, rows, strict=True):
        if row.mail_group is None:
            marks.execute(_SET_GROUP, {"mail_id": mail.id, "group": outbox.group_of(mail.kind)})
    marks.commit()
    return sorted(found, key=lambda mail: (not outbox.is_asked_for(mail), mail.id))


def take_these(marks: Session, ids: Sequence[int], me: str, now: datetime) -> None:
    """Lease mails that go along with one that is leased already."""
    mine = {"claimed_by": me, "due_at": now + LEASE, "attempts": col(OutboxMail.attempts) + 1}
    marks.execute(sa.update(OutboxMail).where(col(OutboxMail.id).in_(ids)).values(**mine))


def prepare(marks: Session) -> None:
    """Prepare the statements if the first mail must not take longer than the others: between the host's acceptance and
    the note of it nothing else should take time."""
    for statement in (_SENT, _DONE, _IS_MINE):
        statement.prepare(marks)


def is_mine(marks: Session, me: str, mail: QueuedMail) -> bool:
    """Return whether a leased mail is still this sender's to hand over."""
    return _IS_MINE.first(marks, mail_id=mail.id, me=me) is not None


def renew(session: Session, me: str, mail: QueuedMail, now: datetime) -> bool:
    """Renew the lease of a mail; return False when another sender now has it."""
    return all([_LEASES.renew(session, one.id, me, now) for one in (mail, *mail.more)])


def done(
    marks: Session,
    me: str,
    mail: QueuedMail,
    state: str,
    now: datetime,
    kept: bytes | None = None,
    answer: str | None = None,
) -> None:
    """Note that a mail is `sent`, with the host's answer, `dropped` or `kept`."""
    note = _noting(mail, state)
    note.run(marks, mail_id=mail.id, me=me, to=state, now=now, kept=kept, answer=answer)
    for one in mail.more:
        state_of_one = "sent" if state == "kept" else state
        _noting(one, state).run(marks, mail_id=one.id, me=me, to=state_of_one, now=now, kept=None, answer=answer)


def _noting(mail: QueuedMail, state: str) -> PreparedWrite:
    # What a person has asked for holds a link that opens something; who needs another one asks again.
    return _SENT if state == "sent" and outbox.group_of(mail.kind) is not MailGroup.ASKED else _DONE


def readdress(session: Session, me: str, mail: QueuedMail, address: str) -> None:
    """Send a mail to another address of its reader's."""
    mine = sa.update(OutboxMail).where(_MINE)
    session.execute(
        mine.values(address=sa.bindparam("to"), message=None), {"mail_id": mail.id, "me": me, "to": address}
    )


def give_up(session: Session, me: str, mail: QueuedMail, now: datetime, error: str) -> bool:
    """Note that a mail will not be tried again; return whether it was this sender's."""
    values = {"me": me, "now": now, "error": error}
    mine = [session.exec(_GIVE_UP, params={"mail_id": one.id, **values}).rowcount for one in (mail, *mail.more)]
    return mine[0] == 1


def step_behind(
    session: Session, me: str, mail: QueuedMail, now: datetime, error: str, pause: timedelta | None = None
) -> None:
    """Count a failed attempt and retry after a pause. Without one the attempt does not count: the mail stays due,
    behind those that have waited longer."""
    values = {"me": me, "now": now, "at": now + (pause or timedelta(0)), "error": error, "back": int(pause is None)}
    for one in (mail, *mail.more):
        session.execute(_BEHIND, {"mail_id": one.id, **values})


def put_back(
    session: Session, me: str, mails: Iterable[QueuedMail], until: Mapping[int, datetime] | None = None
) -> None:
    """Release mails that were not tried: they are due as before, or at the moments that `until` has by their
    numbers."""
    for one in (one for mail in mails for one in (mail, *mail.more)):
        at = until[one.id] if until else one.tried_at or outbox.due_from(one, one.made_at)
        session.execute(_UNTRIED, {"mail_id": one.id, "me": me, "at": at})


def keep_id(session: Session, mail: QueuedMail, new_id: str) -> str | None:
    """Return the Message-ID of a mail, whichever sender rendered it first; None when the mail is gone."""
    session.execute(_KEEP_FIRST, {"mail_id": mail.id, "new_id": new_id})
    kept: str | None = session.scalar(_READ_ID, {"mail_id": mail.id})
    return kept


def share_id(session: Session, mail: QueuedMail, mail_id: str) -> None:
    """Note the Message-ID of a mail for those that go out with it."""
    for one in mail.more:
        session.execute(_SAME_ID, {"mail_id": one.id, "new_id": mail_id})


def of_games(session: Session, mails: Sequence[QueuedMail]) -> tuple[set[int], set[int]]:
    """Return which of the mails, by number, have a decision that is no longer owed; and which are of games suspended
    because their title is not installed."""
    games = {mail.game_id for mail in mails if mail.game_id is not None}
    if not games:
        return set(), set()
    asked = sa.select(col(Game.id), col(Game.number), col(Game.decides), col(Game.title)).where(col(Game.id).in_(games))
    found = {row.id: row for row in session.execute(asked)}
    owed = {(row.id, row.number, row.decides) for row in found.values()}
    about = {mail.id: (mail.game_id, mail.number, mail.seat) for mail in mails if mail.number is not None}
    stand = {mail.id for mail in mails if mail.game_id in found and found[mail.game_id].title not in TITLES}
    return {mail_id for mail_id, decision in about.items() if decision not in owed}, stand
