"""The activity shown on the front page: games being played, and how long they usually take."""

from __future__ import annotations

from datetime import timedelta
from statistics import median

import sqlalchemy as sa
from sqlmodel import Session, col

from app.games.store import GameNow, GameStore
from app.games.tables import Game, GameSource, GameStatus
from app.play.lists.privacy import IS_PUBLIC
from app.titles.registry import TITLES

ENOUGH, LOOKED_AT = 5, 40
"""The number of finished games needed to tell how long a title takes; and how many of the last ones are examined."""


def being_played(session: Session, most: int) -> list[GameNow]:
    """Return up to `most` running games that anybody may watch, the most recently moved first."""
    asked = (
        sa.select(col(Game.id))
        # Written out, not a parameter: only then does SQLite see that the partial index fits.
        .where(
            col(Game.status) == sa.literal_column("'running'"),
            col(Game.title).in_(TITLES),
            col(Game.turn) > 0,
            IS_PUBLIC,
        )
        .order_by(col(Game.asked_at).desc(), col(Game.id).desc())
        .limit(most)
    )
    store = GameStore(session)
    return [store.load(game_id) for game_id in session.scalars(asked)]


def usual_length(session: Session, title_id: str) -> timedelta | None:
    """Return within what time half of the last games of a title on this server ended; None while too few are
    finished."""
    asked = (
        sa.select(col(Game.started_at), col(Game.ended_at))
        .where(
            col(Game.title) == title_id,
            col(Game.status) == GameStatus.OVER,
            col(Game.ended_at).is_not(None),
            col(Game.started_at).is_not(None),
            col(Game.source) == GameSource.PLAYED,
            col(Game.has_computer).is_(False),
        )
        .order_by(col(Game.ended_at).desc(), col(Game.id).desc())
        .limit(LOOKED_AT)
    )
    took = [ended - started for started, ended in session.execute(asked)]
    return median(took) if len(took) >= ENOUGH else None
