"""What a device is told of a mail: its subject, and for a decision whose turn it is and until when.

Nothing else of a game is in it, so that two states that differ in hidden things give the same bytes.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from app.base.links import Links
from app.base.stored.mail_tables import MailGroup, OutboxMail
from app.base.stored.outbox import group_of
from app.base.words.speech import Voice
from app.people.push_tables import Push, PushDevice
from app.people.tables import DeliveryState, Player
from app.post.letters.writing import QueuedMail, can_wait, game_of, reader_of, still_owed, write_one
from app.time.reminding import digest

LONGEST_LINE = 300
MOST_TTL = timedelta(days=28)
"""Push services keep nothing for longer."""
GONE_AT_ONCE = timedelta(0)
"""What takes back is for devices that are there now; for others the service drops what it replaces (RFC 8030, 5.4)."""
NEWS_TTL = timedelta(days=2)
_MESSAGE: Any = OutboxMail.message
_READ = (
    select(Push, PushDevice, OutboxMail)
    .join(PushDevice, col(PushDevice.id) == col(Push.device_id))
    .join(OutboxMail, col(OutboxMail.id) == col(Push.mail_id))
    .options(defer(_MESSAGE))
)

_NEWER = sa.select(col(Push.id)).where(
    col(Push.device_id) == sa.bindparam("device"),
    col(Push.game_id) == sa.bindparam("game"),
    col(Push.number) > sa.bindparam("than"),
    col(Push.state) == DeliveryState.SENT,
)


@dataclass(frozen=True, slots=True)
class DuePush:
    """An owed notification with its device."""

    push: Push
    device: PushDevice
    mail: QueuedMail

    @property
    def was_tried(self) -> bool:
        """Whether it was tried before, so that its service may have taken it, and the answer is lost."""
        return self.push.attempts > 1 or self.push.last_error is not None

    @property
    def tag(self) -> str:
        """What it replaces on the device: there is one notification for each game."""
        return self.mail.kind if self.mail.game_id is None else f"game-{self.mail.game_id}"

    @property
    def topic(self) -> str:
        """The same for the push service, which learns nothing from it (RFC 8030, 5.4: at most 32 characters)."""
        return hmac.new(self.device.auth.encode(), self.tag.encode(), hashlib.sha256).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Told:
    """What a device is told, and how long its push service keeps trying."""

    text: bytes
    lasts: timedelta
    is_urgent: bool


def read(session: Session, push_id: int, leased: tuple[str, datetime]) -> DuePush | None:
    """Return an owed notification whose lease (of whom, and until when at least) still lasts; None without the lease or
    the device."""
    me, until = leased
    is_leased = col(Push.id) == push_id, col(Push.claimed_by) == me, col(Push.due_at) > until
    row = session.exec(_READ.where(*is_leased)).first()
    if row is None:
        return None
    push, device, of = row
    about = push.game_id, of.seat, push.number, push.details, push.made_at, push.attempts
    return DuePush(push, device, QueuedMail(of.id, of.kind, "", device.player_id, *about, to_device=True))


def told(session: Session, links: Links, owed: DuePush, now: datetime) -> Told | None:
    """Return what there is to tell now; None if it is no longer true or wanted."""
    mail = replace(owed.mail, handed_over_at=now)
    reader = reader_of(session, mail)
    if reader is None:
        return None
    said: dict[str, Any] = {"tag": owed.tag, "badge": len(digest.waiting(session, reader.id)), "lang": reader.language}
    if owed.push.closes:
        if session.execute(_NEWER, {"device": owed.device.id, "game": mail.game_id, "than": mail.number}).first():
            return None  # a newer notification has replaced it
        return Told(
            _written(said | {"close": True, "link": _turn_page(mail), "number": mail.number}), GONE_AT_ONCE, False
        )
    if _comes_with_digest(session, reader, mail):
        return None
    written = write_one(session, links, mail)
    if written is None or (written.unsubscribe is None and not mail.is_wanted(reader, "turns")):
        return None
    said |= {"title": written.subject, "body": "", "link": written.link.removeprefix(links.base_url) or "/games"}
    game = game_of(session, mail) if mail.number is not None else None
    if game is None or not still_owed(game, mail):
        return Told(_written(said), NEWS_TTL, False)
    voice, seat = Voice(reader.language, reader.zone, game.title), mail.seat or ""
    others = voice.join([voice.who(other) for other in game.others(seat)])
    title = voice.gettext("Your turn against {others}", others=others)
    until = game.deadline_at
    if until is not None:
        title = voice.gettext("Your turn against {others}, until {day}", others=others, day=voice.day(until))
    said |= {"title": title, "body": written.subject, "link": _turn_page(mail), "number": mail.number}
    left = MOST_TTL if until is None else min(max(until - now, timedelta(minutes=1)), MOST_TTL)
    return Told(_written(said), left, True)


def _turn_page(mail: QueuedMail) -> str:
    return f"/games/{mail.game_id}/turn"


def _comes_with_digest(session: Session, reader: Player, mail: QueuedMail) -> bool:
    """Whether the reader's digest brings this piece of news; of the digest they are told, too."""
    if group_of(mail.kind) is not MailGroup.NEWS or not reader.digest_instead or reader.digest_at is None:
        return False
    return can_wait(session, mail, reader.digest_at)


def _written(said: dict[str, Any]) -> bytes:
    """Return it as the worker of the pages reads it (`app/static/worker.js`)."""
    short = said | {name: said[name][:LONGEST_LINE] for name in ("title", "body") if name in said}
    return json.dumps(short, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
