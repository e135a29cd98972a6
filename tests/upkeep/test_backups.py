"""Backups: everything of one moment, complete or not at all, into either kind of database, with numbers that jump."""

from __future__ import annotations

import io
import os
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pyrage
import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from app.base.process.config import Config, load
from app.base.server import Server
from app.base.stored import fingerprint
from app.base.stored.database import Database
from app.games.work import Work
from app.play.agreed import reports, results
from app.server.cli import main
from app.upkeep import migrating
from app.upkeep.backups import handing_on, restoring, rows, scheduled, writing
from tests.support import postgres
from tests.support.running import Install
from tests.support.tables import LINKS, NOW, deliver, say, start  # fmt: skip

Run = Callable[..., Result]


def config_of(folder: Path, url: str) -> Config:
    return load({"POSTROAD_DATA": str(folder), "POSTROAD_DATABASE_URL": url}, folder)


def digests(url: str) -> dict[str, tuple[int, str]]:
    database = Database(url)
    with database.read() as session:
        found = {table.name: rows.digest(session.connection(), table) for table in rows.tables_of(session.connection())}
    database.close()
    return found


@pytest.mark.postgres
@pytest.mark.parametrize("old, new", [("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_a_backup_comes_back_into_an_empty_server_and_numbers_jump(
    old: str, new: str, sqlite_url: str, postgres_url: str, postgres_server: str, tmp_path: Path
) -> None:
    played = Database(sqlite_url if old == "sqlite" else postgres_url)
    empty_url = f"sqlite:///{tmp_path / 'new.db'}" if new == "sqlite" else postgres.make_database(postgres_server)
    for title in ("ferry", "ferry", "acres"):
        start(played, title)
    deliver(played, NOW)
    say(played, 1, "rob blue")
    with Work(played) as work:  # called off in its middle
        results.void(work, work.store.load(3, for_writing=True), NOW)
        work.commit()
    reports.report_player(played, reports.ReportedPlayer(1, 2), "A row with a day.", now=NOW)
    config = config_of(tmp_path, played.url)
    file = tmp_path / "backup.zip"
    written = writing.write_file(file, played, config, NOW)
    assert written.rows["game"] == 3 and file.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.glob("*.half")) == []
    with file.open("rb") as stream, restoring.opened(stream) as found:
        assert found.keys == config.secret_keys[0]
        restoring.restore(found, empty_url)
        assert digests(empty_url) == digests(played.url), "whichever kind of database it was"
        with pytest.raises(restoring.CannotRestore, match="players or games already"):
            restoring.restore(found, empty_url)
    restored = Database(empty_url)
    assert restoring.verify_games(restored) == 3
    assert restoring.jump(restored, 0, NOW) == {"game": (3, 4), "player": (2, 3)}, "a move leaves no number out"
    assert restoring.jump(restored, 1000, NOW) == {"game": (3, 1004), "player": (2, 1003)}
    if new == "sqlite":
        restoring.jump(restored, 1, NOW)  # a later jump takes nothing back
    say(restored, 2, "rob blue")
    assert start(restored) == 1004 and start(restored) == 1005, "games go on, past what may have been given since"
    with restored.read() as session:
        assert migrating.drift(session) == []
        if new == "postgresql":  # otherwise it scans whole tables, until it gathers statistics
            known = sa.text("SELECT count(*) FROM pg_stats WHERE tablename IN ('game', 'game_seat') AND attname = 'id'")
            assert session.scalar(known) == 2
    restored.close()
    played.close()
    if new == "postgresql":
        postgres.drop_database(postgres_server, empty_url)


def test_a_backup_through_a_pipe_of_the_shell_is_its_owner_s_alone(tmp_path: Path) -> None:
    install = Install(tmp_path)
    install.command("db", "upgrade")
    file = tmp_path / "club.zip"
    with file.open("wb") as out:
        os.fchmod(out.fileno(), 0o644)
        line = [*install.program, "backup", "-"]
        subprocess.run(line, env=install.environ, cwd=tmp_path, stdout=out, stderr=subprocess.DEVNULL, check=True)
    assert file.stat().st_mode & 0o777 == 0o600 and zipfile.is_zipfile(file)


def test_a_backup_that_is_cut_or_changed_is_refused_and_leaves_nothing(sqlite_url: str, tmp_path: Path) -> None:
    database = Database(sqlite_url)
    start(database)
    whole = io.BytesIO()
    writing.write(whole, database, config_of(tmp_path, sqlite_url), NOW)
    database.close()
    into = f"sqlite:///{tmp_path / 'new.db'}"
    changed = io.BytesIO()
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            target.writestr(name, data.replace(b"alice", b"mallo") if name == "tables/player.jsonl" else data)
    for data in (whole.getvalue()[:-100], whole.getvalue()[:50], changed.getvalue(), b""):
        with pytest.raises(restoring.CannotRestore), restoring.opened(io.BytesIO(data)) as found:
            restoring.restore(found, into)
        assert digests(into) == {}


def test_the_timetable_makes_one_backup_a_stretch_and_keeps_the_newest(sqlite_url: str, tmp_path: Path) -> None:
    database = Database(sqlite_url)
    start(database, "acres")
    folder = tmp_path / "kept"
    config = replace(config_of(tmp_path, sqlite_url), backups=folder, backups_kept=2)
    server = Server(config, database, LINKS)
    made, there = [], list[str]()
    for hour in range(0, 96, 6):
        made.append(scheduled.make_due(server, NOW + timedelta(hours=hour)))
        there += {file.name for file in folder.glob("*.zip")} - {*there}
        assert len(there) == made.count(True), "the newest stays"
    assert len(there) in (4, 5) and sorted(file.name for file in folder.glob("*.zip")) == sorted(there)[-2:]
    in_the_way = replace(config, backups=tmp_path / "postroad.db" / "no-folder")
    later = NOW + timedelta(days=9)
    assert not scheduled.make_due(Server(in_the_way, database, LINKS), later)
    with database.read() as session:
        assert scheduled.last(session).error != "" and scheduled.last(session).size > 1000
    assert not scheduled.make_due(server, later + timedelta(minutes=5)), "not again at once"
    assert scheduled.make_due(server, later + timedelta(hours=2))
    with database.read() as session:
        assert scheduled.last(session).error == ""
    database.close()


def test_a_backup_comes_back_on_trial_is_encrypted_and_handed_on(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `age -d` reads it (here by the library of the same format); the command has it, and none of our settings."""
    database = Database(sqlite_url)
    start(database, "acres")
    key = pyrage.x25519.Identity.generate()
    taken = tmp_path / "elsewhere"
    taken.mkdir()
    (tmp_path / "kept/.trial-of-a-killed-process").mkdir(parents=True)
    config = replace(
        config_of(tmp_path, sqlite_url),
        backups=tmp_path / "kept",
        backup_age=str(key.to_public()),
        backup_command=f"sh -c 'cp $1 {taken}; env >{tmp_path}/seen' - {{}}",
    )
    for name in ("PGPASSWORD", "POSTROAD_MAIL_PASSWORD", "RCLONE_CONFIG"):
        monkeypatch.setenv(name, "a-word")
    server = Server(config, database, LINKS)
    assert scheduled.make_due(server, NOW)
    assert (tmp_path / "seen").read_text().count("a-word") == 1, "its own variable, none of ours"
    [file] = taken.iterdir()
    with restoring.opened(io.BytesIO(pyrage.decrypt(file.read_bytes(), [key]))) as found:
        assert found.made_at == NOW.replace(microsecond=0)
    assert [one.name for one in (tmp_path / "kept").iterdir()] == [file.name], "nothing of the trial, nothing readable"
    with database.write() as session:
        assert (scheduled.last(session).error, scheduled.last(session).tried_at) == ("", NOW)
    later = NOW + timedelta(days=1)
    dead = Server(replace(config, backup_command="false"), database, LINKS)
    assert scheduled.make_due(dead, later)
    with database.read() as session:
        assert scheduled.last(session).error == "the command failed with 1"
        assert scheduled.last(session).file.endswith(".zip.age")
    broken = tmp_path / "kept" / "postroad-x.zip"
    broken.write_bytes(b"PK")
    with pytest.raises(handing_on.Failed, match="it does not come back with 1: Error: "):
        handing_on.try_out(broken)
    database.close()


@pytest.fixture
def run(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    for name in ("SMTP_URL", "BASE_URL", "SECRET_KEY", "DATA", "CONFIG", "BACKUPS"):
        monkeypatch.delenv(f"POSTROAD_{name}", raising=False)
    monkeypatch.setenv("POSTROAD_DATABASE_URL", sqlite_url)

    def invoke(*words: str, **settings: str) -> Result:
        environ = {f"POSTROAD_{name}": value for name, value in settings.items()}
        return CliRunner().invoke(main, words, env=environ)

    return invoke


def test_a_server_moves_to_another_machine_with_its_key(run: Run, tmp_path: Path, sqlite_url: str) -> None:
    new = ["game", "new", "acres", "--seat", "british=alice@example.org", "--seat", "french=bob@example.org"]
    assert run(*new).output == "1\n"
    key = (tmp_path / "var" / "secret_key").read_text()
    assert "1 games" in run("backup", "copy.zip").stderr
    there = {"DATA": str(tmp_path / "there"), "DATABASE_URL": f"sqlite:///{tmp_path / 'there' / 'new.db'}"}
    said = run("restore", "copy.zip", **there).output
    assert (
        "1 games replayed: all as kept" in said
        and "The last game has the number 1, the next one will have 1002" in said
    )
    assert (tmp_path / "there" / "secret_key").read_text() == key
    assert run(*new, **there).output == "1002\n"
    moved = {"DATABASE_URL": f"sqlite:///{tmp_path / 'moved.db'}"}
    assert "1 games replayed: all as kept" in run("restore", "--jump", "0", "copy.zip", **moved).output
    assert run(*new, **moved).output == "2\n"
    assert "There is no file" in run("restore", "nothing.zip", **there).output


def test_another_key_is_refused_at_the_start(run: Run) -> None:
    first, second = "the-first-key-of-this", "the-second-key-of-this"
    assert run("player", "list", SECRET_KEY=first).exit_code == 0
    for command in (("player", "list"), ("serve",)):
        said = run(*command, SECRET_KEY=second)
        assert said.exit_code == 1 and fingerprint.of(first) in said.output and "name both" in said.output
        assert first not in said.output and second not in said.output
    assert run("player", "list", SECRET_KEY=f"{first},{second}").exit_code == 0, "the key is changed"
    assert run("player", "list", SECRET_KEY=second).exit_code == 0
    assert run("player", "list", SECRET_KEY=first).exit_code == 1
    assert run("db", "new-key", SECRET_KEY=first).exit_code == 0
    assert run("player", "list", SECRET_KEY=first).exit_code == 0
