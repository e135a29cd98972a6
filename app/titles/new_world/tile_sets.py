"""Tile sets from files: judged, and installed for good. They are database rows, so that every process and every later
start knows them, and a backup of the games holds the tiles they are played with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from app.base.stored.database import Database
from app.titles.new_world import installed_sets, shelf
from engine.new_world import tiles
from engine.new_world.tiles import TileSet

LARGEST_FILE = 1_000_000
"""Bytes. The shipped set has a fiftieth of that."""
LONGEST_NAME = 60


class NotReadable(Exception):
    """The file cannot be read as JSON; the message says why."""


class NotInstalled(Exception):
    """The set cannot be installed; `problems` are sentences."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class TileSetInstallation(NamedTuple):
    """A set, and whether it is new here."""

    tiles: TileSet
    is_new: bool


# -- files ------------------------------------------------------------------------------------------


def read_file(path: Path) -> object:
    """Return the data in a file of tiles, not judged yet. Raises NotReadable."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise NotReadable(f"The file cannot be read: {error.strerror or error}.") from None
    if len(raw) > LARGEST_FILE:
        raise NotReadable(f"The file is larger than {LARGEST_FILE} bytes; no tile set is.")
    try:
        data = json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse_constant)
        json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair is JSON, but not text
    except UnicodeError:
        raise NotReadable("The file is not text in UTF-8.") from None
    except json.JSONDecodeError as error:
        raise NotReadable(f"The file is not JSON: {error.msg} in line {error.lineno}, column {error.colno}.") from None
    except (ValueError, RecursionError) as error:
        raise NotReadable(f"The file is not JSON that can be read here: {str(error)[:200]}.") from None
    return data


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def problems_of(data: object) -> list[str]:
    """Return what keeps the data from being used, a sentence for each tile and reason; empty if nothing does."""
    problems = list(tiles.check_tiles(data))
    if isinstance(data, Mapping) and not problems and len(data["set_id"]) > LONGEST_NAME:
        problems = [f"set_id has {len(data['set_id'])} characters; {LONGEST_NAME} are the most."]
    return problems


# -- installing -------------------------------------------------------------------------------------


def judged(data: object) -> Mapping[str, Any]:
    """Return the data of a usable set. NotInstalled says what is wrong with any other."""
    problems = problems_of(data)
    if problems or not isinstance(data, Mapping):
        raise NotInstalled(problems)
    return data


def install(database: Database, given: object, *, now: datetime) -> TileSetInstallation:
    """Store a set for good. NotInstalled when it is inconsistent or its name belongs to another set."""
    data = judged(given)
    shelf.keep_in(database)
    shelf.attach()
    name = data["set_id"]
    known = tiles.find_tile_set(name)
    may_be_kept = name != tiles.SHIPPED and (known is None or known.data == data)
    is_new = may_be_kept and installed_sets.add(database, name, data, now)
    try:
        return TileSetInstallation(tiles.install(data), is_new)
    except tiles.InvalidTileSet as invalid:
        raise NotInstalled(invalid.problems) from None
