"""The points of games, from public information: in lists computed once after each move; and what breaks a tie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.recent import Recent
from app.base.stored.columns import read_json
from app.games.store import GameNow
from app.games.tables import GameState, GameStatus
from app.play.lists.my_games import MyGame

_kept = Recent[Mapping[str, int]](5_000)


def points(view: object) -> dict[str, int]:
    """Return the current points of each seat, from the view of a title that counts them."""
    if not isinstance(view, dict):
        return {}
    return dict(view.get("scores") or view.get("score") or {})


def is_broken_tie(game: GameNow) -> bool:
    """Return whether a game ended with several level, of whom not all have won."""
    scored, outcome = points(game.title.view(game.state, None)), game.title.outcome(game.state)
    if not scored or outcome is None or not outcome.winners or len(set(scored.values())) == len(scored):
        return False
    level = [one for one, n in scored.items() if n == max(scored.values())]
    return len(level) > 1 and set(level) != set(outcome.winners)


def of(session: Session, database: str, games: Sequence[MyGame]) -> dict[int, Mapping[str, int]]:
    """Return the points by game and seat, of running or finished games; one statement for all that have moved since
    they were last asked for. `database` distinguishes the games of one server from those of another."""
    shown = [game for game in games if game.status in (GameStatus.RUNNING, GameStatus.OVER)]
    found = {game.id: _kept.find((database, game.id, game.entries)) for game in shown}
    missing = {game.id: game for game in shown if found[game.id] is None}
    if missing:
        asked = sa.select(col(GameState.game_id), col(GameState.entry), col(GameState.state))
        for row in session.execute(asked.where(col(GameState.game_id).in_(missing))):
            title = missing[row.game_id].title
            state = title.state_from_json(read_json(row.state))
            counted = {str(seat): int(n) for seat, n in points(title.view(state, None)).items()}
            found[row.game_id] = counted
            _kept.keep((database, row.game_id, row.entry), counted)
    return {game_id: counted for game_id, counted in found.items() if counted}
