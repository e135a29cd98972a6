"""An account is erased: it leaves its events, lists of reserves and clubs; a club that has nobody else is closed."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa

from app.base.refusals import NotAccepted
from app.base.speech import Voice
from app.leagues import audit, clubs, endings, entries, events, leaving, reserves
from app.leagues.tables import Club, Entry, Event, Member, Rating
from engine.kernel.text import N_, Text, quoted

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.games.work import Work
    from app.leagues.clubs import ClubNow

CLOSED = N_("The club is closed: its only member has erased the account.")
_CLUB, _MEMBER = Club.__table__, Member.__table__  # type: ignore[attr-defined]
_EVENT, _ENTRY = Event.__table__, Entry.__table__  # type: ignore[attr-defined]
_SEEN = ("sign_up", "running")
_UNDER_WAY = ("draft", *_SEEN)

KEPT = (
    ("clubs", Member, "player_id", ("club_id", "role", "status", "since")),
    ("event_entries", Entry, "player_id", ("event_id", "status", "seed", "rating", "away", "byes", "entered_at")),
    ("ratings", Rating, "player_id", ("title", "system", "rating")),
)
"""What of clubs and events goes into the file of a player's data."""


# -- looking ------------------------------------------------------------------------------------------


def entered(connection: Connection, player_id: int, *, drafts: bool = False) -> list[tuple[int, str]]:
    """The events that a player would leave, by number and name: those that are not over. Of drafts only their
    organisers know."""
    rows = connection.execute(
        sa.select(_EVENT.c.id, _EVENT.c.name)
        .join(_ENTRY, _ENTRY.c.event_id == _EVENT.c.id)
        .where(
            _ENTRY.c.player_id == player_id, _ENTRY.c.status.in_(("entered", "reserve")),
            _EVENT.c.status.in_(_UNDER_WAY if drafts else _SEEN),
        )
        .order_by(_EVENT.c.id)
    )  # fmt: skip
    return [(row.id, row.name) for row in rows]


def owned_alone(connection: Connection, player_id: int) -> tuple[list[ClubNow], list[ClubNow]]:
    """The clubs of which a player is the only owner: those with other members, and those without. Who is invited and
    has not answered is no member."""
    owner = sa.and_(_MEMBER.c.role == "owner", _MEMBER.c.status == "member")
    mine = sa.select(_MEMBER.c.club_id).where(owner, _MEMBER.c.player_id == player_id)
    others = sa.select(_MEMBER.c.club_id).where(owner, _MEMBER.c.player_id != player_id)
    asked = sa.select(_CLUB.c.id).where(_CLUB.c.id.in_(mine), _CLUB.c.id.not_in(others)).order_by(_CLUB.c.name)
    found = [clubs.get(connection, club_id) for club_id in connection.scalars(asked).all()]
    return [club for club in found if club.members > 1], [club for club in found if club.members <= 1]


def need_owners(connection: Connection, player_id: int) -> None:
    """NotAccepted while a club with other members would be left without an owner."""
    without, _ = owned_alone(connection, player_id)
    if without:
        raise NotAccepted(
            "erase.last_owner",
            Text(
                "A club keeps at least one owner. Make somebody else owner first of: {clubs}.",
                clubs=quoted([club.name for club in without]),
            ),
        )


# -- leaving ------------------------------------------------------------------------------------------


def hold(connection: Connection, player_id: int) -> None:
    """Lock the player's clubs and events until the transaction ends; before the player, as everybody else does. Of two
    owners who erase their accounts at once, the second sees that the first is gone."""
    mine = sa.select(_MEMBER.c.club_id).where(_MEMBER.c.player_id == player_id, _MEMBER.c.status == "member")
    for club_id in connection.scalars(mine.order_by(_MEMBER.c.club_id)).all():
        clubs.lock(connection, club_id)
    _, closing = owned_alone(connection, player_id)
    there = sa.select(_ENTRY.c.event_id).where(_ENTRY.c.player_id == player_id)
    its = sa.or_(_EVENT.c.id.in_(there), _EVENT.c.club_id.in_([club.id for club in closing]))
    under_way = sa.select(_EVENT.c.id).where(_EVENT.c.status.in_(_UNDER_WAY), its)
    connection.execute(under_way.order_by(_EVENT.c.id).with_for_update(key_share=True)).all()


def leave_events(work: Work, player_id: int, now: datetime) -> bool:
    """Take a player out of all events by their terms; whether there were any."""
    there = entered(work.connection, player_id, drafts=True)
    for event_id, _ in there:
        event = events.get(work.connection, event_id, lock=True)
        entry = entries.entry_of(work.connection, event_id, player_id)
        if entry is None or entry.status not in ("entered", "reserve") or event.status not in _UNDER_WAY:
            continue  # over meanwhile
        leaving.take_out(work, event, entry, player_id, "", now)
        reserves.end_calls_of(work, event, entry, now)
    return bool(there)


def leave_clubs(work: Work, player_id: int, now: datetime) -> None:
    """Leave all clubs. One without other members is closed: its pages stay, its events that are not over are
    cancelled, its invitations and its joining link end. NotAccepted where a club would have no owner."""
    connection = work.connection
    need_owners(connection, player_id)
    _, closing = owned_alone(connection, player_id)
    for club in closing:
        _close(work, club, player_id, now)
    mine = sa.select(_MEMBER.c.club_id, _MEMBER.c.role, _MEMBER.c.status).where(
        _MEMBER.c.player_id == player_id, _MEMBER.c.status != "left"
    )
    for row in connection.execute(mine.order_by(_MEMBER.c.club_id)).all():
        act = "member.left" if row.status == "member" else "member.declined"
        audit.write(
            connection, row.club_id, act, at=now, by_id=player_id, subject=f"player:{player_id}",
            before={"role": row.role, "status": row.status},
        )  # fmt: skip
    gone = sa.update(_MEMBER).where(_MEMBER.c.player_id == player_id)
    connection.execute(gone.values(status="left", role="member"))


def _close(work: Work, club: ClubNow, player_id: int, now: datetime) -> None:
    connection = work.connection
    reason = Voice(club.language, club.zone).gettext(CLOSED)
    here = sa.and_(_EVENT.c.club_id == club.id, _EVENT.c.status.in_(_UNDER_WAY))
    for event_id in connection.scalars(sa.select(_EVENT.c.id).where(here).order_by(_EVENT.c.id)).all():
        endings.cancel_within(work, events.get(connection, event_id, lock=True), player_id, reason=reason, now=now)
    connection.execute(sa.update(_CLUB).where(_CLUB.c.id == club.id).values(join_version=_CLUB.c.join_version + 1))
    waiting = sa.and_(_MEMBER.c.club_id == club.id, _MEMBER.c.status == "invited")
    connection.execute(sa.update(_MEMBER).where(waiting).values(status="left", role="member", since=now))
