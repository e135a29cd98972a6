"""A private PostgreSQL for the tests: started when the first test needs it, stopped after the last."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from sqlalchemy import create_engine, make_url, text

from tests.support import in_memory
from tests.support.afterwards import afterwards
from tests.support.tools import postgres_programs

# Nothing in a test has to survive a power cut, and nobody copies what is written. A test database is gone long before
# its statistics would be of use.
SETTINGS = {
    "listen_addresses": "''",
    "fsync": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "60",
}


class Private:
    """A PostgreSQL server for the tests on a socket, to be started and stopped."""

    def __init__(self, folder: Path, programs: Path, **settings: str) -> None:
        self.folder, self._programs = folder, programs
        self._settings = SETTINGS | settings
        self.url = f"postgresql+psycopg://postroad@/postgres?host={folder}"
        self._as_nobody: list[str] = []
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            self._as_nobody = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
        data = str(folder / "data")
        made = ["-N", "-A", "trust", "-U", "postroad", "--locale=C.UTF-8", "-E", "UTF8", "-D", data]
        self._run("initdb", *made)

    def start(self) -> None:
        """Start the server."""
        options = " ".join([f"-k {self.folder}", *(f"-c {name}={value}" for name, value in self._settings.items())])
        self._run(
            "pg_ctl", "-D", str(self.folder / "data"), "-l", str(self.folder / "log"), "-w", "-o", options, "start"
        )

    def stop(self, how: str = "immediate") -> None:
        """Stop it: `immediate` is a crash, `fast` an orderly shutdown."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", how, "stop")

    def stopped_with_us(self) -> AbstractContextManager[None]:
        """Stop it and delete its folder when this process dies within the block."""
        script = '"$1" -D "$2/data" -m immediate stop; rm -rf "$2"'
        return afterwards(script, str(self._programs / "pg_ctl"), str(self.folder), ahead=tuple(self._as_nobody))

    def is_running(self) -> bool:
        """Whether its first process is alive."""
        return bool(self.pids())

    def pids(self) -> list[int]:
        """Return its first process and the processes it has forked; empty if it has ended."""
        try:
            first = (self.folder / "data" / "postmaster.pid").read_text().split()[0]
        except (OSError, IndexError):
            return []
        asked = subprocess.run(["ps", "-o", "pid=", "--pid", first, "--ppid", first], capture_output=True, text=True)
        return [int(pid) for pid in asked.stdout.split()]

    def limit_files(self, size: int | None) -> None:
        """Limit the size of its files, which simulates a full disk; None removes the limit."""
        limit = "unlimited" if size is None else str(size)
        for pid in self.pids():  # as the user it runs as: even root may not everywhere
            line = [*self._as_nobody, "prlimit", f"--fsize={limit}:unlimited", f"--pid={pid}"]
            subprocess.run(line, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _run(self, program: str, *words: str) -> None:
        # Without its output: a started server keeps the pipe open for as long as it lives.
        line = [*self._as_nobody, str(self._programs / program), *words]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)


@contextmanager
def private(**settings: str) -> Iterator[Private]:
    """Yield a private server, running until the end of the block; `settings` differ from those of the tests."""
    programs = postgres_programs()
    assert programs, "tests with the marker postgres run only where PostgreSQL is"
    # Not under pytest's folder: that one is closed to the user the server runs as, and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="pr", dir=in_memory.folder()))
    server = Private(folder, programs, **settings)
    with server.stopped_with_us():
        server.start()
        try:
            yield server
        finally:
            with suppress(subprocess.CalledProcessError):  # it may have been stopped
                server.stop()
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def server() -> Iterator[str]:
    """Yield the URL of a server: the one in the environment, or a private one on a socket."""
    given = os.environ.get("POSTROAD_TEST_DATABASE_URL")
    if given:
        yield given
        return
    with private() as own:
        yield own.url


def make_database(server_url: str, template: str | None = None) -> str:
    """Make a database, empty or a copy of another one; return its URL."""
    name = f"postroad_{uuid4().hex[:12]}"
    engine = create_engine(server_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        copied = f" TEMPLATE {template}" if template else ""
        if copied and (connection.dialect.server_version_info or ()) >= (15,):
            copied += " STRATEGY file_copy"  # half the cost of logging each page, the default since 15
        connection.execute(text(f"CREATE DATABASE {name}{copied}"))
    engine.dispose()
    return make_url(server_url).set(database=name).render_as_string(hide_password=False)


def drop_database(server_url: str, url: str) -> None:
    """Drop a database, even if it has connections."""
    engine = create_engine(server_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE IF EXISTS {make_url(url).database} WITH (FORCE)"))
    engine.dispose()
