"""Connections are reused as they are: nothing from one transaction may be left for the next."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.database import Database
from app.base.stored.prepared import PreparedRead, PreparedWrite
from app.base.stored.upkeep_tables import RateCount

_ADD = PreparedWrite(sa.insert(RateCount))
_KEYS = PreparedRead(select(RateCount).order_by(RateCount.rate_key))
WINDOW = datetime(2026, 11, 21, tzinfo=UTC)


def _add(session: Session, key: str) -> None:
    _ADD.run_all(session, [{"rate_key": key, "window_start": WINDOW, "count": 1}])


def _keys(database: Database) -> list[str]:
    with database.read() as session:
        return [row.rate_key for row in _KEYS.all(session)]


def test_all_lasts_when_the_block_ends_but_what_was_rolled_back(database: Database) -> None:
    with database.write() as session:
        _add(session, "given up")
        session.rollback()
    with database.write() as session:
        _add(session, "kept")
    assert _keys(database) == ["kept"]


def test_what_was_committed_before_an_error_lasts(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as session:
        _add(session, "kept")
        session.commit()
        _add(session, "begun after the commit")
        raise ZeroDivisionError
    assert _keys(database) == ["kept"]


def test_an_error_undoes_it_and_the_next_one_can_write(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as session:
        _add(session, "given up")
        raise ZeroDivisionError
    with database.write() as session:
        _add(session, "kept")
        session.commit()
    assert _keys(database) == ["kept"]


def test_a_reader_sees_what_was_committed_since_it_last_read(database: Database) -> None:
    assert _keys(database) == []
    with database.write() as session:
        _add(session, "new")
        session.commit()
    assert _keys(database) == ["new"]


def test_a_reader_cannot_write_after_a_writer(database: Database) -> None:
    with database.write() as session:
        _add(session, "kept")
        session.commit()
    for _ in range(2):
        with pytest.raises(sa.exc.DBAPIError), database.read() as session:
            session.execute(sa.insert(RateCount).values(rate_key="read", window_start=WINDOW, count=1))
    assert _keys(database) == ["kept"]


def test_two_readers_at_once_have_connections_of_their_own(database: Database) -> None:
    with database.read() as one, database.read() as other:
        assert one is not other
        assert _KEYS.all(one) == _KEYS.all(other) == []
    with database.write() as session:
        _add(session, "new")
        session.commit()
    assert _keys(database) == ["new"]


def test_it_can_be_used_again_after_closing(database: Database) -> None:
    assert _keys(database) == []
    database.close()
    assert _keys(database) == []


def test_rows_that_an_error_left_unread_hold_nobody_in_the_past(database: Database) -> None:
    """As long as the error exists, SQLite's statement does too, and with it what its connection sees."""
    with database.write() as session:
        _add(session, "a")
        _add(session, "b")
        session.commit()
    for begin in (database.read, database.write):
        with pytest.raises(ZeroDivisionError) as living, begin() as session:
            half_read = session.execute(sa.select(col(RateCount.rate_key)))
            half_read.fetchone()
            raise ZeroDivisionError
        assert living.value is not None
        before = len(_keys(database))
        with database.write() as session:
            _add(session, f"after {before}")
            session.commit()
        assert [len(_keys(database)) for _ in range(3)] == [before + 1] * 3
