"""Messages of an organiser to an event, a division, or those who are late. Nobody sees anybody's address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.base import limits
from app.base.outbox import Planned
from app.base.refusals import NotAccepted
from app.games.tables import Game, GameSeat
from app.games.work import Work
from app.leagues import audit, events
from app.leagues.tables import Entry, EventMessage, EventRound, Match
from app.people.tables import Player
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.base.database import Database
    from app.leagues.events import EventNow

LONGEST_SUBJECT, LONGEST_TEXT = 120, 5_000
LISTED = 50
_MESSAGE, _ENTRY, _PLAYER = EventMessage.__table__, Entry.__table__, Player.__table__  # type: ignore[attr-defined]
_GAME, _SEAT = Game.__table__, GameSeat.__table__  # type: ignore[attr-defined]
_MATCH, _ROUND = Match.__table__, EventRound.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Recipient:
    """Who gets a message; only the name is shown."""

    player_id: int
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A message as it would go out."""

    to: str
    subject: str
    text: str
    recipients: tuple[Recipient, ...]


def recipients(connection: Connection, event: EventNow, to: str, now: datetime) -> tuple[Recipient, ...]:
    """Who gets a message to `event`, `division:7` or `late`, by name: players and reserves, without former ones.
    NotAccepted for anything else."""
    people = (
        sa.select(_PLAYER.c.id, _PLAYER.c.name, _PLAYER.c.address)
        .join(_ENTRY, _ENTRY.c.player_id == _PLAYER.c.id)
        .where(_ENTRY.c.event_id == event.id, _PLAYER.c.erased_at.is_(None))
        .order_by(_PLAYER.c.name, _PLAYER.c.id)
    )
    if to == "event":
        people = people.where(_ENTRY.c.status.in_(("entered", "reserve")))
    elif to == "late":
        late = (
            sa.select(_SEAT.c.player_id)
            .join(_GAME, sa.and_(_GAME.c.id == _SEAT.c.game_id, _GAME.c.decides == _SEAT.c.seat))
            .join(_MATCH, _MATCH.c.game_id == _GAME.c.id)
            .join(_ROUND, _ROUND.c.id == _MATCH.c.round_id)
            .where(_ROUND.c.event_id == event.id, _GAME.c.mailed_at.is_not(None), _GAME.c.deadline_at < now)
        )
        people = people.where(_PLAYER.c.id.in_(late))
    elif to in {f"division:{division.id}" for division in event.divisions}:
        number = int(to.partition(":")[2])
        people = people.where(_ENTRY.c.division_id == number, _ENTRY.c.status == "entered")
    else:
        raise NotAccepted("message.to", Text("Choose whom the message is for."))
    return tuple(Recipient(*row) for row in connection.execute(people))


def prepare(
    connection: Connection, event_id: int, by_id: int, *, to: str, subject: str, text: str, now: datetime
) -> Prepared:
    """The message and who would get it. NoSuchEvent, NotAllowed; NotAccepted says what is missing."""
    event = events.need(connection, event_id, by_id, "deputy")
    subject, text = " ".join(subject.split()), text.replace("\r\n", "\n").strip()
    if not subject or not text:
        raise NotAccepted("message.empty", Text("Write a subject and a text."))
    for given, most in ((subject, LONGEST_SUBJECT), (text, LONGEST_TEXT)):
        if len(given) > most:
            raise NotAccepted(
                "message.long", Text("That has {n} characters; {most} are the most.", n=len(given), most=most)
            )
    people = recipients(connection, event, to, now)
    if not people:
        raise NotAccepted("message.nobody", Text("Nobody would get this message now."))
    return Prepared(to, subject, text, people)


def send(
    database: Database, event_id: int, by_id: int, *, to: str, subject: str, text: str, replies: bool, token: str,
    now: datetime,
) -> int:  # fmt: skip
    """Send a message to all its recipients; how many. The same form sent twice sends it once.

    `replies`: answers go to the organiser's own address; else the mail points to the page of the event. As
    `prepare`; TooOften.
    """
    with database.read() as connection:
        prepared = prepare(connection, event_id, by_id, to=to, subject=subject, text=text, now=now)
        sent = _sent(connection, token)
    if sent is not None:
        return sent
    limits.count(database, [(limits.INVITATIONS, str(by_id))], now)
    with Work(database) as work:
        connection = work.connection
        event = events.need(connection, event_id, by_id, "deputy", lock=True)
        sent = _sent(connection, token)
        if sent is not None:
            return sent
        row = {
            "event_id": event_id, "by_id": by_id, "to": to, "subject": prepared.subject, "text": prepared.text,
            "recipients": len(prepared.recipients), "once": token, "at": now,
        }  # fmt: skip
        number = connection.execute(sa.insert(_MESSAGE).values(**row).returning(_MESSAGE.c.id)).scalar_one()
        details = {"message": number, "replies": replies}
        mails = [
            Planned(f"event_message:{number}:{one.player_id}", "event_message", one.address, one.player_id,
                    details=details)
            for one in prepared.recipients
        ]  # fmt: skip
        work.outbox.add(mails, now)
        audit.write(
            connection, event.club_id, "event.message", at=now, by_id=by_id, event_id=event_id, subject=to,
            after={"message": number, "subject": prepared.subject, "recipients": len(mails)},
        )  # fmt: skip
        work.commit()
        return len(mails)


def _sent(connection: Connection, token: str) -> int | None:
    found: int | None = connection.scalar(sa.select(_MESSAGE.c.recipients).where(_MESSAGE.c.once == token))
    return found


def sent_in(connection: Connection, event_id: int) -> Sequence[Any]:
    """The messages of an event, the newest first, with the sender's name."""
    return connection.execute(
        sa.select(_MESSAGE, _PLAYER.c.name)
        .outerjoin(_PLAYER, _PLAYER.c.id == _MESSAGE.c.by_id)
        .where(_MESSAGE.c.event_id == event_id)
        .order_by(_MESSAGE.c.id.desc())
        .limit(LISTED)
    ).all()
