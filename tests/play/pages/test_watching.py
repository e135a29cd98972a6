"""The list of running games that anybody may watch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from app.base.house import House
from app.games.tables import Game
from app.play import results
from app.play.pages import watching
from tests.support.people import BOTH, Browser
from tests.support.tables import load, say, start


@BOTH
def test_running_public_games_are_listed_the_last_to_have_moved_first(
    house: House, stranger: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "ON_A_PAGE", 2)
    assert "No public game is being played now." in stranger.get("/watch")
    now = datetime.now(UTC)
    games = [start(house.database, "acres", now=now - timedelta(hours=n)) for n in range(5)]
    say(house.database, games[3], "pass\nend", now + timedelta(minutes=1))
    results.resign(house.database, games[4], load(house.database, games[4]).seats[0].player_id or 0, now=now)
    with house.database.write() as session:
        session.execute(sa.update(Game).where(Game.id == games[1]).values(is_private=True))
        session.commit()
    first, second = stranger.get("/watch"), stranger.get("/watch?page=2")
    listed = [[game for game in games if f'href="/games/{game}"' in page] for page in (first, second)]
    assert listed == [[games[0], games[3]], [games[2]]]
    assert first.index(f'href="/games/{games[3]}"') < first.index(f'href="/games/{games[0]}"')
    assert "alice and bob" in first and f"/games/{games[3]}/small.svg?at=" in first and "More games" in first
    assert "bob decides" in first and "It is for you" not in first and "More games" not in second
