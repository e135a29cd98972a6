"""Matches of two clubs, which were agreed until version 1.0: what each club runs, and who rules, since neither does.

No new ones are made; those that two clubs have agreed are played to their end.
"""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.words.refusals import NotAllowed
from app.leagues.clubs import club_rights
from app.leagues.tables import (
    ClubMatch,
    Competition,
    Entrant,
    InvitationStatus,
    Member,
    MemberStatus,
    Role,
    Team,
    TeamPlayer,
)
from app.people.tables import Player, PlayerRole
from engine.kernel.text import Text


def of_event(session: Session, event_id: int) -> ClubMatch | None:
    """Return the agreement of two clubs, or its invitation; None for an event of one club."""
    return session.exec(select(ClubMatch).where(col(ClubMatch.event_id) == event_id)).first()


# -- organisers -----------------------------------------------------------------------------------------


def sides_of(session: Session, event: Competition, player_id: int) -> list[int]:
    """Return the clubs a person plays for in an event: that of their team, else those they belong to."""
    if event.guest_id is None:
        return [event.club_id]
    team = (
        sa.select(col(Team.club_id))
        .join(TeamPlayer, col(TeamPlayer.team_id) == col(Team.id))
        .join(Entrant, col(Entrant.id) == col(TeamPlayer.entry_id))
        .where(col(Team.event_id) == event.id, col(Entrant.player_id) == player_id)
    )
    found = session.scalar(team)
    return [found] if found else [one for one in event.club_ids if club_rights.role_of(session, one, player_id)]


def need_for(session: Session, event: Competition, by_id: int, player_id: int) -> None:
    """Raise NotAllowed unless `by_id` runs events of the club this player plays for."""
    if event.guest_id is None:
        club_rights.need(session, event.club_id, by_id, Role.DEPUTY)
    elif not any(
        club_rights.may(club_rights.role_of(session, one, by_id), Role.DEPUTY)
        for one in sides_of(session, event, player_id)
    ):
        raise NotAllowed("club_match.side", Text("In a match of two clubs each club looks after its own players."))


def both_there(session: Session, event: Competition) -> bool:
    """Whether two clubs play an event, and both have members."""
    return event.guest_id is not None and all(club_rights.get(session, one).members for one in event.club_ids)


def need_one_club(event: Competition) -> None:
    """Raise NotAllowed in a match of two clubs, for acts that would favour one of them."""
    if event.guest_id is not None:
        raise NotAllowed("club_match.ruling", Text("In a match of two clubs this takes a ruling; ask for one instead."))


# -- who rules ------------------------------------------------------------------------------------------


def is_of_neither(session: Session, event_id: int, player_id: int) -> bool:
    """Whether a player belongs to neither club of a match of two clubs; True for every other event."""
    its = (
        sa.select(col(Member.id))
        .join(Competition, sa.true())
        .join(ClubMatch, col(ClubMatch.event_id) == col(Competition.id))
        .where(
            col(Competition.id) == event_id,
            col(ClubMatch.status) == InvitationStatus.ACCEPTED,
            sa.or_(col(Member.club_id) == col(Competition.club_id), col(Member.club_id) == col(ClubMatch.guest_id)),
            col(Member.player_id) == player_id,
            col(Member.status) == MemberStatus.MEMBER,
        )
    )
    return session.execute(its).first() is None


def judges(session: Session, event_id: int, but: Collection[int] = ()) -> dict[int, str] | None:
    """Return who rules in a match of two clubs, with their addresses: the referee both have named, else the operators
    who belong to neither club.

    Returns None for an event of one club.
    """
    match = of_event(session, event_id)
    if match is None or match.status != InvitationStatus.ACCEPTED:
        return None
    chosen = {who: address for who, address in able(session, match).items() if who not in but}
    named = match.referee_id
    return {named: chosen[named]} if named in chosen else chosen


def able(session: Session, match: ClubMatch) -> dict[int, str]:
    """Return who can rule in a match of two clubs, with their addresses: the referee and operators, without players and
    members of either club.
    """
    plays = sa.select(col(Entrant.player_id)).where(col(Entrant.event_id) == match.event_id)
    host = sa.select(col(Competition.club_id)).where(col(Competition.id) == match.event_id).scalar_subquery()
    belongs = sa.select(col(Member.player_id)).where(
        sa.or_(col(Member.club_id) == match.guest_id, col(Member.club_id) == host),
        col(Member.status) == MemberStatus.MEMBER,
    )
    asked = (
        sa.select(col(Player.id), col(Player.address))
        .where(
            sa.or_(col(Player.id) == match.referee_id, col(Player.role) == PlayerRole.OPERATOR),
            col(Player.erased_at).is_(None),
            col(Player.id).not_in(belongs),
            col(Player.id).not_in(plays),
        )
        .order_by(col(Player.id))
    )
    return {row.id: row.address for row in session.execute(asked)}


def rules_in(session: Session, event: Competition, player_id: int | None) -> bool:
    """Whether a player may rule in an event: a role of its club, or in a match of two clubs its referee and operators
    of neither.
    """
    if player_id is None:
        return False
    if event.guest_id is None:
        return club_rights.may(club_rights.role_of(session, event.club_id, player_id), Role.REFEREE)
    match = of_event(session, event.id)
    return match is not None and player_id in able(session, match)


def need_ruler(session: Session, event: Competition, player_id: int, but: Collection[int] = ()) -> None:
    """Raise NotAllowed unless the player rules in the event; `but` are those who decided before."""
    if event.guest_id is None:
        club_rights.need(session, event.club_id, player_id, Role.REFEREE)
    elif player_id not in (judges(session, event.id, but) or {}):
        raise NotAllowed(
            "club_match.referee",
            Text(
                "In a match of two clubs nobody of either club rules: its referee does, or an operator where "
                "both have named none."
            ),
        )
