"""An account is erased: it leaves its events, lists of reserves and clubs; a club that has nobody else is closed."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.base.refusals import NotAccepted
from app.base.speech import Voice
from app.leagues import audit, club_matches, clubs, endings, entries, events, leaving, reserves
from app.leagues.tables import (
    Club,
    ClubMatch,
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
)
from engine.kernel.text import N_, Text, quoted

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.games.work import Work

CLOSED = N_("The club is closed: its only member has erased the account.")
_SEEN = (CompetitionStatus.SIGN_UP, CompetitionStatus.RUNNING)
_UNDER_WAY = (CompetitionStatus.DRAFT, *_SEEN)

KEPT = (
    ("clubs", Member, "player_id", ("club_id", "role", "status", "since")),
    ("event_entries", Entrant, "player_id", ("event_id", "status", "seed", "rating", "away", "byes", "entered_at")),
    ("join_requests", JoinRequest, "player_id", ("club_id", "text", "asked_at", "declined_at")),
    ("club_lists", MemberNote, "player_id", ("club_id", "rating", "division", "place")),
    ("earlier_seasons", PastPlace, "player_id", ("club_id", "season", "division", "place", "points")),
    ("ratings", Rating, "player_id", ("title", "system", "rating")),
)
"""What of clubs and events goes into the file of a player's data."""


# -- looking ------------------------------------------------------------------------------------------


def entered(session: Session, player_id: int, *, drafts: bool = False) -> list[tuple[int, str]]:
    """The events that a player would leave, by number and name: those that are not over. Of drafts only their
    organisers know."""
    rows = session.execute(
        sa.select(col(Competition.id), col(Competition.name))
        .join(Entrant, col(Entrant.event_id) == col(Competition.id))
        .where(
            col(Entrant.player_id) == player_id,
            col(Entrant.status).in_((EntrantStatus.ENTERED, EntrantStatus.RESERVE)),
            col(Competition.status).in_(_UNDER_WAY if drafts else _SEEN),
        )
        .order_by(col(Competition.id))
    )
    return [(row.id, row.name) for row in rows]


def owned_alone(session: Session, player_id: int) -> tuple[list[Club], list[Club]]:
    """The clubs of which a player is the only owner: those with other members, and those without. Who is invited and
    has not answered is no member."""
    owner = sa.and_(col(Member.role) == Role.OWNER, col(Member.status) == MemberStatus.MEMBER)
    mine = sa.select(col(Member.club_id)).where(owner, col(Member.player_id) == player_id)
    others = sa.select(col(Member.club_id)).where(owner, col(Member.player_id) != player_id)
    asked = sa.select(col(Club.id)).where(col(Club.id).in_(mine), col(Club.id).not_in(others)).order_by(col(Club.name))
    found = [clubs.get(session, club_id) for club_id in session.scalars(asked).all()]
    return [club for club in found if club.members > 1], [club for club in found if club.members <= 1]


def need_owners(session: Session, player_id: int) -> None:
    """NotAccepted while a club with other members would be left without an owner."""
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
    """Lock the player's clubs and events until the transaction ends; before the player, as everybody else does. Of two
    owners who erase their accounts at once, the second sees that the first is gone."""
    mine = sa.select(col(Member.club_id)).where(
        col(Member.player_id) == player_id, col(Member.status) == MemberStatus.MEMBER
    )
    for club_id in session.scalars(mine.order_by(col(Member.club_id))).all():
        clubs.lock(session, club_id)
    _, closing = owned_alone(session, player_id)
    there = sa.select(col(Entrant.event_id)).where(col(Entrant.player_id) == player_id)
    numbers = [club.id for club in closing]
    invited = sa.select(col(ClubMatch.event_id)).where(col(ClubMatch.guest_id).in_(numbers))
    its = sa.or_(
        col(Competition.id).in_(there), col(Competition.club_id).in_(numbers), col(Competition.id).in_(invited)
    )
    under_way = sa.select(col(Competition.id)).where(col(Competition.status).in_(_UNDER_WAY), its)
    session.execute(under_way.order_by(col(Competition.id)).with_for_update(key_share=True)).all()


def leave_events(work: Work, player_id: int, now: datetime) -> bool:
    """Take a player out of all events by their terms; whether there were any."""
    there = entered(work.session, player_id, drafts=True)
    for event_id, _ in there:
        event = events.get(work.session, event_id, lock=True)
        entrant = entries.entrant_of(work.session, event_id, player_id)
        if (
            entrant is None
            or entrant.status not in (EntrantStatus.ENTERED, EntrantStatus.RESERVE)
            or event.status not in _UNDER_WAY
        ):
            continue  # over meanwhile
        leaving.take_out(work, event, entrant, player_id, "", now, erased=True)
        reserves.end_calls_of(work, event, entrant, now)
    return bool(there)


def leave_clubs(work: Work, player_id: int, now: datetime) -> None:
    """Leave all clubs. One without other members is closed: its pages stay, its events that are not over are
    cancelled but for matches with another club that run, its invitations and its joining link end. NotAccepted where a
    club would have no owner."""
    session = work.session
    need_owners(session, player_id)
    _, closing = owned_alone(session, player_id)
    for club in closing:
        _close(work, club, player_id, now)
    mine = sa.select(col(Member.club_id), col(Member.role), col(Member.status)).where(
        col(Member.player_id) == player_id, col(Member.status) != MemberStatus.LEFT
    )
    for row in session.execute(mine.order_by(col(Member.club_id))).all():
        act = "member.left" if row.status == MemberStatus.MEMBER else "member.declined"
        audit.write(
            session,
            row.club_id,
            act,
            at=now,
            by_id=player_id,
            subject=audit.player(player_id),
            before={"role": row.role, "status": row.status},
        )
    session.execute(sa.delete(MemberNote).where(col(MemberNote.player_id) == player_id))
    session.execute(sa.delete(JoinRequest).where(col(JoinRequest.player_id) == player_id))
    gone = sa.update(Member).where(col(Member.player_id) == player_id)
    session.execute(gone.values(status=MemberStatus.LEFT, role=Role.MEMBER))


def _close(work: Work, club: Club, player_id: int, now: datetime) -> None:
    session = work.session
    reason = Voice(club.language, club.zone).gettext(CLOSED)
    here = sa.and_(col(Competition.club_id) == club.id, col(Competition.status).in_(_UNDER_WAY))
    for event_id in session.scalars(sa.select(col(Competition.id)).where(here).order_by(col(Competition.id))).all():
        event = events.get(session, event_id, lock=True)
        if event.guest_id is None or event.status != CompetitionStatus.RUNNING:
            endings.cancel_within(work, event, player_id, reason=reason, now=now)
    club_matches.close(work, club.id, player_id, reason, now)
    session.exec(sa.update(Club).where(col(Club.id) == club.id).values(join_version=col(Club.join_version) + 1))
    waiting = sa.and_(col(Member.club_id) == club.id, col(Member.status) == MemberStatus.INVITED)
    session.exec(sa.update(Member).where(waiting).values(status=MemberStatus.LEFT, role=Role.MEMBER, since=now))
