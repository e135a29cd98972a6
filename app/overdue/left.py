"""Games that everybody has left: nobody would ever claim and end them."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import col

from app.base.process.jobs import job
from app.base.stored import failing
from app.base.stored.database import Database
from app.computer.starting import KEPT, KEPT_OF_PLAYER
from app.games import competitions
from app.games.store import GUEST
from app.games.tables import Game, GameSeat, GameStatus
from app.games.work import Work
from app.people.tables import Player
from app.play.agreed import results

HALF_A_YEAR = timedelta(days=182)


@job("games that were left", every=3600)
def end_those_left(database: Database, now: datetime) -> int:
    """Cancel the games outside of events in which nobody moves any more: against the computer, or between people who
    have done nothing at all for half a year. Return how many."""
    seats = sa.select(col(GameSeat.seat)).where(col(GameSeat.game_id) == col(Game.id))
    of_guest = seats.where(col(GameSeat.held_by).like(f"{GUEST}%")).exists()
    is_here = seats.join(Player, col(Player.id) == col(GameSeat.player_id)).where(
        col(Player.acted_at) >= now - HALF_A_YEAR
    )
    asked = col(Game.asked_at)
    asked_games = sa.select(col(Game.id)).where(
        # Written out, not a parameter: only then does SQLite see that the partial index fits.
        col(Game.status) == sa.literal_column("'running'"),
        asked < now - KEPT,
        sa.or_(
            of_guest,
            sa.and_(asked < now - KEPT_OF_PLAYER, col(Game.has_computer)),
            sa.and_(asked < now - HALF_A_YEAR, ~is_here.exists()),
        ),
        ~competitions.runner().events_of_game(sa.type_coerce(col(Game.id), sa.Integer)).exists(),
    )
    with database.read() as session:
        left = session.scalars(asked_games).all()

    def end(game_id: int) -> int:
        with Work(database) as work:
            game = work.store.load(game_id, for_writing=True)
            if game.status != GameStatus.RUNNING or game.asked_at is None or game.asked_at >= now - KEPT:
                return 0
            results.void(work, game, now, tells=False)
        return 1

    return sum(failing.over(database, "games that were left", left, lambda game_id: f"game {game_id}", end, now))
