"""Rows of prepared statements: their classes must match the columns that are read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import pytest
import sqlalchemy as sa
from sqlmodel import col, select

from app.base.stored.database import Database
from app.base.stored.prepared import PreparedRead, PreparedWrite
from app.base.stored.upkeep_tables import RateCount

WINDOW = datetime(2026, 11, 22, tzinfo=UTC)
_COUNTS = sa.select(col(RateCount.rate_key), col(RateCount.count)).order_by(col(RateCount.rate_key))
_ADD = PreparedWrite(
    lambda insert: insert(RateCount).on_conflict_do_nothing(index_elements=["rate_key", "window_start"])
)


class Counted(NamedTuple):
    rate_key: str
    count: int


@dataclass(frozen=True)
class AlsoCounted:
    rate_key: str
    count: int


class Misspelt(NamedTuple):
    rate_kye: str
    count: int


class Swapped(NamedTuple):
    count: int
    rate_key: str


@pytest.mark.parametrize("row", [Misspelt, Swapped, int])
def test_a_row_class_must_name_the_columns_in_their_order(row: type) -> None:
    with pytest.raises(TypeError, match="not made of the columns"):
        PreparedRead(_COUNTS, row)


def test_rows_are_of_their_class_or_have_the_columns_of_their_model(database: Database) -> None:
    with database.write() as session:
        for count in (3, 4):  # the second one is there already
            _ADD.run_all(session, [{"rate_key": "a", "window_start": WINDOW, "count": count}])
        session.commit()
    with database.read() as session:
        assert PreparedRead(_COUNTS, Counted).all(session) == [Counted("a", 3)]
        assert PreparedRead(_COUNTS, AlsoCounted).first(session) == AlsoCounted("a", 3)
        row = PreparedRead(select(RateCount)).first(session)
        assert row is not None and (row.rate_key, row.window_start, row.count) == ("a", WINDOW, 3)
