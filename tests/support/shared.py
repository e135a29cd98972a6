"""Work that each test would repeat with the same result: done once per process.

A test has an app and a database of its own. Building the URL map of an app (some 220 rules) and the text of the same
statements for another database of the same kind was a third of the time of a test of pages.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from babel.messages.catalog import Catalog
from sqlalchemy import Engine, make_url
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache
from werkzeug.routing import Rule

from app.base.words import i18n
from app.upkeep import migrating
from tests.support import in_memory

_addresses: dict[Any, dict[str, Any]] = {}
_builders: dict[Any, tuple[Any, Any]] = {}
_statements: LRUCache[Any, Any] = LRUCache(4000)
_compile = Rule.compile
_new_engine = Engine.__init__
_read_catalogue = i18n.read_catalogue
_ours = cache(_read_catalogue)
_upgrade = migrating.upgrade
_TRANSLATIONS = i18n.TRANSLATIONS  # some tests have others


def share() -> None:
    """Let all apps and databases of this process share the compiled addresses and statements, and all tests the
    catalogues."""
    share_newest()
    i18n.read_catalogue = _catalogue
    Rule.compile = _compiled  # type: ignore[method-assign]
    Engine.__init__ = _engine  # type: ignore[method-assign]
    for dialect in (SQLiteDialect_pysqlite, PGDialect_psycopg):
        dialect.__eq__ = lambda self, other: type(self) is type(other)  # type: ignore[method-assign, assignment]
        dialect.__hash__ = lambda self: hash(type(self))  # type: ignore[method-assign, assignment]


def share_newest() -> None:
    """Let each new SQLite database be a copy of one that went through all migrations."""
    migrating.upgrade = _upgraded


@cache
def newest() -> bytes:
    """Return an SQLite database that went through all migrations, as a file holds it."""
    with TemporaryDirectory(dir=in_memory.folder()) as folder:
        path = f"{folder}/newest.db"
        _upgrade(f"sqlite:///{path}")
        with closing(sqlite3.connect(path)) as made:
            made.execute("PRAGMA journal_mode=DELETE")  # one in memory has no other file beside it
            return made.serialize()


def _upgraded(url: str, revision: str = "head") -> None:
    place = make_url(url)
    if revision == "head" and place.get_backend_name() == "sqlite":
        with suppress(OSError):
            Path(str(place.database)).touch(0o600)
        with suppress(sqlite3.Error), closing(sqlite3.connect(str(place.database))) as database:
            if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
                with closing(sqlite3.connect(":memory:")) as source:
                    source.deserialize(newest())
                    source.backup(database)
                database.execute("PRAGMA journal_mode=WAL")
                return
    _upgrade(url, revision)


def _catalogue(language: str, folder: Path | None = None) -> Catalog:
    is_ours = folder is None and i18n.TRANSLATIONS == _TRANSLATIONS
    return _ours(language) if is_ours else _read_catalogue(language, folder)


def _compiled(rule: Rule) -> None:
    """Cache what `compile` finds out: it depends on the text of the address alone, unless that has defaults."""
    if rule.defaults:
        return _compile(rule)
    key = rule.rule, rule.subdomain, rule.merge_slashes
    if key not in _addresses:
        _compile(rule)
        _addresses[key] = {name: getattr(rule, name) for name in ("_parts", "_trace", "_converters", "arguments")}
        _builders[key] = rule._build.__func__, rule._build_unknown.__func__
    vars(rule).update(_addresses[key])
    rule._build, rule._build_unknown = (build.__get__(rule, None) for build in _builders[key])


def _engine(engine: Engine, *args: Any, **kwargs: Any) -> None:
    _new_engine(engine, *args, **kwargs)
    engine._compiled_cache = _statements
