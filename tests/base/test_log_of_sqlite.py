"""SQLite's write-ahead log stays short even with long readers, and pictures do not go through it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from sqlalchemy.exc import InvalidRequestError

from app.base.process.lent import nothing_open
from app.base.stored import database as db
from app.base.stored.database import LOG_BYTES, Database, file_of, log_bytes, shorten_log
from app.base.stored.upkeep_tables import ServerFact
from app.post.letters import picture_process
from tests.support.tables import NOW, deliver, start

MIB = 1 << 20


@contextmanager
def read_for_long(database: Database) -> Iterator[None]:
    """Keep a reader open that continues to see the old state: no part of the log can be released."""
    with closing(sqlite3.connect(file_of(database.url) or "", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM game").fetchone()
        yield


def write_much(database: Database, name: str) -> None:
    with closing(sqlite3.connect(file_of(database.url) or "")) as raw:
        raw.execute("CREATE TABLE IF NOT EXISTS much (name TEXT, what BLOB)")
        raw.execute("INSERT INTO much VALUES (?, zeroblob(?))", (name, 3 * LOG_BYTES))
        raw.commit()


def test_nothing_takes_long_while_a_transaction_is_open(database: Database) -> None:
    nothing_open("nobody reads")
    with database.read(), pytest.raises(RuntimeError, match="open while somebody paints"):
        nothing_open("somebody paints")
    with database.write() as session:
        session.connection()
        with pytest.raises(RuntimeError):
            nothing_open("somebody paints")
        session.commit()
        nothing_open("it is committed")
    with database.write_lightly():
        nothing_open("nothing has begun")


def test_nothing_is_read_after_a_transaction_on_what_others_have_then(database: Database) -> None:
    with database.read() as session:
        pass
    with pytest.raises(InvalidRequestError):
        session.get(ServerFact, "any")


def test_a_log_that_has_become_long_is_cut_when_nobody_reads(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = sqlite_database.url
    assert not shorten_log(url), "a short one is left alone"
    monkeypatch.setattr(db, "SHORTEN_SECONDS", 0.1)
    with read_for_long(sqlite_database):
        write_much(sqlite_database, "one")
        assert log_bytes(url) > 2 * LOG_BYTES and not shorten_log(url)
        start(sqlite_database)  # who writes has not been held up for good
    assert shorten_log(url) and log_bytes(url) == 0


def test_a_log_that_begins_anew_keeps_no_more_than_its_usual_size(sqlite_database: Database) -> None:
    with read_for_long(sqlite_database):
        write_much(sqlite_database, "one")
    for _ in range(3):  # the first commit writes all into the database, the next one restarts the log
        start(sqlite_database)
    assert 0 < log_bytes(sqlite_database.url) <= LOG_BYTES


def test_pictures_do_not_go_through_the_log(sqlite_database: Database) -> None:
    """They are some 60 KB a mail, and would fill a small disk in an evening if they went through the log."""
    from tests.support.sink import Sink

    with Sink() as sink, read_for_long(sqlite_database):
        picture_process.start()
        try:
            for _ in range(5):
                start(sqlite_database, "acres")
            before = log_bytes(sqlite_database.url)
            assert deliver(sqlite_database, NOW, sink.url) == 5
        finally:
            picture_process.stop()
        assert min(len(raw) for _, raw in sink.taken) > 40_000, "they have pictures"
        # What is noted of each is some rows, each a page or two of 4 KiB.
        assert log_bytes(sqlite_database.url) - before < sum(len(raw) for _, raw in sink.taken) / 2
