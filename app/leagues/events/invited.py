"""What members answer to the mail that says that sign-up is open."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries, lifecycle
from app.leagues.tables import STILL_IN, Audit, Entrant
from app.people.tables import Player
from engine.kernel.text import Text


def answer(work: Work, event_id: int, player_id: int, *, plays: bool, now: datetime) -> str:
    """Sign a member up, or note, once, that they do not play this time; return `entered`, `reserve` or `declined`. The
    mail is the proof of the address. Raises NoSuchCompetition, NotAccepted."""
    if plays:
        return entries.sign_up(work, event_id, player_id, now=now, by_mail=True)
    event = lifecycle.get(work.session, event_id, lock=True)
    mine = entries.entrant_of(work.session, event_id, player_id)
    if mine is not None and mine.status in STILL_IN:
        raise NotAccepted("entry.in", Text("You are signed up; the page of the event has the way out."))
    once = f"entry-declined:{event_id}:{player_id}"
    Acting(work, event, player_id, now).write("entry.declined", audit.player(player_id), once=once)
    return "declined"


def who_said_no(session: Session, event_id: int) -> list[str]:
    """Return the names of those who have answered that they do not sign up, and have not since."""
    inside = sa.select(col(Entrant.player_id)).where(
        col(Entrant.event_id) == event_id, col(Entrant.status).in_(STILL_IN), col(Entrant.player_id).is_not(None)
    )
    asked = (
        sa.select(col(Player.name))
        .join(Audit, col(Audit.about_number) == col(Player.id))
        .where(
            col(Audit.event_id) == event_id,
            col(Audit.act) == "entry.declined",
            col(Player.id).not_in(inside),
            col(Player.erased_at).is_(None),
        )
        .order_by(col(Player.name))
    )
    return [name for name in session.scalars(asked) if name]
