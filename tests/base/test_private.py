"""No other user of the machine can read the files of a server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.base.process import private
from tests.support.running import Install


def modes(folder: Path) -> dict[str, int]:
    return {one.name: one.stat().st_mode & 0o777 for one in (folder, *folder.iterdir())}


def test_a_new_server_s_files_are_its_own(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        install = Install(tmp_path, BACKUPS=str(tmp_path / "backups"))
        with install.serving():
            found = modes(tmp_path / "var")
        install.command("backup", str(tmp_path / "one.zip"))
        again = Install(tmp_path / "var" / "again")
        again.folder.mkdir()
        again.command("restore", str(tmp_path / "one.zip"))
        found |= {f"restored {name}": mode for name, mode in modes(again.folder / "var").items()}
    finally:
        os.umask(old)
    wanted = {"postroad.db", "postroad.db-wal", "postroad.db-shm", "secret_key", "restored postroad.db"}
    assert wanted <= found.keys()
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}
    assert (tmp_path / "one.zip").stat().st_mode & 0o077 == 0


def test_what_is_open_to_others_is_closed_at_the_start_and_that_is_said(tmp_path: Path) -> None:
    install = Install(tmp_path)
    install.command("db", "upgrade")
    var = tmp_path / "var"
    var.chmod(0o755)
    (var / "postroad.db").chmod(0o644)
    (var / "secret_key").chmod(0o640)
    with install.serving():
        pass
    said = (tmp_path / "serve.log").read_text()
    assert f"{var} was open to others" in said and f"{var / 'postroad.db'} was open to others" in said
    found = modes(var)
    assert (found["var"], found["postroad.db"]) == (0o700, 0o600)
    assert found["secret_key"] == 0o640, "the group was let in by somebody"


def test_a_folder_of_several_is_left_as_it_is(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files to others")
    shared, ours = tmp_path / "lib", tmp_path / "lib" / "postroad.db"
    shared.mkdir(0o755)
    ours.touch(0o644)
    (shared / "theirs").mkdir()
    os.chown(shared / "theirs", 65534, 65534)
    assert private.tighten(shared, [ours]) == [ours]
    assert shared.stat().st_mode & 0o777 == 0o755
