"""From the end of a game to the result of its match, or to a ruling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.games.store import GameNow
from app.games.tables import GameStatus, LogCause, LogEntry
from app.games.work import Work
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.events import lifecycle
from app.leagues.pure.model import PLAYED, VOID
from app.leagues.results.outcomes import PlayedSeat, points_for, ranked, settle
from app.leagues.rulings import opening
from app.leagues.tables import CompetitionRound, Match
from app.leagues.teams import team_rounds

BROKEN_OFF = ("resignation", "time", "agreed")
"""The causes that end a game outside its rules."""


def game_over(work: Work, game: GameNow, now: datetime) -> None:
    """Record the result of a game that has ended, if it belongs to an open match.

    A game that ended without a result (`cancelled`) counts for nobody: its match is void. A knock-out needs a winner,
    so there the match stays open and a ruling is requested.
    """
    session = work.session
    match = session.execute(
        sa.select(col(Match.id), col(Match.ended), col(CompetitionRound.event_id), col(CompetitionRound.division_id))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .where(col(Match.game_id) == game.id)
    ).first()
    if match is None or match.ended:
        return
    event = lifecycle.get(session, match.event_id)
    acting = Acting(work, event, None, now)
    seats = [seated.seat for seated in game.seats]
    if game.status == GameStatus.CANCELLED:
        if event.plays_in(event.division(match.division_id)).has_bracket:
            opening.open_ruling(work, match.id, by_id=None, claim="", now=now)
            return
        settle(session, match.id, VOID, "game", [Fraction(0)] * len(seats), now)
        _is_settled(acting, match.id, game.id, "match.void", once=f"match.void:{match.id}:{game.id}")
        return
    outcome = game.title.outcome(game.state)
    assert outcome is not None
    gone = _gone(session, game.id)
    left = [seat for seat, _ in gone if seat is not None]
    by_time = {seat for seat, cause in gone if cause == LogCause.TIME}
    if outcome.reason == "time":
        by_time |= set(seats) - set(outcome.winners)
    late = [seat in by_time for seat in seats]
    places = ranked(seats, outcome.winners, outcome.scores, left)
    points = points_for(event.terms, places, late)
    # Victory points of a game that was given up mean nothing: a player who resigned early would have lost by less.
    scores = {} if outcome.reason in BROKEN_OFF else outcome.scores
    played = [PlayedSeat(scores.get(seat), seat in by_time) for seat in seats]
    settle(session, match.id, PLAYED, "game", points, now, played)
    after = {"points": [str(given) for given in points]}
    _is_settled(acting, match.id, game.id, "match.over", once=f"match.over:{match.id}", after=after)


def _gone(session: Session, game_id: int) -> Sequence[sa.Row[str | None, LogCause]]:
    """Return the seats that were taken out of a game outside its rules, in order, and why."""
    asked = sa.select(col(LogEntry.seat), col(LogEntry.cause)).where(
        col(LogEntry.game_id) == game_id,
        col(LogEntry.cause).in_((LogCause.RESIGN, LogCause.TIME, LogCause.RULING)),
        col(LogEntry.kind).is_(None),
    )
    return session.execute(asked.order_by(col(LogEntry.number))).all()


def _is_settled(
    acting: Acting, match_id: int, game_id: int, act: str, *, once: str, after: Mapping[str, Any] | None = None
) -> None:
    """Tell whom it concerns, and the trail, that a match is settled by its game."""
    if acting.event.boards:
        team_rounds.tell_when_over(acting.work, match_id, acting.now)
    acting.write(act, audit.game(game_id), after=after, once=once)
