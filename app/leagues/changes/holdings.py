"""Everything a person can hold in clubs and events, and what happens to it when they leave an event, a club, or the
server (an erased or banned account, which has left both before).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import col

from app.games.work import Work
from app.leagues.changes import reserves, withdrawals
from app.leagues.changes.departures import Why
from app.leagues.changes.withdrawals import Withdrawal
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting, ClubActing
from app.leagues.events import entries, lifecycle, seat_changes
from app.leagues.rulings import opening
from app.leagues.tables import (
    STILL_IN,
    ClubMatch,
    Competition,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    JoinRequest,
    Member,
    MemberNote,
    MemberStatus,
    Role,
    Team,
    TeamPlayer,
)
from app.leagues.teams import captains, rosters
from app.people import accounts


@dataclass(frozen=True, slots=True)
class Leaving:
    """A player who leaves. `erased`: the account ends and nothing identifies its owner any more."""

    player_id: int
    by_id: int
    now: datetime
    reason: str = ""
    erased: bool = False


HELD = (
    "club_member.player_id",
    "event_entry.player_id",
    "match_seat.entry_id",
    "team_player.entry_id",
    "team_line_up.entry_id",
    "team.captain_id",
    "reserve_call.entry_id",
    "reserve_call.leaver_id",
    "club_match.host_names",
    "club_match.guest_names",
    "join_request.player_id",
    "member_note.player_id",
)
"""The columns that name a person and do not record who did or achieved something; a test compares them with the
tables. The functions below say what happens to each."""


# -- leaving ------------------------------------------------------------------------------------------


def leave_event(work: Work, who: Leaving, event: Competition, entrant: Entrant, why: Why = Why.EVENT) -> Withdrawal:
    """An entrant leaves an event that is locked and not over; what became of games and drafts.

    Open games end as the terms say, drafts are paired again. A substitute takes over both from a silent player, who can
    hold nothing else there: `handover.hand_over`. Raises NotAllowed if who takes them out would win a game by it.
    """
    if who.by_id != who.player_id:
        opening.need_other(who.by_id, seat_changes.opponents(work.session, event.id, entrant.id))
    done = withdrawals.take_out(Acting(work, event, who.by_id, who.now), entrant, who.reason, why=why)
    _place_in_team(work, event, entrant)
    _captain_of(work, who, col(Team.event_id) == event.id)
    reserves.end_calls_of(work, event, entrant, who.now)
    return done


def leave_club(work: Work, club_id: int, who: Leaving) -> None:
    """Take a member, or an invited player, out of a locked club."""
    _membership(work, who, club_id)
    _entries_for_members(work, who, club_id)
    plays = sa.exists().where(
        col(Entrant.event_id) == col(Team.event_id),
        col(Entrant.player_id) == who.player_id,
        col(Entrant.status) == EntrantStatus.ENTERED,
    )  # a captain who does not play gives the team of the club up
    _captain_of(work, who, sa.func.coalesce(col(Team.club_id), col(Competition.club_id)) == club_id, ~plays)


def leave_server(work: Work, who: Leaving) -> None:
    """Give up what is held outside events and clubs; called after those have been left. Organisers keep their notes on
    former members, but not on an erased account, whose answers to their questions go too."""
    _captain_of(work, who)
    for column in (ClubMatch.host_names, ClubMatch.guest_names):  # nobody follows: operators rule then
        work.session.exec(sa.update(ClubMatch).where(col(column) == who.player_id).values({column: None}))
    work.session.exec(sa.delete(JoinRequest).where(col(JoinRequest.player_id) == who.player_id))
    if who.erased:
        work.session.exec(sa.update(Entrant).where(col(Entrant.player_id) == who.player_id).values(answers=None))
        work.session.exec(sa.delete(MemberNote).where(col(MemberNote.player_id) == who.player_id))


# -- what happens to it -------------------------------------------------------------------------------


def _membership(work: Work, who: Leaving, club_id: int) -> None:
    """End the membership and its role. A club without an owner gets a new one, who is told."""
    session = work.session
    here = sa.and_(col(Member.club_id) == club_id, col(Member.player_id) == who.player_id)
    there = session.execute(sa.select(col(Member.role), col(Member.status)).where(here)).first()
    if there is None or there.status == MemberStatus.LEFT:
        return
    role, status = there
    session.exec(sa.update(Member).where(here).values(status=MemberStatus.LEFT, role=Role.MEMBER, since=who.now))
    ClubActing(work, club_id, who.by_id, who.now).write(
        "member.declined" if status == MemberStatus.INVITED and who.by_id == who.player_id else "member.left",
        audit.player(who.player_id),
        reason=who.reason,
        before={"role": role, "status": status},
    )
    heir = club_rights.next_owner(session, club_id, who.now) if role == Role.OWNER else None
    if heir is None:
        return
    act = ClubActing(work, club_id, None, who.now).write(
        "member.role", audit.player(heir.player_id), before={"role": heir.role}, after={"role": Role.OWNER}
    )
    session.exec(sa.update(Member).where(col(Member.id) == heir.id).values(role=Role.OWNER))
    told = accounts.addresses(session, {heir.player_id})
    work.outbox.tell(told, captains.FOLLOWS, f"{captains.FOLLOWS}:{act}", {"club": club_id}, who.now)


def _entries_for_members(work: Work, who: Leaving, club_id: int) -> None:
    """Leave events for members that have not begun, and the reserve lists of running ones.

    Players of a running event play on: their opponents wait for these games.
    """
    session = work.session
    its = sa.or_(
        col(Competition.club_id) == club_id,
        col(Competition.id).in_(sa.select(col(ClubMatch.event_id)).where(col(ClubMatch.guest_id) == club_id)),
    )
    begun = sa.and_(col(Competition.status) == CompetitionStatus.RUNNING, col(Entrant.status) == EntrantStatus.ENTERED)
    asked = (
        sa.select(col(Competition.id))
        .join(Entrant, col(Entrant.event_id) == col(Competition.id))
        .where(its, col(Entrant.player_id) == who.player_id, col(Entrant.status).in_(STILL_IN))
        .where(col(Competition.status).in_(captains.UNDER_WAY), ~begun)
    )
    for event_id in session.scalars(asked.order_by(col(Competition.id))).all():
        event = lifecycle.get(session, event_id, lock=True)
        entrant = entries.entrant_of(session, event_id, who.player_id)
        if entrant is not None and (event.guest_id is not None or event.terms.members_only):
            leave_event(work, who, event, entrant, Why.ERASED if who.erased else Why.CLUB)


def _place_in_team(work: Work, event: Competition, entrant: Entrant) -> None:
    """Free the place before the start; later it records whom the player played for.

    A line-up that names the player needs no change: the team's next player moves up when it is read.
    """
    if event.status not in rosters.BEFORE:
        return
    session = work.session
    session.exec(sa.delete(TeamPlayer).where(col(TeamPlayer.entry_id) == entrant.id))
    session.expire_all()


def _captain_of(work: Work, who: Leaving, *where: sa.ColumnElement[bool]) -> None:
    """Make the first player of the team its captain; if there is none, the organisers are told and name one."""
    session = work.session
    asked = (
        sa.select(col(Team.event_id), col(Team.id))
        .join(Competition, col(Competition.id) == col(Team.event_id))
        .where(col(Team.captain_id) == who.player_id, col(Competition.status).in_(captains.UNDER_WAY), *where)
    )
    for event_id, team_id in session.execute(asked.order_by(col(Team.event_id), col(Team.id))).all():
        event = lifecycle.get(session, event_id, lock=True)
        captains.follow(work, event, rosters.get(session, event_id, team_id), who.player_id, who.now)
