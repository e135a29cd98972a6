"""Tells people that a player has left an event: the player, the opponents whose games or points change, and the
organisers.

Each of them gets one mail, planned in the same transaction. It also names the games that ended because of it, so they
get no mails of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.outbox import PlannedMail
from app.games.store import GameNow
from app.games.work import Work
from app.leagues.clubs import club_rights
from app.leagues.pure.model import Points
from app.leagues.pure.standings import said_value
from app.leagues.results import standings
from app.leagues.tables import Competition, CompetitionStatus, Entrant, Match
from app.people.tables import Player
from app.play.turn import moves


@dataclass(frozen=True, slots=True)
class StandingsAfter:
    """The points of a division and the number of games in future rounds that they include, by entrant."""

    points: dict[int, Points]
    ahead: dict[int, int]


NOBODY = StandingsAfter({}, {})


class Why(StrEnum):
    """What a player leaves when taken out of an event: the event alone, its club, or the server."""

    EVENT = "event"
    CLUB = "club"
    ERASED = "erased"


def table_of(session: Session, event: Competition, division_id: int | None) -> StandingsAfter:
    """Return the standings of a division of a running event; empty where it is not ordered by points."""
    if division_id is None or not event.plays.by_points:
        return NOBODY
    found = standings.standing_of(session, event, event.division(division_id))
    ahead: dict[int, int] = {}
    for result in found.ahead():
        for who in result.seats:
            ahead[who] = ahead.get(who, 0) + 1
    return StandingsAfter({place.entrant: place.points for place in found.places}, ahead)


@dataclass(frozen=True, slots=True)
class Departure:
    """What has happened. `plays`: the player was in a running event, and not as a reserve."""

    act: int
    """The number of the act in the trail."""
    by_id: int | None
    reason: str
    plays: bool
    before: StandingsAfter
    """The standings before the player left."""
    lost: Sequence[Match]
    void: Sequence[Match]
    """The games that ended because of it."""
    drafts: int
    """Drafts that were thrown away."""
    why: Why
    over: Sequence[GameNow] = ()
    """The games that are over because of it."""


def tell(work: Work, event: Competition, entrant: Entrant, what: Departure, now: datetime) -> None:
    """Mail everybody concerned, once each.

    Before the start these are the player, if another person removed them or they left the club, and the organisers if
    the account was erased. Only organisers know of an event that is still being prepared.
    """
    if event.status == CompetitionStatus.DRAFT:
        return
    session, own = work.session, what.by_id == entrant.player_id
    games = {"lost": _games(what.lost), "void": _games(what.void)}
    after = table_of(session, event, entrant.division_id) if what.plays else NOBODY
    concerned = {who for found in games.values() for who in found}
    concerned |= {who for who, points in after.points.items() if points != what.before.points.get(who)}
    concerned.discard(entrant.id)
    if what.why != Why.ERASED and (what.plays or not own or what.why == Why.CLUB):
        concerned.add(entrant.id)
    organise = dict(club_rights.organisers(session, *event.club_ids)) if what.plays or what.why == Why.ERASED else {}
    organise.pop(what.by_id or 0, None)  # they know; who leaves by themselves is told as a player
    told: dict[int, tuple[str, int | None]] = {who: (address, None) for who, address in organise.items()}
    told |= {player: (address, number) for number, (player, address) in _people(session, concerned).items()}
    why = {"own": own, "erased": what.why == Why.ERASED, "club": what.why == Why.CLUB, "reason": what.reason}
    common = {"event": event.id, "entry": entrant.id, **why, "drafts": what.drafts}
    mails, over = [], _over_for(what.over, told)
    for who, (address, number) in told.items():
        details: dict[str, Any] = {**common, "organises": who in organise, "leaver": number == entrant.id}
        if number is not None:
            details |= {name: found.get(number, 0) for name, found in games.items()}
            details["ahead"] = after.ahead.get(number, 0) - what.before.ahead.get(number, 0)
            if number in after.points and number in what.before.points:
                details["points"] = [said_value("points", table.points[number]) for table in (what.before, after)]
        if who in over:
            details["over"] = [game_id for game_id, _ in over[who]]
        mails.append(PlannedMail(f"event_left:{what.act}:{who}", "event_left", address, who, details=details))
    work.outbox.take_back(key for found in over.values() for _, key in found)
    work.outbox.add(mails, now)


def _over_for(games: Iterable[GameNow], told: Collection[int]) -> dict[int, list[tuple[int, str]]]:
    """Return the finished games of each person who is told of the leaving, each with the key of its own mail."""
    found: dict[int, list[tuple[int, str]]] = {}
    for game in games:
        for mail in moves.after_move(game, None):
            if mail.player_id is not None and mail.player_id in told:
                found.setdefault(mail.player_id, []).append((game.id, mail.key))
    return found


def _games(matches: Iterable[Match]) -> dict[int, int]:
    """Count how many of these games each entrant plays in."""
    found: dict[int, int] = {}
    for match in matches:
        for seat in match.seats:
            found[seat.entry_id] = found.get(seat.entry_id, 0) + 1
    return found


def _people(session: Session, entry_ids: Iterable[int]) -> dict[int, tuple[int, str]]:
    """Return the players of entrants with their addresses, by entrant; erased accounts are left out."""
    asked: Any = sa.select(col(Entrant.id), col(Player.id).label("player"), col(Player.address)).join(
        Player, col(Player.id) == col(Entrant.player_id)
    )
    here = asked.where(col(Entrant.id).in_(list(entry_ids)), col(Player.erased_at).is_(None))
    return {row.id: (row.player, row.address) for row in session.execute(here.order_by(col(Entrant.id)))}
