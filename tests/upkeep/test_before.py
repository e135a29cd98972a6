"""The copy of a database before it is migrated."""

from __future__ import annotations

import resource
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.upkeep import migrating, schema
from tests.support import fresh
from tests.support.running import Install
from tests.support.tables import start

OLD = "0033"


@pytest.fixture
def install(tmp_path: Path, sqlite_template: Path) -> Install:
    """A server of an earlier version, with a game."""
    made = Install(tmp_path)
    (tmp_path / "var").mkdir()
    shutil.copy(sqlite_template, tmp_path / "var" / "postroad.db")
    database = Database(url(made))
    start(database, "acres")
    database.close()
    migrating.downgrade(url(made), OLD)
    return made


def url(install: Install) -> str:
    return f"sqlite:///{install.folder / 'var' / 'postroad.db'}"


def copies(install: Install) -> list[str]:
    return sorted(path.name for path in (install.folder / "var").glob("*.at-*"))


def revision(path: Path) -> str:
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT count(*) FROM game").fetchone() == (1,)
        return str(raw.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def upgrade(install: Install, most: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run `postroad db upgrade`; if `most` is given, no file becomes larger than this many bytes, as on a full disk."""
    line = [*install.program, "db", "upgrade"]
    if most is None:
        return fresh.run(line, env=install.environ, cwd=install.folder)
    return subprocess.run(
        line, env=install.environ, cwd=install.folder, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY)),
    )  # fmt: skip


def test_the_file_of_before_is_kept_until_the_next_migration(install: Install) -> None:
    var = install.folder / "var"
    said = upgrade(install)
    kept = var / f"postroad.db.at-{OLD}"
    assert f"The database as it was before this version is kept in {kept}." in said.stderr
    assert copies(install) == [kept.name] and revision(kept) == OLD and kept.stat().st_mode & 0o077 == 0
    assert "kept in" not in upgrade(install).stderr and copies(install) == [kept.name], "nothing was migrated"
    migrating.downgrade(url(install), "0030")
    upgrade(install)
    assert copies(install) == ["postroad.db.at-0030"]
    assert (
        f"as it was before the last ones: {var}/postroad.db.at-0030"
        in fresh.run([*install.program, "doctor"], env=install.environ, cwd=install.folder).stdout
    )
    shutil.copy(var / "postroad.db.at-0030", var / "postroad.db")  # going back
    assert revision(var / "postroad.db") == "0030" and upgrade(install).returncode == 0


def test_where_there_is_no_room_for_it_nothing_is_migrated(install: Install) -> None:
    refused = upgrade(install, (install.folder / "var" / "postroad.db").stat().st_size // 2)
    assert refused.returncode == 1 and "Nothing has been changed. Make room, and start again." in refused.stderr
    assert "Traceback" not in refused.stderr
    assert copies(install) == [] and revision(install.folder / "var" / "postroad.db") == OLD
    assert upgrade(install).returncode == 0


def test_a_new_server_has_nothing_to_keep(tmp_path: Path) -> None:
    install = Install(tmp_path)
    install.command("db", "upgrade")
    migrating.downgrade(url(install), OLD)
    install.command("db", "upgrade")
    assert copies(install) == []
    database = Database(url(install))
    with database.read() as session:
        assert session.scalar(sa.text("SELECT version_num FROM alembic_version")) == schema.newest()
    database.close()
