"""Where the engine finds installed tile sets: it asks when a game first names one (`Shelf`). A set never changes, so it
is read once per process."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from app.base.stored.database import Database
from engine.new_world import tiles


class Shelf:
    """The sets in the database: of this process's server, or of the settings if none is open."""

    def names(self) -> tuple[str, ...]:
        return tuple(_installed().names(_database()))

    def data(self, set_id: str) -> Mapping[str, Any] | None:
        found: Mapping[str, Any] | None = _installed().content(_database(), set_id)
        return found


def _installed() -> ModuleType:
    from app.titles.new_world import installed_sets  # noqa: PLC0415  records can be read without a database

    return installed_sets


_kept_in: list[Database] = []


def _database() -> Database | None:
    return _kept_in[-1] if _kept_in else None


def keep_in(database: Database | None) -> None:
    """Set the database of this process's server; None when it has none any more."""
    _kept_in[:] = [] if database is None else [database]


def attach() -> None:
    """Let the engine find installed sets; called when the title is loaded."""
    tiles.ask_also(Shelf())
