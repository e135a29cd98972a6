"""Trouble of the database passes without our help; a fault of ours needs its traceback."""

from __future__ import annotations

import io
import logging

import psycopg
import pytest
import sqlalchemy as sa

from app.base.process import failures, logs
from app.base.stored.database import Database


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


def test_a_connection_that_is_lost_as_it_is_given_back_is_one_line(postgres_url: str) -> None:
    """The pool logs that itself, with a traceback of its own, and the next connection is a new one."""
    database, other = Database(postgres_url), sa.create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    said = io.StringIO()
    handler = logs.handler(said)
    logging.getLogger("sqlalchemy.pool").addHandler(handler)
    lent = database.engine.raw_connection()
    lent.cursor().execute("SELECT 1")
    with other.connect() as connection:
        connection.execute(
            sa.text("SELECT pg_terminate_backend(:pid)"), {"pid": lent.driver_connection.info.backend_pid}
        )  # type: ignore[union-attr]
    lent.close()
    logging.getLogger("sqlalchemy.pool").removeHandler(handler)
    (line,) = said.getvalue().splitlines()
    assert "given" not in line and "raceback" not in line and "; the database says: " in line
    with database.read() as session:
        assert session.scalar(sa.text("SELECT 1")) == 1
    database.close()
    other.dispose()
