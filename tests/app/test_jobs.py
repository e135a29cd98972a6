"""Reminders and tidying, with a written clock."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import sqlalchemy as sa

from app import jobs
from app.db import Database
from app.models import Game, Heartbeat, OutboxMail
from tests.support.tables import NOW, load, say, start

DAY = timedelta(days=1)


def reminders(database: Database) -> list[tuple[str | None, int | None, datetime]]:
    with database.read() as connection:
        columns = (OutboxMail.seat, OutboxMail.number, OutboxMail.made_at)
        asked = sa.select(*columns).where(OutboxMail.kind == "reminder").order_by(OutboxMail.id)
        return [tuple(row) for row in connection.execute(asked)]


def test_a_seat_is_reminded_at_half_time_and_a_day_before(database: Database) -> None:
    start(database, pace=7 * DAY)
    for hour in range(8 * 24):
        jobs.remind(database, NOW + timedelta(hours=hour))
    assert reminders(database) == [("red", 1, NOW + 3.5 * DAY), ("red", 1, NOW + 6 * DAY)]


def test_a_short_pace_has_one_reminder(sqlite_database: Database) -> None:
    start(sqlite_database, pace=timedelta(hours=20))
    for hour in range(48):
        jobs.remind(sqlite_database, NOW + timedelta(hours=hour))
    assert reminders(sqlite_database) == [("red", 1, NOW + timedelta(hours=10))]


def test_an_answer_stops_the_reminders_and_the_next_seat_has_its_own(sqlite_database: Database) -> None:
    game_id = start(sqlite_database, pace=7 * DAY)
    say(sqlite_database, game_id, "rob blue", now=NOW + 3 * DAY)
    assert load(sqlite_database, game_id).deadline_at == NOW + 10 * DAY
    for day in range(12):
        jobs.remind(sqlite_database, NOW + day * DAY)
    assert [(seat, number) for seat, number, _ in reminders(sqlite_database)] == [("blue", 2), ("blue", 2)]


def test_a_scheduler_that_was_down_sends_one_reminder_a_decision_and_none_too_late(sqlite_database: Database) -> None:
    for _ in range(5):
        start(sqlite_database, pace=7 * DAY)
    start(sqlite_database, pace=2 * DAY)
    assert jobs.remind(sqlite_database, NOW + 6.5 * DAY) == 5
    assert jobs.remind(sqlite_database, NOW + 6.6 * DAY) == 0
    assert len(reminders(sqlite_database)) == 5


def test_sweeps_at_once_send_each_reminder_once(database: Database) -> None:
    for _ in range(30):
        start(database, pace=7 * DAY)
    barrier = threading.Barrier(3)

    def sweep() -> None:
        barrier.wait()
        jobs.remind(database, NOW + 4 * DAY)

    threads = [threading.Thread(target=sweep) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reminders(database)) == 30


def test_a_sweep_that_is_killed_has_done_all_of_a_reminder_or_nothing(sqlite_database: Database) -> None:
    """The row is claimed and the mail written in one transaction."""
    start(sqlite_database, pace=7 * DAY)

    class Killed(BaseException):
        pass

    def kill(*_: object) -> None:
        raise Killed

    original = jobs.Work.commit
    try:
        jobs.Work.commit = kill  # type: ignore[method-assign, assignment]
        jobs.remind(sqlite_database, NOW + 4 * DAY)
    except Killed:
        pass
    finally:
        jobs.Work.commit = original  # type: ignore[method-assign]
    assert reminders(sqlite_database) == []
    assert jobs.remind(sqlite_database, NOW + 4 * DAY) == 1


def test_a_beat_stretches_its_row(database: Database) -> None:
    for minute in range(3):
        jobs.beat(database, "scheduler", "one", NOW, NOW + timedelta(minutes=minute))
    jobs.beat(database, "scheduler", "two", NOW + DAY, NOW + DAY)
    with database.read() as connection:
        assert jobs.last_beat(connection, "scheduler") == NOW + DAY
        rows = connection.execute(sa.select(Heartbeat.first_at, Heartbeat.last_at).order_by(Heartbeat.id)).all()
    assert [tuple(row) for row in rows] == [(NOW, NOW + timedelta(minutes=2)), (NOW + DAY, NOW + DAY)]
    jobs.tidy(database, NOW + 100 * DAY)
    with database.read() as connection:
        assert jobs.last_beat(connection, "scheduler") is None


def test_the_sweep_costs_what_is_due_not_what_exists(sqlite_database: Database) -> None:
    """SQLite's own count of steps is the same with a thousand more games that are not due."""

    def steps() -> int:
        with sqlite_database.read() as connection:
            raw = connection.connection.dbapi_connection
            counted = [0]

            def tick() -> int:
                counted[0] += 1
                return 0

            raw.set_progress_handler(tick, 1)
            connection.execute(jobs._DUE, {"now": NOW}).all()
            raw.set_progress_handler(None, 0)
            return counted[0]

    def add(games: int) -> None:
        with sqlite_database.write() as connection:
            row = connection.execute(sa.select(Game.__table__).limit(1)).mappings().one()
            later = {key: value for key, value in row.items() if key != "id"} | {"remind_at": NOW + DAY}
            connection.execute(sa.insert(Game), [later] * games)
            connection.commit()

    start(sqlite_database, now=NOW - 10 * DAY)
    add(20)
    few = steps()
    add(2000)
    assert steps() == few
