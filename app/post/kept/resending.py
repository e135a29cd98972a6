"""Resending a mail of any kind for an operator: one that was given up, bounced, or reportedly did not arrive.

It is rendered again when it is handed over. So one that asks for something names what is asked now, with working links,
and all others say what they said.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.server import Server
from app.base.stored.mail_tables import MailGroup, MailState, OutboxMail
from app.base.stored.outbox import PlannedMail, group_of
from app.base.words.refusals import Conflict, NoSuch, NotAccepted
from app.games.work import Work
from app.people.tables import Player
from app.post.inbound import bounces
from app.post.kept import ledger, queue
from app.post.letters.writing import QueuedMail, write_mail
from app.post.out import mail_leases
from engine.kernel.text import N_, Text


class NoSuchMail(NoSuch):
    """There is no mail with this number."""

    heading = N_("No such mail")
    sentence = N_("There is no mail with this number.")


def once_more(server: Server, mail_id: int, by_id: int, now: datetime) -> None:
    """Resend a mail, to the current address of its reader, and note who asked for it. Raises NoSuchMail, NotAccepted,
    which says why it cannot be resent, and Conflict if another process was sending it."""
    with server.database.read() as session:
        mail, sent = _find(session, mail_id)
        _refuse(sent, now)
        address = _address_now(session, mail)
        _refuse_where_none_arrives(session, replace(mail, address=address))
        _refuse_where_it_is_over(session, server, replace(mail, address=address), now)
    with Work(server.database) as work:
        if sent.state == MailState.FAILED:
            if not queue.send_given_up(work.session, sent, now):
                raise Conflict("outbox.again.faster", Text("Somebody else has just had this mail sent again."))
        else:
            # A new mail, so that the fate of the first one stays on record. Pressing twice gives one.
            key = f"again:{mail_id}:{now:%Y%m%d%H%M}"
            details = {**mail.details, "again": mail_id}
            again = PlannedMail(
                key, mail.kind, address, mail.player_id, mail.game_id, mail.seat, mail.number, details=details
            )
            work.outbox.add([again], now)
        noted = sa.update(OutboxMail).where(col(OutboxMail.id) == mail_id).values(again_at=now, again_by=by_id)
        work.session.execute(noted)


def _find(session: Session, mail_id: int) -> tuple[QueuedMail, OutboxMail]:
    found = session.get(OutboxMail, mail_id)
    if found is None:
        raise NoSuchMail(str(mail_id))
    queued = sa.select(*mail_leases.COLUMNS).where(col(OutboxMail.id) == mail_id)
    return QueuedMail(*session.execute(queued).one()), found


def _refuse(sent: OutboxMail, now: datetime) -> None:
    """Refuse if the fate of the mail speaks against it."""
    if sent.state == MailState.WAITING:
        raise NotAccepted("outbox.again.waits", Text("This mail still waits to go out; it is tried by itself."))
    if sent.state == MailState.KEPT:
        raise NotAccepted("outbox.again.kept", Text("This mail lies in the mailbox of this server; it went nowhere."))
    if sent.state == MailState.DROPPED:
        raise NotAccepted(
            "outbox.again.dropped",
            Text("This mail was not sent because what it would have said was no longer true or not wanted."),
        )
    if sent.sent_at is not None and sent.sent_at <= now - ledger.CAN_BE_SENT_FOR:
        days = ledger.CAN_BE_SENT_FOR.days
        raise NotAccepted(
            "outbox.again.old", Text("A mail can be sent again for {days} days; this one is older.", days=days)
        )
    if group_of(sent.kind) is MailGroup.ASKED and (sent.state == MailState.SENT or sent.bounced_at is not None):
        raise NotAccepted(
            "outbox.again.asked",
            Text("This mail held a link that somebody had asked for. Whoever needs another one asks on the same page."),
        )


def _address_now(session: Session, mail: QueuedMail) -> str:
    if mail.player_id is None or group_of(mail.kind) is MailGroup.ASKED:
        return mail.address
    own = session.scalar(sa.select(col(Player.address)).where(col(Player.id) == mail.player_id))
    return own or mail.address


def _refuse_where_none_arrives(session: Session, mail: QueuedMail) -> None:
    if bounces.elsewhere(session, [mail]).get(mail.id, mail.address) is not None:
        return
    reason = bounces.reasons(session, [mail.address])[mail.address.lower()]
    raise NotAccepted(
        "outbox.again.suppressed",
        Text(
            "Mails to {address} come back ({reason}), so nothing is sent there. When that is mended, say below that the"
            " address takes mails again; then send this mail.",
            address=mail.address,
            reason=reason,
        ),
    )


def _refuse_where_it_is_over(session: Session, server: Server, mail: QueuedMail, now: datetime) -> None:
    """Refuse one that would be dropped when it is handed over."""
    again = replace(mail, details={**mail.details, "again": mail.id})
    try:
        is_over = (
            bool(mail_leases.of_games(session, [mail])[0]) or write_mail(session, server.links, again, now) is None
        )
    except KeyError:  # earlier versions forgot what a mail said as soon as it was sent
        raise NotAccepted("outbox.again.forgotten", Text("What this mail said is forgotten.")) from None
    if is_over:
        raise NotAccepted(
            "outbox.again.over",
            Text("What this mail says is no longer true, or its reader wants no such mails; so it is not sent again."),
        )
