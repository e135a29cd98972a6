"""Finished games and their players, written directly into the archive."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app.base.stored.database import Database
from app.games.tables import Game, GameSeat
from app.games.work import Work
from app.people import accounts
from app.people.tables import searchable
from tests.support.tables import NOW


def add_over(database: Database, n: int, *, title: str = "ferry", players: tuple[int, ...] = (), **columns: Any) -> int:
    """Add rows of finished games, an hour apart, the last one at NOW; return the number of the first."""
    with database.write() as session:
        first = 0
        for at in range(n):
            values = {
                "title": title, "options": {}, "status": "over", "pace": {}, "created_at": NOW, "extra_seconds": 0,
                "result": {"winners": ["red"]}, "ended_at": NOW - timedelta(hours=n - 1 - at), "drawn": False,
            } | columns  # fmt: skip
            game_id = session.scalar(sa.insert(Game).values(**values).returning(Game.id)) or 0
            first = first or game_id
            for place, seat in enumerate(("red", "blue")):
                player_id = players[place] if place < len(players) else None
                seats = {"game_id": game_id, "seat": seat, "place": place, "standing": "", "player_id": player_id}
                session.execute(sa.insert(GameSeat).values(**seats))
        session.commit()
    return first


def person(database: Database, name: str) -> int:
    with Work(database) as work:
        player = accounts.find_or_add(
            work.session, f"{searchable(name).replace(' ', '.')}@example.org", now=NOW, name=name
        )
        work.commit()
        assert player.id is not None
        return player.id
