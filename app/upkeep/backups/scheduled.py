"""Scheduled backups: one for each stretch of time, by whichever process comes first; the oldest are deleted."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process import failures, private
from app.base.process.jobs import tidies, worker
from app.base.server import Server
from app.base.stored import facts
from app.base.stored.database import insert_into
from app.base.stored.leases import keep_looking
from app.base.stored.upkeep_tables import BackupMade, ServerFact
from app.upkeep.backups import handing_on, writing

log = logging.getLogger("postroad.backups")

EVERY = timedelta(days=1)
LOOK_EVERY_SECONDS = 60.0
AGAIN_AFTER = timedelta(hours=1)
"""How long after a failed one, or one begun by a process that is gone, another one is tried."""
ROWS_KEPT = timedelta(days=400)
PATTERN = "postroad-*.zip*"
TRIED = "backup.tried"
"""The fact that tells when a backup last came back on trial."""
TRY_EVERY = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class LastBackup:
    """The newest backup that was made, what has failed since, and when one last came back on trial."""

    made_at: datetime | None
    file: str
    size: int
    error: str
    tried_at: datetime | None = None


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
    row_id = _claim(server, now)
    return row_id is not None and _make(server, row_id, now)


def _make(server: Server, row_id: int, now: datetime) -> bool:
    folder = server.config.backups
    assert folder is not None
    path = folder / f"postroad-{now:%Y%m%dT%H%M%SZ}.zip"
    try:
        private.make_folder(folder)
        size = writing.write_file(path, server.database, server.config, now).size
        failed, path = _hand_on(server, path, now)
        _forget(folder, server.config.backups_kept)
    except Exception as error:
        why = error.strerror or type(error).__name__ if isinstance(error, OSError) else failures.in_one_line(error)
        log.error("no backup could be written into %s: %s", folder, why)
        _note(server, row_id, error=why[:500])
        return False
    _note(server, row_id, ended_at=datetime.now(UTC), file=str(path)[-500:], size=size, error=failed)
    log.info("backup %s, %d bytes", path.name, size)
    return True


def _hand_on(server: Server, path: Path, now: datetime) -> tuple[str, Path]:
    """Try a backup out when a week has passed, encrypt it, hand it on; return what failed, and where it is then."""
    errors = []
    with server.database.read() as session:
        tried = session.get(ServerFact, TRIED)
    if tried is None or tried.noted_at <= now - TRY_EVERY:
        try:
            handing_on.try_out(path)
            with server.database.write() as session:
                facts.tell(session, TRIED, path.name, now)
        except handing_on.Failed as why:
            errors.append(str(why))
    if server.config.backup_age:
        path = handing_on.encrypt(path, server.config.backup_age)
    if server.config.backup_command:
        try:
            handing_on.hand_on(path, server.config.backup_command)
        except handing_on.Failed as why:
            errors.append(str(why))
    for error in errors:
        log.error("backup %s: %s", path.name, error)
    return "; ".join(errors)[:500], path


def last(session: Session) -> LastBackup:
    """Return the state of the backups."""
    made = session.exec(
        select(BackupMade)
        .where(col(BackupMade.ended_at).is_not(None))
        .order_by(col(BackupMade.ended_at).desc())
        .limit(1)
    ).first()
    newest = session.exec(select(BackupMade).order_by(col(BackupMade.begun_at).desc()).limit(1)).first()
    error = newest.error if newest is not None else ""
    if made is None:
        return LastBackup(None, "", 0, error)
    tried = session.get(ServerFact, TRIED)
    return LastBackup(made.ended_at, made.file, made.size, error, tried.noted_at if tried else None)


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete old rows."""
    return session.exec(sa.delete(BackupMade).where(col(BackupMade.begun_at) < now - ROWS_KEPT)).rowcount


def _claim(server: Server, now: datetime) -> int | None:
    """Return the row of the backup that is due now, if it is ours to make."""
    slot = str(int(now.timestamp() // EVERY.total_seconds()))
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
    return row_id


def _note(server: Server, row_id: int, **values: object) -> None:
    with server.database.write() as session:
        session.execute(sa.update(BackupMade).where(col(BackupMade.id) == row_id).values(**values))


def _forget(folder: Path, kept: int) -> None:
    """Delete the oldest scheduled backups; names sort by time."""
    for old in sorted(folder.glob(PATTERN))[:-kept]:
        old.unlink()
