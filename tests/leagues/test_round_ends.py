"""What an event lets leave do to its clocks, and how pressing the desk finds a turn."""

from __future__ import annotations

import sqlalchemy as sa

from app.base.database import Database
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.time import leave, pending
from app.time.tables import Leave
from tests.support.season import DAY, HOUR, season
from tests.support.tables import NOW


def test_an_event_can_forbid_the_leave_that_a_silent_player_takes_by_itself(sqlite_database: Database) -> None:
    """A game whose event forbids it is late at its deadline; announced leave stops its clock for as long as allowed."""
    made = season(sqlite_database, 4, leave_days=2, auto_leave=False)
    with sqlite_database.write() as session:
        session.execute(sa.update(Player).values(auto_leave=True))
        session.commit()
    made.start_clock(0, NOW)
    made.start_clock(1, NOW)
    first = (NOW + 2 * DAY).date()
    leave.plan(sqlite_database, made.owes(1), first, first + 5 * DAY, now=NOW + HOUR, allowance=30)
    with sqlite_database.read() as session:
        due = [pending.owed(session, made.game(n).id).deadline_at for n in (0, 1)]  # type: ignore[union-attr]
    assert (due[0], due[1]) == (NOW + 7 * DAY, NOW + 9 * DAY)
    assert sweep_cases(sqlite_database, NOW + 7 * DAY + HOUR) == 1
    with sqlite_database.read() as session:
        assert session.scalar(sa.select(sa.func.count()).where(Leave.kind == "automatic")) == 0  # type: ignore[arg-type]
    assert made.problem(0, NOW + 7 * DAY + HOUR).finding == "flag"


def test_the_desk_goes_by_the_share_of_the_clock_and_of_the_round(sqlite_database: Database) -> None:
    """SE5: at a pace of a week a turn of a day is nothing to do about, unless the round ends soon."""
    made = season(sqlite_database, 4)
    made.start_clock(0, NOW)
    made.start_clock(1, NOW - 5 * DAY)
    assert made.problem(0, NOW + DAY).finding == "running"
    assert [one.finding for one in made.desk(NOW + DAY)] == ["unread", "running"]
    with sqlite_database.write() as session:
        session.execute(sa.text("UPDATE event_round SET due_at = :at"), {"at": str(NOW + 1.5 * DAY)})
        session.commit()
    assert made.problem(0, NOW + DAY).finding == "unread", "the round ends before the clock"
