"""Mails to people who have not asked for any: invitations, and links to sign in for an address that a visitor types.

A server's good name pays for them, so all together are few a day, and fewer for one account, network or mailbox. People
who have ever signed in or played here belong to the server: of mails to them only those to one mailbox are counted.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.config import STRANGER_MAILS
from app.base.stored import limits
from app.base.stored.limits import Counts, Limit
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.outbox import MailInfo
from app.base.words.refusals import TooOften
from app.base.words.texts import without_links
from app.people import accounts
from app.people.tables import Player, PlayerRole
from engine.kernel.text import Text

A_DAY = timedelta(days=1)
BUDGET = Limit("unasked", STRANGER_MAILS, A_DAY)
"""Of the server (POSTROAD_STRANGER_MAILS)."""
SERVER = "server"
MAILBOX = Limit("mailbox", 10, A_DAY, Counts.MAILBOX)
"""Links to sign in, and what strangers are sent besides."""
OF_KNOWN = Limit("invited", 20, A_DAY, Counts.MAILBOX)
"""Invitations of people who belong to the server; they take no link away."""
MOST_DAYS = 7
"""How far ahead invitations may wait for a day with room."""
YOUNG_FOR = timedelta(days=7)
YOUNG = Limit("unasked-young", 0, timedelta(hours=1))
"""Counts the invitations that young accounts send in an hour, by the network that they come from."""
AT_ONCE, APART = 15, timedelta(minutes=1)
"""The first go out at once, the others a while apart: time enough for the first to come back."""
RECORD = timedelta(days=30)
SENT, UNWANTED = Limit("record-sent", 0, RECORD), Limit("record-unwanted", 0, RECORD)
LEAST_UNWANTED, SHARE = 3, 10
"""A player whose invitations were declined, stopped or returned three times, and three times of ten or more, sends none
for a while."""
INVITATIONS = {"club_invitation": 4, "invitation": 3}
"""The kinds of mails whose keys name who invites, as the last but one of so many parts after the kind."""
_FULL = Text(
    "This server writes to few people a day who have never used it, and the days to come are full. Try again later, or"
    " ask whoever keeps it."
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request comes from."""

    network: str = ""
    """Empty for what does not come over the web."""
    budget: int = STRANGER_MAILS


NOWHERE = Origin()
ORIGIN: ContextVar[Origin] = ContextVar("origin", default=NOWHERE)
"""Of the request in hand; set by the pages, so that services need not hand it on."""


def count_link(session: Session, address: str, now: datetime) -> bool:
    """Count a mail with a link to sign in, in the caller's transaction, and so only if it commits; return False for a
    person who wants no mails from a server that they have never used. TooOften if it is one too many."""
    there = _count_mailbox(session, address, now, MAILBOX)
    if there is not None and there.acted_at is not None:
        return True
    limits.need(session, replace(BUDGET, most=ORIGIN.get().budget), SERVER, now, _FULL)
    return there is None or there.mail_news


def wait_of_invitation(session: Session, address: str, by_id: int | None, now: datetime) -> timedelta:
    """Count an invitation, in the same way; return how long its mail has to wait. TooOften if the days to come are
    full, or too many did not want the earlier ones."""
    there = _count_mailbox(session, address, now, OF_KNOWN)
    by = session.get(Player, by_id) if by_id is not None else None
    if (there is not None and there.acted_at is not None) or by is None or by.role == PlayerRole.OPERATOR:
        return timedelta(0)
    if is_paused(session, by.id, now):
        why = Text(
            "Too many of those whom you invited did not want it, or their addresses take no mails. For some weeks you"
            " can invite only people who use this server; whoever keeps it can help."
        )
        raise TooOften(UNWANTED.name, now + RECORD, why)
    limits.add(session, SENT, str(by.id), now)
    origin = ORIGIN.get()
    day = _day_with_room(session, origin.budget, now)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    wait = midnight + day * A_DAY - now if day else timedelta(0)
    if by.created_at > now - YOUNG_FOR:
        number = limits.add(session, YOUNG, origin.network or str(by.id), now + day * A_DAY)
        wait += max(0, number - AT_ONCE) * APART
    return wait


def _count_mailbox(session: Session, address: str, now: datetime, of_known: Limit) -> Player | None:
    """Count a mail to a mailbox; return whose it is. TooOften."""
    there = accounts.find(session, address)
    limit = MAILBOX if there is None or there.acted_at is None else of_known
    limits.need(session, limit, address, now, Text("This address has had enough mails from here today."))
    return there


def _day_with_room(session: Session, budget: int, now: datetime) -> int:
    for day in range(MOST_DAYS):
        if limits.add(session, BUDGET, SERVER, now + day * A_DAY) <= budget:
            return day
    raise TooOften(BUDGET.name, now + MOST_DAYS * A_DAY, _FULL)


def is_paused(session: Session, by_id: int | None, now: datetime) -> bool:
    """Return whether a player's invitations are wanted by so few that none goes out any more."""
    unwanted, sent = (limits.lately(session, limit, str(by_id), now) for limit in (UNWANTED, SENT))
    return unwanted >= LEAST_UNWANTED and unwanted * SHARE >= LEAST_UNWANTED * sent


def may_go_out(session: Session, reader: Player, mail: MailInfo) -> bool:
    """Return whether an invitation may still go out to this reader, now that the first of them have come back."""
    return reader.acted_at is not None or not is_paused(session, mail.details.get("by"), datetime.now(UTC))


def failed(session: Session, mail_id: int, now: datetime) -> None:
    """Note that a mail did not arrive, if it was an invitation."""
    key = session.scalar(sa.select(col(OutboxMail.mail_key)).where(col(OutboxMail.id) == mail_id))
    _count_unwanted(session, key or "", now)


def _count_unwanted(session: Session, mail_key: str, now: datetime) -> None:
    kind, *about = mail_key.split(":")
    if len(about) == INVITATIONS.get(kind):  # keys of 1.0 do not say who invites
        limits.add(session, UNWANTED, about[-2], now)


def refused(session: Session, player_id: int, now: datetime, key: str = "") -> None:
    """Note that a player who has never used this server declines the last invitation whose mail's key begins so, or
    wants no such mails at all."""
    asked = (
        sa.select(col(OutboxMail.mail_key))
        .join(Player, col(Player.id) == col(OutboxMail.player_id))
        .where(
            col(OutboxMail.player_id) == player_id,
            col(OutboxMail.kind).in_(INVITATIONS),
            col(OutboxMail.mail_key).startswith(key, autoescape=True),
            col(Player.acted_at).is_(None),
        )
        .order_by(col(OutboxMail.id).desc())
    )
    _count_unwanted(session, session.scalar(asked.limit(1)) or "", now)


def said_to(reader: Player, text: str) -> str:
    """Return what others have written as a mail says it: to a reader who has never used this server, without anything
    that leads elsewhere."""
    return without_links(text) if reader.acted_at is None else text
