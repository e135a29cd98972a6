"""Reminders and tidying, with a simulated clock."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.upkeep_tables import Heartbeat
from app.games.tables import GameSeat
from app.games.work import Work
from app.people.tables import Player
from app.time import outages
from app.time.reminding.reminders import DUE, remind, told_by
from app.upkeep import jobs
from tests.support.at_once import at_once
from tests.support.sqlite_steps import steps_with_few_and_many
from tests.support.tables import NOW, deliver, load, say, start

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def reminders(database: Database) -> list[tuple[str | None, int | None, datetime]]:
    with database.read() as session:
        columns = (OutboxMail.seat, OutboxMail.number, OutboxMail.made_at)
        asked = sa.select(*columns).where(OutboxMail.kind == "reminder").order_by(OutboxMail.id)
        return [tuple(row) for row in session.execute(asked)]


def told(database: Database) -> list[list[int]]:
    """Return the games that each mail with reminders names."""
    with database.read() as session:
        columns = (OutboxMail.game_id, OutboxMail.seat, OutboxMail.number, OutboxMail.details)
        rows = session.execute(sa.select(*columns).where(OutboxMail.kind == "reminder").order_by(OutboxMail.id))
        return [sorted(rung.game_id for rung in told_by(row)) for row in rows]


def test_a_seat_is_reminded_at_half_time_and_a_day_before(database: Database) -> None:
    start(database, pace=7 * DAY)
    deliver(database, NOW)
    for hour in range(8 * 24):
        remind(database, NOW + timedelta(hours=hour))
    assert reminders(database) == [("red", 1, NOW + 3.5 * DAY), ("red", 1, NOW + 6 * DAY)]


def test_a_short_pace_has_one_reminder(sqlite_database: Database) -> None:
    start(sqlite_database, pace=timedelta(hours=20))
    deliver(sqlite_database, NOW)
    for hour in range(48):
        remind(sqlite_database, NOW + timedelta(hours=hour))
    assert reminders(sqlite_database) == [("red", 1, NOW + timedelta(hours=10))]


def test_an_answer_stops_the_reminders_and_the_next_seat_has_its_own(sqlite_database: Database) -> None:
    game_id = start(sqlite_database, pace=7 * DAY)
    deliver(sqlite_database, NOW)
    say(sqlite_database, game_id, "rob blue", now=NOW + 3 * DAY)
    deliver(sqlite_database, NOW + 4 * DAY)
    assert load(sqlite_database, game_id).deadline_at == NOW + 11 * DAY, "from when the mail was delivered"
    for hour in range(12 * 24):
        remind(sqlite_database, NOW + hour * HOUR)
        deliver(sqlite_database, NOW + hour * HOUR)
    assert reminders(sqlite_database) == [("blue", 2, NOW + 7.5 * DAY), ("blue", 2, NOW + 10 * DAY)]


def test_nobody_is_reminded_before_the_mail_was_delivered(sqlite_database: Database) -> None:
    start(sqlite_database, pace=7 * DAY)
    for day in range(9):
        remind(sqlite_database, NOW + day * DAY)
    assert reminders(sqlite_database) == []


def test_a_scheduler_that_was_down_sends_one_mail_to_each_player_and_none_too_late(sqlite_database: Database) -> None:
    for _ in range(5):
        start(sqlite_database, pace=7 * DAY)
    start(sqlite_database, pace=2 * DAY)
    deliver(sqlite_database, NOW)
    assert remind(sqlite_database, NOW + 6.5 * DAY) == 1
    assert told(sqlite_database) == [[1, 2, 3, 4, 5]]
    assert remind(sqlite_database, NOW + 6.6 * DAY) == 0


def test_sweeps_at_once_send_each_reminder_once(database: Database) -> None:
    games = [start(database, pace=7 * DAY) for _ in range(30)]
    with database.write() as session:  # ten players, three games each
        for n in range(2, 11):
            player = {"id": 100 + n, "address": f"p{n}@example.org", "address_key": f"p{n}", "name": f"P{n}"}
            session.execute(sa.insert(Player).values(**player, created_at=NOW))
            mine = (GameSeat.game_id % 10 == n % 10, GameSeat.seat == "red")
            session.execute(sa.update(GameSeat).where(*mine).values(player_id=100 + n))
        session.commit()
    deliver(database, NOW)
    at_once(*[lambda: remind(database, NOW + 4 * DAY)] * 3)
    assert sorted(number for numbers in told(database) for number in numbers) == games, "each once"


def test_a_sweep_that_is_killed_has_done_all_of_a_reminder_or_nothing(sqlite_database: Database) -> None:
    """The row is claimed and the mail written in one transaction."""
    start(sqlite_database, pace=7 * DAY)
    deliver(sqlite_database, NOW)

    class Killed(BaseException):
        pass

    def kill(*_: object) -> None:
        raise Killed

    original = Work.commit
    try:
        Work.commit = kill  # type: ignore[method-assign, assignment]
        remind(sqlite_database, NOW + 4 * DAY)
    except Killed:
        pass
    finally:
        Work.commit = original  # type: ignore[method-assign]
    assert reminders(sqlite_database) == []
    assert remind(sqlite_database, NOW + 4 * DAY) == 1


def test_a_beat_stretches_its_row_and_begins_a_new_one_after_a_silence(database: Database) -> None:
    minute = timedelta(minutes=1)
    for n in (0, 1, 2, 17, 33, 34):
        outages.beat(database, "scheduler", "one", NOW + n * minute)
    outages.beat(database, "scheduler", "two", NOW + DAY)
    with database.read() as session:
        assert outages.last_beat(session, "scheduler") == NOW + DAY
        rows = session.execute(sa.select(Heartbeat.first_at, Heartbeat.last_at).order_by(Heartbeat.id)).all()
    first, second = (NOW, NOW + 17 * minute), (NOW + 33 * minute, NOW + 34 * minute)
    assert [tuple(row) for row in rows] == [first, second, (NOW + DAY, NOW + DAY)]
    jobs.tidy(database, NOW + 100 * DAY)
    with database.read() as session:
        assert session.scalars(sa.select(Heartbeat.last_at)).all() == [NOW + DAY], "where a gap may begin stays"


def test_the_sweep_costs_what_is_due_not_what_exists(sqlite_database: Database) -> None:
    few, many = steps_with_few_and_many(sqlite_database, {"remind_at": NOW + DAY}, DUE)
    assert few == many


def test_a_job_runs_again_and_again_until_it_is_told_to_stop() -> None:
    stop, ran = threading.Event(), threading.Semaphore(0)
    thread = threading.Thread(target=jobs.Timed("one", 0, 0.01, ran.release).run, args=(stop,))
    thread.start()
    assert all([ran.acquire(timeout=60) for _ in range(3)])
    stop.set()
    thread.join(60)
    assert not thread.is_alive()
