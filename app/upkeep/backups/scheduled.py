"""Scheduled backups: one for each stretch of time, by whichever process comes first; the oldest are deleted."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col, select

from app.base import failures, private
from app.base.jobs import tidies, worker
from app.base.leases import keep_looking
from app.base.upkeep_tables import BackupMade
from app.base.upserts import insert_into
from app.upkeep.backups import writing

if TYPE_CHECKING:
    import threading
    from pathlib import Path

    from sqlmodel import Session

    from app.base.server import Server

log = logging.getLogger("postroad.backups")

LOOK_EVERY_SECONDS = 60.0
AGAIN_AFTER = timedelta(hours=1)
"""How long after a failed one, or one begun by a process that is gone, another one is tried."""
ROWS_KEPT = timedelta(days=400)
PATTERN = "postroad-*.zip"


@dataclass(frozen=True, slots=True)
class LastBackup:
    """The newest backup that was made, and what has failed since."""

    made_at: datetime | None
    file: str
    size: int
    error: str


@worker("backups")
class Backups:
    """Makes backups in one process."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def run(self, stop: threading.Event) -> None:
        """Make due backups until `stop` is set; without a folder there is nothing to do."""
        if self._server.config.backups is not None:
            keep_looking(stop, self._make_due, LOOK_EVERY_SECONDS, log, "looking for backups failed")

    def _make_due(self) -> bool:
        return make_due(self._server, datetime.now(UTC))


def make_due(server: Server, now: datetime) -> bool:
    """Make the backup of this stretch of time unless there is one; return whether one was made. Failures are stored."""
    folder = server.config.backups
    assert folder is not None
    row_id = _claim(server, now)
    if row_id is None:
        return False
    path = folder / f"postroad-{now:%Y%m%dT%H%M%SZ}.zip"
    try:
        private.make_folder(folder)
        size = writing.write_file(path, server.database, server.config, now).size
        _forget(folder, server.config.backups_kept)
    except Exception as error:
        why = error.strerror or type(error).__name__ if isinstance(error, OSError) else failures.in_one_line(error)
        log.error("no backup could be written into %s: %s", folder, why)
        _note(server, row_id, error=why[:500])
        return False
    _note(server, row_id, ended_at=datetime.now(UTC), file=str(path)[-500:], size=size, error="")
    log.info("backup %s, %d bytes", path.name, size)
    return True


def last(session: Session) -> LastBackup:
    """Return the state of the backups."""
    made = session.exec(
        select(BackupMade)
        .where(col(BackupMade.ended_at).is_not(None))
        .order_by(col(BackupMade.ended_at).desc())
        .limit(1)
    ).first()
    newest = session.exec(select(BackupMade).order_by(col(BackupMade.begun_at).desc()).limit(1)).first()
    error = newest.error if newest is not None and newest.ended_at is None else ""
    if made is None:
        return LastBackup(None, "", 0, error)
    return LastBackup(made.ended_at, made.file, made.size, error)


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete old rows."""
    return session.exec(sa.delete(BackupMade).where(col(BackupMade.begun_at) < now - ROWS_KEPT)).rowcount


def _claim(server: Server, now: datetime) -> int | None:
    """Return the row of the backup that is due now, if it is ours to make."""
    stretch = timedelta(hours=server.config.backup_hours)
    slot = str(int(now.timestamp() // stretch.total_seconds()))
    with server.database.read() as session:
        found = session.exec(select(BackupMade).where(BackupMade.slot == slot)).first()
    if found is not None and (found.ended_at is not None or found.begun_at > now - AGAIN_AFTER):
        return None
    with server.database.write() as session:
        if found is None:
            new = insert_into(session, BackupMade).values(slot=slot, begun_at=now, file="", size=0, error="")
            row_id = session.scalar(new.on_conflict_do_nothing().returning(col(BackupMade.id)))
        else:
            mine = sa.and_(col(BackupMade.id) == found.id, col(BackupMade.begun_at) == found.begun_at)
            again = sa.update(BackupMade).where(mine).values(begun_at=now)
            row_id = session.scalar(again.returning(col(BackupMade.id)))
        session.commit()
    return row_id


def _note(server: Server, row_id: int, **values: object) -> None:
    with server.database.write() as session:
        session.execute(sa.update(BackupMade).where(col(BackupMade.id) == row_id).values(**values))
        session.commit()


def _forget(folder: Path, kept: int) -> None:
    """Delete the oldest scheduled backups; names sort by time."""
    for old in sorted(folder.glob(PATTERN))[:-kept]:
        old.unlink()
