"""The port to whoever plays what people answer by mail: what they are given, and what they may answer with.

Until somebody registers, a mail with the way to the page is the answer to all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from app.base.outbox import PlannedMail

if TYPE_CHECKING:
    from app.base.mail_tables import OutboxMail
    from app.games.work import Work
    from app.post.inbound.incoming import Incoming


@dataclass(frozen=True, slots=True)
class Reply:
    """What somebody has answered to a mail of ours."""

    mail: Incoming = field(repr=False)
    asked: OutboxMail = field(repr=False)
    """The mail that it answers."""
    is_owed: bool
    """Whether the decision that it asked for is still to be made by the same player."""
    is_proven: bool
    """Whether it is certain that the player has sent it. Where it is not, nothing may be played."""
    text: Callable[[Callable[[str], bool]], str] = field(default=lambda _: "", repr=False)
    """What its author has written (`app.post.inbound.reading`), for whoever says which lines can be read."""


class TakesReplies(Protocol):
    """Whoever takes what people answer."""

    def __call__(self, work: Work, reply: Reply, key: str, now: datetime) -> PlannedMail | None:
        """What follows from an answer, written in this transaction, and the mail that says so. `key` is the mail's."""


def point_to_page(work: Work, reply: Reply, key: str, now: datetime) -> PlannedMail:
    """A mail with the way to where the answer can be given."""
    asked = reply.asked
    # Not as the mail's own number: it also goes out when the decision has been made meanwhile.
    details = {"number": asked.number}
    address = reply.mail.author or asked.address
    return PlannedMail(key, "mail_answer", address, asked.player_id, asked.game_id, asked.seat, None, details)


def tell_of_stranger(reply: Reply, key: str) -> PlannedMail | None:
    """A mail that says that nothing was done, since the answer is not from the address of its reader: to its author, if
    it is certain who that is, or to the reader. No link that answers anything is in it."""
    asked = reply.asked
    to = reply.mail.author if reply.is_proven else None
    details = {"author": reply.mail.author or reply.mail.header("From")[:80]}
    return PlannedMail(key, "mail_answer", to or asked.address, asked.player_id, details=details)


_takes: TakesReplies = point_to_page


def register(takes: TakesReplies) -> None:
    """From now on this takes what people answer."""
    global _takes
    _takes = takes


def taker() -> TakesReplies:
    """Whoever takes what people answer."""
    return _takes
