"""Looking back on stored games: asked for by those who played, worked out once, and kept."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.computer import queue
from app.computer.tables import LookBack
from app.games.steps import in_force
from app.games.store import GameStore
from app.games.tables import GameStatus
from app.games.work import Work
from app.play.past import look_back
from engine.kernel.text import Text


def of_game(database: Database, game_id: int) -> dict[str, Any]:
    """Return what the computer finds in a finished game."""
    with database.read() as session:
        store = GameStore(session)
        game = store.load(game_id)
        log = in_force(step for _, _, step in store.log(game.title, game_id))
    entries, steps = [entry for entry, _ in log], [step for _, step in log]
    return look_back.found_in(game.title, look_back.played_in(game.title, steps, entries))


def ask(database: Database, game_id: int, player_id: int | None, *, now: datetime) -> None:
    """Have a finished game looked back on, for one who played in it. Raises NoSuchGame, NotAccepted."""
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        if game.status != GameStatus.OVER:
            raise NotAccepted("look_back.running", Text("Only a finished game can be looked back on."))
        if game.seat_of(player_id) is None:
            raise NotAccepted("seat.none", Text("You do not play in this game."))
        queue.ask_to_look_back(work.session, game, now)


def kept(session: Session, game_id: int) -> LookBack | None:
    """Return what is kept of it; None if nobody has asked."""
    return session.exec(select(LookBack).where(col(LookBack.game_id) == game_id)).first()
