"""Matches of two clubs, which were agreed until version 1.0: who runs them, and who rules, since neither does.

No new ones are made; those that two clubs have agreed are played to their end.
"""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.words.refusals import NotAllowed
from app.leagues.clubs import club_rights
from app.leagues.tables import ClubMatch, Competition, Entrant, InvitationStatus, Member, MemberStatus, Role
from app.people.tables import Player, PlayerRole
from engine.kernel.text import Text


def of_event(session: Session, event_id: int) -> ClubMatch | None:
    """Return the agreement of two clubs, or its invitation; None for an event of one club."""
    return session.exec(select(ClubMatch).where(col(ClubMatch.event_id) == event_id)).first()


def need_alone(session: Session, event: Competition, by_id: int) -> None:
    """Raise NotAllowed unless `by_id` runs events of the club; in a match of two clubs for everybody, where the act
    would favour one of them."""
    if event.guest_id is not None:
        raise NotAllowed("club_match.ruling", Text("In a match of two clubs this takes a ruling; ask for one instead."))
    club_rights.need(session, event.club_id, by_id, Role.DEPUTY)


def both_there(session: Session, event: Competition) -> bool:
    """Whether two clubs play an event, and both have members."""
    return event.guest_id is not None and all(club_rights.get(session, one).members for one in event.club_ids)


# -- who rules ------------------------------------------------------------------------------------------


def judges(session: Session, event_id: int, but: Collection[int] = ()) -> dict[int, str] | None:
    """Return who rules in a match of two clubs, with their addresses: the referee both have named, else the operators,
    without players and members of either club. None for an event of one club.
    """
    match = of_event(session, event_id)
    if match is None or match.status != InvitationStatus.ACCEPTED:
        return None
    plays = sa.select(col(Entrant.player_id)).where(col(Entrant.event_id) == event_id)
    host = sa.select(col(Competition.club_id)).where(col(Competition.id) == event_id).scalar_subquery()
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
    chosen = {row.id: row.address for row in session.execute(asked) if row.id not in but}
    named = match.referee_id
    return {named: chosen[named]} if named is not None and named in chosen else chosen


def rules_in(session: Session, event: Competition, player_id: int | None, but: Collection[int] = ()) -> bool:
    """Whether a player may rule in an event: by a role of its club, or in a match of two clubs as one of its `judges`;
    `but` are those who decided before.
    """
    if event.guest_id is None:
        return club_rights.may(club_rights.role_of(session, event.club_id, player_id), Role.REFEREE)
    return player_id in (judges(session, event.id, but) or ())


def need_ruler(session: Session, event: Competition, player_id: int, but: Collection[int] = ()) -> None:
    """Raise NotAllowed unless the player rules in the event (`rules_in`)."""
    if event.guest_id is None:
        club_rights.need(session, event.club_id, player_id, Role.REFEREE)
    elif not rules_in(session, event, player_id, but):
        raise NotAllowed(
            "club_match.referee",
            Text(
                "In a match of two clubs nobody of either club rules: its referee does, or an operator where "
                "both have named none."
            ),
        )
