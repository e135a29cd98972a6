"""What is the database's trouble passes by itself; what is ours needs its traceback."""

from __future__ import annotations

import psycopg
import pytest

from app.base import failures


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (psycopg.errors.AdminShutdown(), True),
        (psycopg.errors.DiskFull(), True),
        (psycopg.errors.InternalError_("could not write to log file: No space left on device"), True),
        (psycopg.errors.InFailedSqlTransaction(), False),
        (psycopg.errors.UndefinedTable(), False),
    ],
)
def test_a_server_that_cannot_go_on_is_not_a_statement_that_is_wrong(error: Exception, passes: bool) -> None:
    assert failures.is_of_the_database(error) == passes
