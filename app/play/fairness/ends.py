"""The end hashes of games, one number per game in the public list: computed once, soon after the game has ended.

Games that ended before the column existed get theirs from the same job, a few at a time.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import col

from app.base.process.jobs import job
from app.base.stored import failing
from app.base.stored.database import Database
from app.games.store import GameStore
from app.games.tables import END_IS_MISSING, Game
from app.play.fairness.proof import end_of
from app.titles.registry import TITLES

AT_ONCE = 50
"""Games per run; the rest follows in the next one."""


@job("keep ends", every=5)
def look(database: Database, now: datetime) -> int:
    """Compute some of the missing ends; return how many were missing. Any number of processes may do it at once."""
    is_due = sa.text(END_IS_MISSING), col(Game.title).in_(list(TITLES)), ~failing.rests("ends", "game", col(Game.id))
    with database.read() as session:
        asked = sa.select(col(Game.id)).where(*is_due).order_by(col(Game.id)).limit(AT_ONCE)
        due = session.scalars(asked, {"now": now}).all()
    return sum(
        failing.over(database, "ends", due, lambda game: f"game {game}", lambda game: _keep(database, game), now)
    )


def _keep(database: Database, game_id: int) -> bool:
    with database.read() as session:
        store = GameStore(session)
        game = store.load(game_id)
        end = end_of(game, [step for _, _, step in store.log(game.title, game_id)])
    with database.write() as session:
        here = sa.update(Game).where(col(Game.id) == game_id, col(Game.end_hash).is_(None))
        is_new = session.exec(here.values(end_hash=end)).rowcount == 1
    return is_new
