"""The machine and the database."""

from __future__ import annotations

import errno
import pwd
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session

from app.base.process import env_file, private
from app.base.process.config import Config
from app.base.server import Server
from app.base.stored.database import file_of, kind_of
from app.base.stored.upkeep_tables import ServerFact
from app.upkeep import condition, health, schema
from app.upkeep.backups import before
from app.upkeep.condition import Condition
from app.upkeep.doctor import parts
from app.upkeep.doctor.finding import Finding, ill, unknown, well

LEAST_FREE = 500_000_000
LEAST_SHARE = 0.05
UNIT_USER = "postroad"

Drift = Callable[[Session], Sequence[object]]
"""Finds the differences between tables and models."""


def settings(config: Config) -> Iterator[Finding]:
    """Check what the settings leave open."""
    if not config.base_url_is_given:
        yield ill(
            "settings", f"links lead to {config.base_url}", "Set POSTROAD_BASE_URL to the address that people use."
        )
    else:
        yield well("settings", f"{config.base_url}, mails from {config.mail_from}")
    if config.mail_host is not None and not config.mail_in.is_open:
        why = "none: turns are answered by links alone, and mails that come back go unnoticed"
        yield unknown("way in for mails", why, "If you want it: POSTROAD_LMTP or POSTROAD_IMAP_URL.")
    if config.mail_in.is_open and config.mail_in.authserv is None:
        yield unknown("settings", "POSTROAD_MAIL_AUTHSERV is not set: who wrote an answer is proven by DKIM alone")
    file = env_file.place()
    if file.exists() and file.stat().st_mode & (private.OF_OTHERS | stat.S_IRWXG):
        yield ill("settings", f"others on this machine can read {file}, with its passwords", f"chmod 600 {file}")


def owners(config: Config) -> Iterator[Finding]:
    """Check whose the data are: the server's user has to own all."""
    folder = config.data
    if not folder.is_dir():
        return
    owner = folder.stat().st_uid
    if owner == 0 and env_file.place() == env_file.USUAL and env_file.USUAL.exists() and _is_user(UNIT_USER):
        yield ill("owner", f"{folder} belongs to root, the units run as {UNIT_USER}", f"chown -R {UNIT_USER}: {folder}")
        return
    path = file_of(config.database_url)
    files = {*folder.glob("*"), *(private.of_database(path) if path else ())}
    if others := sorted(str(one) for one in files if one.exists() and one.stat().st_uid != owner):
        said = " ".join(others)
        yield ill(
            "owner", f"{said} does not belong to the server's user", f"As root: chown --reference={folder} {said}"
        )


def _is_user(name: str) -> bool:
    try:
        return bool(pwd.getpwnam(name))
    except KeyError:
        return False


def disk(config: Config) -> Iterator[Finding]:
    """Check whether there is room, and the data folder can be written."""
    try:
        with tempfile.NamedTemporaryFile(dir=config.data):
            pass
        room = shutil.disk_usage(config.data)
    except OSError as error:
        do = {
            errno.EROFS: "Mount it writable again; `dmesg` tells why it is not, most often a failing disk.",
            errno.ENOSPC: "Make room: a server on a full disk takes no moves.",
            errno.EDQUOT: "Raise the quota of the server's user, or make room.",
        }.get(error.errno or 0, f"As root, for the server's user: chown -R USER: {config.data}")
        yield ill("disk", f"{config.data} cannot be written: {error.strerror}", do)
        return
    said = f"{room.free / 1e9:.1f} GB free in {config.data}"
    if room.free < LEAST_FREE or room.free / room.total < LEAST_SHARE:
        yield ill("disk", said, "Make room: a server on a full disk takes no moves.")
    else:
        yield well("disk", said)
    path = file_of(config.database_url)
    readable = private.open_to_others(config.data, private.of_database(path) if path else ())
    if readable:
        said = " ".join(map(str, readable))
        yield ill("files", f"others on this machine can read {said}", f"chmod o= {said}")


def database(server: Server, now: datetime, drift: Drift | None = None) -> Iterator[Finding]:
    """Check database, migrations, the clock, and what processes have noted about themselves."""
    config = server.config
    try:
        with server.database.read() as session:
            found = [*_database(session, config.database_url, drift)]
            is_behind = schema.is_behind(schema.revision_of(session))
            if not is_behind:  # else tables may be missing
                seen = condition.look(session, config, now, server.database.failures)
                found += [*_clock(session, seen, now), *parts.look(session, config, now, seen)]
        yield from found
    except Exception as error:
        said = " ".join(str(getattr(error, "orig", error)).split())[:300]
        yield ill("database", said, _way_to(config.database_url))
        return
    if not is_behind:
        yield _write(server)


def _way_to(url: str) -> str:
    path = file_of(url)
    if path is None:
        return "See that PostgreSQL runs (systemctl status postgresql) and POSTROAD_DATABASE_URL names it."
    return f"See that the server's user may read and write {path} and its folder, as `ls -l` shows."


def _write(server: Server) -> Finding:
    """Check whether a transaction can write, by one that leaves nothing behind."""
    try:
        with server.database.write() as session:
            session.execute(sa.update(ServerFact).where(sa.false()).values(value=""))
            session.rollback()
    except Exception as error:
        said = " ".join(str(getattr(error, "orig", error)).split())[:300]
        do = "If it is locked, end what keeps it open: `fuser -v FILE` (SQLite), pg_stat_activity (PostgreSQL)."
        return ill("writing", f"the database takes nothing: {said}", do)
    return well("writing", "the database takes writes")


def _database(session: Session, url: str, drift: Drift | None) -> Iterator[Finding]:
    revision = schema.revision_of(session)
    if schema.is_ahead(revision):
        said = f"at {revision}, of a newer version; this one knows {schema.newest()}"
        yield ill("migrations", said, "Upgrade this machine, too.")
        return
    if schema.is_behind(revision):
        yield ill(
            "migrations",
            f"{f'at {revision}' if revision else 'an empty database'}, the program needs {schema.newest()}",
            "postroad db upgrade, or restart `serve`.",
        )
        return
    if drift and (differences := drift(session)):
        yield ill("migrations", f"{len(differences)} differences from the models", "postroad db check names them.")
    else:
        copy = before.kept(url)
        said = f"; as it was before the last ones: {copy}" if copy else ""
        yield well("migrations", f"at {revision}, as the program needs it{said}")
    if kind_of(session) == "sqlite":
        said = str(session.execute(sa.text("PRAGMA quick_check(1)")).scalar())
        yield well("database", "SQLite, sound") if said == "ok" else ill("database", said, "Bring a backup back.")
    else:
        yield well("database", "PostgreSQL answers")


def _clock(session: Session, seen: Condition, now: datetime) -> Iterator[Finding]:
    off = timedelta(0)
    if kind_of(session) != "sqlite":
        off = abs(session.execute(sa.text("SELECT clock_timestamp()")).scalar_one() - datetime.now(UTC))
    if off > health.MAY_BE_AHEAD:
        yield ill("clock", f"{off.total_seconds():.0f} s from the database's", "Let NTP keep both clocks.")
    elif seen.ahead is None:
        yield well("clock", f"{now:%Y-%m-%d %H:%M:%S} UTC, as the database has it")
