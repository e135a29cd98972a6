"""Tile sets that the operator installs: kept as rows of the database, so that every process and every later start
knows them, and a backup of the games holds the tiles they are played with.

The engine asks for a set when a game first names it (`Shelf`); a set never changes, so it is read once in a process.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from sqlmodel.sql.expression import SelectOfScalar

    from app.base.database import Database
    from engine.new_world.tiles import TileSet

# Everything else is imported where it is needed: records can be read without a database.

T = TypeVar("T")
TITLE = "new-world"
LARGEST_FILE = 1_000_000
"""Bytes. The shipped set has a fiftieth of them."""
LONGEST_NAME = 60


class NotReadable(Exception):
    """The file cannot be read as JSON; the message says why."""


class NotInstalled(Exception):
    """The set cannot be installed; `problems` are sentences."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class Installed(NamedTuple):
    """A set, and whether it is new here."""

    tiles: TileSet
    is_new: bool


# -- files ------------------------------------------------------------------------------------------


def read_file(path: Path) -> Any:
    """The data in a file of tiles, not judged yet. NotReadable."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise NotReadable(f"The file cannot be read: {error.strerror or error}.") from None
    if len(raw) > LARGEST_FILE:
        raise NotReadable(f"The file is larger than {LARGEST_FILE} bytes; no tile set is.")
    try:
        data = json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse_constant)
        json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair is JSON, but no text
    except UnicodeError:
        raise NotReadable("The file is not text in UTF-8.") from None
    except json.JSONDecodeError as error:
        raise NotReadable(f"The file is not JSON: {error.msg} in line {error.lineno}, column {error.colno}.") from None
    except (ValueError, RecursionError) as error:
        raise NotReadable(f"The file is not JSON that can be read here: {str(error)[:200]}.") from None
    return data


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def problems_of(data: Any) -> list[str]:
    """What keeps the data from being played with, a sentence for each tile and reason; empty when nothing does."""
    from engine.new_world.tiles import check_tiles

    problems = list(check_tiles(data))
    if not problems and len(data["set_id"]) > LONGEST_NAME:
        problems = [f"set_id has {len(data['set_id'])} characters; {LONGEST_NAME} are the most."]
    return problems


# -- installing -------------------------------------------------------------------------------------


def install(database: Database, data: Any, *, now: datetime) -> Installed:
    """Keep a set for good. NotInstalled when it is inconsistent or its name belongs to another set."""
    from sqlalchemy import insert
    from sqlalchemy.exc import IntegrityError
    from sqlmodel import select

    from app.base.upkeep_tables import InstalledSet
    from engine.new_world import tiles

    problems = problems_of(data)
    if problems:
        raise NotInstalled(problems)
    keep_in(database)
    attach()
    known = tiles.find_tile_set(data["set_id"])
    row = {"title": TITLE, "name": data["set_id"], "content": data, "installed_at": now}
    is_new = False
    with database.write() as session:
        there = select(InstalledSet.id).where(InstalledSet.title == TITLE, InstalledSet.name == data["set_id"])
        if data["set_id"] != tiles.SHIPPED and session.scalar(there) is None and _are_alike(known, data):
            try:
                session.exec(insert(InstalledSet).values(**row))
                session.commit()
                is_new = True
            except IntegrityError:
                session.rollback()  # another process was faster; perhaps with another set
    try:
        return Installed(tiles.install(data), is_new)
    except tiles.InvalidTileSet as invalid:
        raise NotInstalled(invalid.problems) from None


def _are_alike(known: TileSet | None, data: Mapping[str, Any]) -> bool:
    return known is None or known.data == data


# -- what the engine asks -----------------------------------------------------------------------------


class Shelf:
    """The sets in the database: of this process's server, or of the settings where none is open."""

    def names(self) -> tuple[str, ...]:
        from sqlmodel import select

        from app.base.upkeep_tables import InstalledSet

        rows = self._ask(select(InstalledSet.name).where(InstalledSet.title == TITLE).order_by(InstalledSet.name))
        return tuple(rows)

    def data(self, set_id: str) -> Mapping[str, Any] | None:
        from sqlmodel import select

        from app.base.upkeep_tables import InstalledSet

        kept = select(InstalledSet.content).where(InstalledSet.title == TITLE, InstalledSet.name == set_id)
        return next(iter(self._ask(kept)), None)

    @staticmethod
    def _ask(question: SelectOfScalar[T]) -> Sequence[T]:
        if _kept_in:
            with _kept_in[-1].read() as session:
                return session.exec(question).all()
        return _ask_the_settings(question)


_kept_in: list[Database] = []


def keep_in(database: Database | None) -> None:
    """The database of this process's server; None when it has none any more."""
    _kept_in[:] = [] if database is None else [database]


def attach() -> None:
    """Let the engine find installed sets; called when the title is loaded."""
    from engine.new_world import tiles

    tiles.ask_also(Shelf())


def _ask_the_settings(question: SelectOfScalar[T]) -> Sequence[T]:
    """For commands that only read records. A database that is not there, or is older than this, holds no sets."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import DBAPIError

    from app.base.config import BadSetting, configured_database
    from app.base.database import Database

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
