"""Messages of an organiser to an event, a division, or those who are late or silent. Nobody sees anybody's address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import sqlalchemy as sa
from sqlmodel import col, select

from app.base import limits
from app.base.outbox import PlannedMail
from app.base.refusals import NotAccepted
from app.base.rows import named
from app.games.work import Work
from app.leagues.clubs import clubs
from app.leagues.clubs.announcements import read_message
from app.leagues.clubs.audit import Subject
from app.leagues.desk import desk
from app.leagues.events import events
from app.leagues.tables import (
    STILL_IN,
    About,
    Competition,
    CompetitionMessage,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    Role,
)
from app.people.tables import Player
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database

LISTED = 50


@dataclass(frozen=True, slots=True)
class Recipient:
    """A recipient of a message; only the name is shown."""

    player_id: int
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class MessagePreview:
    """A message as it would be sent."""

    to: str
    subject: str
    text: str
    recipients: tuple[Recipient, ...]


def recipients(session: Session, event: Competition, to: str, now: datetime) -> tuple[Recipient, ...]:
    """Who gets a message to `event`, `division:7`, `late` or `silent`, by name: players and reserves, without former
    ones. NotAccepted for anything else."""
    people: sa.Select[*tuple[Any, ...]] = (
        sa.select(col(Player.id).label("player_id"), col(Player.name), col(Player.address))
        .join(Entrant, col(Entrant.player_id) == col(Player.id))
        .where(col(Entrant.event_id) == event.id, col(Player.erased_at).is_(None))
        .order_by(col(Player.name), col(Player.id))
    )
    if to == "event":
        people = people.where(col(Entrant.status).in_(STILL_IN))
    elif to == "late":
        late = {one.decision.player_id for one in desk.blocking(session, event, now) if one.decision and one.is_out}
        people = people.where(col(Player.id).in_(late))
    elif to == "silent":
        people = people.where(col(Player.id).in_(desk.silent_players(session, event, now)))
    elif to in {f"division:{division.id}" for division in event.divisions}:
        number = int(to.partition(":")[2])
        people = people.where(col(Entrant.division_id) == number, col(Entrant.status) == EntrantStatus.ENTERED)
    else:
        raise NotAccepted("message.to", Text("Choose whom the message is for."))
    return tuple(named(Recipient, row) for row in session.execute(people))


def silent_in_club(session: Session, club_id: int, now: datetime) -> dict[int, tuple[Recipient, ...]]:
    """Return who is silent in the running events of a club, by event; each once, where the silence is longest."""
    running = [one for one in events.unfinished_of(session, club_id) if one.status == CompetitionStatus.RUNNING]
    there = {event.id: desk.silent_players(session, event, now) for event in running}
    longest: dict[int, tuple[datetime, int]] = {}
    for event_id, players in there.items():
        for player, since in players.items():
            longest[player] = min(longest.get(player, (since, event_id)), (since, event_id))
    found = {
        event.id: tuple(
            one for one in recipients(session, event, "silent", now) if longest[one.player_id][1] == event.id
        )
        for event in running
    }
    return {event_id: people for event_id, people in found.items() if people}


def _about(to: str) -> Subject:
    """Return the subject that the trail records for a choice of `recipients`."""
    kind, _, number = to.partition(":")
    return Subject(About(kind), int(number or 0))


def _nobody() -> NotAccepted:
    return NotAccepted("message.nobody", Text("Nobody would get this message now."))


class MessageDraft(TypedDict):
    """A message to the players of an event. `to`: as for `recipients`."""

    to: str
    subject: str
    text: str


def prepare(
    session: Session, event_id: int, by_id: int, *, now: datetime, **draft: Unpack[MessageDraft]
) -> MessagePreview:
    """The message and who would get it. NoSuchCompetition, NotAllowed; NotAccepted says what is missing."""
    event = events.need(session, event_id, by_id, Role.DEPUTY)
    subject, text = read_message(draft["subject"], draft["text"])
    people = recipients(session, event, draft["to"], now)
    if not people:
        raise _nobody()
    return MessagePreview(draft["to"], subject, text, people)


def send(
    database: Database,
    event_id: int,
    by_id: int,
    *,
    replies: bool,
    token: str,
    now: datetime,
    **draft: Unpack[MessageDraft],
) -> int:
    """Send a message to all its recipients; return how many. The same form sent twice sends it once.

    `replies`: answers go to the organiser's own address; else the mail points to the page of the event. Raises what
    `prepare` does, and TooOften.
    """
    with database.read() as session:
        prepared = prepare(session, event_id, by_id, now=now, **draft)
    return _send(database, event_id, by_id, prepared, replies=replies, token=token, now=now)


def send_to_silent(
    database: Database, club_id: int, by_id: int, subject: str, text: str, *, token: str, now: datetime
) -> int:
    """Write to everybody who is silent in an event of a club, one mail each, as a message of that event; return how
    many. The same form sent twice sends it once. NotAllowed, NotAccepted, TooOften."""
    subject, text = read_message(subject, text)
    with database.read() as session:
        clubs.need(session, club_id, by_id, Role.DEPUTY)
        there = silent_in_club(session, club_id, now)
    if not there:
        raise _nobody()
    return sum(
        _send(
            database,
            event_id,
            by_id,
            MessagePreview("silent", subject, text, people),
            replies=False,
            token=f"{token}:{event_id}",
            now=now,
        )
        for event_id, people in there.items()
    )


def _send(
    database: Database,
    event_id: int,
    by_id: int,
    prepared: MessagePreview,
    *,
    replies: bool,
    token: str,
    now: datetime,
) -> int:
    with database.read() as session:
        sent = _sent(session, token)
    if sent is not None:
        return sent
    limits.count(database, [(limits.INVITATIONS, str(by_id))], now)
    with Work(database) as work:
        session = work.session
        acting = events.allowed(work, event_id, by_id, Role.DEPUTY, now)
        sent = _sent(session, token)
        if sent is not None:
            return sent
        number = _write(session, event_id, by_id, prepared, token, now)
        mails = _mails(number, prepared.recipients, replies=replies)
        work.outbox.add(mails, now)
        acting.write(
            "event.message",
            _about(prepared.to),
            after={"message": number, "subject": prepared.subject, "recipients": len(mails)},
        )
        return len(mails)


def _write(session: Session, event_id: int, by_id: int, prepared: MessagePreview, token: str, now: datetime) -> int:
    """Store a message; return its number."""
    row = {
        "event_id": event_id,
        "by_id": by_id,
        "to": prepared.to,
        "subject": prepared.subject,
        "text": prepared.text,
        "recipients": len(prepared.recipients),
        "once": token,
        "at": now,
    }
    made = session.exec(sa.insert(CompetitionMessage).values(**row).returning(col(CompetitionMessage.id)))
    return int(made.scalar_one())


def _mails(number: int, recipients: Sequence[Recipient], *, replies: bool) -> list[PlannedMail]:
    details = {"message": number, "replies": replies}
    return [
        PlannedMail(
            f"event_message:{number}:{one.player_id}", "event_message", one.address, one.player_id, details=details
        )
        for one in recipients
    ]


def _sent(session: Session, token: str) -> int | None:
    found: int | None = session.scalar(
        sa.select(col(CompetitionMessage.recipients)).where(col(CompetitionMessage.once) == token)
    )
    return found


def sent_in(session: Session, event_id: int) -> Sequence[tuple[CompetitionMessage, str]]:
    """Return the messages of an event, newest first, with the sender's name (empty for an erased account)."""
    asked = (
        select(CompetitionMessage, sa.func.coalesce(col(Player.name), ""))
        .outerjoin(Player, col(Player.id) == col(CompetitionMessage.by_id))
        .where(col(CompetitionMessage.event_id) == event_id)
        .order_by(col(CompetitionMessage.id).desc())
        .limit(LISTED)
    )
    return session.exec(asked).all()
