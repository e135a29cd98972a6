"""Takes players out of events and clubs, at their own request or an organiser's."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted, NotAllowed
from app.games.work import Work
from app.leagues.changes import holdings
from app.leagues.changes.withdrawals import Withdrawal
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.members import keep_an_owner, member_of
from app.leagues.events import entries, lifecycle, two_clubs
from app.leagues.tables import STILL_IN, Competition, CompetitionStatus, Entrant, EntrantStatus, Role
from engine.kernel.text import Text


def withdraw(
    database: Database, event_id: int, player_id: int, by_id: int, *, reason: str, now: datetime
) -> Withdrawal | None:
    """Take a player out of an event, with what they hold in it (`holdings`), as the player or as an organiser.

    Their open games end as the terms say; drafts with them are thrown away to be paired again. Returns what happened to
    games, or None if they were already out.

    Raises NoSuchCompetition, NotAllowed, and NotAccepted if nobody would be left to play against.
    """
    with Work(database) as work:
        session = work.session
        event = lifecycle.get(session, event_id, lock=True)
        if by_id != player_id:
            two_clubs.need_for(session, event, by_id, player_id)
            reason = audit.read_reason(reason)
        entrant = entries.entrant_of(session, event_id, player_id)
        if entrant is None or entrant.status not in STILL_IN:
            return None
        if event.status in (CompetitionStatus.OVER, CompetitionStatus.CANCELLED):
            raise NotAccepted("event.closed", Text("This event is over."))
        if event.status == CompetitionStatus.RUNNING and entrant.status == EntrantStatus.ENTERED:
            _keep_two(session, event, entrant)
        return holdings.leave_event(work, holdings.Leaving(player_id, by_id, now, reason), event, entrant)


def _keep_two(session: Session, event: Competition, entrant: Entrant) -> None:
    left = [
        other
        for other in entries.entrants(session, event.id, division_id=entrant.division_id)
        if other.status == EntrantStatus.ENTERED and other.id != entrant.id
    ]
    if len(left) < event.title.least_seats:
        raise NotAccepted(
            "entry.last",
            Text("Nobody would be left to play against; end the event with a ruling, or cancel it, instead."),
        )


def leave_club(database: Database, club_id: int, by_id: int, player_id: int, *, reason: str, now: datetime) -> None:
    """Take a member out of the club, with what they hold in it (`holdings`); leaving it yourself needs no reason.

    Raises NotAllowed, NotAccepted.
    """
    with Work(database) as work:
        club_rights.lock(work.session, club_id)
        there = member_of(work.session, club_id, player_id)
        if by_id != player_id:
            mine = club_rights.need(work.session, club_id, by_id, Role.ORGANISER)
            if there.role != Role.MEMBER and mine != Role.OWNER:
                raise NotAllowed("club.owner", Text("Only an owner of the club takes somebody with a role out."))
            reason = audit.read_reason(reason)
        if there.role == Role.OWNER:
            keep_an_owner(work.session, club_id, player_id)
        holdings.leave_club(work, club_id, holdings.Leaving(player_id, by_id, now, reason))
