"""What members answer to the mail that says that sign-up is open."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries, lifecycle
from app.leagues.tables import STILL_IN, Audit, Competition, CompetitionStatus, Entrant, Member, MemberStatus
from app.people.tables import Player
from engine.kernel.text import Text

REMINDS_BEFORE = timedelta(days=3)
"""How long before sign-up closes who has not answered is asked once more."""


def answer(work: Work, event_id: int, player_id: int, *, plays: bool, now: datetime) -> str:
    """Sign a member up, or note, once, that they do not play this time; return `entered`, `reserve` or `declined`. The
    mail is the proof of the address. Raises NoSuchCompetition, NotAccepted."""
    if plays:
        return entries.sign_up(work, event_id, player_id, now=now, by_mail=True)
    event = lifecycle.get(work.session, event_id, lock=True)
    mine = entries.entrant_of(work.session, event_id, player_id)
    if mine is not None and mine.status in STILL_IN:
        raise NotAccepted("entry.in", Text("You are signed up; the page of the event has the way out."))
    decline(Acting(work, event, player_id, now), player_id)
    return "declined"


def decline(acting: Acting, player_id: int) -> None:
    """Note, once, that a player does not play in an event: nobody asks them again, and no button enters them with all
    others."""
    once = f"entry-declined:{acting.event.id}:{player_id}"
    acting.write("entry.declined", audit.player(player_id), once=once)


def who_said_no(session: Session, event_id: int) -> dict[int, str]:
    """Return those who have answered that they do not sign up, and have not since: names by player."""
    inside = sa.select(col(Entrant.player_id)).where(
        col(Entrant.event_id) == event_id, col(Entrant.status).in_(STILL_IN), col(Entrant.player_id).is_not(None)
    )
    asked = (
        sa.select(col(Player.id), col(Player.name))
        .join(Audit, col(Audit.about_number) == col(Player.id))
        .where(
            col(Audit.event_id) == event_id,
            col(Audit.act) == "entry.declined",
            col(Player.id).not_in(inside),
            col(Player.erased_at).is_(None),
        )
        .order_by(col(Player.name))
    )
    return {row.id: row.name for row in session.execute(asked) if row.name}


def unanswered(session: Session, event: Competition) -> list[Member]:
    """Return the members who have not said whether they play in an event that is open for sign-up."""
    if event.status != CompetitionStatus.SIGN_UP:
        return []
    answered = {*who_said_no(session, event.id), *(one.player_id for one in entries.entrants(session, event.id))}
    there = [one for club_id in event.club_ids for one in club_rights.members(session, club_id)]
    return [one for one in there if one.status == MemberStatus.MEMBER and one.player_id not in answered]


def was_reminded(session: Session, event_id: int) -> bool:
    """Whether those who have not answered were asked once more."""
    return audit.was_done(session, _reminded(event_id))


def reminds_at(session: Session, event: Competition) -> datetime | None:
    """Return when an autopilot asks them: some days before sign-up closes, and not sooner after it has opened."""
    acts = select(Audit.at).where(col(Audit.event_id) == event.id, col(Audit.act) == "event.sign_up")
    opened = session.exec(acts.order_by(col(Audit.id).desc())).first()
    if event.sign_up_until is None or opened is None or was_reminded(session, event.id):
        return None
    at = event.sign_up_until - REMINDS_BEFORE
    return at if at - opened >= REMINDS_BEFORE and unanswered(session, event) else None


def remind(acting: Acting) -> None:
    """Ask those who have not answered once more, by mail; a second time changes nothing."""
    silent = [one.player_id for one in unanswered(acting.session, acting.event)]
    if silent and acting.write("event.reminded", once=_reminded(acting.event.id)) is not None:
        lifecycle.ask_members(acting, col(Player.id).in_(silent), again=True)


def _reminded(event_id: int) -> str:
    return f"sign-up-reminded:{event_id}"
