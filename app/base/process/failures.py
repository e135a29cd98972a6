"""Telling a failing database from a failing program: the one passes by itself, the other needs its traceback."""

from __future__ import annotations

import sqlite3
import sys
from dataclasses import dataclass
from datetime import datetime
from logging import Logger
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionLeft

from app.base.words.refusals import TitleMissing


@dataclass(slots=True)
class Failures:
    """What one process has experienced of a failing database."""

    times: int = 0
    last_at: datetime | None = None
    said: str = ""
    is_told: bool = True
    """Whether the last failure is noted in the database, so that every process knows it."""

    def meet(self, error: BaseException, now: datetime) -> None:
        """Note a failure if it is the database's."""
        if is_of_the_database(error):
            self.times, self.last_at, self.said, self.is_told = self.times + 1, now, in_one_line(error), False


def is_of_the_database(error: BaseException) -> bool:
    """Return whether the database could not do what it was properly asked to: disk full, I/O error, locked for too
    long, server gone. For SQLAlchemy's errors and the drivers' own."""
    if isinstance(error, NoConnectionLeft):
        return True
    driver: Any = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(driver, sqlite3.OperationalError):
        # This code means a statement that is wrong: no such table.
        return getattr(driver, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR
    psycopg = sys.modules.get("psycopg")  # not imported unless needed
    if psycopg is None:
        return False
    return cannot_go_on(driver) or isinstance(driver, (psycopg.OperationalError, psycopg.InterfaceError))


def cannot_go_on(driver: BaseException | None) -> bool:
    """Return whether PostgreSQL itself is in trouble, for example with a log that it cannot write. Other errors of this
    kind are statements out of order."""
    psycopg = sys.modules.get("psycopg")
    return psycopg is not None and isinstance(driver, psycopg.InternalError) and (driver.sqlstate or "")[:2] == "XX"


def in_one_line(error: BaseException) -> str:
    """Return what the database said, on one line."""
    driver: Any = error.orig if isinstance(error, DBAPIError) else error
    return " ".join(str(driver).split())


def report(log: Logger, what: str, error: BaseException) -> None:
    """Log that something failed: in one line if the database did, else with the traceback. A missing title was reported
    at the start."""
    if isinstance(error, TitleMissing):
        return
    if is_of_the_database(error):
        log.error("%s; the database says: %s", what, in_one_line(error))
    else:
        log.error("%s", what, exc_info=error)
