"""Restoring a backup into an empty database of either kind, and proving that it is complete."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

import orjson
import sqlalchemy as sa
from alembic.util import CommandError
from sqlalchemy import Connection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlmodel import col

from app.base.stored import facts, reserved_ids
from app.base.stored.database import WRITES, Database, kind_of, make_engine
from app.base.stored.upkeep_tables import ServerFact
from app.base.words.refusals import TitleMissing
from app.games import seeds
from app.games.store import LogBroken
from app.games.tables import Game
from app.play.turn import starting
from app.upkeep import migrating, schema
from app.upkeep.backups import rows
from app.upkeep.backups.writing import FORMAT, KEYS, MANIFEST, SETTINGS

LONGEST = 32 * 1024 * 1024
"""Bytes of a row, or of all that is said about the tables. What is longer is cut off, and then no backup."""
JUMPING = ("game", "player")
"""Tables whose numbers stay in people's mails and links for a long time."""


class CannotRestore(Exception):
    """Why a backup cannot be restored; nothing has been changed."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A readable backup."""

    archive: zipfile.ZipFile
    made_at: datetime
    revision: str
    tables: dict[str, Any]
    keys: str
    settings: dict[str, str]


@contextmanager
def opened(file: IO[bytes]) -> Iterator[Backup]:
    """Return a backup to read from; CannotRestore if it is not one, or was cut off."""
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError):
        raise CannotRestore("This is no backup of Post Road, or only the beginning of one.") from None
    with archive:
        try:
            about = {name: archive.open(name).read(LONGEST) for name in (MANIFEST, KEYS, SETTINGS)}
            manifest = orjson.loads(about[MANIFEST])
            if manifest["format"] != FORMAT:
                raise CannotRestore(f"This backup is of the kind {manifest['format']!r}; this version reads {FORMAT}.")
            yield Backup(
                archive,
                datetime.fromisoformat(manifest["made_at"]),
                manifest["revision"],
                manifest["tables"],
                about[KEYS].decode(),
                orjson.loads(about[SETTINGS]),
            )
        except (KeyError, ValueError, TypeError):
            raise CannotRestore("This is no backup of Post Road, or it was not written to its end.") from None
        except (zipfile.BadZipFile, EOFError) as error:
            raise CannotRestore(f"The backup is damaged: {error}") from None


def restore(backup: Backup, url: str) -> None:
    """Fill the empty database at `url`. CannotRestore when it is not empty, or the backup is damaged or newer than this
    version; then it is still empty."""
    _refuse_if_in_use(url)
    migrating.downgrade(url, "base")  # a server that was started, but has no players yet
    try:
        migrating.upgrade(url, backup.revision)
    except CommandError:
        raise CannotRestore(
            f"The backup is at the migration {backup.revision}, this version knows them up to {schema.newest()}: "
            "install the version that made it, or a newer one."
        ) from None
    engine = make_engine(url)
    try:
        with engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                _raw(connection).cursor().execute("PRAGMA foreign_keys=OFF")  # has no effect inside a transaction
            connection = connection.execution_options(**{WRITES: True})
            with connection.begin():
                _fill(connection, backup)
    except BaseException:
        migrating.downgrade(url, "base")
        raise
    finally:
        engine.dispose()
    migrating.upgrade(url)
    know_the_tables(url)


def know_the_tables(url: str) -> None:
    """Have PostgreSQL count what is in its tables, which its plans depend on: it does so by itself only a minute or
    more later, and without it the page of a player's games takes a second if there are many games."""
    with closing(Database(url)) as database, database.write() as session:
        if kind_of(session) == "postgresql":
            session.execute(sa.text("ANALYZE"))


def verify_games(database: Database) -> int:
    """Replay every game that has begun and compare it with what is stored; return how many. CannotRestore with the
    first broken ones."""
    with database.read() as session:
        numbers = session.scalars(sa.select(col(Game.id)).where(col(Game.entries) > 0).order_by(col(Game.id))).all()
    broken = []
    for number in numbers:
        try:
            starting.verify(database, number)
        except LogBroken as why:
            broken.append(str(why))
        except TitleMissing as why:
            broken.append(f"game {number}: the rules of {why.which} are not installed here")
    if broken:
        raise CannotRestore(
            f"All is restored, but {len(broken)} games are not as their logs say: " + "; ".join(broken[:5])
        )
    return len(numbers)


def jump(database: Database, by: int, now: datetime) -> dict[str, tuple[int, int]]:
    """Skip so many numbers of games, players and seeds, and note that; return the last one given and the first to come,
    by table. On PostgreSQL all other numbers jump, too."""
    jumped = {}
    with database.write() as session:
        connection = session.connection()
        for table in rows.tables_of(connection):
            if table.name not in JUMPING:
                continue
            last: int = session.scalar(sa.select(sa.func.max(table.c.id))) or 0
            jumped[table.name] = (last, last + by + 1)
            if by:
                name = reserved_ids.FIRST + table.name
                known = session.get(ServerFact, name)  # from a restore before this one
                facts.tell(session, name, str(max(last + by + 1, int(known.value) if known else 0)), now)
        if by:
            seeds.jump(session, by, now)  # otherwise a game could get a seed that has already been seen
        session.flush()
        _set_sequences(connection, by)
    return jumped


def _refuse_if_in_use(url: str) -> None:
    with closing(Database(url)) as database, database.read() as session:
        there = set(sa.inspect(session.connection()).get_table_names())
        for name in ("player", "game"):
            if name in there and session.scalar(sa.text(f"SELECT count(*) FROM {name}")):
                raise CannotRestore(
                    "The database has players or games already; a backup is brought back into an empty one. Name "
                    "another in POSTROAD_DATABASE_URL, or move this one away."
                )


def _fill(connection: Connection, backup: Backup) -> None:
    tables = rows.tables_of(connection)
    names = {table.name for table in tables}
    if names != set(backup.tables):
        raise CannotRestore(f"The backup has other tables: {', '.join(sorted(names ^ set(backup.tables)))}.")
    references = _without_references(connection)
    for table in tables:
        said = backup.tables[table.name]
        connection.execute(sa.delete(table))  # what migrations have put in
        seen = hashlib.sha256()
        with backup.archive.open(f"tables/{table.name}.jsonl") as file:
            rows.insert(connection, table, said["columns"], _seen(file, seen.update))
        if seen.hexdigest() != said["sha256"]:
            raise CannotRestore(f"The backup is damaged: the table {table.name} is not what was written.")
    for statement in references:
        connection.execute(sa.text(statement))
    if connection.dialect.name == "sqlite":
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
        if broken:
            raise CannotRestore(f"The backup is damaged: rows point to rows that are not there: {broken[:5]}")
    for table in tables:
        said = backup.tables[table.name]
        if rows.digest(connection, table) != (said["rows"], said["sha256"]):
            raise CannotRestore(f"The table {table.name} did not arrive as it was written.")
    _set_sequences(connection, 0)


def _seen(lines: IO[bytes], take: Callable[[bytes], None]) -> Iterator[bytes]:
    while line := lines.readline(LONGEST):
        take(line)
        yield line


def _without_references(connection: Connection) -> list[str]:
    """Let rows come in any order: drop PostgreSQL's foreign keys; return the statements that restore them, which check
    every row."""
    if connection.dialect.name == "sqlite":
        return []
    found = connection.execute(
        sa.text(
            "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2"
        )
    ).all()
    for table, name, _ in found:
        connection.execute(sa.text(f"ALTER TABLE {table} DROP CONSTRAINT {name}"))
    return [f"ALTER TABLE {table} ADD CONSTRAINT {name} {what}" for table, name, what in found]


def _set_sequences(connection: Connection, ahead: int) -> None:
    """Have PostgreSQL continue after the largest existing numbers, and so many further on."""
    if connection.dialect.name == "sqlite":
        return
    quoted = connection.dialect.identifier_preparer.format_table
    for table in rows.tables_of(connection):
        if "id" not in table.columns:
            continue
        sequence = connection.scalar(sa.text("SELECT pg_get_serial_sequence(:name, 'id')"), {"name": quoted(table)})
        if sequence is not None:
            largest = sa.select(sa.func.coalesce(sa.func.max(table.c.id), 0) + ahead + 1).scalar_subquery()
            connection.execute(sa.select(sa.func.setval(sequence, largest, False)))


def _raw(connection: Connection) -> DBAPIConnection:
    raw = connection.connection.dbapi_connection
    assert raw is not None
    return raw
