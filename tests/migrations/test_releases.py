"""This version opens the database of each release: migrated, complete, and every game replays."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from app.base.process.config import load
from app.base.stored.database import Database
from app.games.tables import Game
from app.leagues.clubs import audit
from app.leagues.tables import About, Audit, CompetitionRound, Match, MatchSeat
from app.play.turn import starting
from app.server.commands import common
from app.upkeep import migrating, schema
from tests.support import releases
from tests.support.tables import say, start, write


def test_this_version_is_kept_once_it_is_released() -> None:
    assert releases.kept(), "there has been a release"


@pytest.mark.parametrize("version", releases.kept())
def test_the_database_of_a_release_comes_along(version: str, empty_url: str) -> None:
    database = _loaded(version, empty_url)
    before = _counts(database)
    assert before["log_entry"] > 100 and before["event"] == 1, "there is something to lose"
    migrating.upgrade(empty_url)
    with database.read() as session:
        assert migrating.drift(session) == []
        games = session.scalars(sa.select(Game.id).where(Game.status.in_(("running", "over"))).order_by(Game.id)).all()
    after = _counts(database)
    assert {name: after.get(name, 0) for name in before} == before, "not a row is lost"
    assert games
    for game_id in games:
        assert not starting.verify(database, game_id)
    database.close()


def test_what_the_first_release_wrote_as_text_is_columns_now(empty_url: str) -> None:
    database = _loaded("0.9.0", empty_url)
    _write_acts(database)
    write(
        database,
        sa.text("UPDATE match_seat SET played_by = '[[1, 1]]'"),
        sa.text("UPDATE event_match SET ended = 'played' WHERE id = (SELECT min(id) FROM event_match)"),
    )
    acts = _acts(database)
    migrating.upgrade(empty_url)
    with database.read() as session:
        assert set(session.scalars(sa.select(CompetitionRound.was_by_row))) == {True}  # type: ignore[call-overload]
        asked = sa.select(Match.ended, MatchSeat.as_recorded).join(MatchSeat, MatchSeat.match_id == Match.id)  # type: ignore[call-overload]
        seats = {(row.ended, row.as_recorded) for row in session.execute(asked)}
        assert seats == {("played", True), ("", False)}, "what is over is shared as it was recorded"
        subjects = {
            row.id: audit.Subject(row.about, row.about_number or 0, row.about_division or 0, row.subject)
            for row in session.scalars(sa.select(Audit))
        }
    assert {act: _text_of(subjects[act]) for act in acts} == acts
    younger = {About.SILENT}
    assert {one.kind for one in subjects.values()} >= {*About, None} - younger
    database.close()


def test_a_process_goes_on_and_starts_again_where_a_newer_version_has_been(
    database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Machines are upgraded one by one: additions of a newer version are there, and a process of this version is
    killed.
    """
    game = start(database, "acres")
    with database.write() as session:
        for statement in (
            "ALTER TABLE game ADD COLUMN newer TEXT",
            "ALTER TABLE log_entry ADD COLUMN newer INTEGER DEFAULT 7 NOT NULL",
            "CREATE TABLE newer (id INTEGER)",
            "UPDATE alembic_version SET version_num = '9999'",
        ):
            session.connection().exec_driver_sql(statement)
        session.commit()
    common.migrate(load({"POSTROAD_DATABASE_URL": database.url, "POSTROAD_SEEDS": "2048"}, tmp_path))
    assert "of a newer version; this one knows it as of" in capsys.readouterr().err
    say(database, game, "pass\nend")
    assert not starting.verify(database, game)
    with database.read() as session:
        assert schema.revision_of(session) == "9999"


def _loaded(version: str, url: str) -> Database:
    releases.load(version, "sqlite" if url.startswith("sqlite") else "postgresql", url)
    return Database(url)


def _acts(database: Database) -> dict[int, str]:
    """Return the subject of each act as text, as release 0.9.0 stored it."""
    with database.engine.connect() as connection:
        return {id: text for id, text in connection.execute(sa.text("SELECT id, subject FROM audit_entry"))}


def _write_acts(database: Database) -> None:
    """Write acts of the kinds that the release wrote and its database may lack."""
    acts = [("event.message", to) for to in ("event", "late", "division:3")]
    acts += [("reserve.called", "entry:7"), ("desk.nudged", "match:5"), ("match.over", "game:12"), ("event.over", "")]
    acts += [("season.drafted", "Cup 2028"), ("season.drafted", "round:3"), ("round.closed", "round:7")]
    insert = "INSERT INTO audit_entry (club_id, at, act, subject, reason) SELECT club_id, at, :act, :text, reason"
    with database.write() as session:
        for act, text in acts:
            values = {"act": act, "text": text}
            session.connection().execute(sa.text(f"{insert} FROM audit_entry WHERE act = 'event.made'"), values)
        session.commit()


def _text_of(subject: audit.Subject) -> str:
    if subject.kind in (About.NAME, None):
        return subject.name
    number = f":{subject.number}" if subject.number else ""
    return f"{subject.kind}{number}" + (f"/{subject.division}" if subject.division else "")


def _counts(database: Database) -> dict[str, int]:
    with database.engine.connect() as connection:
        names = [name for name in sa.inspect(connection).get_table_names() if name != "alembic_version"]
        return {name: connection.execute(sa.text(f'SELECT count(*) FROM "{name}"')).scalar_one() for name in names}
