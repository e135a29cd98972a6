"""Databases of each release: written once at the release, opened by every later version.

`python -m tests.support.releases 0.9.0` writes `tests/migrations/releases/0.9.0/`. An existing file is never written
again: it is what a real server has.
"""

from __future__ import annotations

import gzip
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from datetime import timedelta

from sqlalchemy import create_engine, make_url

from app.base.stored.database import Database
from app.play import demo
from app.server import registry
from app.upkeep import migrating
from tests.support import postgres, season
from tests.support.running import ROOT
from tests.support.tables import NOW

FOLDER = ROOT / "tests" / "migrations" / "releases"


def kept() -> list[str]:
    """Return the releases whose databases are stored here, oldest first."""
    found = (path.name for path in FOLDER.iterdir() if path.is_dir())
    return sorted(found, key=lambda version: tuple(map(int, version.split("."))))


def load(version: str, kind: str, url: str) -> None:
    """Fill an empty database (`sqlite` or `postgresql`) with that of a release."""
    script = gzip.decompress((FOLDER / version / f"{kind}.sql.gz").read_bytes()).decode()
    if kind == "sqlite":
        with sqlite3.connect(make_url(url).database or "") as file:
            file.executescript(script)
        file.close()
        return
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        raw.execute(script)
        raw.execute("RESET ALL")  # the script sets an empty search path
    engine.dispose()


def fill(url: str) -> None:
    """Fill a database with some of everything: games of both titles, running and over, and an event with a published
    round.
    """
    migrating.upgrade(url)
    database = Database(url)
    list(demo.fill(database, now=NOW - timedelta(days=1)))
    season.season(database, players=4, reserves=1, title="acres")
    database.close()


def _dump(url: str) -> str:
    """Return a database as statements."""
    if url.startswith("sqlite"):
        with sqlite3.connect(make_url(url).database or "") as file:
            return "\n".join(file.iterdump()) + "\n"
    parsed = make_url(url)
    program = shutil.which("pg_dump")
    assert program is not None, "pg_dump of the server's version has to be in the PATH"
    line = [program, "--inserts", "--no-owner", "--no-privileges", "-U", str(parsed.username)]
    line += ["-h", str(parsed.query["host"]), str(parsed.database)]
    said = subprocess.run(line, check=True, capture_output=True, text=True).stdout
    return "\n".join(row for row in said.splitlines() if not row.startswith("\\")) + "\n"


def write(version: str) -> None:
    """Write both databases of this version."""
    into = FOLDER / version
    into.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder, postgres.private() as server:
        sqlite = f"sqlite:///{folder}/postroad.db"
        for kind, url in (("sqlite", sqlite), ("postgresql", postgres.make_database(server.url))):
            fill(url)
            (into / f"{kind}.sql.gz").write_bytes(gzip.compress(_dump(url).encode(), mtime=0))


if __name__ == "__main__":
    registry.register()
    write(sys.argv[1])
