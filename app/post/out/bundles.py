"""Mails about passed deadlines go out together: one for everything there is to tell a player, and only a few a day.

Each is written as its own row, when and where it is caused. The sender of one takes along all the others that wait for
the same player, as one lease, and they share its fate. After two mails within a day that were sent because time passed,
including reminders and digests, they wait; but they go along at once with the next reminder or digest, so that a player
who gets many of those is not told late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.links import Links
from app.base.stored.mail_tables import MailState, OutboxMail
from app.base.stored.outbox import MailInfo
from app.people.tables import Player
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, reader_of, register_together, together, write_one
from app.post.out import mail_leases

MOST_A_DAY = 2
DAY = timedelta(days=1)

TAKE_ALONG = ("digest", "reminder")
"""The kinds of mails that take along those about passed deadlines if they can."""

# Written out, no parameter: only so SQLite sees that the partial index fits.
_IS_OF_THE_CLOCK = col(OutboxMail.mail_group) == sa.literal_column("'clock'")
_WAITING = (
    sa.select(*mail_leases.COLUMNS, col(OutboxMail.claimed_by), col(OutboxMail.due_at))
    .where(
        _IS_OF_THE_CLOCK,
        col(OutboxMail.kind).in_(sa.bindparam("together", expanding=True)),
        col(OutboxMail.player_id) == sa.bindparam("player"),
        col(OutboxMail.sent_at).is_(None),
        col(OutboxMail.state) == sa.literal_column("'waiting'"),
    )
    .order_by(col(OutboxMail.id))
    .with_for_update()
)
_LATELY = (
    sa.select(sa.func.max(col(OutboxMail.sent_at)))
    .where(
        _IS_OF_THE_CLOCK,
        col(OutboxMail.player_id) == sa.bindparam("player"),
        col(OutboxMail.sent_at) > sa.bindparam("since"),
        col(OutboxMail.state).in_((MailState.SENT, MailState.KEPT)),
    )
    .group_by(col(OutboxMail.message_id))
)


def goes_along(mail: MailInfo) -> bool:
    """Whether a mail goes out with others."""
    return mail.player_id is not None and mail.kind in together


def gather(
    marks: Session, me: str, found: Sequence[QueuedMail], now: datetime
) -> tuple[list[QueuedMail], dict[int, datetime]]:
    """Return the leased mails, with those about deadlines joined per player with all that wait, or with the reminder or
    digest that goes out now; and those that have to wait, by number, with the moments until when. Commits."""
    alone = [mail for mail in found if not goes_along(mail)]
    mine = {mail.id for mail in found if goes_along(mail)}
    later: dict[int, datetime] = {}
    carriers = {mail.player_id: mail for mail in reversed(alone) if mail.kind in TAKE_ALONG}
    about = {mail.player_id for mail in found if mail.id in mine} | carriers.keys()
    for player_id in sorted(player_id for player_id in about if player_id is not None):
        carrier = carriers.get(player_id)
        bundle, until = _of_player(marks, me, player_id, mine, now, carrier)
        marks.commit()
        if bundle is None:
            continue
        if until is None:
            alone = [mail for mail in alone if mail is not carrier]
            alone.append(bundle)
        else:
            later |= dict.fromkeys((mail.id for mail in (bundle, *bundle.more) if mail.id in mine), until)
    order = {mail.id: place for place, mail in enumerate(found)}
    return sorted(alone, key=lambda mail: min(order.get(one.id, len(order)) for one in (mail, *mail.more))), later


def _of_player(
    marks: Session, me: str, player_id: int, mine: set[int], now: datetime, carrier: QueuedMail | None
) -> tuple[QueuedMail | None, datetime | None]:
    # One player at a time, so that no two count the same day.
    marks.execute(sa.select(col(Player.id)).where(col(Player.id) == player_id).with_for_update(key_share=True))
    rows = marks.execute(_WAITING, {"player": player_id, "together": sorted(together)}).all()
    mails = [QueuedMail(*row[: len(mail_leases.COLUMNS)]) for row in rows]
    if not mails:
        return None, None
    free = [row.id for row in rows if row.id not in mine and (row.claimed_by is None or row.due_at <= now)]
    bundle = replace(mails[0], more=tuple(mails[1:]))
    if len(free) + sum(row.id in mine for row in rows) < len(rows):
        return bundle, now + mail_leases.LEASE  # another sender has some of them in hand just now
    if carrier is not None:
        bundle = replace(carrier, more=(*carrier.more, *mails))
    sent: list[datetime] = sorted(marks.execute(_LATELY, {"player": player_id, "since": now - DAY}).scalars())
    if len(sent) >= MOST_A_DAY and carrier is None:
        return bundle, sent[-MOST_A_DAY] + DAY
    if free:
        mail_leases.take_these(marks, free, me, now)
    return bundle, None


# -- writing ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """What one of the mails says, in a line."""

    section: str
    """`yours`, `claim`, `judge`, `over`, `news`."""
    text: str
    link: str
    at: datetime | None = None
    """Since when; the longest comes first."""
    game_id: int | None = None
    what: str = ""
    """The rest that there is to say, in a sentence or two."""
    legend: Sequence[str] = ()
    """Its conditions; said once for all lines to which they apply."""
    group: str | None = None
    """The group of mails it belongs to, for unsubscribing."""


ToLine = Callable[["Session", "Links", QueuedMail], Line | None]
SECTIONS = ("yours", "claim", "judge", "over", "news")
_LINES: dict[str, ToLine] = {}


def line(kind: str) -> Callable[[ToLine], ToLine]:
    """Have mails of a kind, which are about passed deadlines, go out together, and say each in a line by this."""

    def declare(say: ToLine) -> ToLine:
        together.add(kind)
        _LINES[kind] = say
        return say

    return declare


def write(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Return one mail made of several: a line for each that is still true, the newest of each kind and game."""
    told = _told(session, links, mail, (mail, *mail.more))
    reader = reader_of(session, mail)
    if not told or reader is None:
        return None
    if len(told) == 1:
        alone = replace(told[0][0], id=mail.id, handed_over_at=mail.handed_over_at)
        return write_one(session, links, alone)
    context = {"sections": _sections(told, mail)}
    group = next((line.group for _, line in told if line.group), None)
    return finish("together", context, reader, links, replace(mail, game_id=None), group=group)


def along(session: Session, links: Links, mail: QueuedMail) -> list[Section]:
    """What a reminder or digest says besides, of passed deadlines."""
    return _sections(_told(session, links, mail, [one for one in mail.more if one.kind in together]), mail)


Section = tuple[str, list[Line], list[tuple[list[int], Sequence[str]]]]
"""Its subject, its lines, and the `legends` of them."""


def _told(
    session: Session, links: Links, mail: QueuedMail, mails: Iterable[QueuedMail]
) -> list[tuple[QueuedMail, Line]]:
    newest = {(one.kind, one.game_id, one.details.get("ruling")): one for one in mails}
    return [
        (one, line)
        for one in newest.values()
        if (line := _LINES[one.kind](session, links, replace(one, handed_over_at=mail.handed_over_at))) is not None
    ]


def _sections(told: Sequence[tuple[QueuedMail, Line]], mail: QueuedMail) -> list[Section]:
    lines = sorted((line for _, line in told), key=lambda line: (SECTIONS.index(line.section), line.at or mail.made_at))
    found = [(section, list(group)) for section, group in groupby(lines, key=lambda line: line.section)]
    return [(section, group, legends((line.game_id or 0, line.legend) for line in group)) for section, group in found]


def legends(lines: Iterable[tuple[int, Sequence[str]]]) -> list[tuple[list[int], Sequence[str]]]:
    """Return the conditions of games, each once: the games to which they apply (none if to all that have any), and
    their sentences."""
    games: dict[tuple[str, ...], list[int]] = {}
    for number, sentences in lines:
        games.setdefault(tuple(sentences), []).append(number)
    everywhere = len(games) == 1
    games.pop((), None)
    return [([] if everywhere else numbers, sentences) for sentences, numbers in games.items()]


register_together(write)
