"""Fixtures: databases at the newest migration, fast because each is a copy of one made once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from app.base.stored import database as db
from app.upkeep import migrating
from tests.support import postgres

BOTH = [pytest.param("sqlite", id="sqlite"), pytest.param("postgres", id="postgres", marks=pytest.mark.postgres)]

ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""For a test whose statements and races others try on PostgreSQL too."""


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server."""
    with postgres.server() as url:
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file."""
    path = tmp_path_factory.mktemp("template") / "postroad.db"
    migrating.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> Iterator[str]:
    """The name of a migrated PostgreSQL database."""
    url = postgres.make_database(postgres_server)
    migrating.upgrade(url)
    yield str(make_url(url).database)
    postgres.drop_database(postgres_server, url)


@pytest.fixture
def sqlite_url(tmp_path: Path, sqlite_template: Path) -> str:
    """A migrated SQLite database of this test."""
    shutil.copy(sqlite_template, tmp_path / "postroad.db")
    return f"sqlite:///{tmp_path / 'postroad.db'}"


@pytest.fixture
def postgres_url(postgres_server: str, postgres_template: str) -> Iterator[str]:
    """A migrated PostgreSQL database of this test."""
    url = postgres.make_database(postgres_server, postgres_template)
    yield url
    postgres.drop_database(postgres_server, url)


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated database, of one kind and then of the other."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture(params=BOTH)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without tables, of one kind and then of the other."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    server = request.getfixturevalue("postgres_server")
    url = postgres.make_database(server)
    yield url
    postgres.drop_database(server, url)


@pytest.fixture
def database(database_url: str) -> Iterator[db.Database]:
    """A migrated database, open."""
    opened = db.Database(database_url)
    yield opened
    opened.close()
