"""The mails that wait and those that were given up, for operators; given-up mails are resent on request."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from app.base.process.jobs import tidies
from app.base.stored.database import Database
from app.base.stored.mail_tables import MailGroup, MailState, OutboxMail
from app.base.stored.outbox import group_of
from app.base.words.addresses import key_of
from app.base.words.refusals import NoSuch, NotAccepted
from app.games.tables import Game, GameStatus
from app.games.work import Work
from app.people.tables import Player
from app.post.inbound import bounces
from app.post.kept import ledger
from app.post.kept.ledger import CAN_BE_SENT_FOR
from app.time import open_cases, pending
from engine.kernel.text import Text

AT_ONCE = 100
LOOKED_AT = 2000
"""Old mails that one transaction examines: no writer waits for longer."""

# Written out, not parameters: only then does SQLite see that the partial indexes fit.
_IS_FAILED = col(OutboxMail.state) == sa.literal_column("'failed'")
_IS_WAITING = col(OutboxMail.state) == sa.literal_column("'waiting'")
_MESSAGE: Any = OutboxMail.message
_ROWS = select(OutboxMail).options(defer(_MESSAGE))


def waiting(session: Session, most: int) -> Sequence[OutboxMail]:
    """Return the mails that wait, oldest first."""
    return session.exec(_ROWS.where(_IS_WAITING).order_by(col(OutboxMail.id)).limit(most)).all()


def given_up(session: Session, most: int) -> Sequence[OutboxMail]:
    """Return the mails that were given up, newest first."""
    newest = _ROWS.where(_IS_FAILED).order_by(col(OutboxMail.sent_at).desc(), col(OutboxMail.id).desc())
    return session.exec(newest.limit(most)).all()


def send_again(
    database: Database,
    *,
    now: datetime,
    ids: Sequence[int] = (),
    address: str | None = None,
    since: datetime | None = None,
) -> int:
    """Resend what was given up: all of the last 30 days, or those with these numbers, to this address, or given up
    since a moment; return how many.

    They go to the player's current address. A turn's mail has the whole time to arrive again; its clock starts when it
    is accepted, and its case is closed then.
    """
    # Bounced mails had been accepted before. Those with a requested link were then forgotten, as were all bounces in
    # earlier versions; a turn's mail needs nothing else.
    can_be = sa.or_(col(OutboxMail.bounced_at).is_(None), col(OutboxMail.kind) == "turn", col(OutboxMail.details) != {})
    wanted = [_IS_FAILED, can_be, col(OutboxMail.sent_at) > now - CAN_BE_SENT_FOR]
    if ids:
        wanted.append(col(OutboxMail.id).in_(ids))
    if address is not None:
        key = key_of(address)
        about = sa.select(col(Player.id)).where(col(Player.address_key) == key)
        wanted.append(sa.or_(sa.func.lower(col(OutboxMail.address)) == key, col(OutboxMail.player_id).in_(about)))
    if since is not None:
        wanted.append(col(OutboxMail.sent_at) >= since)
    asked = select(OutboxMail).where(*wanted).order_by(col(OutboxMail.game_id), col(OutboxMail.id)).limit(AT_ONCE)
    sent = 0
    while True:
        with Work(database) as work:
            rows = work.session.exec(asked).all()
            sent += sum(send_given_up(work.session, row, now) for row in rows)
        if len(rows) < AT_ONCE:
            return sent


def once_more(database: Database, mail_id: int, by_id: int, now: datetime) -> None:
    """Resend one mail that was given up or came back, and note who asked for it. It is rendered again, so that one that
    asks for something names what is asked now. Raises NoSuch, NotAccepted."""
    with Work(database) as work:
        mail = work.session.get(OutboxMail, mail_id)
        if mail is None:
            raise NoSuch(mail_id)
        reason = ledger.reason_of(work.session, mail.address)
        if reason is not None and bounces.other_address(work.session, mail) is None:
            raise NotAccepted(
                "outbox.again.suppressed",
                Text(
                    "Mails to {address} come back ({reason}), so nothing is sent there. When that is mended, say below"
                    " that the address takes mails again; then send this mail.",
                    address=mail.address,
                    reason=reason,
                ),
            )
        if not (ledger.can_go_again(mail, now) and send_given_up(work.session, mail, now)):
            days = CAN_BE_SENT_FOR.days
            why = Text("Only what was given up can be sent again, for {days} days.", days=days)
            raise NotAccepted("outbox.again", why)
        noted = sa.update(OutboxMail).where(col(OutboxMail.id) == mail_id)
        work.session.execute(noted.values(again_at=now, again_by=by_id))


def send_given_up(session: Session, mail: OutboxMail, now: datetime) -> bool:
    """Queue a mail that was given up, or bounced, to be resent; return whether it still was."""
    # The game first, as all who play in it lock it.
    if mail.kind == "turn" and mail.game_id is not None:
        session.execute(sa.select(col(Game.id)).where(col(Game.id) == mail.game_id).with_for_update())
        _give_time_to_arrive(session, mail.game_id, mail.number, now)
    values: dict[str, Any] = {
        "state": MailState.WAITING,
        "due_at": now,
        "attempts": 0,
        "tried_at": None,
        "sent_at": None,
        "claimed_by": None,
        "answer": None,
        "bounced_at": None,
    }
    if mail.player_id is not None and group_of(mail.kind) is not MailGroup.ASKED:
        own = sa.select(col(Player.address)).where(col(Player.id) == mail.player_id).scalar_subquery()
        values["address"] = sa.func.coalesce(own, col(OutboxMail.address))
    given_up = sa.update(OutboxMail).where(col(OutboxMail.id) == mail.id, _IS_FAILED)
    return session.exec(given_up.values(**values)).rowcount == 1


def _give_time_to_arrive(session: Session, game_id: int, number: int | None, now: datetime) -> None:
    decision = pending.owed(session, game_id)
    if decision is None or decision.number != number or decision.mailed_at is not None:
        return
    if open_cases.running(session, game_id) is None:
        session.exec(sa.update(Game).where(col(Game.id) == game_id).values(asked_at=now))
        pending.refresh_game(session, game_id, now)


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete the content of mails that were given up, or sent, too long ago to be resent; return how many."""
    # Written out, not parameters: only then does SQLite see that the partial indexes fit.
    is_sent = col(OutboxMail.state) == sa.literal_column("'sent'")
    says = col(OutboxMail.details) != sa.literal_column("'{}'")
    old = col(OutboxMail.sent_at) <= now - CAN_BE_SENT_FOR
    return sum(
        session.exec(sa.update(OutboxMail).where(state, says, old).values(details={})).rowcount
        for state in (_IS_FAILED, is_sent)
    )


def prune(database: Database, before: datetime) -> int:
    """Delete the mails that were finished before a moment; return how many.

    All mails of a game stay while it is running: its clocks, cases and packets ask about their fate. The newest mail
    always stays, so that no number is given again: people may still write to the tagged addresses of the old one.
    """
    is_over = sa.select(col(Game.id)).where(
        col(Game.status).in_((GameStatus.OVER, GameStatus.CANCELLED)), col(Game.ended_at) < before
    )
    gone = after = 0
    while True:
        ahead = (
            sa.select(col(OutboxMail.id), col(OutboxMail.made_at))
            .where(col(OutboxMail.id) > after)
            .order_by(col(OutboxMail.id))
            .limit(LOOKED_AT)
        )
        with database.read() as session:
            rows = session.execute(ahead).all()
        # Creation times increase with the numbers: after the first young one all are young.
        old = [row.id for row in rows[:-1] if row.made_at < before]
        if not old:
            return gone
        ended = sa.func.coalesce(col(OutboxMail.sent_at), col(OutboxMail.made_at))
        done = sa.and_(col(OutboxMail.state) != MailState.WAITING, ended < before)
        of_nobody = sa.or_(col(OutboxMail.game_id).is_(None), col(OutboxMail.game_id).in_(is_over))
        there = col(OutboxMail.id).between(old[0], old[-1])
        with database.write() as session:
            gone += session.exec(sa.delete(OutboxMail).where(there, done, of_nobody)).rowcount
        after = old[-1]
