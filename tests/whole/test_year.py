"""A few eventful days of the simulated year of `bench/year.py`: every deadline that a mail names."""

from __future__ import annotations

import pytest

from app.base.stored.database import Database
from app.time import pending
from bench.year import Figures, simulate
from tests.support.running import free_port


def days(database: Database, many: int) -> Figures:
    return simulate(database, many=9, days=many, seed=7, port=free_port(), players=5, trouble=2)


def test_each_deadline_of_each_mail_is_that_of_its_clock(sqlite_database: Database) -> None:
    """Read from subject and text as the host accepted them: turns, reminders of one and several games, last warnings,
    time granted, nudges, automatic leave; with holidays, leave, quiet hours, and the host and the server away for
    hours.
    """
    found = days(sqlite_database, 9)
    assert found.wrong == [], str(found)
    assert {"turn", "reminder", "reminders", "last", "nudge", "extension", "auto_leave"} == set(found.mails), str(found)
    assert {"host away", "server away", "leave", "extend", "again"} <= set(found.happened), str(found)
    assert found.deadlines > 60 and found.within < 5, str(found)


@pytest.mark.postgres
def test_on_postgresql_too(postgres_url: str) -> None:
    database = Database(postgres_url)
    found = days(database, 3)
    database.close()
    assert found.wrong == [] and found.deadlines > 20, str(found)


def test_a_mail_that_names_another_one_is_found(sqlite_database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the row as it is before the mail is accepted, right only if nothing stops the clock."""
    monkeypatch.setattr(pending, "deadline_if_accepted", lambda *_: None)
    found = days(sqlite_database, 4)
    assert found.wrong, str(found)
