"""Moving a server from one database to another, as a backup that is restored at once."""

from __future__ import annotations

import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlmodel import col

from app.base.database import Database
from app.base.upkeep_tables import Heartbeat
from app.upkeep import schema
from app.upkeep.backups import restoring, writing
from app.upkeep.backups.restoring import CannotRestore

if TYPE_CHECKING:
    from app.base.config import Config

RUNS = timedelta(seconds=40)
"""A server that has beaten within this time is running: it beats every ten seconds."""


def move(old_url: str, config: Config, now: datetime) -> int:
    """Copy everything from the database at `old_url` into the empty one of the settings; return how many games were
    replayed. CannotRestore says why not; then the new one is still empty."""
    url = make_url(old_url)
    if old_url == config.database_url:
        raise CannotRestore("That is the database of the settings; name the new one in POSTROAD_DATABASE_URL.")
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise CannotRestore(f"There is no file {url.database}.")
    old = Database(old_url)
    try:
        with old.read() as session:
            if schema.revision_of(session) is None:
                raise CannotRestore("That database is empty.")
            beat = session.scalar(sa.select(sa.func.max(col(Heartbeat.last_at))))
        if beat is not None and now - beat < RUNS:
            raise CannotRestore("A server runs on that database. Stop it and wait a minute.")
        with tempfile.TemporaryFile() as file:
            writing.write(file, old, config, now)
            with restoring.opened(file) as found:
                restoring.restore(found, config.database_url)
    finally:
        old.close()
    new = Database(config.database_url)
    try:
        return restoring.verify_games(new)
    finally:
        new.close()
