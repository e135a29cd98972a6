"""Leave: days off during which none of a player's clocks runs, with an allowance for each calendar year.

A day taken automatically (`app.time.away.automatic`) is for its game alone, and counts towards the same allowance: a
date counts once. Organisers grant leave for the games of their event. It uses none of the allowance, counts whatever
the pace honours, and stops no clock elsewhere: the opponents there have not agreed to this organiser.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.database import Database
from app.base.stored.outbox import PlannedMail
from app.base.words.refusals import NotAccepted
from app.clocks.clock import ONE_DAY, midnight
from app.clocks.leave import Away, a_year
from app.clocks.zones import zone_of
from app.games import competitions
from app.games.tables import Game, GameSeat
from app.games.work import Work
from app.people.tables import Player
from app.time import pending
from app.time.tables import ClockNote, Leave, LeaveKind, NoteCause, NoteKind
from engine.kernel.text import Text

AHEAD = timedelta(days=400)
MOST_DAYS = 366
"""How far ahead leave can be planned."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A player's leave: what is left of this year's and the next year's allowance, and current, future and past
    leave."""

    left: dict[int, int]
    now: Leave | None
    coming: tuple[Leave, ...]
    past: tuple[Leave, ...]
    granted: tuple[tuple[Leave, str], ...] = ()
    """Leave granted by organisers that is not over, each with the name of its event."""


def of_player(session: Session, player_id: int) -> list[Leave]:
    """Return all of a player's own leave that took any time, in order; including that of single games."""
    return [one for one in _all(session, player_id) if one.event_id is None]


def _all(session: Session, player_id: int) -> list[Leave]:
    asked = select(Leave).where(col(Leave.player_id) == player_id, col(Leave.to_at) > col(Leave.from_at))
    return list(session.exec(asked.order_by(col(Leave.from_at), col(Leave.id))))


def overview(session: Session, player_id: int, zone: str, now: datetime, allowance: int) -> Overview:
    """Return what the player's page shows."""
    every = _all(session, player_id)
    leaves = [one for one in every if one.event_id is None]
    granted = [one for one in every if one.event_id is not None and one.to_at > now]
    names = competitions.runner().names_of(session, [one.event_id for one in granted if one.event_id is not None])
    used, this_year = a_year(one.away for one in leaves), now.astimezone(zone_of(zone)).year
    return Overview(
        {year: max(0, allowance - used[year]) for year in (this_year, this_year + 1)},
        next((one for one in reversed(leaves) if one.is_now(now) and one.is_everywhere), None),
        tuple(one for one in leaves if one.from_at > now),
        tuple(one for one in leaves if one.to_at <= now or (one.from_at <= now and not one.is_everywhere)),
        tuple((one, names.get(one.event_id or 0, "")) for one in granted),
    )


def away(session: Session, game_id: int, player_ids: Iterable[int | None], now: datetime) -> dict[int, datetime]:
    """Return which of the players are on leave in a game now, and until when."""
    asked = (
        sa.select(col(Leave.player_id), sa.func.max(col(Leave.to_at)))
        .where(
            col(Leave.player_id).in_([one for one in player_ids if one is not None]),
            col(Leave.from_at) <= now,
            col(Leave.to_at) > now,
            pending.leave_holds_in(game_id),
        )
        .group_by(col(Leave.player_id))
    )
    return {player_id: until for player_id, until in session.execute(asked)}


# -- taking and giving back -------------------------------------------------------------------------


def plan(database: Database, player_id: int, first: date, last: date, *, now: datetime, allowance: int) -> int:
    """Plan leave from the beginning of one day to the end of another in the player's zone; return its number.

    Raises NotAccepted if it begins before tomorrow, ends before it begins, is too far ahead, overlaps other leave, or
    takes more than is left of a year's allowance.
    """
    with Work(database) as work:
        zone = lock(work, player_id)
        today = now.astimezone(zone_of(zone)).date()
        if last < first:
            raise NotAccepted("leave.order", Text("Leave ends on the day it begins, or later."))
        if first <= today:
            raise NotAccepted(
                "leave.past", Text("Planned leave begins tomorrow or later; to be away from today on, start leave now.")
            )
        if last > today + AHEAD:
            raise NotAccepted("leave.far", Text("Leave can be planned for the next {days} days.", days=AHEAD.days))
        wanted = Away(midnight(first, zone_of(zone)), midnight(last + ONE_DAY, zone_of(zone)), zone)
        return _take(work, player_id, LeaveKind.PLANNED, wanted, now, allowance)


def start_now(database: Database, player_id: int, days: int, *, now: datetime, allowance: int) -> int:
    """Begin leave from now to the end of so many days, today included; return its number.

    A day that was already partly taken costs nothing more. Days at the beginning that are already leave stay as they
    are; if all of them are, nothing is added, so that pressing a button twice has the effect once. Raises NotAccepted
    as `plan` does.
    """
    if not 1 <= days <= MOST_DAYS:
        raise NotAccepted("leave.days", Text("Leave takes a whole number of days from 1 to {most}.", most=MOST_DAYS))
    with Work(database) as work:
        zone = lock(work, player_id)
        start, end = now, midnight(now.astimezone(zone_of(zone)).date() + days * ONE_DAY, zone_of(zone))
        running = None
        for one in of_player(work.session, player_id):
            if one.is_everywhere and one.is_now(start):
                running, start = one, one.to_at
        if running is not None and start >= end:
            return running.id
        return _take(work, player_id, LeaveKind.NOW, Away(start, end, zone), now, allowance)


def end(work: Work, player_id: int, leave_id: int, by_id: int, now: datetime) -> bool:
    """End a leave early, or cancel it before it begins: untouched days come back. Return whether anything was left of
    it; ended leave is left alone. NotAccepted when there is none with this number."""
    lock(work, player_id)
    one = next((one for one in _all(work.session, player_id) if one.id == leave_id), None)
    if one is None:
        known = sa.select(col(Leave.id)).where(col(Leave.id) == leave_id, col(Leave.player_id) == player_id)
        if work.session.scalar(known) is None:
            raise NotAccepted("leave.unknown", Text("There is nothing at this address."))
        return False
    if one.to_at <= now:
        return False
    until = max(one.from_at, now)
    days = 0 if one.event_id is not None else len(Away(one.from_at, until, one.zone).dates)
    here = sa.update(Leave).where(col(Leave.id) == leave_id)
    work.session.execute(here.values(to_at=until, days=days, ended_at=now))
    _follow(work.session, one, by_id, now, back=True)
    return True


# -- granted ----------------------------------------------------------------------------------------


def grant(work: Work, event_id: int, player_id: int, seconds: int, by_id: int, now: datetime) -> Leave:
    """Grant leave in the games of an event for an organiser: so long from now, or from the end of what was granted
    there before. In the transaction of the caller, who has locked the games and tells those concerned."""
    zone = lock(work, player_id)
    before = [one.to_at for one in _all(work.session, player_id) if one.event_id == event_id]
    start = max([now, *before])
    wanted = Away(start, start + timedelta(seconds=seconds), zone)
    one = made(player_id, LeaveKind.GRANTED, wanted, now)
    one.event_id, one.granted_by = event_id, by_id
    work.session.add(one)
    _follow(work.session, one, by_id, now)
    return one


def running_in(session: Session, player_id: int, event_id: int) -> list[int]:
    """Return the running games of a player in an event, in which leave granted there holds."""
    return [game.id for game, _ in _running(session, player_id, event_id)]


# -- in one transaction -----------------------------------------------------------------------------


def lock(work: Work, player_id: int) -> str:
    """Lock the player's leave; return the player's zone."""
    pending.lock_games_of(work.session, player_id)
    return lock_player(work.session, player_id)


def lock_player(session: Session, player_id: int) -> str:
    """Do the same for a caller that has locked the only game that it is about."""
    # Not the key: rows that refer to the player can be written in the meantime.
    asked = sa.select(col(Player.zone)).where(col(Player.id) == player_id).with_for_update(key_share=True)
    zone: str = session.execute(asked).scalar_one()
    return zone


def _take(work: Work, player_id: int, kind: LeaveKind, wanted: Away, now: datetime, allowance: int) -> int:
    leaves = of_player(work.session, player_id)
    everywhere = [one.away for one in leaves if one.is_everywhere]
    for one in leaves:
        if one.is_everywhere and one.from_at < wanted.end and wanted.start < one.to_at:
            dates = one.away.dates
            raise NotAccepted(
                "leave.overlap",
                Text(
                    "You have leave from {first} to {last} already; choose days outside it, or give it up first.",
                    first=dates[0].isoformat(),
                    last=dates[-1].isoformat(),
                ),
            )
    used = a_year(one.away for one in leaves)
    more = a_year([*(one.away for one in leaves), wanted]) - used
    for year, days in sorted(more.items()):
        left = max(0, allowance - used[year])
        if days > left:
            raise NotAccepted(
                "leave.allowance",
                Text(
                    "Of the {allowance} days of leave in {year}, {left} are left; these would be {days}.",
                    allowance=allowance,
                    year=str(year),
                    left=left,
                    days=days,
                ),
            )
    one = made(player_id, kind, wanted, now)
    work.session.add(one)
    games = _follow(work.session, one, player_id, now)
    if a_year([*everywhere, wanted]) != a_year(everywhere):  # the others already know about a day that has been taken
        work.outbox.add(_mails(work.session, games, one), now)
    return one.id


def made(player_id: int, kind: LeaveKind, wanted: Away, now: datetime) -> Leave:
    """Return a leave in all games, which is still to be written."""
    return Leave(
        player_id=player_id,
        kind=kind,
        from_at=wanted.start,
        to_at=wanted.end,
        zone=wanted.zone,
        days=0 if kind == LeaveKind.GRANTED else len(wanted.dates),
        made_at=now,
    )


def _running(
    session: Session, player_id: int, event_id: int | None = None, game_id: int | None = None
) -> Sequence[tuple[Game, str]]:
    """Return the running games of a player, each with the player's seat: all, those of an event, or one."""
    asked = select(Game, GameSeat.seat).join(GameSeat, col(GameSeat.game_id) == col(Game.id))
    if event_id is not None:
        asked = asked.where(col(Game.id).in_(competitions.runner().games_of_event(event_id)))
    if game_id is not None:
        asked = asked.where(col(Game.id) == game_id)
    asked = asked.where(col(GameSeat.player_id) == player_id, col(Game.decides).is_not(None))
    return session.exec(asked.order_by(col(Game.id))).all()


def _follow(session: Session, one: Leave, by_id: int, now: datetime, *, back: bool = False) -> list[int]:
    """Write a leave into the time log of the games in which it holds, and recompute their clocks; return these
    games."""
    session.flush()
    games = _running(session, one.player_id, one.event_id, one.game_id)
    details = {"from": one.from_at.isoformat(), "to": one.to_at.isoformat(), "leave": one.id}
    notes = [
        ClockNote(
            game_id=game.id,
            entry=game.entries,
            number=game.number,
            seat=seat,
            player_id=one.player_id,
            by_id=by_id,
            kind=NoteKind.LEAVE,
            cause=NoteCause.PLAYER if by_id == one.player_id else NoteCause.ORGANISER,
            details=details | ({"back": True} if back else {}),
            at=now,
        )
        for game, seat in games
    ]
    session.add_all(notes)
    session.flush()
    pending.refresh_player(session, one.player_id, now)
    return [game.id for game, _ in games]


def addresses(session: Session, games: Sequence[int]) -> dict[int, str]:
    """Return the addresses of those who play in some games, by the number of each."""
    asked = (
        sa.select(col(Player.id), col(Player.address))
        .distinct()
        .join(GameSeat, col(GameSeat.player_id) == col(Player.id))
        .where(col(GameSeat.game_id).in_(games), col(Player.erased_at).is_(None))
        .order_by(col(Player.id))
    )
    return {row.id: row.address for row in session.execute(asked)}


def _mails(session: Session, games: Sequence[int], one: Leave) -> list[PlannedMail]:
    """Return one mail for everybody who plays with the player in these games, and for everybody who organises one."""
    there = addresses(session, games).items()
    told: dict[int, tuple[str, dict[str, Any]]] = {player_id: (address, {}) for player_id, address in there}
    for organiser, (address, events) in competitions.runner().organisers_of_games(session, games).items():
        told.setdefault(organiser, (address, {"events": events}))
    told.pop(one.player_id, None)
    return [
        PlannedMail(f"leave:{one.id}:{reader}", "leave", address, reader, details={"leave": one.id, **details})
        for reader, (address, details) in sorted(told.items())
    ]
