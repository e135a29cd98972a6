"""The ends of games, each a number that stands in the public list: worked out once, soon after the game has ended.

Games that ended before there was such a column get theirs by the same job, some at a time.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.base import failures
from app.games.store import GameStore
from app.games.tables import END_IS_MISSING, Game
from app.play.proof import end_of
from app.titles.registry import TITLES

if TYPE_CHECKING:
    from app.base.database import Database

log = logging.getLogger("postroad.ends")

AT_ONCE = 50
"""So many games in one run: what is left comes with the next one."""


class EndWatch:
    """Keeps ends for one process, which remembers the games whose log cannot be read, so that they hold up no other."""

    def __init__(self) -> None:
        self._passed: set[int] = set()

    def look(self, database: Database) -> int:
        """Work out some of the ends that are missing; how many were. Any number of processes may do it at once."""
        asked = sa.select(col(Game.id)).where(sa.text(END_IS_MISSING), col(Game.title).in_(list(TITLES)))
        asked = asked.where(col(Game.id).not_in(self._passed)).order_by(col(Game.id)).limit(AT_ONCE)
        with database.read() as session:
            due = session.scalars(asked).all()
        kept = 0
        for game_id in due:
            try:
                kept += _keep(database, game_id)
            except Exception as error:
                if not failures.is_of_the_database(error):
                    self._passed.add(game_id)
                failures.report(log, f"the end of game {game_id} could not be worked out", error)
        return kept


def sweep(database: Database, _: datetime) -> int:
    """Work out all ends that are missing; how many."""
    watch, kept = EndWatch(), 0
    while more := watch.look(database):
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
