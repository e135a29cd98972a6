"""What happens without anybody asking for it, declared beside the functions that do it; `app.upkeep.jobs` does it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

from sqlmodel import Session

from app.base.process.config import Config

if TYPE_CHECKING:
    from app.base.server import Server
    from app.base.stored.database import Database


class Worker(Protocol):
    """Something that works through rows in a thread of its own."""

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set."""


Run = Callable[["Database", datetime], int]
"""Does what is due at a moment; how many things that was."""
Tidy = Callable[["Session", datetime], "int | None"]
"""Deletes rows that have run out, and gives how many."""
SomeRun = TypeVar("SomeRun", bound=Run)
SomeTidy = TypeVar("SomeTidy", bound=Tidy)
SomeBegin = TypeVar("SomeBegin", bound="Callable[[Config], Run]")
SomeMake = TypeVar("SomeMake", bound="Callable[[Server], Worker]")


@dataclass(slots=True)
class Job:
    """Something that is done again and again, declared by decorating the function that does it."""

    name: str
    every: float
    """Seconds."""
    at_once: bool = True
    """Whether a timetable begins with it."""
    begin: Callable[[Config], Run] = field(init=False)
    """Called once for each timetable."""

    def __call__(self, run: SomeRun) -> SomeRun:
        """Declare that a function is the job."""
        self.begin = lambda config: run
        JOBS.append(self)
        return run

    def begun(self, begin: SomeBegin) -> SomeBegin:
        """Declare that a function gives what runs: one that needs the settings, or remembers its last run."""
        self.begin = begin
        JOBS.append(self)
        return begin


job = Job
"""As it stands above a function."""


JOBS: list[Job] = []
TIDYING: list[Tidy] = []
"""All that deletes rows that have run out."""
WORKERS: list[tuple[str, Callable[[Server], Worker]]] = []
"""The names of threads, and what makes that which runs in them."""


# -- declaring ------------------------------------------------------------------------------------------


def tidies(tidy: SomeTidy) -> SomeTidy:
    """Declare that a function deletes rows that have run out, in a transaction of its own."""
    TIDYING.append(tidy)
    return tidy


def worker(name: str) -> Callable[[SomeMake], SomeMake]:
    """Declare a class, or a function, to make what works in a thread of this name."""

    def declare(make: SomeMake) -> SomeMake:
        WORKERS.append((name, make))
        return make

    return declare
