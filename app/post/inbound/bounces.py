"""A mail that the host had accepted did not arrive: the effect on it, on its address, and on the clock it started."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored import limits
from app.base.stored.database import insert_into
from app.base.stored.limits import Limit
from app.base.stored.mail_tables import BouncedAddress, InboundMail, InboundVerdict, MailGroup, MailState, OutboxMail
from app.base.stored.outbox import PlannedMail, group_of
from app.games import competitions
from app.games.work import Work
from app.people import accounts, unasked
from app.people.tables import Player
from app.post.inbound.reports import Report
from app.post.letters.writing import QueuedMail
from app.post.out import news_in_digests
from app.post.route.faults import Fault
from app.time import bounced

FULL_FOR, MOST_FULL = timedelta(days=7), 3
"""An address whose mailbox has been full this long, with this many bounces, is considered dead."""
TOLD = Limit("mail-bounces", 1, timedelta(days=1))
"""Operators get one mail about all bounces of a day: the rest is on the page of the outbox."""


def happened(work: Work, mail: OutboxMail, report: Report, now: datetime) -> None:
    """Do everything that follows from a report that a mail has failed. A mail that its reader has acted upon did
    arrive, whatever a report says: anybody who has received a mail could write one."""
    session = work.session
    words = report.words if report.status in report.words else f"{report.status} {report.words}".strip()
    still = sa.and_(
        col(OutboxMail.id) == mail.id,
        col(OutboxMail.state) == MailState.SENT,
        col(OutboxMail.seen_at).is_(None),
        col(OutboxMail.answered_at).is_(None),
    )
    values = {"state": MailState.FAILED, "bounced_at": now, "last_error": words}
    if session.exec(sa.update(OutboxMail).where(still).values(**values)).rowcount != 1:
        return
    unasked.failed(session, mail.id, now)
    if report.fault is Fault.ADDRESS or (report.fault is Fault.FULL and _stays_full(session, mail, now)):
        _suppress(session, mail, words, now)
    if mail.mail_group is MailGroup.CLOCK and mail.message_id is not None:
        session.exec(_went_along(mail, MailGroup.CLOCK).values(**values))
    if mail.kind == news_in_digests.DIGEST and mail.message_id is not None:
        elsewhere = other_address(session, mail)
        if elsewhere is not None:  # its news goes there, with the next digest; the games are in that anyway
            unsent = dict.fromkeys(("sent_at", "message_id", "claimed_by", "answer"))
            values = {"state": MailState.WAITING, "address": elsewhere, "due_at": now, **unsent}
        session.exec(_went_along(mail, MailGroup.NEWS).values(**values))
    if mail.kind == "turn" and mail.game_id is not None and mail.number is not None and mail.seat is not None:
        _set_back(work, mail, now)
    _tell_who_can_help(work, mail, now)


def _went_along(mail: OutboxMail, group: MailGroup) -> sa.Update:
    """What changes the mails of a group that were sent within the same message."""
    return sa.update(OutboxMail).where(
        # Written out, no parameter: only so SQLite sees that the partial index fits.
        col(OutboxMail.mail_group) == sa.literal_column(f"'{group}'"),
        col(OutboxMail.player_id) == mail.player_id,
        col(OutboxMail.message_id) == mail.message_id,
        col(OutboxMail.state) == MailState.SENT,
    )


def _stays_full(session: Session, mail: OutboxMail, now: datetime) -> bool:
    """Return whether the mailbox has been full for a week: several mails to it have bounced for that reason, the first
    of them that long ago, and nothing has been read there since. (Verdicts on incoming mails are kept for longer than
    that.)"""
    there = sa.func.lower(col(OutboxMail.address)) == mail.address.lower()
    asked = (
        sa.select(col(InboundMail.mail_id), col(InboundMail.at), col(InboundMail.details))
        .join(OutboxMail, col(OutboxMail.id) == col(InboundMail.mail_id))
        .where(col(OutboxMail.state) == sa.literal_column("'failed'"), there)
        .where(col(InboundMail.verdict) == InboundVerdict.BOUNCE)
    )
    full = {row.mail_id: row.at for row in session.execute(asked) if row.details.get("fault") == Fault.FULL.value}
    if not _is_long(list(full.values()), now):
        return False
    read = [col(OutboxMail.seen_at), col(OutboxMail.answered_at)]
    last = [session.scalar(sa.select(at).where(there, at.is_not(None)).order_by(at.desc()).limit(1)) for at in read]
    return _is_long([at for at in full.values() if all(read is None or read < at for read in last)], now)


def _is_long(full: list[datetime], now: datetime) -> bool:
    return len(full) >= MOST_FULL and min(full) <= now - FULL_FOR


def _suppress(session: Session, mail: OutboxMail, words: str, now: datetime) -> None:
    values = {"address_key": mail.address.lower(), "at": now, "reason": words, "mail_id": mail.id}
    insert = insert_into(session, BouncedAddress).values(**values)
    session.execute(insert.on_conflict_do_nothing(index_elements=["address_key"]))


def _set_back(work: Work, mail: OutboxMail, now: datetime) -> None:
    assert mail.game_id is not None and mail.number is not None and mail.seat is not None
    session = work.session
    another = sa.select(col(OutboxMail.id)).where(
        col(OutboxMail.game_id) == mail.game_id,
        col(OutboxMail.number) == mail.number,
        col(OutboxMail.seat) == mail.seat,
        col(OutboxMail.kind) == "turn",
        col(OutboxMail.player_id) == mail.player_id,
        col(OutboxMail.state) == MailState.SENT,
        sa.func.lower(col(OutboxMail.address)) != mail.address.lower(),
    )
    if session.execute(another).first() is not None:
        return  # it has come to the player's other address
    second = other_address(session, mail)
    if bounced.set_back(session, mail.game_id, mail.number, mail.seat, now, goes_on=second is not None) and second:
        key = f"{mail.mail_key[:100]}:bounced{mail.id}"
        work.outbox.add([PlannedMail(key, "turn", second, mail.player_id, mail.game_id, mail.seat, mail.number)], now)


def other_address(session: Session, mail: OutboxMail) -> str | None:
    """Return where else the player can be reached."""
    if mail.player_id is None:
        return None
    row = session.execute(
        sa.select(col(Player.address), col(Player.second_address)).where(
            col(Player.id) == mail.player_id, col(Player.erased_at).is_(None)
        )
    ).first()
    known = [address for address in (row or ()) if address and address.lower() != mail.address.lower()]
    gone = reasons(session, known)
    return next((address for address in known if address.lower() not in gone), None)


def _tell_who_can_help(work: Work, mail: OutboxMail, now: datetime) -> None:
    """Mail the operators, and the organisers of the game's event, once a day."""
    session = work.session
    people: list[tuple[int, str]] = []
    if limits.add(session, TOLD, "operators", now) <= TOLD.most:
        people += [(row.id, row.address) for row in session.execute(accounts.OPERATORS)]
    if mail.game_id is not None:
        organisers = competitions.runner().organisers_of_games(session, [mail.game_id])
        for player_id, (address, _) in organisers.items():
            if limits.add(session, TOLD, f"organiser:{player_id}", now) <= TOLD.most:
                people.append((player_id, address))
    details = {"since": (now - AT_ONCE).isoformat()}
    work.outbox.tell(people, "bounces", f"bounces:{now:%Y%m%d}", details, now, wait=TELL_AFTER)


TELL_AFTER = timedelta(minutes=5)
"""So that one mail can report how many bounced at once."""
AT_ONCE = timedelta(minutes=1)
"""Reports that come in together are written in any order: what came in slightly earlier belongs to the same mail."""
MOST_NAMED = 20


def of_reader(session: Session, reader_id: int, *, all_of_them: bool, since: datetime) -> tuple[int, list[Any]]:
    """Return the bounces since a moment, for an operator (`all_of_them`) or the organiser of events: how many, and the
    first of them with address, player, game, and reason."""
    asked = (
        sa.select(col(OutboxMail.game_id), col(OutboxMail.address), col(Player.name), col(OutboxMail.last_error))
        .outerjoin(Player, col(Player.id) == col(OutboxMail.player_id))
        .where(col(OutboxMail.state) == sa.literal_column("'failed'"), col(OutboxMail.bounced_at) >= since)
        .order_by(col(OutboxMail.bounced_at), col(OutboxMail.id))
    )
    rows = session.execute(asked).all()
    if not all_of_them:
        games = {row.game_id for row in rows if row.game_id is not None}
        events = competitions.runner().organisers_of_games(session, games).get(reader_id, ("", []))[1]
        mine = {game_id for event in events for game_id in session.scalars(competitions.runner().games_of_event(event))}
        rows = [row for row in rows if row.game_id in mine]
    return len(rows), list(rows[:MOST_NAMED])


# -- addresses that take no mails ---------------------------------------------------------------------


def reasons(session: Session, addresses: Iterable[str]) -> dict[str, str]:
    """Return which of the addresses bounce, in lower case, and why."""
    wanted = {address.lower() for address in addresses}
    if not wanted:
        return {}
    asked = sa.select(col(BouncedAddress.address_key), col(BouncedAddress.reason)).where(
        col(BouncedAddress.address_key).in_(wanted)
    )
    return {row.address_key: row.reason for row in session.execute(asked)}


def elsewhere(session: Session, mails: Sequence[QueuedMail]) -> dict[int, str | None]:
    """Those of the mails, by number, whose address takes none: where they go instead, None for nowhere. What a
    person asks for at this moment goes to the address that they say."""
    usual = [mail for mail in mails if group_of(mail.kind) is not MailGroup.ASKED]
    gone = reasons(session, [mail.address for mail in usual])
    if not gone:
        return {}
    lost = [mail for mail in usual if mail.address.lower() in gone]
    people = {mail.player_id for mail in lost if mail.player_id is not None}
    asked = sa.select(col(Player.id), col(Player.address), col(Player.second_address)).where(col(Player.id).in_(people))
    known = {row.id: (row.address, row.second_address) for row in session.execute(asked)}
    also_gone = {*gone, *reasons(session, [address for both in known.values() for address in both if address])}
    return {
        mail.id: next(
            (each for each in known.get(mail.player_id or 0, ()) if each and each.lower() not in also_gone), None
        )
        for mail in lost
    }
