"""What a room brings to a server, said in its `register.py`.

A room names its modules as they are called within it (`pages`, `mails`), so that the list of rooms can be read
without importing any: `postroad --help` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import NamedTuple


class Command(NamedTuple):
    """Where a command of `postroad` lives, as `module:attribute`, and its line in the help."""

    source: str
    help: str


def _nothing() -> None:
    """No other room asks it anything."""


@dataclass(frozen=True, slots=True)
class Room:
    """One subject of the server. A package that is named stands for all modules in it."""

    package: str
    mails: tuple[str, ...] = ()
    """Modules with functions that are a `mail` (`app.post.letters.writing`)."""
    pages: tuple[str, ...] = ()
    """Modules with a `blueprint`, their own or one that they add pages to."""
    jobs: tuple[str, ...] = ()
    """Modules with what is declared by `app.base.process.jobs`."""
    commands: Mapping[str, Command] = field(default_factory=dict)
    """By name; their sources are within the room."""
    connect: Callable[[], None] = _nothing
    """Answers what the ports of rooms below ask."""

    def load(self, names: tuple[str, ...]) -> Iterator[ModuleType]:
        """Import modules of the room, and all within its packages."""
        for name in names:
            module = import_module(f"{self.package}.{name}")
            yield module
            for inner in walk_packages(getattr(module, "__path__", ()), f"{module.__name__}."):
                yield import_module(inner.name)
