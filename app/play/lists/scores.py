"""The current points of games, for lists: computed once after each move, from public information."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.base.columns import read_json
from app.games.tables import GameState, GameStatus

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.play.lists.my_games import MyGame

MOST_KEPT = 5_000
_kept: OrderedDict[tuple[str, int, int], Mapping[str, int]] = OrderedDict()
_lock = Lock()


def points(view: object) -> dict[str, int]:
    """Return the current points of each seat, from the view of a title that counts them."""
    if not isinstance(view, dict):
        return {}
    return dict(view.get("scores") or view.get("score") or {})


def of(session: Session, database: str, games: Sequence[MyGame]) -> dict[int, Mapping[str, int]]:
    """Return the points by game and seat, of running or finished games; one statement for all that have moved since
    they were last asked for. `database` distinguishes the games of one server from those of another."""
    shown = [game for game in games if game.status in (GameStatus.RUNNING, GameStatus.OVER)]
    with _lock:
        found = {game.id: _kept.get((database, game.id, game.entries)) for game in shown}
    missing = {game.id: game for game in shown if found[game.id] is None}
    if missing:
        asked = sa.select(col(GameState.game_id), col(GameState.entry), col(GameState.state))
        for row in session.execute(asked.where(col(GameState.game_id).in_(missing))):
            title = missing[row.game_id].title
            state = title.state_from_json(read_json(row.state))
            counted = {str(seat): int(n) for seat, n in points(title.view(state, None)).items()}
            found[row.game_id] = counted
            with _lock:
                _kept[(database, row.game_id, row.entry)] = counted
                while len(_kept) > MOST_KEPT:
                    _kept.popitem(last=False)
    return {game_id: counted for game_id, counted in found.items() if counted}
