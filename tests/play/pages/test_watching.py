"""The list of running games that anybody may watch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.base.stored.database import Database
from app.games.tables import Game
from app.lobby import front
from app.play.agreed import results
from app.play.lists import my_games
from app.play.pages import game as pages
from tests.support.people import BOTH, Browser
from tests.support.tables import load, say, start, write


@BOTH
def test_running_public_games_are_listed_the_last_to_have_moved_first(
    server: Server, stranger: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "WATCHED_ON_A_PAGE", 2)
    nothing = stranger.get("/watch")
    assert "No public game is being played now." in nothing and nothing.count('class="wax"') == 1
    now = datetime.now(UTC)
    games = [start(server.database, "acres", now=now - timedelta(hours=n)) for n in range(5)]
    say(server.database, games[3], "pass\nend", now + timedelta(minutes=1))
    results.resign(server.database, games[4], load(server.database, games[4]).seats[0].player_id or 0, now=now)
    write(server.database, sa.update(Game).where(Game.id == games[1]).values(is_private=True))
    first, second = stranger.get("/watch"), stranger.get("/watch?page=2")
    listed = [[game for game in games if f'href="/games/{game}"' in page] for page in (first, second)]
    assert listed == [[games[0], games[3]], [games[2]]]
    assert first.index(f'href="/games/{games[3]}"') < first.index(f'href="/games/{games[0]}"')
    assert "alice and bob" in first and f"/games/{games[3]}/small.svg?at=" in first and "More games" in first
    assert "bob decides" in first and "It is for you" not in first and "More games" not in second


def test_the_lists_of_running_games_read_as_many_as_they_show(sqlite_database: Database) -> None:
    """By their index; sorting all running games took most of the first page's time with 100,000 of them."""
    said: list[tuple[str, Any]] = []
    sa.event.listen(sqlite_database.engine, "before_cursor_execute", lambda c, cu, s, p, *_: said.append((s, p)))
    with sqlite_database.read() as session:
        my_games.to_watch(session, 30, 1)
        front.being_played(session, 4)
        asked = [one for one in said if "asked_at DESC" in one[0]]
        for statement, parameters in asked:
            explained = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            assert [row[3] for row in explained] == ["SCAN game USING INDEX ix_game_running"], statement
    assert len(asked) == 2
