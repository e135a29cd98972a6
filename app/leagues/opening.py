"""Opening a ruling: by a player's claim, by an organiser, or by a passed deadline that the pace hands to one.

Apart from what decides it, so that the sweep of cases can look here.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING

import sqlalchemy as sa

from app.base.outbox import Planned
from app.games.contest import Place
from app.leagues import audit
from app.leagues.pure.model import VOID
from app.leagues.pure.standings import said_value
from app.leagues.tables import Entry, Event, EventRound, Match, MatchSeat, Member, Ruling
from app.people.tables import Player

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.games.work import Work

RULERS = ("owner", "organiser", "referee")
ORGANISERS = ("owner", "organiser", "deputy")
WAITING = ("open", "appealed")
_RULING, _MATCH, _SEAT = Ruling.__table__, Match.__table__, MatchSeat.__table__  # type: ignore[attr-defined]
_ROUND, _EVENT, _ENTRY = EventRound.__table__, Event.__table__, Entry.__table__  # type: ignore[attr-defined]
_MEMBER, _PLAYER = Member.__table__, Player.__table__  # type: ignore[attr-defined]


def match_of_game(connection: Connection, game_id: int) -> int | None:
    """The match that a game belongs to; None for a game outside events, and for one whose event was cancelled: nobody
    of its club rules in it."""
    found: int | None = connection.scalar(
        sa.select(_MATCH.c.id)
        .join(_ROUND, _ROUND.c.id == _MATCH.c.round_id)
        .join(_EVENT, _EVENT.c.id == _ROUND.c.event_id)
        .where(_MATCH.c.game_id == game_id, _EVENT.c.status != "cancelled")
    )
    return found


def place_of_game(connection: Connection, game_id: int) -> Place | None:
    """Where a game belongs; None for a game outside events."""
    row = connection.execute(
        sa.select(
            _EVENT.c.id,
            _EVENT.c.name,
            _ROUND.c.number,
            _MATCH.c.id.label("match"),
            _EVENT.c.status,
            _ROUND.c.id.label("round"),
            _MATCH.c.ended,
            _MATCH.c.source,
        )
        .join(_ROUND, _ROUND.c.event_id == _EVENT.c.id)
        .join(_MATCH, _MATCH.c.round_id == _ROUND.c.id)
        .where(_MATCH.c.game_id == game_id)
    ).first()
    if row is None:
        return None
    ruled = None
    if row.ended and row.source == "ruling":
        asked = sa.select(_SEAT.c.points).where(_SEAT.c.match_id == row.match).order_by(_SEAT.c.place)
        given = () if row.ended == VOID else connection.scalars(asked).all()
        ruled = tuple(said_value("points", Fraction(points or 0)) for points in given)
    return Place(row.id, row.name, row.number, row.match, row.status in ("running", "over"), row.round, ruled)


def players_of(connection: Connection, match_id: int) -> dict[int, str]:
    """The players of a match with their addresses; erased accounts left out."""
    rows = connection.execute(
        sa.select(_PLAYER.c.id, _PLAYER.c.address)
        .join(_ENTRY, _ENTRY.c.player_id == _PLAYER.c.id)
        .join(_SEAT, _SEAT.c.entry_id == _ENTRY.c.id)
        .where(_SEAT.c.match_id == match_id, _PLAYER.c.erased_at.is_(None))
        .order_by(_SEAT.c.place)
    )
    return {row.id: row.address for row in rows}


def rulers(connection: Connection, club_id: int, but: Collection[int]) -> dict[int, str]:
    """Who can rule in a club, with their addresses, without those who play in the match or have decided before."""
    rows = connection.execute(
        sa.select(_PLAYER.c.id, _PLAYER.c.address)
        .join(_MEMBER, _MEMBER.c.player_id == _PLAYER.c.id)
        .where(
            _MEMBER.c.club_id == club_id, _MEMBER.c.status == "member", _MEMBER.c.role.in_(RULERS),
            _PLAYER.c.erased_at.is_(None),
        )
        .order_by(_PLAYER.c.id)
    )  # fmt: skip
    return {row.id: row.address for row in rows if row.id not in but}


def organisers_of_games(connection: Connection, game_ids: Collection[int]) -> dict[int, tuple[str, list[int]]]:
    """Who organises the events that these games belong to: their address and those events, by player."""
    rows = connection.execute(
        sa.select(_PLAYER.c.id, _PLAYER.c.address, _EVENT.c.id.label("event"))
        .distinct()
        .join(_MEMBER, _MEMBER.c.player_id == _PLAYER.c.id)
        .join(_EVENT, _EVENT.c.club_id == _MEMBER.c.club_id)
        .join(_ROUND, _ROUND.c.event_id == _EVENT.c.id)
        .join(_MATCH, _MATCH.c.round_id == _ROUND.c.id)
        .where(
            _MATCH.c.game_id.in_(game_ids), _MEMBER.c.status == "member", _MEMBER.c.role.in_(ORGANISERS),
            _PLAYER.c.erased_at.is_(None),
        )
        .order_by(_PLAYER.c.id, _EVENT.c.id)
    )  # fmt: skip
    found: dict[int, tuple[str, list[int]]] = {}
    for row in rows:
        found.setdefault(row.id, (row.address, []))[1].append(row.event)
    return found


def open_ruling(
    work: Work, match_id: int, *, by_id: int | None, claim: str, now: datetime, case_id: int | None = None
) -> tuple[int, bool]:
    """Open a ruling about a match and tell its players and those who can decide; its number and whether it is new.

    A match has one at a time: where one waits already, that is it. In the caller's transaction.
    """
    connection = work.connection
    match = connection.execute(
        sa.select(_MATCH.c.id, _ROUND.c.event_id, _ROUND.c.number, _EVENT.c.club_id)
        .join(_ROUND, _ROUND.c.id == _MATCH.c.round_id)
        .join(_EVENT, _EVENT.c.id == _ROUND.c.event_id)
        .where(_MATCH.c.id == match_id)
        .with_for_update(of=_MATCH)
    ).one()
    waits = sa.select(_RULING.c.id).where(_RULING.c.match_id == match_id, _RULING.c.status.in_(WAITING))
    there: int | None = connection.scalar(waits)
    if there is not None:
        return there, False
    row = {
        "event_id": match.event_id, "match_id": match_id, "case_id": case_id, "status": "open", "opened_by": by_id,
        "claim": claim, "opened_at": now, "details": {}, "reason": "", "appeal": "",
    }  # fmt: skip
    ruling_id = int(connection.execute(sa.insert(_RULING).values(**row).returning(_RULING.c.id)).scalar_one())
    audit.write(
        connection, match.club_id, "ruling.opened", at=now, by_id=by_id, event_id=match.event_id,
        subject=f"match:{match_id}", reason=claim, after={"ruling": ruling_id},
    )  # fmt: skip
    tell(work, ruling_id, match.club_id, match_id, "opened", now)
    return ruling_id, True


def tell(
    work: Work, ruling_id: int, club_id: int, match_id: int, what: str, now: datetime, *,
    but: Collection[int] = (), judges: bool = True,
) -> list[int]:  # fmt: skip
    """Mail the players of a match, and those who can decide about it (`judges`), what has become of a ruling."""
    sides = players_of(work.connection, match_id)
    deciders = rulers(work.connection, club_id, {*sides, *but}) if judges else {}
    mails = [
        Planned(f"ruling:{ruling_id}:{what}:{who}", "ruling", address, who, details={
            "ruling": ruling_id, "what": what, "as": role,
        })
        for role, people in (("player", sides), ("judge", deciders))
        for who, address in people.items()
    ]  # fmt: skip
    work.outbox.add(mails, now)
    return [mail.player_id for mail in mails if mail.player_id is not None]


def open_for_case(work: Work, game_id: int, case_id: int, now: datetime) -> int:
    """A deadline has passed and the pace hands it to an organiser: open a ruling for a game of an event, and tell
    those who can decide; how many. 0 for a game outside events, and of one that was cancelled."""
    match_id = match_of_game(work.connection, game_id)
    if match_id is None:
        return 0
    open_ruling(work, match_id, by_id=None, claim="", now=now, case_id=case_id)
    event = sa.select(_EVENT.c.club_id).join(_ROUND, _ROUND.c.event_id == _EVENT.c.id)
    club_id = work.connection.scalar(
        event.join(_MATCH, _MATCH.c.round_id == _ROUND.c.id).where(_MATCH.c.id == match_id)
    )
    return len(rulers(work.connection, club_id or 0, players_of(work.connection, match_id)))
