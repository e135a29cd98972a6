"""Messages of an organiser to an event, a division, or those who are late or silent. Nobody sees anybody's address."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored import limits
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.leagues.clubs import club_rights
from app.leagues.clubs.announcements import read_message
from app.leagues.clubs.audit import Subject
from app.leagues.desk import trouble
from app.leagues.events import lifecycle
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

KIND = "event_message"
LISTED = 50


def recipients(session: Session, event: Competition, to: str, now: datetime) -> Sequence[Player]:
    """Who gets a message to `event`, `division:7`, `late` or `silent`, by name: players and reserves, without former
    ones. NotAccepted for anything else."""
    people = (
        select(Player)
        .join(Entrant, col(Entrant.player_id) == col(Player.id))
        .where(col(Entrant.event_id) == event.id, col(Player.erased_at).is_(None))
        .order_by(col(Player.name), col(Player.id))
    )
    if to == "event":
        people = people.where(col(Entrant.status).in_(STILL_IN))
    elif to == "late":
        late = {one.decision.player_id for one in trouble.blocking(session, event, now) if one.decision and one.is_out}
        people = people.where(col(Player.id).in_(late))
    elif to == "silent":
        people = people.where(col(Player.id).in_(trouble.silent_players(session, event, now)))
    elif to in {f"division:{division.id}" for division in event.divisions}:
        number = int(to.partition(":")[2])
        people = people.where(col(Entrant.division_id) == number, col(Entrant.status) == EntrantStatus.ENTERED)
    else:
        raise NotAccepted("message.to", Text("Choose one of what is offered."))
    return session.exec(people).all()


def silent_in_club(session: Session, club_id: int, now: datetime) -> dict[int, list[Player]]:
    """Return who is silent in the running events of a club, by event; each once, where the silence is longest."""
    running = [one for one in lifecycle.unfinished_of(session, club_id) if one.status == CompetitionStatus.RUNNING]
    there = {event.id: trouble.silent_players(session, event, now) for event in running}
    longest: dict[int, tuple[datetime, int]] = {}
    for event_id, players in there.items():
        for player, since in players.items():
            longest[player] = min(longest.get(player, (since, event_id)), (since, event_id))
    found = {
        event.id: [one for one in recipients(session, event, "silent", now) if longest[one.id or 0][1] == event.id]
        for event in running
    }
    return {event_id: people for event_id, people in found.items() if people}


def _about(to: str) -> Subject:
    """Return the subject that the trail records for a choice of `recipients`."""
    kind, _, number = to.partition(":")
    return Subject(About(kind), int(number or 0))


def _nobody() -> NotAccepted:
    return NotAccepted("message.nobody", Text("Nobody would get this message now."))


def prepare(session: Session, message: CompetitionMessage, now: datetime) -> Sequence[Player]:
    """Bring a message that is not yet stored into its form; who would get it (`to` is as for `recipients`).
    NoSuchCompetition, NotAllowed; NotAccepted says what is missing."""
    event = lifecycle.need(session, message.event_id, message.by_id, Role.DEPUTY)
    message.subject, message.text = read_message(message.subject, message.text)
    people = recipients(session, event, message.to, now)
    if not people:
        raise _nobody()
    return people


def send(
    database: Database, message: CompetitionMessage, people: Sequence[Player], by_id: int, *, replies: bool = False
) -> int:
    """Send a message that is prepared to all its recipients; return how many. The same form sent twice sends it once.

    `replies`: answers go to the organiser's own address; else the mail points to the page of the event. Raises
    NotAllowed, TooOften.
    """
    with database.read() as session:
        sent = _sent(session, message.once)
    if sent is not None:
        return sent
    limits.count(database, [(limits.INVITATIONS, str(by_id))], message.at)
    with Work(database) as work:
        acting = lifecycle.allowed(work, message.event_id, by_id, Role.DEPUTY, message.at)
        sent = _sent(work.session, message.once)
        if sent is not None:
            return sent
        message.recipients = len(people)
        work.session.add(message)
        work.session.flush()
        told = [(one.id, one.address) for one in people if one.id is not None]
        details = {"message": message.id, "replies": replies}
        work.outbox.tell(told, KIND, f"{KIND}:{message.id}", details, message.at)
        after = {"message": message.id, "subject": message.subject, "recipients": len(people)}
        acting.write("event.message", _about(message.to), after=after)
        return len(people)


def send_to_silent(
    database: Database, club_id: int, by_id: int, subject: str, text: str, *, token: str, now: datetime
) -> None:
    """Write to everybody who is silent in an event of a club, one mail each, as a message of that event. The same form
    sent twice sends it once. NotAllowed, NotAccepted, TooOften."""
    subject, text = read_message(subject, text)
    with database.read() as session:
        club_rights.need(session, club_id, by_id, Role.DEPUTY)
        there = silent_in_club(session, club_id, now)
    if not there:
        raise _nobody()
    for event_id, people in there.items():
        letter = CompetitionMessage(event_id=event_id, by_id=by_id, to="silent", subject=subject, text=text, at=now)
        letter.once = f"{token}:{event_id}"
        send(database, letter, people, by_id)


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
