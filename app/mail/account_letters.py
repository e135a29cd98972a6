"""The mails about an account itself: erasing it, and webhooks that are switched off."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from app.mail.letters import Waiting, finish, reader_of
from app.mail.message import Letter
from app.speech import Voice

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.links import Links


def _erase(connection: Connection, links: Links, mail: Waiting) -> Letter | None:
    """The link that erases the account."""
    reader = reader_of(connection, mail)
    if reader is None:
        return None
    until = int(mail.details["until"])
    voice = Voice(reader.language, reader.zone)
    context = {
        "voice": voice,
        "link": links.erase(mail.player_id or 0, until),
        "until": voice.moment(datetime.fromtimestamp(until, UTC)),
    }
    return finish("erase", context, reader, links, mail, group=None)


KINDS: dict[str, Callable[[Any, Any, Waiting], Letter | None]] = {
    "erase": _erase,
}
