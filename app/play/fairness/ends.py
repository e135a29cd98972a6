"""The ends of games, each a number that stands in the public list: worked out once, soon after the game has ended.

Games that ended before there was such a column get theirs by the same job, some at a time.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.base import failing
from app.base.jobs import job
from app.games.store import GameStore
from app.games.tables import END_IS_MISSING, Game
from app.play.fairness.proof import end_of
from app.titles.registry import TITLES

if TYPE_CHECKING:
    from app.base.database import Database

AT_ONCE = 50
"""So many games in one run: what is left comes with the next one."""


@job("keep ends", every=5, swept=False)
def look(database: Database, now: datetime) -> int:
    """Work out some of the ends that are missing; how many were. Any number of processes may do it at once."""
    is_due = sa.text(END_IS_MISSING), col(Game.title).in_(list(TITLES)), ~failing.rests("ends", "game", col(Game.id))
    with database.read() as session:
        asked = sa.select(col(Game.id)).where(*is_due).order_by(col(Game.id)).limit(AT_ONCE)
        due = session.scalars(asked, {"now": now}).all()
    return sum(
        failing.over(database, "ends", due, lambda game: f"game {game}", lambda game: _keep(database, game), now)
    )


@job("keep ends", did="ends of games worked out")
def sweep(database: Database, now: datetime) -> int:
    """Work out all ends that are missing; how many."""
    kept = 0
    while more := look(database, now):
        kept += more
    return kept


def _keep(database: Database, game_id: int) -> bool:
    with database.read() as session:
        store = GameStore(session)
        game = store.load(game_id)
        end = end_of(game, [step for _, _, step in store.log(game.title, game_id)])
    with database.write() as session:
        here = sa.update(Game).where(col(Game.id) == game_id, col(Game.end_hash).is_(None))
        is_new = session.exec(here.values(end_hash=end)).rowcount == 1
        session.commit()
    return is_new
