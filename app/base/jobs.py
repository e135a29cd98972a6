"""What happens without anybody asking for it, declared beside the functions that do it; `app.upkeep.jobs` does it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

from sqlmodel import Session

from app.base.config import Config

if TYPE_CHECKING:
    from app.base.database import Database
    from app.base.server import Server


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


@dataclass(frozen=True, slots=True)
class Job:
    """Something that is done again and again."""

    name: str
    begin: Callable[[Config], Run]
    """Called once for each timetable, or for a sweep."""
    every: float | None = None
    """Seconds; None: only a sweep does it."""
    at_once: bool = True
    """Whether a timetable begins with it."""
    swept: bool = True
    """Whether `postroad sweep` does it."""
    did: str = ""
    """What the sweep says after the number; empty: nothing."""
    first: bool = False
    """Whether a sweep does it before the jobs of all rooms that are not."""


@dataclass(slots=True)
class _Declared:
    jobs: list[Job] = field(default_factory=list)
    tidying: list[Tidy] = field(default_factory=list)
    workers: list[tuple[str, Callable[[Server], Worker]]] = field(default_factory=list)


_declared: dict[str, _Declared] = {}
_registered: dict[str, _Declared] = {}


def register(module: str) -> None:
    """Have what a module declares done from now on, after what those before it declare."""
    _registered[module] = _declared[module]


def jobs() -> list[Job]:
    """All jobs, in the order in which a sweep does them."""
    return sorted((job for one in _registered.values() for job in one.jobs), key=lambda job: not job.first)


def tidying() -> list[Tidy]:
    """All that deletes rows that have run out."""
    return [tidy for one in _registered.values() for tidy in one.tidying]


def workers() -> list[tuple[str, Callable[[Server], Worker]]]:
    """The names of threads, and what makes that which runs in them."""
    return [worker for one in _registered.values() for worker in one.workers]


def _of(module: str) -> _Declared:
    return _declared.setdefault(module, _Declared())


# -- declaring ------------------------------------------------------------------------------------------


def job(
    name: str,
    *,
    every: float | None = None,
    at_once: bool = True,
    swept: bool = True,
    did: str = "",
    first: bool = False,
) -> Callable[[SomeRun], SomeRun]:
    """Declare that a function is a job; see `Job`."""

    def declare(run: SomeRun) -> SomeRun:
        made = Job(name, lambda config: run, every, at_once=at_once, swept=swept, did=did, first=first)
        _of(run.__module__).jobs.append(made)
        return run

    return declare


def begun_job(
    name: str, *, every: float | None, at_once: bool = True, swept: bool = True, did: str = ""
) -> Callable[[SomeBegin], SomeBegin]:
    """Declare a job by a function that gives what runs: one that needs the settings, or remembers its last run."""

    def declare(begin: SomeBegin) -> SomeBegin:
        _of(begin.__module__).jobs.append(Job(name, begin, every, at_once=at_once, swept=swept, did=did))
        return begin

    return declare


def tidies(tidy: SomeTidy) -> SomeTidy:
    """Declare that a function deletes rows that have run out, in a transaction of its own."""
    _of(tidy.__module__).tidying.append(tidy)
    return tidy


def worker(name: str) -> Callable[[SomeMake], SomeMake]:
    """Declare a class, or a function, to make what works in a thread of this name."""

    def declare(make: SomeMake) -> SomeMake:
        _of(make.__module__).workers.append((name, make))
        return make

    return declare
