"""A club invites another one to a match of teams: the answer, the neutral referee, and the start by both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col, select

from app.base import limits
from app.base.outbox import PlannedMail
from app.base.refusals import Conflict, NotAccepted, NotAllowed
from app.base.texts import read_text
from app.games.work import Work
from app.leagues.clubs import audit, clubs
from app.leagues.clubs.acting import Acting
from app.leagues.events import events, two_clubs
from app.leagues.pure.terms import Format
from app.leagues.rounds import rounds
from app.leagues.seasons import endings
from app.leagues.tables import Club, ClubMatch, Competition, CompetitionStatus, InvitationStatus, Role
from app.leagues.teams import teams
from app.people import accounts
from app.people.tables import Player
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database

LONGEST_WORDS = 1000
MAIL = "club_match"
"""The kind of its mails."""
NEEDED = Role.ORGANISER
"""Who speaks for a club."""


# -- reading --------------------------------------------------------------------------------------------


def waiting(session: Session, club_id: int) -> Sequence[tuple[ClubMatch, str, str]]:
    """Return the invitations a club has not answered, with the name of the event and of the inviting club."""
    asked = (
        select(ClubMatch, Competition.name, Club.name)
        .join(Competition, col(Competition.id) == col(ClubMatch.event_id))
        .join(Club, col(Club.id) == col(Competition.club_id))
        .where(col(ClubMatch.guest_id) == club_id, col(ClubMatch.status) == InvitationStatus.INVITED)
        .order_by(col(ClubMatch.id))
    )
    return session.exec(asked).all()


def who_could_come(session: Session, event: Competition) -> Sequence[Club]:
    """Return the clubs that can be invited: all with at least one member, except the event's own."""
    return [one for one in clubs.all_clubs(session) if one.id != event.club_id and one.members]


def why_not(session: Session, event: Competition) -> Text | None:
    """Return why no club can be invited to an event; None if one can."""
    if not event.boards or event.format != Format.ROUND_ROBIN:
        return Text("Two clubs meet in a round robin of teams: give the event boards first.")
    if event.status != CompetitionStatus.DRAFT:
        return Text("A club is invited while the event is a draft, before anybody has signed up.")
    match = two_clubs.of_event(session, event.id)
    if match is not None and match.status == InvitationStatus.INVITED:
        return Text("A club is invited already; wait for its answer, or take the invitation back.")
    if teams.of_event(session, event.id):
        return Text("There are teams in this event already; take them out first.")
    return None


# -- inviting and answering -----------------------------------------------------------------------------


def invite(database: Database, event_id: int, by_id: int, guest_id: int, words: str, *, now: datetime) -> None:
    """Invite another club to an event of teams that is a draft; its organisers are told by mail.

    Raises NoSuchCompetition, NotAllowed, NotAccepted, TooOften.
    """
    words = read_text(words, LONGEST_WORDS)
    with database.read() as session:
        event = events.need(session, event_id, by_id, NEEDED)
    limits.count(database, [(limits.JOIN_REQUESTS, f"club-match:{event.club_id}")], now)
    with Work(database) as work:
        session = work.session
        acting = events.allowed(work, event_id, by_id, NEEDED, now)
        event = acting.event
        no = why_not(session, event)
        if no is not None:
            raise NotAccepted("club_match.none", no)
        guest = clubs.get(session, guest_id)
        if guest_id == event.club_id or not guest.members:
            raise NotAccepted("club_match.guest", Text("Choose another club, one with members."))
        match = two_clubs.of_event(session, event_id, lock=True)
        if match is None:
            match = ClubMatch(event_id=event_id, guest_id=guest_id, asked_at=now)
        match.guest_id, match.status, match.words = guest_id, InvitationStatus.INVITED, words
        match.asked_by, match.asked_at, match.answered_by, match.answered_at = by_id, now, None, None
        match.host_names = match.guest_names = match.host_ready_at = match.guest_ready_at = None
        session.add(match)
        session.flush()
        acting.write("club_match.invited", audit.named(guest.name))
        _tell(acting, "invited", clubs.organisers(session, guest_id))
        work.commit()


def take_back(database: Database, event_id: int, by_id: int, *, now: datetime) -> bool:
    """Withdraw a waiting invitation; return False if there is none. Raises NoSuchCompetition, NotAllowed."""
    with Work(database) as work:
        session = work.session
        acting = events.allowed(work, event_id, by_id, NEEDED, now)
        match = two_clubs.of_event(session, event_id, lock=True)
        if match is None or match.status != InvitationStatus.INVITED:
            return False
        match.status, match.answered_by, match.answered_at = InvitationStatus.WITHDRAWN, by_id, now
        session.add(match)
        guest = clubs.get(session, match.guest_id)
        acting.write("club_match.withdrawn", audit.named(guest.name))
        _tell(acting, "withdrawn", clubs.organisers(session, guest.id))
        work.commit()
        return True


def answer(database: Database, event_id: int, by_id: int, *, accepts: bool, words: str, now: datetime) -> bool:
    """Accept or decline for the invited club; return False if the invitation no longer waits.

    An accepted event is open for the members of both clubs. Raises NoSuchCompetition, NotAllowed, NotAccepted.
    """
    words = read_text(words, LONGEST_WORDS)
    with Work(database) as work:
        session = work.session
        event = events.get(session, event_id, lock=True)
        match = two_clubs.of_event(session, event_id, lock=True)
        if match is None:
            raise events.NoSuchCompetition(event_id)
        clubs.need(session, match.guest_id, by_id, NEEDED)
        if match.status != InvitationStatus.INVITED:
            return False
        match.status = InvitationStatus.ACCEPTED if accepts else InvitationStatus.DECLINED
        match.answered_by, match.answered_at = by_id, now
        session.add(match)
        session.flush()
        session.expire(event)
        guest = clubs.get(session, match.guest_id)
        acting = Acting(work, event, by_id, now)
        acting.write("club_match.accepted" if accepts else "club_match.declined", audit.named(guest.name))
        _tell(acting, match.status, clubs.organisers(session, event.club_id), words)
        if accepts:
            events.set_status(acting, CompetitionStatus.SIGN_UP)
        work.commit()
        return True


def close(work: Work, club_id: int, by_id: int, reason: str, now: datetime) -> None:
    """End the matches of a club that has nobody left.

    Invitations to it are declined; what has not started is cancelled, with this reason, and its organisers are told.
    Running matches go on, run by the other club alone.
    """
    session = work.session
    asked = select(ClubMatch).where(
        col(ClubMatch.guest_id) == club_id,
        col(ClubMatch.status).in_((InvitationStatus.INVITED, InvitationStatus.ACCEPTED)),
    )
    for match in session.exec(asked.order_by(col(ClubMatch.event_id))).all():
        acting = Acting(work, events.get(session, match.event_id, lock=True), by_id, now)
        event = acting.event
        if match.status == InvitationStatus.INVITED:
            match.status, match.answered_by, match.answered_at = InvitationStatus.DECLINED, by_id, now
            session.add(match)
            session.flush()
            acting.write("club_match.declined", audit.named(clubs.get(session, club_id).name))
            _tell(acting, "declined", clubs.organisers(session, event.club_id), reason)
        elif event.status == CompetitionStatus.SIGN_UP:
            endings.cancel_within(acting, reason=reason)


# -- the referee ----------------------------------------------------------------------------------------


def name_referee(database: Database, event_id: int, by_id: int, name: str, *, now: datetime) -> bool:
    """Name the referee of a match for your own club, or clear the name if it is empty.

    Returns whether both clubs have now named the same person, who is told. Raises NoSuchCompetition, NotAllowed, and
    NotAccepted for a member of either club or an ambiguous name.
    """
    with Work(database) as work:
        session = work.session
        event = events.get(session, event_id, lock=True)
        match = _of_both(session, event)
        sides = _sides(session, event, by_id)
        chosen = _find_referee(session, event, name) if name.strip() else None
        before = match.referee_id
        if event.club_id in sides:
            match.host_names = chosen
        if event.guest_id in sides:
            match.guest_names = chosen
        session.add(match)
        session.flush()
        acting = Acting(work, event, by_id, now)
        if chosen is None:
            acting.write("club_match.no_referee")
        else:
            acting.write("club_match.referee", audit.named(name.strip()))
        agreed = match.referee_id is not None
        if agreed and match.referee_id != before:
            _tell(replace(acting, by_id=None), "referee", accounts.addresses(session, {match.referee_id}))
        work.commit()
        return agreed


def lay_down(database: Database, event_id: int, by_id: int, *, now: datetime) -> bool:
    """Let the referee of a match resign the office; return False for anybody else.

    Both clubs are told. Raises NoSuchCompetition.
    """
    with Work(database) as work:
        session = work.session
        event = events.get(session, event_id, lock=True)
        match = _of_both(session, event)
        if by_id != match.referee_id:
            return False
        match.host_names = match.guest_names = None
        session.add(match)
        acting = Acting(work, event, by_id, now)
        acting.write("club_match.laid_down")
        _tell(acting, "laid_down", clubs.organisers(session, *event.club_ids))
        work.commit()
        return True


def referee_leaves(acting: Acting) -> None:
    """A person named as the referee of a match is gone; the clubs that had named them are told."""
    session, event, player_id = acting.session, acting.event, acting.by_id
    match = two_clubs.of_event(session, event.id, lock=True)
    if match is None:
        return
    told = []
    if match.host_names == player_id:
        match.host_names = None
        told.append(event.club_id)
    if match.guest_names == player_id:
        match.guest_names = None
        told.append(match.guest_id)
    session.add(match)
    acting.write("club_match.laid_down")
    _tell(acting, "laid_down", clubs.organisers(session, *told))


def _find_referee(session: Session, event: Competition, name: str) -> int:
    here = sa.func.lower(col(Player.name)) == name.strip().lower()
    found = session.exec(select(Player).where(here, col(Player.erased_at).is_(None)).limit(2)).all()
    if len(found) != 1 or found[0].id is None:
        raise NotAccepted(
            "club_match.unknown", Text("No player, or more than one, is called “{name}”.", name=name.strip()[:60])
        )
    if not two_clubs.is_of_neither(session, event.id, found[0].id):
        raise NotAccepted("club_match.neutral", Text("A referee belongs to neither club."))
    return found[0].id


# -- the start ------------------------------------------------------------------------------------------


def say_ready(database: Database, event_id: int, by_id: int, *, now: datetime) -> bool:
    """Confirm for your own club that its team is complete.

    The second confirmation starts the event; returns whether this one did. Raises NoSuchCompetition, NotAllowed,
    NotAccepted.
    """
    with Work(database) as work:
        session = work.session
        event = events.get(session, event_id, lock=True)
        match = _of_both(session, event)
        sides = _sides(session, event, by_id)
        if event.status != CompetitionStatus.SIGN_UP:
            raise Conflict("event.started", Text("The event has started; its teams stay as they are."))
        playing = {team.club_id: team for team in teams.of_event(session, event_id)}
        ready = [side for side in sides if side in playing]
        if not ready:
            raise NotAccepted("club_match.team", Text("Enter the team of your club first."))
        for side in ready:
            teams.need_complete(event, playing[side])
            if side == event.club_id:
                match.host_ready_at = now
            else:
                match.guest_ready_at = now
        if not two_clubs.able(session, match):
            raise NotAccepted(
                "club_match.nobody",
                Text("Nobody could rule in this match: name a referee of neither club first, both the same."),
            )
        session.add(match)
        session.flush()
        acting = Acting(work, event, by_id, now)
        acting.write("club_match.ready", audit.named(" – ".join(playing[side].name for side in ready)))
        starts = match.host_ready_at is not None and match.guest_ready_at is not None
        if starts:
            rounds.start_in(acting)
        others = [side for side in event.club_ids if side not in ready]
        told = event.club_ids if starts else others
        _tell(acting, "started" if starts else "ready", clubs.organisers(session, *told))
        work.commit()
        return starts


def _of_both(session: Session, event: Competition) -> ClubMatch:
    """Return the agreement of both clubs, locked. Raises NoSuchCompetition if there is none."""
    match = two_clubs.of_event(session, event.id, lock=True)
    if match is None or match.status != InvitationStatus.ACCEPTED:
        raise events.NoSuchCompetition(event.id)
    return match


def _sides(session: Session, event: Competition, by_id: int) -> list[int]:
    """Return the clubs this person speaks for. Raises NotAllowed if there are none."""
    mine = [one for one in event.club_ids if clubs.may(clubs.role_of(session, one, by_id), NEEDED)]
    if not mine:
        raise NotAllowed("club_match.role", Text("Only organisers of one of the two clubs can do this."))
    return mine


# -- telling --------------------------------------------------------------------------------------------


def _tell(acting: Acting, what: str, people: Iterable[tuple[int, str]], words: str = "") -> None:
    """Mail them what has become of a match; not who has done it."""
    event, by_id, now = acting.event, acting.by_id, acting.now
    details = {"event": event.id, "what": what, "by": by_id, "words": words}
    acting.work.outbox.add(
        [
            PlannedMail(f"{MAIL}:{event.id}:{what}:{now:%Y%m%dT%H%M%S}:{who}", MAIL, address, who, details=details)
            for who, address in people
            if who != by_id and address
        ],
        now,
    )
