"""The titles that this server knows, by the id that records and tables use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.kernel.title import Title

SOURCES = {"acres": "engine.acres.title:ACRES", "new-world": "engine.new_world.title:NEW_WORLD"}
"""Where each title stands, as module:name; a title is imported when it is first asked for."""

ADDED = {"new-world": "app.titles.tile_sets:attach"}
"""What this server adds to a title when it is loaded: a function without arguments, as module:name."""


class Titles(Mapping[str, "Title"]):
    """Titles by id, in the order of SOURCES."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = dict(sources)
        self._loaded: dict[str, Any] = {}

    def add(self, title: Title) -> None:
        """Make one more title known."""
        self._loaded[title.id] = title
        self._sources.setdefault(title.id, "")

    def __getitem__(self, key: str) -> Title:
        if key not in self._loaded:
            module, _, name = self._sources[key].partition(":")
            self._loaded[key] = getattr(import_module(module), name)
            if key in ADDED:
                module, _, name = ADDED[key].partition(":")
                getattr(import_module(module), name)()
        return self._loaded[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


def _is_there(source: str) -> bool:
    try:
        return find_spec(source.partition(":")[0]) is not None
    except ModuleNotFoundError:
        return False


TITLES = Titles({key: source for key, source in SOURCES.items() if _is_there(source)})
