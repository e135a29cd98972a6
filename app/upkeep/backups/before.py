"""A copy of SQLite's file from before a migration, so that going back takes just one file."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from app.base.process import private
from app.base.stored.database import file_of


class CannotCopy(Exception):
    """There is no copy, and why; the database is unchanged."""


def keep(url: str, revision: str) -> Path | None:
    """Copy a database at a revision to beside its file, and delete the copies of earlier migrations; None if nobody has
    an account in it yet, or another process has just migrated it. Raises CannotCopy."""
    path = file_of(url)
    if path is None or _asked(path, "SELECT 1 FROM player LIMIT 1") is None:
        return None
    copy = path.with_name(f"{path.name}.at-{revision}")
    size, free = path.stat().st_size, shutil.disk_usage(path.parent).free
    if free < size:
        raise CannotCopy(_why(path, f"{size >> 20} MB are needed, {free >> 20} MB are free"))
    half = copy.with_name(f"{copy.name}.{os.getpid()}.half")
    try:
        private.make_file(half)
        _copy(path, half)
        if _asked(half, "SELECT version_num FROM alembic_version") != revision:
            return None
        os.replace(half, copy)
    except (sqlite3.Error, OSError) as error:
        raise CannotCopy(_why(path, str(error))) from None
    finally:
        half.unlink(missing_ok=True)
    for old in path.parent.glob(f"{path.name}.at-*"):
        if old != copy:
            with suppress(OSError):
                old.unlink()
    return copy


def kept(url: str) -> Path | None:
    """Return the existing copy."""
    path = file_of(url)
    return None if path is None else max(path.parent.glob(f"{path.name}.at-????"), default=None)


def _why(path: Path, said: str) -> str:
    return (
        f"The database is copied before it is migrated, and {path.parent} cannot take the copy: {said}. Nothing has "
        "been changed. Make room, and start again."
    )


def _copy(path: Path, to: Path) -> None:
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to)) as target:
        source.backup(target)
        # Otherwise there would be a log beside whatever opens the copy.
        target.execute("PRAGMA journal_mode=DELETE")


def _asked(path: Path, sql: str) -> object:
    """Return the first value of the first row; None if there is no row."""
    with closing(sqlite3.connect(path)) as raw:
        row = raw.execute(sql).fetchone()
    return row and row[0]
