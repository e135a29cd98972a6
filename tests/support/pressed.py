"""What players and organisers do by their pages, each in a transaction of its own, with the errors of the service."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.games.work import Work
from app.leagues.changes import reserves
from app.leagues.clubs import lists, members, sheets
from app.leagues.desk import autopilot
from app.leagues.events import entries, events
from app.leagues.rounds import brackets, rounds
from app.leagues.rulings import deciding
from app.leagues.seasons import endings
from app.leagues.tables import Role
from app.play.turn import holding, turns

if TYPE_CHECKING:
    from app.base.database import Database
    from app.base.links import TurnLink
    from app.games.store import GameNow
    from app.leagues.clubs.acting import ActRequest
    from app.leagues.rulings.applying import Verdict


def take_list(database: Database, club_id: int, by_id: int, text: str, *, now: datetime) -> int:
    """Invite everybody on a list as it would be understood; return how many are."""
    return lists.take(database, club_id, by_id, lists.guessed(sheets.read_text(text)), now=now)[1]


def sign_up(database: Database, event_id: int, player_id: int, *, now: datetime, by_id: int | None = None) -> str:
    with Work(database) as work:
        return entries.sign_up(work, event_id, player_id, now=now, by_id=by_id)


def start(database: Database, event_id: int, by_id: int, *, now: datetime) -> None:
    with Work(database) as work:
        rounds.start(events.allowed(work, event_id, by_id, Role.ORGANISER, now))


def pause(database: Database, event_id: int, by_id: int, *, paused: bool, now: datetime) -> bool:
    with Work(database) as work:
        return autopilot.pause(events.allowed(work, event_id, by_id, Role.ORGANISER, now), paused=paused)


def finish(database: Database, event_id: int, by_id: int, *, now: datetime, sure: bool = False) -> None:
    with Work(database) as work:
        endings.finish(events.allowed(work, event_id, by_id, Role.ORGANISER, now), sure=sure)


def publish(database: Database, round_id: int, by_id: int, version: int, *, now: datetime) -> int:
    with Work(database) as work:
        return rounds.publish(work, round_id, by_id, version, now=now)


def close(database: Database, round_id: int, by_id: int, *, now: datetime) -> None:
    with Work(database) as work:
        rounds.close(*rounds.locked(work, round_id, by_id, now))


def add_extra(database: Database, round_id: int, by_id: int, *, now: datetime) -> int:
    with Work(database) as work:
        return brackets.add_extra(*rounds.locked(work, round_id, by_id, now))


def decide(
    database: Database, event_id: int, ruling_id: int, verdict: Verdict, asked: ActRequest, *, now: datetime
) -> bool:
    with Work(database) as work:
        return deciding.decide(work, event_id, ruling_id, verdict, asked, now=now)


def answer_invitation(database: Database, club_id: int, player_id: int, *, joins: bool, now: datetime) -> bool:
    with Work(database) as work:
        return members.answer(work, club_id, player_id, joins=joins, now=now)


def answer_call(database: Database, call_id: int, player_id: int | None, *, accepts: bool, now: datetime) -> list[int]:
    with Work(database) as work:
        return reserves.answer(work, call_id, player_id, accepts=accepts, now=now)


def seal(
    database: Database, link: TurnLink, orders: str, *, now: datetime, **how: Any
) -> turns.TurnPlayed | holding.HeldTurn:
    return turns.answer(
        database, link, orders, lambda work, game, lines: holding.seal(work, game, link, lines, now=now, **how)
    )


def held(database: Database, link: TurnLink) -> holding.HeldTurn | None:
    with database.read() as session:
        return holding.held(session, turns.look_at(session, link), link)


def recall(database: Database, link: TurnLink, *, now: datetime) -> GameNow:
    with Work(database) as work:
        there = holding.held_for_writing(work, link)
        taken_back = holding.recall(work, there, now)
    if not taken_back:
        raise holding.GONE_OUT
    return there.game
