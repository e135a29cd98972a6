"""Tile sets installed by an operator, as database rows: the name and the data of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import insert, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlmodel import select
from sqlmodel.sql.expression import SelectOfScalar

from app.base.process.config import configured_database
from app.base.process.settings import BadSetting
from app.base.stored.database import Database
from app.base.stored.upkeep_tables import InstalledSet

T = TypeVar("T")
TITLE = "new-world"
_OURS = InstalledSet.title == TITLE


def names(database: Database | None) -> tuple[str, ...]:
    """Return the names of all sets in this database, or in that of the settings."""
    return tuple(_ask(database, select(InstalledSet.name).where(_OURS).order_by(InstalledSet.name)))


def content(database: Database | None, name: str) -> Mapping[str, Any] | None:
    """Return the data of a set in this database, or in that of the settings; None if it does not exist."""
    return next(iter(_ask(database, select(InstalledSet.content).where(_OURS, InstalledSet.name == name))), None)


def add(database: Database, name: str, data: Mapping[str, Any], now: datetime) -> bool:
    """Store a set; return False if one with this name exists already, which may differ."""
    with database.write() as session:
        if session.scalar(select(InstalledSet.id).where(_OURS, InstalledSet.name == name)) is not None:
            return False
        row = {"title": TITLE, "name": name, "content": data, "installed_at": now}
        try:
            session.exec(insert(InstalledSet).values(**row))
            session.commit()
        except IntegrityError:
            session.rollback()  # another process was faster; perhaps with another set
            return False
        return True


def _ask(database: Database | None, question: SelectOfScalar[T]) -> Sequence[T]:
    if database is None:
        return _ask_the_settings(question)
    with database.read() as session:
        return session.exec(question).all()


def _ask_the_settings(question: SelectOfScalar[T]) -> Sequence[T]:
    """Ask the database of the settings, for commands that only read records. One that does not exist, or is older than
    this, holds no sets."""
    try:
        url = make_url(configured_database())
    except BadSetting:
        return ()
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        return ()
    database = Database(url.render_as_string(hide_password=False))
    try:
        with database.read() as session:
            return session.exec(question).all()
    except DBAPIError:
        return ()
    finally:
        database.close()
