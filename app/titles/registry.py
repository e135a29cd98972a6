"""The titles that this server knows, by the id that records and tables use.

A title is found by the entry point of that name in the group `postroad.titles`, whichever package provides it, and is
imported when first needed. Its own pages are found in `postroad.titles.pages`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Generic, TypeVar

from app.base.words import i18n
from app.base.words.refusals import TitleMissing
from app.titles.contract import TitlePages
from engine.kernel.title import Title

Found = TypeVar("Found")


class Registry(Mapping[str, Found], Generic[Found]):
    """What the installed packages provide in one group of entry points, by name; each is imported once."""

    def __init__(self, group: str) -> None:
        self._group = group
        self._loaded: dict[str, Found] = {}

    @cached_property
    def _points(self) -> dict[str, EntryPoint]:
        """The entry points by name. RuntimeError if two packages provide the same name, or none provides any."""
        points: dict[str, EntryPoint] = {}
        for point in sorted(entry_points(group=self._group), key=lambda one: one.name):
            other = points.setdefault(point.name, point)
            if other.value != point.value:
                raise RuntimeError(f"two packages bring {point.name} for {self._group}: {other.value}, {point.value}")
        if not points:
            raise RuntimeError("Post Road is not installed: start it with ./run, or install it with pip")
        return points

    def __getitem__(self, name: str) -> Found:
        if name not in self._loaded:
            if name not in self._points:
                raise TitleMissing(name)
            point = self._points[name]
            self._loaded[name] = point.load()
            i18n.add_translations(_beside(point))
        return self._loaded[name]

    def module_of(self, name: str) -> str:
        """Return the module that an entry point names."""
        return self._points[name].module

    def __iter__(self) -> Iterator[str]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)


def _beside(point: EntryPoint) -> Path:
    """Return the folder for translations in the package that an entry point belongs to."""
    package = sys.modules[point.module.partition(".")[0]]
    return Path(package.__path__[0]).resolve() / "translations"


TITLES: Registry[Title] = Registry("postroad.titles")
PAGES: Registry[TitlePages] = Registry("postroad.titles.pages")
"""Not every title has an entry here: `app.titles.pages.pages_of` gives plain pages to the others."""
