"""What a release has left is opened by this version: brought up to date, complete, and every game replays."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from app.base.database import Database
from app.games.tables import Game
from app.play import starting
from app.upkeep import schema
from tests.support import releases


def test_this_version_is_kept_once_it_is_released() -> None:
    assert releases.kept(), "there has been a release"


@pytest.mark.parametrize("version", releases.kept())
def test_the_database_of_a_release_comes_along(version: str, empty_url: str) -> None:
    kind = "sqlite" if empty_url.startswith("sqlite") else "postgresql"
    releases.load(version, kind, empty_url)
    database = Database(empty_url)
    before = _counts(database)
    assert before["log_entry"] > 100 and before["event"] == 1, "there is something to lose"
    schema.upgrade(empty_url)
    with database.read() as session:
        assert schema.drift(session) == []
        games = session.scalars(sa.select(Game.id).where(Game.status.in_(("running", "over"))).order_by(Game.id)).all()
    after = _counts(database)
    assert {name: after.get(name, 0) for name in before} == before, "not a row is lost"
    assert games
    for game_id in games:
        assert not starting.verify(database, game_id).differing
    database.close()


def _counts(database: Database) -> dict[str, int]:
    with database.engine.connect() as connection:
        names = [name for name in sa.inspect(connection).get_table_names() if name != "alembic_version"]
        return {name: connection.execute(sa.text(f'SELECT count(*) FROM "{name}"')).scalar_one() for name in names}
