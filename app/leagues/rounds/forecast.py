"""Estimates when the open games and rounds of an event will end, from the answers at its title so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.games.tables import DecisionMade, Game, GameSeat, GameSource, GameStatus, LogCause, LogEntry
from app.leagues.pure import forecast
from app.leagues.pure.forecast import Forecast, RunningGame
from app.leagues.tables import Competition, CompetitionRound, RoundStatus
from app.time import decisions, pending

_NUMBERS = select(Game.id, Game.number)
MOST_ANSWERS, MOST_GAMES = 4_000, 400
"""How many of the newest answers and finished games of a title are considered."""

CUT_SHORT = (LogCause.RESIGN, LogCause.AGREED, LogCause.TIME, LogCause.RULING)
"""How a game ends that says nothing of the length of others."""


@dataclass(frozen=True, slots=True)
class ExpectedEnd:
    """When something ends: half the cases before `median`, four in five before `likely`."""

    median: datetime
    likely: datetime
    games: int
    """The number of finished games it is based on."""
    unknown: int
    """For a round: the number of games without data."""


def of_rounds(
    session: Session,
    event: Competition,
    rounds: Sequence[CompetitionRound],
    now: datetime,
    owed: Mapping[int, decisions.PendingDecision] | None = None,
) -> tuple[dict[int, ExpectedEnd], dict[int, ExpectedEnd]]:
    """Return the ends of the rounds and of their open matches, by number; those without a forecast are left out.

    `owed` are the decisions of the open games, if they have been read already.
    """
    there = [
        (round, match)
        for round in rounds
        if round.status == RoundStatus.PUBLISHED
        for match in round.open_matches
        if match.game_id is not None
    ]
    if not there:
        return {}, {}
    games = [match.game_id for _, match in there if match.game_id is not None]
    owed = pending.owed_by_game(session, games) if owed is None else owed
    numbers = {game: owed[game].number for game in games if game in owed}
    if others := [game for game in games if game not in owed]:
        numbers |= dict(session.exec(_NUMBERS.where(col(Game.id).in_(others))).all())
    own, everybody = _answers(session, event.title.id)
    lengths = _lengths(session, event.title.id)
    found: dict[int, list[Forecast]] = {}
    matches = {}
    for round, match in there:
        decision = owed.get(match.game_id or 0)
        running = RunningGame(
            max(numbers[match.game_id or 0] - 1, 0),
            tuple(seat.player_id for seat in match.seats),
            None if decision is None else decision.player_id,
            0.0 if decision is None else (now - decision.started_at).total_seconds(),
            None
            if decision is None or decision.deadline_at is None
            else max(0.0, (decision.deadline_at - now).total_seconds()),
        )
        one = forecast.forecast_game(running, own, everybody, lengths)
        found.setdefault(round.id, []).append(one)
        matches[match.id] = one
    by_round = {number: forecast.forecast_round(games) for number, games in found.items()}
    return _moments(by_round, now), _moments(matches, now)


def of_new_game(session: Session, title_id: str) -> tuple[float, float] | None:
    """Return in how many seconds a new game of a title may end: one in five before the first number, four in five
    before the second; None while too few games have been played here.
    """
    one = forecast.forecast_game(RunningGame(0, ()), {}, _answers(session, title_id)[1], _lengths(session, title_id))
    return (forecast.quantile(one.ends, 0.2), forecast.quantile(one.ends, 0.8)) if one.ends else None


def _moments(forecasts: Mapping[int, Forecast], now: datetime) -> dict[int, ExpectedEnd]:
    return {
        number: ExpectedEnd(
            now + timedelta(seconds=one.median), now + timedelta(seconds=one.likely), one.games, one.unknown
        )
        for number, one in forecasts.items()
        if one.median is not None and one.likely is not None
    }


def _answers(session: Session, title: str) -> tuple[dict[int, forecast.Times], forecast.Times]:
    """Return the answer times of each player at a title, and those of everybody: decisions they made themselves, by the
    clock.
    """
    rows = session.execute(
        sa.select(
            col(GameSeat.player_id),
            col(DecisionMade.used_seconds),
            col(DecisionMade.mailed_at),
            col(DecisionMade.asked_at),
            col(DecisionMade.made_at),
        )
        .join(Game, col(Game.id) == col(DecisionMade.game_id))
        .join(
            GameSeat,
            sa.and_(col(GameSeat.game_id) == col(DecisionMade.game_id), col(GameSeat.seat) == col(DecisionMade.seat)),
        )
        .where(col(Game.title) == title, col(Game.source) == GameSource.PLAYED, col(Game.has_computer).is_(False))
        .where(col(DecisionMade.orders).is_not(None))
        .order_by(col(DecisionMade.id).desc())
        .limit(MOST_ANSWERS)
    )
    by_player: dict[int, list[float]] = {}
    every = []
    for row in rows:
        took = row.used_seconds
        if took is None:
            took = (row.made_at - (row.mailed_at or row.asked_at)).total_seconds()
        every.append(float(took))
        if row.player_id is not None:
            by_player.setdefault(row.player_id, []).append(float(took))
    return {player: forecast.times(taken) for player, taken in by_player.items()}, forecast.times(every)


def _lengths(session: Session, title: str) -> list[int]:
    """Return how many decisions the games of a title had that were played out."""
    cut = sa.exists().where(col(LogEntry.game_id) == col(Game.id), col(LogEntry.cause).in_(CUT_SHORT))
    asked = sa.select(col(Game.number)).where(
        col(Game.title) == title,
        col(Game.status) == GameStatus.OVER,
        col(Game.source) == GameSource.PLAYED,
        col(Game.has_computer).is_(False),
        ~cut,
    )
    return list(session.scalars(asked.order_by(col(Game.id).desc()).limit(MOST_GAMES)))
