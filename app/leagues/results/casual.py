"""Ratings of casual play: rated games outside events, recomputed title by title from the games played.

They are kept apart from those of events, which an organiser answers for, but use the same arithmetic: Glicko-2 for
games of two, OpenSkill for tables. Former players are rated with the others and then left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.config import Config
from app.base.process.jobs import Run, job
from app.base.stored.database import Database
from app.games.rating_tables import CasualRating, RatingSystem
from app.games.tables import Game, GameSeat, GameSource, GameStatus
from app.leagues.pure import ratings
from app.leagues.pure.ratings import CountedGame
from app.leagues.results.rating_watch import RatingWatch
from app.people.tables import Player
from app.play.lists.ends import winners_of

_COUNTS = sa.and_(
    col(Game.is_rated).is_(True),
    col(Game.status) == GameStatus.OVER,
    col(Game.source) == GameSource.PLAYED,
    col(Game.ended_at).is_not(None),
)


def places_of(seats: Sequence[str], result: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the place of each seat: winners first, the others by their scores; all are level if nobody has won."""
    winners, scores = winners_of(result), result.get("score") or {}
    if not winners:
        return (1,) * len(seats)
    worth = [(seat in winners, 0 if seat in winners else scores.get(seat, 0)) for seat in seats]
    return tuple(1 + sum(other > own for other in worth) for own in worth)


def games(session: Session, title: str) -> dict[str, list[CountedGame]]:
    """Return the games of a title that count, by system."""
    asked = (
        sa.select(col(Game.id), col(Game.ended_at), col(Game.result), col(GameSeat.seat), col(GameSeat.player_id))
        .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
        .where(_COUNTS, col(Game.title) == title)
        .order_by(col(Game.id), col(GameSeat.place))
    )
    rows: dict[int, list[Any]] = {}
    for row in session.execute(asked):
        rows.setdefault(row.id, []).append(row)
    found: dict[str, list[CountedGame]] = {RatingSystem.GLICKO2: [], RatingSystem.OPENSKILL: []}
    for game_id, seats in rows.items():
        players = tuple(row.player_id for row in seats)
        if None in players or len({*players}) < len(players):
            continue
        places = places_of([row.seat for row in seats], seats[0].result or {})
        played = CountedGame(game_id, seats[0].ended_at.date().toordinal(), players, places)
        found[RatingSystem.GLICKO2 if len(seats) == 2 else RatingSystem.OPENSKILL].append(played)
    return found


def recompute(database: Database, title: str) -> int:
    """Recompute and store the casual ratings of a title; return how many there are."""
    with database.write() as session:
        # Two processes that reach this at once write one after the other.
        session.execute(sa.delete(CasualRating).where(col(CasualRating.title) == title))
        former = set(session.scalars(sa.select(col(Player.id)).where(col(Player.erased_at).is_not(None))))
        rows = []
        for system, played in games(session, title).items():
            made = (ratings.rate_two if system == RatingSystem.GLICKO2 else ratings.rate_tables)(played)
            for player_id, one in sorted(made.players.items()):
                if player_id not in former:
                    row = {"player_id": player_id, "title": title, "system": system, "rating": one.rating}
                    rows.append(row | {"deviation": one.deviation, "games": one.games})
        if rows:
            session.execute(sa.insert(CasualRating), rows)
        return len(rows)


def _signatures(session: Session) -> dict[str, tuple[Any, ...]]:
    counted = sa.select(col(Game.title), sa.func.count(), sa.func.max(col(Game.ended_at))).where(_COUNTS)
    return {row[0]: tuple(row[1:]) for row in session.execute(counted.group_by(col(Game.title)))}


def watch() -> RatingWatch:
    """Return what looks for finished games that count."""
    return RatingWatch("casual ratings", _signatures, recompute)


@job("CasualWatch.look", every=60, at_once=False).begun
def _watch(config: Config) -> Run:
    casual = watch()
    return lambda database, now: len(casual.look(database))
