"""A copy of SQLite's file as it was before it is migrated, so that going back is a matter of one file."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from app.base import private
from app.base.database import file_of


class CannotCopy(Exception):
    """Why there is no copy; the database is as it was."""


def keep(url: str, revision: str) -> Path | None:
    """Copy a database that is at a revision to beside its file, and delete the copies of earlier migrations; None
    where nobody has an account in it yet, or another process has just migrated it. CannotCopy."""
    path = file_of(url)
    if path is None or not _has_players(path):
        return None
    copy = path.with_name(f"{path.name}.at-{revision}")
    size, free = path.stat().st_size, shutil.disk_usage(path.parent).free
    if free < size:
        raise CannotCopy(_why(path, f"{size >> 20} MB are needed, {free >> 20} MB are free"))
    half = copy.with_name(f"{copy.name}.{os.getpid()}.half")
    try:
        private.make_file(half)
        _copy(path, half)
        if _revision(half) != revision:
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
    """The copy that there is."""
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
        # Else there would be a log beside whatever opens the copy.
        target.execute("PRAGMA journal_mode=DELETE")


def _has_players(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as raw:
        return raw.execute("SELECT 1 FROM player LIMIT 1").fetchone() is not None


def _revision(path: Path) -> str:
    with closing(sqlite3.connect(path)) as raw:
        return str(raw.execute("SELECT version_num FROM alembic_version").fetchone()[0])
