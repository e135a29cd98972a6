"""A person out of everything that a club runs, with one reason, and back again."""

from __future__ import annotations

from sqlmodel import Session, col, select

from app.base.words.refusals import NotAccepted
from app.leagues.changes import holdings
from app.leagues.clubs import audit
from app.leagues.clubs.acting import ClubActing
from app.leagues.events import entries, lifecycle
from app.leagues.tables import STILL_IN, About, Audit, Competition, Entrant
from app.leagues.teams.captains import UNDER_WAY
from engine.kernel.text import Text


def events_of(session: Session, club_id: int, player_id: int) -> list[tuple[Competition, Entrant]]:
    """Return the events of a club under way in which a person plays or is a reserve."""
    asked = (
        select(Competition, Entrant)
        .join(Entrant, col(Entrant.event_id) == col(Competition.id))
        .where(lifecycle.of_club(club_id), col(Competition.status).in_(UNDER_WAY))
        .where(col(Entrant.player_id) == player_id, col(Entrant.status).in_(STILL_IN))
    )
    return list(session.exec(asked.order_by(col(Competition.id))).all())


def leave(acting: ClubActing, player_id: int, reason: str) -> None:
    """Take a person out of all events of a club; they stay a member. Raises NotAccepted without a reason, or if there
    is no such event."""
    session, reason = acting.session, audit.read_reason(reason)
    there = [event.id for event, _ in events_of(session, acting.club_id, player_id)]
    if not there:
        raise NotAccepted("member.no_event", Text("This person plays in no event of the club."))
    for event_id in there:
        event = lifecycle.get(session, event_id, lock=True)
        entrant = entries.entrant_of(session, event_id, player_id)
        if entrant is not None and entrant.status in STILL_IN:
            who = holdings.Leaving(player_id, acting.by_id or player_id, acting.now, reason)
            holdings.leave_event(acting.work, who, event, entrant)
    acting.write("member.out", audit.player(player_id), reason=reason, after={"events": there})


def last_out(session: Session, club_id: int, player_id: int) -> Audit | None:
    """Return the act by which a person was last taken out of everything, if it has not been undone."""
    here = col(Audit.club_id) == club_id, col(Audit.act) == "member.out", col(Audit.undone_by).is_(None)
    about = col(Audit.about) == About.PLAYER, col(Audit.about_number) == player_id
    return session.exec(select(Audit).where(*here, *about).order_by(col(Audit.id).desc()).limit(1)).first()


def come_back(acting: ClubActing, player_id: int) -> tuple[list[str], list[str]]:
    """Enter a person again where they were taken out, as far as each event takes entries now; return the names of
    those events, and of those that do not. Pressing again changes nothing."""
    session, back, closed = acting.session, list[str](), list[str]()
    act = last_out(session, acting.club_id, player_id)
    if act is None or act.after is None:
        return back, closed
    undone = acting.write("member.back", audit.player(player_id))
    audit.mark_undone(session, act.id, undone or 0)
    known = select(Competition.id).where(col(Competition.id).in_(act.after["events"]))
    for event_id in session.exec(known.order_by(col(Competition.id))).all():
        event = lifecycle.get(session, event_id, lock=True)
        try:
            with session.begin_nested():
                entries.sign_up(acting.work, event_id, player_id, now=acting.now, by_id=acting.by_id)
        except NotAccepted:
            closed.append(event.name)
        else:
            back.append(event.name)
    return back, closed
