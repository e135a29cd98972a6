"""Writing a backup: everything of one moment in one file, while the server goes on."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import orjson

from app.base.process import private
from app.base.process.config import Config
from app.base.stored.database import Database
from app.upkeep import schema
from app.upkeep.backups import rows

FORMAT = "postroad-backup-1"
MANIFEST, KEYS, SETTINGS = "manifest.json", "secret_key", "settings.json"


@dataclass(frozen=True, slots=True)
class BackupContents:
    """The contents of a backup: rows by table, or bytes for a file."""

    rows: dict[str, int]
    size: int = 0


def write_file(path: Path, database: Database, config: Config, now: datetime) -> BackupContents:
    """Write a backup to a file that only its owner can read; it exists whole, or not at all (OSError)."""
    with private.replaced(path) as file:
        written = write(file, database, config, now)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return BackupContents(written.rows, path.stat().st_size)


def write(stream: IO[bytes], database: Database, config: Config, now: datetime) -> BackupContents:
    """Write a backup to a stream. The manifest comes last: a backup without one was cut off."""
    tables: dict[str, Any] = {}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        with database.read() as session:
            connection = session.connection()
            revision = schema.revision_of(session)
            for table in rows.tables_of(connection):
                with archive.open(f"tables/{table.name}.jsonl", "w", force_zip64=True) as file:
                    count, seen = rows.digest(connection, table, file.write)
                columns = [str(column.name) for column in rows.columns_of(table)]
                tables[str(table.name)] = {"rows": count, "sha256": seen, "columns": columns}
        archive.writestr(KEYS, ",".join(config.secret_keys))
        archive.writestr(SETTINGS, orjson.dumps(dict(config.given), option=orjson.OPT_INDENT_2))
        manifest = {
            "format": FORMAT,
            "made_at": now.isoformat(timespec="seconds"),
            "version": version("postroad"),
            "revision": revision,
            "tables": tables,
        }
        archive.writestr(MANIFEST, orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    return BackupContents({name: table["rows"] for name, table in tables.items()})
