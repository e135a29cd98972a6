"""Removes an erased or banned account from its events and clubs; a club without other members is closed."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.games.work import Work
from app.leagues.changes import holdings
from app.leagues.changes.departures import Why
from app.leagues.clubs import club_rights
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries, lifecycle
from app.leagues.seasons import endings
from app.leagues.tables import (
    STILL_IN,
    Club,
    Competition,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    JoinRequest,
    Member,
    MemberNote,
    MemberStatus,
    PastPlace,
    Rating,
    Role,
    Team,
)
from app.leagues.teams.captains import UNDER_WAY
from engine.kernel.text import N_, Text, quoted

CLOSED = N_("The club is closed: its only member has left the server.")
_SEEN = (CompetitionStatus.SIGN_UP, CompetitionStatus.RUNNING)

KEPT = (
    ("clubs", Member, "player_id", ("club_id", "role", "status", "since")),
    (
        "event_entries",
        Entrant,
        "player_id",
        ("event_id", "status", "seed", "rating", "away", "byes", "entered_at", "answers"),
    ),
    ("join_requests", JoinRequest, "player_id", ("club_id", "text", "asked_at", "declined_at")),
    ("club_lists", MemberNote, "player_id", ("club_id", "note", "own1", "own2", "own3", "rating", "division", "place")),
    ("earlier_seasons", PastPlace, "player_id", ("club_id", "season", "division", "place", "points")),
    ("ratings", Rating, "player_id", ("title", "system", "rating")),
)
"""What a player's data export contains about clubs and events."""


# -- looking ------------------------------------------------------------------------------------------


def entered(session: Session, player_id: int, *, drafts: bool = False) -> list[tuple[int, str]]:
    """Return the number and name of each event the player would leave: those that are not over.

    Only organisers know of drafts.
    """
    rows = session.execute(
        sa.select(col(Competition.id), col(Competition.name))
        .join(Entrant, col(Entrant.event_id) == col(Competition.id))
        .where(
            col(Entrant.player_id) == player_id,
            col(Entrant.status).in_(STILL_IN),
            col(Competition.status).in_(UNDER_WAY if drafts else _SEEN),
        )
        .order_by(col(Competition.id))
    )
    return [(row.id, row.name) for row in rows]


def owned_alone(session: Session, player_id: int) -> tuple[list[Club], list[Club]]:
    """Return the clubs this player alone owns: those with other members, and those without.

    An invited person who has not answered is not a member.
    """
    owner = sa.and_(col(Member.role) == Role.OWNER, col(Member.status) == MemberStatus.MEMBER)
    mine = sa.select(col(Member.club_id)).where(owner, col(Member.player_id) == player_id)
    others = sa.select(col(Member.club_id)).where(owner, col(Member.player_id) != player_id)
    asked = sa.select(col(Club.id)).where(col(Club.id).in_(mine), col(Club.id).not_in(others)).order_by(col(Club.name))
    found = [club_rights.get(session, club_id) for club_id in session.scalars(asked).all()]
    return [club for club in found if club.members > 1], [club for club in found if club.members <= 1]


def need_owners(session: Session, player_id: int) -> None:
    """Raise NotAccepted while a club with other members would be left without an owner."""
    without, _ = owned_alone(session, player_id)
    if without:
        raise NotAccepted(
            "erase.last_owner",
            Text(
                "A club keeps at least one owner. Make somebody else owner first of: {clubs}.",
                clubs=quoted([club.name for club in without]),
            ),
        )


# -- leaving ------------------------------------------------------------------------------------------


def hold(session: Session, player_id: int) -> None:
    """Lock the player's clubs and events until the transaction ends.

    They are locked before the player, in the same order as everywhere else. If two owners erase their accounts at once,
    the second sees that the first is gone.
    """
    mine = sa.select(col(Member.club_id)).where(
        col(Member.player_id) == player_id, col(Member.status) == MemberStatus.MEMBER
    )
    for club_id in session.scalars(mine.order_by(col(Member.club_id))).all():
        club_rights.lock(session, club_id)
    _, closing = owned_alone(session, player_id)
    there = sa.select(col(Entrant.event_id)).where(col(Entrant.player_id) == player_id)
    numbers = [club.id for club in closing]
    leads = sa.select(col(Team.event_id)).where(col(Team.captain_id) == player_id)
    its = sa.or_(col(Competition.club_id).in_(numbers), *(col(Competition.id).in_(one) for one in (there, leads)))
    under_way = sa.select(col(Competition.id)).where(col(Competition.status).in_(UNDER_WAY), its)
    session.execute(under_way.order_by(col(Competition.id)).with_for_update(key_share=True)).all()


def leave_events(work: Work, player_id: int, now: datetime, *, erased: bool, waits: bool = False) -> bool:
    """Take a player out of all events as their terms say, or with `waits` only off waiting lists; return whether there
    were any.
    """
    there = entered(work.session, player_id, drafts=True)
    who = holdings.Leaving(player_id, player_id, now, erased=erased)
    for event_id, _ in there:
        event = lifecycle.get(work.session, event_id, lock=True)
        entrant = entries.entrant_of(work.session, event_id, player_id)
        leaves = (EntrantStatus.RESERVE,) if waits else STILL_IN
        if entrant is not None and entrant.status in leaves and event.status in UNDER_WAY:  # else it has ended since
            holdings.leave_event(work, who, event, entrant, Why.ERASED if erased else Why.EVENT)
    return bool(there)


def leave_clubs(work: Work, player_id: int, now: datetime, *, erased: bool, waits: bool = False) -> None:
    """Remove the player from all clubs and everything else held there, or with `waits` only from invitations and
    requests.

    A club without other members is closed: its pages stay; its unfinished events are cancelled, except running matches
    with another club; its invitations, requests to join and joining link end.

    Raises NotAccepted if erasing the account would leave a club without an owner; for a banned account a successor is
    chosen.
    """
    session = work.session
    who = holdings.Leaving(player_id, player_id, now, erased=erased)
    if erased:
        need_owners(session, player_id)
    if not waits:
        for club in owned_alone(session, player_id)[1]:
            _close(work, club, player_id, now)
    held = (MemberStatus.INVITED,) if waits else (MemberStatus.INVITED, MemberStatus.MEMBER)
    mine = sa.select(col(Member.club_id)).where(col(Member.player_id) == player_id, col(Member.status).in_(held))
    for club_id in session.scalars(mine.order_by(col(Member.club_id))).all():
        holdings.leave_club(work, club_id, who)
    if waits:
        session.exec(sa.delete(JoinRequest).where(col(JoinRequest.player_id) == player_id))
    else:
        holdings.leave_server(work, who)


def _close(work: Work, club: Club, player_id: int, now: datetime) -> None:
    session = work.session
    reason = Voice(club.language, club.zone).gettext(CLOSED)
    here = sa.and_(col(Competition.club_id) == club.id, col(Competition.status).in_(UNDER_WAY))
    for event_id in session.scalars(sa.select(col(Competition.id)).where(here).order_by(col(Competition.id))).all():
        event = lifecycle.get(session, event_id, lock=True)
        if event.guest_id is None or event.status != CompetitionStatus.RUNNING:
            endings.cancel_within(Acting(work, event, player_id, now), reason=reason)
    session.exec(sa.update(Club).where(col(Club.id) == club.id).values(join_version=col(Club.join_version) + 1))
    waiting = sa.and_(col(Member.club_id) == club.id, col(Member.status) == MemberStatus.INVITED)
    session.exec(sa.update(Member).where(waiting).values(status=MemberStatus.LEFT, role=Role.MEMBER, since=now))
    asked = sa.and_(col(JoinRequest.club_id) == club.id, col(JoinRequest.declined_at).is_(None))
    session.exec(sa.update(JoinRequest).where(asked).values(declined_at=now, text=""))
