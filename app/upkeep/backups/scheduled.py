"""Scheduled backups: one for each stretch of time, by whichever process comes first; the oldest are deleted."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

from sqlmodel import Session

from app.base.process import failures, private
from app.base.process.jobs import worker
from app.base.server import Server
from app.base.stored import facts
from app.base.stored.leases import keep_looking
from app.base.stored.upkeep_tables import ServerFact
from app.upkeep.backups import handing_on, writing

log = logging.getLogger("postroad.backups")

EVERY = timedelta(days=1)
LOOK_EVERY_SECONDS = 60.0
AGAIN_AFTER = timedelta(hours=1)
"""How long after a failed one, or one begun by a process that is gone, another one is tried."""
BEGUN = "backup.begun"
"""The fact that keeps the others from beginning one."""
MADE = "backup.made"
"""The fact that tells of the newest one: its stretch of time and its bytes, and where it is."""
FAILED = "backup.failed"
"""The fact that tells what failed when one was last tried; nothing if it went well."""
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
    with server.database.read() as session:
        made = session.get(ServerFact, MADE)
    if made is not None and made.value.startswith(f"{_stretch(now)} "):
        return False
    with server.database.write() as session:
        is_ours = facts.hold(session, BEGUN, uuid4().hex, now, AGAIN_AFTER)
    return is_ours and _make(server, now)


def _stretch(now: datetime) -> int:
    return int(now.timestamp() // EVERY.total_seconds())


def _make(server: Server, now: datetime) -> bool:
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
        with server.database.write() as session:
            facts.tell(session, FAILED, "", now, why[:500])
        return False
    with server.database.write() as session:
        facts.tell(session, MADE, f"{_stretch(now)} {size}", datetime.now(UTC), str(path))
        facts.tell(session, FAILED, "", now, failed)
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
    made, failed, tried = (session.get(ServerFact, name) for name in (MADE, FAILED, TRIED))
    error = (failed and failed.more) or ""
    if made is None:
        return LastBackup(None, "", 0, error)
    size = int(made.value.split()[1])
    return LastBackup(made.noted_at, made.more or "", size, error, tried.noted_at if tried else None)


def _forget(folder: Path, kept: int) -> None:
    """Delete the oldest scheduled backups; names sort by time."""
    for old in sorted(folder.glob(PATTERN))[:-kept]:
        old.unlink()
