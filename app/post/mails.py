"""The mail about the post itself: the mail host has taken no mails, to the operators."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.base.speech import Voice
from app.people.tables import PlayerRole
from app.post import mail_route
from app.post.message import WrittenMail
from app.post.writing import QueuedMail, finish, reader_of

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.links import Links


def _mail_pause(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """An operator: since when no mails went out and what the host said. None of it where that was over at once."""
    reader = reader_of(session, mail)
    since = datetime.fromisoformat(mail.details["since"])
    ended = mail_route.ended(session, mail.details["host"], since)
    if (
        reader is None
        or reader.role != PlayerRole.OPERATOR
        or (ended is not None and ended - since < mail_route.TELL_AFTER)
    ):
        return None
    voice = Voice(reader.language, reader.zone)
    context = {
        "voice": voice,
        "host": mail.details["host"],
        "since": voice.moment(since),
        "until": voice.moment(ended) if ended else None,
        "reason": mail.details["reason"][:300],
    }
    return finish("mail_pause", context, reader, links, mail, group=None)


KINDS: dict[str, Callable[[Any, Any, QueuedMail], WrittenMail | None]] = {"mail_pause": _mail_pause}
