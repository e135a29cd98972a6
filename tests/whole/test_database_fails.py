"""A database that fails under a real server: it costs the requests of that time, and nothing after it.

A full disk: the limit of the size of files, set from outside on the running processes, stands for the disk. What would
make a file grow fails then as the operating system lets it fail, at whichever write comes first. A database server that
crashes is PostgreSQL stopped without a good-bye. Where root runs the tests, a small disk is filled and made larger.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support import postgres
from tests.support.running import Install, get, post, stop
from tests.support.sink import Sink, link_in

ACRES = ("acres", "--seat", "british=alice@example.org", "--seat", "french=bob@example.org")
ENDLESS = resource.RLIM_INFINITY


def processes_of(leader: subprocess.Popen[bytes]) -> list[int]:
    """The server and the processes that it has forked."""
    asked = subprocess.run(["ps", "-o", "pid=", "-g", str(leader.pid)], capture_output=True, text=True, check=True)
    return [int(pid) for pid in asked.stdout.split()]


def limit(server: subprocess.Popen[bytes], size: int) -> None:
    """Limit the size of the server's files."""
    for pid in processes_of(server):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, ENDLESS))


def page(address: str) -> tuple[int, str, str]:
    """What a browser gets: the status, the page and its Retry-After."""
    request = urllib.request.Request(address, headers={"Accept": "text/html", "Accept-Language": "de, fr;q=0.9"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode(), ""
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(), error.headers.get("Retry-After", "")


def test_a_full_disk_costs_the_turns_of_that_time_and_none_after_it(tmp_path: Path) -> None:
    with Sink() as sink:
        install = Install(tmp_path, SMTP_URL=sink.url)
        with install.serving() as server:
            install.command("game", "new", *ACRES)
            link = link_in(sink.wait(1)[0])
            asked = get(link)
            full = os.path.getsize(tmp_path / "var" / "postroad.db-wal")
            limit(server, full)
            for _ in range(6):
                refused = post(link, "pass\nend", 1)
                assert refused["status"] == 503, refused
                assert refused["error"]["code"] == "database.away"
            assert get(link)["decision"] == asked["decision"], "what is there can be read all the time"
            limit(server, ENDLESS)
            for _ in range(6):
                answered = post(link, "pass\nend", 1)
                assert answered["status"] == 200, answered
            sink.wait(1, "bob@example.org")
        install.command("game", "verify", "1")
    said = (tmp_path / "serve.log").read_text()
    assert "Traceback" not in said, said
    assert len(sink.mails("bob@example.org")) == 1


def freeze(folder: Path, on: bool) -> bool:
    """Make everything in a folder unchangeable, as a file system is that has become read-only, or let it go; whether
    this file system and these rights allow it."""
    paths = [folder, *folder.iterdir()]
    how = subprocess.run(["chattr", "+i" if on else "-i", *map(str, paths)], capture_output=True)
    return how.returncode == 0


def can_freeze(folder: Path) -> bool:
    """Whether `freeze` works here."""
    tried = folder / "tried"
    tried.mkdir()
    return shutil.which("chattr") is not None and freeze(tried, True) and freeze(tried, False)


def tried(link: str) -> int:
    """The status of an answer to the first decision; 0 where the process ends in the middle."""
    try:
        return int(post(link, "pass\nend", 1)["status"])
    except OSError:
        return 0


def test_a_file_system_that_is_read_only_for_a_while_costs_the_turns_of_that_time_and_none_after_it(
    tmp_path: Path,
) -> None:
    """Memory that is mapped from a file fails with a signal then, so that a process may end: another one follows."""
    if not can_freeze(tmp_path):
        pytest.skip("this file system, or who runs this, cannot make files unchangeable")
    with Sink() as sink:
        install = Install(tmp_path, SMTP_URL=sink.url)
        with install.serving():
            install.command("game", "new", *ACRES)
            link = link_in(sink.wait(1)[0])
            get(link)
            try:
                assert freeze(tmp_path / "var", True)
                assert {tried(link) for _ in range(4)} <= {503, 500, 0}
            finally:
                assert freeze(tmp_path / "var", False)
            end = time.monotonic() + 60
            while tried(link) != 200:
                assert time.monotonic() < end, (tmp_path / "serve.log").read_text()
                time.sleep(0.5)
            sink.wait(1, "bob@example.org")
        install.command("game", "verify", "1")
    assert len(sink.mails("bob@example.org")) == 1


@pytest.mark.postgres
def test_a_database_server_that_crashes_is_said_kindly_and_all_goes_on_when_it_is_back(tmp_path: Path) -> None:
    log = tmp_path / "serve.log"
    with Sink() as sink, postgres.private() as private:
        install = Install(tmp_path, SMTP_URL=sink.url, DATABASE_URL=private.url)
        with install.serving():
            install.command("game", "new", *ACRES)
            link = link_in(sink.wait(1)[0])
            assert page(link)[0] == 200
            private.stop()
            for address in (link, f"{install.base_url}/games/1", f"{install.base_url}/archive"):
                status, text, again = page(address)
                assert (status, again) == (503, "10")
                assert '<html lang="fr">' in text and "Réessaie dans une minute" in text
            refused = post(link, "pass\nend", 1)
            assert (refused["status"], refused["error"]["code"]) == (503, "database.away")
            private.start()
            assert page(link)[0] == 200
            assert [post(link, "pass\nend", 1)["status"] for _ in range(3)] == [200] * 3
            sink.wait(1, "bob@example.org")
            assert "Traceback" not in log.read_text()
            private.stop("fast")
        early = install.begin()
        try:
            end = time.monotonic() + 60
            while "Trying again until it can" not in log.read_text():
                assert early.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(0.1)
            private.start()
            install.wait_until_answering(early)
            assert page(f"{install.base_url}/games/1")[0] == 200
        finally:
            stop(early)
        assert log.read_text().count("Trying again until it can") == 1
        _begins_though_the_last_look_fails(install, private.url, log)
    said = log.read_text()
    assert "Traceback" not in said, said


def _begins_though_the_last_look_fails(install: Install, url: str, log: Path) -> None:
    """A process that begins is up to date already, and loses the database as it compares the keys."""
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    waits = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with engine.connect() as held, engine.connect() as asking:
        held.execute(sa.text("BEGIN"))
        held.execute(sa.text("LOCK TABLE server_fact"))
        begun = install.begin("--role", "worker")
        try:
            end = time.monotonic() + 60
            while not asking.scalar(sa.text(f"SELECT count(pg_terminate_backend(pid)) {waits}")):
                assert begun.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(0.1)
            held.execute(sa.text("ROLLBACK"))
            while "sends mails and reminders" not in log.read_text():
                assert begun.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(0.1)
        finally:
            stop(begun, signal.SIGKILL)
    engine.dispose()


def mounted(folder: Path, mib: int) -> bool:
    """Make a folder a disk of its own of this size, or change its size; whether that is allowed here."""
    there = ["-o", f"remount,size={mib}m"] if os.path.ismount(folder) else ["-t", "tmpfs", "-o", f"size={mib}m", "none"]
    return subprocess.run(["mount", *there, folder], capture_output=True).returncode == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "var"
    folder.mkdir()
    if not mounted(folder, 8):
        pytest.skip("only root mounts a disk")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.parametrize("is_new_start", [False, True], ids=["goes on", "new start"])
def test_a_disk_that_was_full_is_written_again_when_there_is_room(
    tmp_path: Path, disk: Path, is_new_start: bool
) -> None:
    with Sink() as sink, ExitStack() as serving:
        install = Install(tmp_path, SMTP_URL=sink.url)
        server = serving.enter_context(install.serving())
        install.command("game", "new", *ACRES)
        link = link_in(sink.wait(1, seconds=60)[0])
        asked = get(link)
        with (disk / "fill").open("ab", buffering=0) as fill, pytest.raises(OSError, match="No space left"):
            while True:
                fill.write(bytes(4096))
        for _ in range(6):
            refused = post(link, "pass\nend", 1)
            assert refused["status"] == 503 and refused["error"]["code"] == "database.away", refused
        assert get(link)["decision"] == asked["decision"], "what is there can be read all the time"
        if is_new_start:
            stop(server, signal.SIGKILL)
        assert mounted(disk, 16)
        if is_new_start:
            serving.enter_context(install.serving())
        assert post(link, "pass\nend", 1)["status"] == 200
        sink.wait(1, "bob@example.org", seconds=60)
        install.command("game", "verify", "1")
    said = (tmp_path / "serve.log").read_text()
    assert "Traceback" not in said, said
    assert len(sink.mails("bob@example.org")) == 1
