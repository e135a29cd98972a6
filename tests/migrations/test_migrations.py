"""The history of the database, up and down, on both databases."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.base.process.places import folder
from app.base.stored import database as db
from app.base.stored.columns import UTCDateTime
from app.base.stored.upkeep_tables import ServerFact
from app.games.tables import Game, GameSeat
from app.people.tables import Player
from app.upkeep import migrating, schema
from app.upkeep.backups import rows, scheduled

NOW = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)


def test_the_newest_revision_is_the_head_of_alembic() -> None:
    """It is read from the names of files, so that a start needs no Alembic."""
    assert ScriptDirectory(folder("migrations")).get_current_head() == schema.newest()


def test_migrations_only_add_so_that_two_versions_can_run_beside_each_other() -> None:
    """The data of the previous version stays: its processes go on while machines are upgraded one by one."""
    files = sorted((folder("migrations") / "versions").glob("[0-9]*.py"))
    assert len(files) > 20
    for file in files[1:]:
        assert not takes_away(file.read_text(encoding="utf-8")), file.name
    for bad in (
        'op.drop_column("game", "note")', 'op.rename_table("game", "play")', 'batch_op.drop_column("note")',
        'op.add_column("game", sa.Column("x", sa.Integer(), nullable=False))',
        'op.execute("ALTER TABLE game DROP COLUMN note")', 'op.alter_column("game", "note", nullable=False)',
        'op.alter_column("game", "note", new_column_name="x")',
    ):  # fmt: skip
        assert takes_away(f"def upgrade() -> None:\n    {bad}\n"), bad
    for good in ('op.add_column("game", sa.Column("x", sa.Integer()))', 'op.alter_column("game", "x", nullable=True)'):
        assert not takes_away(f"def upgrade() -> None:\n    {good}\n"), good


_TAKES = re.compile(r"\b(DROP (TABLE|COLUMN)|RENAME)\b")


def takes_away(source: str) -> set[str]:
    """Return what the previous version could stumble over in a migration: something is dropped or renamed, or a row
    needs more than that version writes.
    """
    upgrade = next(one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef) and one.name == "upgrade")
    found = {one.value for one in ast.walk(upgrade) if isinstance(one, ast.Constant) and _TAKES.search(str(one.value))}
    for call in ast.walk(upgrade):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        name, given = call.func.attr, {word.arg: word.value for word in call.keywords}
        needed = isinstance(null := given.get("nullable"), ast.Constant) and null.value is False
        if (
            name in ("drop_table", "drop_column", "rename_table")
            or "new_column_name" in given
            or (name == "alter_column" and needed)
        ):
            found.add(name)
        elif name == "add_column":
            for column in ast.walk(call):
                if isinstance(column, ast.Call) and getattr(column.func, "attr", "") == "Column":
                    words = {word.arg: word.value for word in column.keywords}
                    null = words.get("nullable")
                    if isinstance(null, ast.Constant) and null.value is False and "server_default" not in words:
                        found.add("needs a value")
    return found


def test_up_down_and_up_again_gives_the_tables_of_the_models(empty_url: str) -> None:
    migrating.upgrade(empty_url)
    migrating.downgrade(empty_url, "base")
    migrating.upgrade(empty_url)
    database = db.Database(empty_url)
    with database.read() as session:
        assert schema.revision_of(session) == schema.newest()
        assert migrating.drift(session) == []
        connection = session.connection()
        for table in rows.tables_of(connection):
            rows.digest(connection, table)  # refuses a column of a kind that no backup can hold
    database.close()


def test_mails_that_are_there_get_the_group_of_their_kind(empty_url: str) -> None:
    groups = {"turn": "turn", "sign_in": "asked", "ruling_asked": "clock", "announcement": "news", "gone_kind": "turn"}
    migrating.upgrade(empty_url, "0038")
    database = db.Database(empty_url)
    mail = "INSERT INTO outbox_mail (mail_key, kind, address, details, state, made_at, due_at, attempts)"
    with database.write() as session:
        for kind in groups:
            values = f"VALUES ('{kind}:1', '{kind}', 'a@example.org', '{{}}', 'waiting', :now, :now, 0)"
            session.execute(sa.text(f"{mail} {values}").bindparams(sa.bindparam("now", NOW, UTCDateTime())))
        session.commit()
    for way in (migrating.upgrade, migrating.downgrade, migrating.upgrade):
        way(empty_url, "0038" if way is migrating.downgrade else "0039")
    with database.read() as session:
        found = session.execute(sa.text("SELECT kind, mail_group FROM outbox_mail")).all()
    assert {kind: group for kind, group in found} == groups
    database.close()


def test_numbers_and_backups_of_the_first_release_are_facts_now(empty_url: str) -> None:
    migrating.upgrade(empty_url, "0051")
    database = db.Database(empty_url)
    jump = "INSERT INTO number_jump (\"of\", last, first, at) VALUES ('game', 3, {}, :now)"
    backup = "INSERT INTO backup_made (slot, begun_at, ended_at, file, size, error) VALUES"
    with database.write() as session:
        for sql in (
            jump.format(1004), jump.format(900),
            f"{backup} ('1', :now, :now, '/a b/x.zip', 7, '')", f"{backup} ('2', :now, NULL, '', 0, 'no room')",
        ):  # fmt: skip
            now = NOW + timedelta(days="'2'" in sql)
            session.execute(sa.text(sql).bindparams(sa.bindparam("now", now, UTCDateTime())))
        session.commit()
    for way in (migrating.upgrade, migrating.downgrade, migrating.upgrade):
        way(empty_url, "0051" if way is migrating.downgrade else "0052")
    with database.read() as session:
        assert scheduled.last(session) == scheduled.LastBackup(NOW, "/a b/x.zip", 7, "no room")
        assert session.get_one(ServerFact, "first.game").value == "1004"
    database.close()


def add_game(connection: sa.Connection) -> int:
    values = {
        "title": "t",
        "options": {},
        "status": "open",
        "pace": {"decision": 60},
        "extra_seconds": 0,
        "created_at": NOW,
    }
    game_id = connection.scalar(sa.insert(Game).values(**values).returning(Game.id))
    connection.execute(sa.insert(GameSeat).values(game_id=game_id, seat="red", place=0))
    return int(game_id)


def test_rebuilding_a_table_keeps_the_rows_that_point_to_it(sqlite_url: str) -> None:
    """With foreign keys on, SQLite's copy-and-drop would delete every seat of every game."""
    database = db.Database(sqlite_url)
    with database.write() as connection:
        add_game(connection)
        connection.commit()
    with database._writing.connect() as connection:
        connection.connection.dbapi_connection.execute("PRAGMA foreign_keys=OFF")
        operations = Operations(MigrationContext.configure(connection, opts={"render_as_batch": True}))
        with connection.begin(), operations.batch_alter_table("game", recreate="always") as batch:
            batch.add_column(sa.Column("mood", sa.String(10)))
    with database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(GameSeat)) == 1
        assert connection.connection().exec_driver_sql("PRAGMA foreign_key_check").fetchall() == []
    database.close()


def test_a_reading_transaction_cannot_write(database: db.Database) -> None:
    with database.read() as connection, pytest.raises(DBAPIError):
        connection.execute(
            sa.insert(Game).values(
                title="t", options={}, status="open", pace={"decision": 1}, extra_seconds=0, created_at=NOW
            )
        )
    with database.write() as connection:  # the same connection from the pool may write again
        add_game(connection)
        connection.commit()
    with database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(Game)) == 1


def test_what_an_error_interrupts_is_gone(database: db.Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as connection:
        add_game(connection)
        raise ZeroDivisionError
    with database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(Game)) == 0


def test_moments_come_back_in_utc_and_naive_ones_are_refused(database: db.Database) -> None:
    elsewhere = NOW.astimezone(timezone(timedelta(hours=-5)))
    person = {"address": "a@example.org", "address_key": "a@example.org", "name": "Alice"}
    flags = {"language": "en", "zone": "UTC", "role": "player"}
    flags |= {"mail_turns": True, "mail_reminders": True, "mail_news": True}
    flags |= {"auto_leave": True, "profile_is_public": True, "feed_version": 1}
    with database.write() as connection:
        connection.execute(sa.insert(Player).values(**person, **flags, created_at=elsewhere))
        connection.commit()
        read = connection.scalar(sa.select(Player.created_at))
        assert read == NOW and read.utcoffset() == timedelta(0)
    with database.write() as connection, pytest.raises(sa.exc.StatementError):
        connection.execute(sa.update(Player).values(created_at=datetime(2026, 1, 1)))


def test_the_database_itself_refuses_values_that_mean_nothing(database: db.Database) -> None:
    for wrong in ({"status": "paused"}, {"status": "running"}, {"number": -1}):
        values = {
            "title": "t",
            "options": {},
            "status": "open",
            "pace": {"decision": 60},
            "extra_seconds": 0,
            "created_at": NOW,
        } | wrong
        with database.write() as connection, pytest.raises(IntegrityError):
            connection.execute(sa.insert(Game).values(**values))
