"""Takes players out of events and clubs, at their own request or an organiser's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.jobs import job
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted, NotAllowed
from app.games.work import Work
from app.leagues.changes import holdings, late, reserves, withdrawals
from app.leagues.changes.withdrawals import Withdrawal
from app.leagues.clubs import audit, club_rights, joining, members
from app.leagues.clubs.acting import Acting, ClubActing
from app.leagues.clubs.members import keep_an_owner, member_of
from app.leagues.events import entries, lifecycle, two_clubs
from app.leagues.tables import (
    STILL_IN,
    About,
    Audit,
    Competition,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    Match,
    MemberStatus,
    Role,
)
from app.leagues.teams.captains import UNDER_WAY
from app.people import accounts
from engine.kernel.text import Text


def withdraw(
    database: Database, event_id: int, player_id: int, by_id: int, *, reason: str, now: datetime
) -> Withdrawal | None:
    """Do the same as `withdraw_within` in a transaction of its own."""
    with Work(database) as work:
        return withdraw_within(work, event_id, player_id, by_id, reason=reason, now=now)


def withdraw_within(
    work: Work, event_id: int, player_id: int, by_id: int, *, reason: str, now: datetime
) -> Withdrawal | None:
    """Take a player out of an event, with what they hold in it (`holdings`), as the player or as an organiser.

    Their open games end as the terms say; drafts with them are thrown away to be paired again. For a player who leaves
    while reserves stand ready that waits a day (`hold`). Returns what happened to games, or None if nothing did.

    Raises NoSuchCompetition, NotAllowed, and NotAccepted if nobody would be left to play against.
    """
    session = work.session
    event = lifecycle.get(session, event_id, lock=True)
    if by_id != player_id:
        two_clubs.need_alone(session, event, by_id)
        reason = audit.read_reason(reason)
    entrant = entries.entrant_of(session, event_id, player_id)
    if entrant is None or entrant.status not in STILL_IN:
        return None
    if event.status in (CompetitionStatus.OVER, CompetitionStatus.CANCELLED):
        raise NotAccepted("event.closed", Text("This event is over."))
    if event.status == CompetitionStatus.RUNNING and entrant.status == EntrantStatus.ENTERED:
        if by_id == player_id and reserves.hold(Acting(work, event, by_id, now), entrant):
            return None
        _keep_two(session, event, entrant)
    return holdings.leave_event(work, holdings.Leaving(player_id, by_id, now, reason), event, entrant)


@job("end holds", every=60)
def sweep_holds(database: Database, now: datetime) -> int:
    """Take those out for whose place no reserve was found in time; return how many."""
    due = sa.select(col(Entrant.event_id), col(Entrant.player_id)).where(
        col(Entrant.leaves_at) <= now, col(Entrant.status) == EntrantStatus.ENTERED
    )
    with database.read() as session:
        found = [(row.event_id, row.player_id) for row in session.execute(due.order_by(col(Entrant.leaves_at)))]
    done = failing.over(
        database, "holds", found, lambda one: f"event {one[0]}", lambda one: _end_hold(database, *one, now), now
    )
    return sum(done)


def _end_hold(database: Database, event_id: int, player_id: int, now: datetime) -> bool:
    with Work(database) as work:
        event = lifecycle.get(work.session, event_id, lock=True)
        entrant = entries.entrant_of(work.session, event_id, player_id)
        runs = event.status == CompetitionStatus.RUNNING
        if not runs or entrant is None or entrant.status != EntrantStatus.ENTERED:
            return False
        holdings.leave_event(work, holdings.Leaving(player_id, player_id, now), event, entrant)
        return True


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


def leave_club(
    database: Database, club_id: int, by_id: int, player_id: int, *, reason: str, bans: bool = False, now: datetime
) -> None:
    """Take a member out of the club, with what they hold in it (`holdings`), and tell them; `bans` keeps them out.
    Leaving it yourself needs no reason.

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
        if by_id == player_id:
            return
        if bans:
            members.ban(ClubActing(work, club_id, by_id, now), player_id, reason)
        if bans or there.status == MemberStatus.MEMBER:
            details = {"club": club_id, "by": by_id, "admits": False, "words": reason, "out": True, "banned": bans}
            told = accounts.addresses(work.session, [player_id])
            work.outbox.tell(told, joining.ANSWER, f"{joining.ANSWER}:{club_id}:{now:%Y%m%dT%H%M%S}", details, now)


# -- out of everything that a club runs, and back -----------------------------------------------------


def events_of(session: Session, club_id: int, player_id: int) -> list[tuple[Competition, Entrant]]:
    """Return the events of a club under way in which a person plays or is a reserve."""
    asked = (
        select(Competition, Entrant)
        .join(Entrant, col(Entrant.event_id) == col(Competition.id))
        .where(lifecycle.of_club(club_id), col(Competition.status).in_(UNDER_WAY))
        .where(col(Entrant.player_id) == player_id, col(Entrant.status).in_(STILL_IN))
    )
    return list(session.exec(asked.order_by(col(Competition.id))).all())


def leave_everything(acting: ClubActing, player_id: int, reason: str) -> None:
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


def foresee(session: Session, there: Iterable[tuple[Competition, Entrant]]) -> tuple[Sequence[int], Sequence[int]]:
    """Return the numbers of the games that would be lost, and of those that would become void, if who plays in these
    events left them now."""
    playing = [
        pair
        for pair in there
        if pair[0].status == CompetitionStatus.RUNNING and pair[1].status == EntrantStatus.ENTERED
    ]
    done = [withdrawals.foresee(session, *pair) for pair in playing]

    def games(matches: list[int]) -> Sequence[int]:
        asked = select(Match.game_id).where(col(Match.id).in_(matches), col(Match.game_id).is_not(None))
        return [number for number in session.exec(asked.order_by(col(Match.game_id))) if number is not None]

    return games([one for each in done for one in each.walkovers]), games([one for each in done for one in each.void])


def last_out(session: Session, club_id: int, player_id: int) -> Audit | None:
    """Return the act by which a person was last taken out of everything, if it has not been undone and they are not yet
    back in all of its events."""
    here = col(Audit.club_id) == club_id, col(Audit.act) == "member.out", col(Audit.undone_by).is_(None)
    about = col(Audit.about) == About.PLAYER, col(Audit.about_number) == player_id
    act = session.exec(select(Audit).where(*here, *about).order_by(col(Audit.id).desc()).limit(1)).first()
    if act is None or act.after is None:
        return None
    back = {event.id for event, _ in events_of(session, club_id, player_id)}
    of_it = col(Competition.id).in_(set(act.after["events"]) - back), col(Competition.status).in_(UNDER_WAY)
    return act if session.scalar(sa.select(col(Competition.id)).where(*of_it).limit(1)) is not None else None


def come_back(acting: ClubActing, player_id: int) -> tuple[list[str], list[tuple[Competition, Entrant, Text | None]]]:
    """Enter a person again where they were taken out, as far as each event takes entries now; return the names of
    those events, and those where they did not come in: with why, or None where a late entry is possible. Pressing again
    changes nothing."""
    session, back, closed = acting.session, list[str](), list[tuple[Competition, Entrant, Text | None]]()
    act = last_out(session, acting.club_id, player_id)
    if act is None or act.after is None:
        return back, closed
    known = select(Competition.id).where(col(Competition.id).in_(act.after["events"]))
    for event_id in session.exec(known.order_by(col(Competition.id))).all():
        event = lifecycle.get(session, event_id, lock=True)
        try:
            with session.begin_nested():
                entries.sign_up(acting.work, event_id, player_id, now=acting.now, by_id=acting.by_id)
        except NotAccepted:
            entrant = entries.entrant_of(session, event_id, player_id)
            if entrant is not None and event.status in UNDER_WAY:
                closed.append((event, entrant, _why_not_late(session, event, entrant)))
        else:
            back.append(event.name)
    undone = acting.write("member.back", audit.player(player_id)) if back or not closed else None
    if not closed:
        audit.mark_undone(session, act.id, undone or 0)
    return back, closed


def _why_not_late(session: Session, event: Competition, entrant: Entrant) -> Text | None:
    try:
        late.foresee(session, event, late.find_division(event, entrant.division_id or 0), entrant.player_id)
    except NotAccepted as no:
        return no.why
    return None
