"""The points of games, and what lists say of them, computed once after each move; and what breaks a tie."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.recent import Recent
from app.base.stored.columns import read_json
from app.games.store import GameNow, GameStore
from app.games.tables import GameState, GameStatus
from app.play.lists.my_games import MyGame

_kept = Recent[Mapping[str, int]](5_000)
_asked = Recent[tuple[str, str]](5_000)
Ask = Callable[[MyGame, Mapping[str, Any], Sequence[Any]], tuple[str, str]]


def points(view: object) -> dict[str, int]:
    """Return the points of each seat, from the view of a title that counts them, or from the result of a game."""
    if not isinstance(view, dict):
        return {}
    return dict(view.get("scores") or view.get("score") or {})


def is_broken_tie(game: GameNow) -> bool:
    """Return whether a game ended with several level, of whom not all have won."""
    scored, won = points(game.result), (game.result or {}).get("winners")
    if not scored or not won or len(set(scored.values())) == len(scored):
        return False
    level = [one for one, n in scored.items() if n == max(scored.values())]
    return len(level) > 1 and set(level) != set(won)


class Standing(NamedTuple):
    """The points of a game by seat, what it asks its reader in another's turn (`Gwen raids Port Royal`, or ""), and
    the news in the reader's own."""

    points: Mapping[str, int]
    asked: str = ""
    news: str = ""


def of(session: Session, database: str, games: Sequence[MyGame], lang: str, ask: Ask) -> dict[int, Standing]:
    """Return how running or finished games stand; one statement for all that have moved since they were last asked
    for, and one for the news of those that wait. `database` distinguishes the games of one server from those of
    another; `ask` says in a language what a game that waits asks, and its news, from the reader's view and the events.
    """
    shown = {game.id: game for game in games if game.status in (GameStatus.RUNNING, GameStatus.OVER)}
    found = {game.id: points(game.result) or _kept.find((database, game.id, game.entries)) for game in shown.values()}
    asks = {game.id: _asked.find(_of_reader(database, game, lang)) for game in shown.values() if game.waits}
    missing = {game.id: game for game in shown.values() if None in (found[game.id], asks.get(game.id, ("", "")))}
    if missing:
        news = GameStore(session).news({game.id: game.title for game in missing.values() if game.waits})
        asked = sa.select(col(GameState.game_id), col(GameState.entry), col(GameState.state))
        for row in session.execute(asked.where(col(GameState.game_id).in_(missing))):
            game, title = missing[row.game_id], missing[row.game_id].title
            state = title.state_from_json(read_json(row.state))
            counted = {str(seat): int(n) for seat, n in points(title.view(state, None)).items()}
            found[row.game_id] = counted
            _kept.keep((database, row.game_id, row.entry), counted)
            if game.waits and row.entry == game.entries:
                asks[game.id] = said = ask(game, title.view(state, game.seat), news.get(game.id, ()))
                _asked.keep(_of_reader(database, game, lang), said)
    return {game_id: Standing(counted or {}, *(asks.get(game_id) or ())) for game_id, counted in found.items()}


def _of_reader(database: str, game: MyGame, lang: str) -> tuple[Hashable, ...]:
    return database, game.id, game.entries, game.seat, lang, game.opponents
