"""Moving a server from one database to another, as a backup that is restored at once."""

from __future__ import annotations

import tempfile
import time
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlmodel import col

from app.base.process.config import Config
from app.base.stored.database import Database
from app.base.stored.upkeep_tables import Heartbeat
from app.upkeep import schema
from app.upkeep.backups import restoring, writing
from app.upkeep.backups.restoring import CannotRestore

RUNS = timedelta(seconds=40)
"""A server beats every ten seconds; one that has been silent for this time does not run."""


def move(old_url: str, config: Config, now: datetime) -> int:
    """Copy everything from the database at `old_url` into the empty one of the settings; return how many games were
    replayed. CannotRestore says why not; then the new one is still empty."""
    url = make_url(old_url)
    if old_url == config.database_url:
        raise CannotRestore("That is the database of the settings; name the new one in POSTROAD_DATABASE_URL.")
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise CannotRestore(f"There is no file {url.database}.")
    with closing(Database(old_url)) as old:
        with old.read() as session:
            if schema.revision_of(session) is None:
                raise CannotRestore("That database is empty.")
        if _is_served(old, now):
            raise CannotRestore("A server runs on that database. Stop it first.")
        with tempfile.TemporaryFile() as file:
            writing.write(file, old, config, now)
            with restoring.opened(file) as found:
                restoring.restore(found, config.database_url)
    with closing(Database(config.database_url)) as new:
        return restoring.verify_games(new)


def _is_served(old: Database, now: datetime) -> bool:
    """Return whether a server beats on a database; of one that was stopped a moment ago this takes as long as it could
    still be silent."""
    beats = sa.select(sa.func.max(col(Heartbeat.last_at)))
    with old.read() as session:
        first = session.scalar(beats)
    while first is not None and now - first < RUNS:
        time.sleep(1)
        now += timedelta(seconds=1)
        with old.read() as session:
            if session.scalar(beats) != first:
                return True
    return False
