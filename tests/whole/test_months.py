"""Months of play with a written clock: through every pace, both daylight-saving changes in both hemispheres, leap
day, holidays, zones at the date line, leave and outages. All deadlines and mails are written out.

Each game goes its way as on a server: mails lie in the mailbox as soon as they are written, reminders and cases are
swept in the very moments in which they are due. Mails about lateness wait two minutes for each other, go to nobody who
has answered meanwhile, and say nothing twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.upkeep_tables import Heartbeat
from app.clocks.pace import DAY, HOUR, Pace
from app.clocks.presets import COURSES, preset
from app.people.tables import Player
from app.time import outages
from app.time.away import leave
from tests.support.months import through, world
from tests.support.tables import load, write

WEEKENDS = Pace(decision=3 * DAY, days_off=("sat", "sun"), zone="Europe/Paris")


@dataclass(frozen=True)
class Course:
    """A game: how it is played, when its seats answer in turn, and its outcome."""

    zone: str
    start: str
    pace: Pace
    answers: tuple[str, ...]
    until: str | None
    """After the last answer nobody moves any more until then."""
    deadlines: tuple[str, ...]
    mails: tuple[str, ...]
    holidays: tuple[str, ...] = ()
    banks: tuple[float, ...] = ()
    """In days, at the end."""


COURSES_OF_PLAY = {
    "three days, and what follows among friends": Course(
        zone="UTC",
        start="2026-11-21 20:00",
        pace=preset("three-days").pace,
        answers=("2026-11-22 08:00", "2026-11-25 07:00"),
        until="2026-12-01 00:00",
        deadlines=("Tue 2026-11-24 20:00", "Wed 2026-11-25 08:00", "Sat 2026-11-28 07:00"),
        mails=(
            "turn alice Sat 2026-11-21 20:00", "turn bob Sun 2026-11-22 08:00", "reminder bob Mon 2026-11-23 20:00",
            "reminder bob Tue 2026-11-24 08:00", "turn alice Wed 2026-11-25 07:00",
            "reminder alice Thu 2026-11-26 19:00", "reminder alice Fri 2026-11-27 07:00",
            "overdue alice Sat 2026-11-28 07:02", "late bob Sat 2026-11-28 07:02",
            "overdue alice Mon 2026-11-30 07:02", "late bob Mon 2026-11-30 07:02",
        ),
    ),
    "weekends free until 20:00 in Paris, into summer time": Course(
        zone="Europe/Paris",
        start="2027-03-25 10:00",
        pace=replace(WEEKENDS, hour="20:00"),
        answers=("2027-03-29 09:00", "2027-04-01 19:59", "2027-04-06 20:00"),
        until=None,
        deadlines=("Tue 2027-03-30 20:00", "Thu 2027-04-01 20:00", "Tue 2027-04-06 20:00", "Fri 2027-04-09 20:00"),
        mails=(
            "turn alice Thu 2027-03-25 10:00", "reminder alice Fri 2027-03-26 22:00", "turn bob Mon 2027-03-29 09:00",
            "reminder bob Tue 2027-03-30 21:00", "reminder bob Wed 2027-03-31 20:00",
            "turn alice Thu 2027-04-01 19:59", "reminder alice Mon 2027-04-05 07:59",
            "reminder alice Mon 2027-04-05 20:00", "turn bob Tue 2027-04-06 20:00",
        ),
    ),
    "the same into winter time": Course(
        zone="Europe/Paris",
        start="2027-10-28 10:00",
        pace=replace(WEEKENDS, hour="20:00"),
        answers=("2027-11-01 09:00", "2027-11-04 19:59", "2027-11-09 20:00"),
        until=None,
        deadlines=("Tue 2027-11-02 20:00", "Thu 2027-11-04 20:00", "Tue 2027-11-09 20:00", "Fri 2027-11-12 20:00"),
        mails=(
            "turn alice Thu 2027-10-28 10:00", "reminder alice Fri 2027-10-29 22:00", "turn bob Mon 2027-11-01 09:00",
            "reminder bob Tue 2027-11-02 21:00", "reminder bob Wed 2027-11-03 20:00",
            "turn alice Thu 2027-11-04 19:59", "reminder alice Mon 2027-11-08 07:59",
            "reminder alice Mon 2027-11-08 20:00", "turn bob Tue 2027-11-09 20:00",
        ),
    ),
    "a day until 20:00 in the night of 23 hours": Course(
        zone="Europe/Paris",
        start="2027-03-27 20:00",
        pace=Pace(decision=DAY, hour="20:00", zone="Europe/Paris"),
        answers=("2027-03-28 20:30", "2027-03-29 19:00"),
        until="2027-04-02 00:00",
        deadlines=("Mon 2027-03-29 20:00", "Tue 2027-03-30 20:00", "Tue 2027-03-30 20:00"),
        mails=(
            "turn alice Sat 2027-03-27 20:00", "reminder alice Sun 2027-03-28 09:00",
            "reminder alice Sun 2027-03-28 20:00", "turn bob Sun 2027-03-28 20:30",
            "reminder bob Mon 2027-03-29 08:30", "turn alice Mon 2027-03-29 19:00",
            "reminder alice Mon 2027-03-29 20:00", "reminder alice Tue 2027-03-30 07:00",
            "overdue alice Tue 2027-03-30 20:02", "late bob Tue 2027-03-30 20:02",
            "overdue alice Thu 2027-04-01 20:02", "late bob Thu 2027-04-01 20:02",
        ),
    ),
    "Mondays free in Sydney, into winter time": Course(
        zone="Australia/Sydney",
        start="2027-04-03 21:00",
        pace=Pace(decision=DAY, hour="20:00", zone="Australia/Sydney", days_off=("mon",)),
        answers=("2027-04-04 12:00", "2027-04-06 19:00"),
        until=None,
        deadlines=("Sun 2027-04-04 20:00", "Tue 2027-04-06 20:00", "Wed 2027-04-07 20:00"),
        mails=(
            "turn alice Sat 2027-04-03 21:00", "reminder alice Sun 2027-04-04 08:00", "turn bob Sun 2027-04-04 12:00",
            "reminder bob Mon 2027-04-05 00:00", "reminder bob Mon 2027-04-05 20:00",
            "turn alice Tue 2027-04-06 19:00",
        ),
    ),
    "Sundays free in Sydney, into summer time": Course(
        zone="Australia/Sydney",
        start="2027-10-02 20:00",
        pace=Pace(decision=DAY, zone="Australia/Sydney", days_off=("sun",)),
        answers=("2027-10-04 12:00",),
        until=None,
        deadlines=("Mon 2027-10-04 20:00", "Tue 2027-10-05 12:00"),
        mails=(
            "turn alice Sat 2027-10-02 20:00", "reminder alice Sun 2027-10-03 20:00",
            "reminder alice Mon 2027-10-04 08:00", "turn bob Mon 2027-10-04 12:00",
        ),
    ),
    "Fischer": Course(
        zone="UTC",
        start="2027-01-01 00:00",
        pace=preset("fischer").pace,
        answers=(
            "2027-01-11 00:00", "2027-01-11 06:00", "2027-01-11 18:00", "2027-01-12 00:00", "2027-01-22 00:00",
            "2027-02-12 00:00",
        ),
        until="2027-02-13 00:00",
        deadlines=(
            "Thu 2027-01-21 00:00", "Sun 2027-01-31 00:00", "Fri 2027-01-22 06:00", "Mon 2027-02-01 12:00",
            "Sat 2027-01-23 12:00", "Fri 2027-02-12 12:00", "Sun 2027-02-14 12:00",
        ),
        mails=(
            "turn alice Fri 2027-01-01 00:00", "reminder alice Mon 2027-01-11 00:00", "turn bob Mon 2027-01-11 00:00",
            "turn alice Mon 2027-01-11 06:00", "turn bob Mon 2027-01-11 18:00", "turn alice Tue 2027-01-12 00:00",
            "reminder alice Sun 2027-01-17 18:00", "turn bob Fri 2027-01-22 00:00",
            "reminder bob Mon 2027-02-01 18:00", "reminder bob Thu 2027-02-11 12:00",
            "turn alice Fri 2027-02-12 00:00",
        ),
        banks=(2.5, 1.5),
    ),
    "free first hours and a bank": Course(
        zone="UTC",
        start="2027-01-01 00:00",
        pace=Pace(decision=0, free=12 * HOUR, bank=2 * DAY, cap=2 * DAY),
        answers=("2027-01-01 10:00", "2027-01-02 10:00", "2027-01-02 22:00", "2027-01-04 09:00"),
        until="2027-01-08 00:00",
        deadlines=(
            "Sun 2027-01-03 12:00", "Sun 2027-01-03 22:00", "Mon 2027-01-04 22:00", "Mon 2027-01-04 22:00",
            "Wed 2027-01-06 21:00",
        ),
        mails=(
            "turn alice Fri 2027-01-01 00:00", "turn bob Fri 2027-01-01 10:00", "turn alice Sat 2027-01-02 10:00",
            "turn bob Sat 2027-01-02 22:00", "reminder bob Sun 2027-01-03 22:00", "turn alice Mon 2027-01-04 09:00",
            "reminder alice Tue 2027-01-05 15:00", "reminder alice Tue 2027-01-05 21:00",
            "overdue alice Wed 2027-01-06 21:02", "late bob Wed 2027-01-06 21:02",
        ),
        banks=(2.0, 0.542),
    ),
    "leap day, Tuesdays free": Course(
        zone="Europe/Paris",
        start="2028-02-27 12:00",
        pace=Pace(decision=3 * DAY, days_off=("tue",), zone="Europe/Paris"),
        answers=("2028-02-29 12:00", "2028-03-02 12:00"),
        until=None,
        deadlines=("Thu 2028-03-02 12:00", "Sat 2028-03-04 00:00", "Sun 2028-03-05 12:00"),
        mails=(
            "turn alice Sun 2028-02-27 12:00", "reminder alice Tue 2028-02-29 00:00", "turn bob Tue 2028-02-29 12:00",
            "reminder bob Thu 2028-03-02 12:00", "turn alice Thu 2028-03-02 12:00",
        ),
    ),
    "leap day counts as a day": Course(
        zone="America/New_York",
        start="2028-02-25 12:00",
        pace=preset("week").pace,
        answers=("2028-02-29 23:00",),
        until=None,
        deadlines=("Fri 2028-03-03 12:00", "Tue 2028-03-07 23:00"),
        mails=(
            "turn alice Fri 2028-02-25 12:00", "reminder alice Tue 2028-02-29 00:00", "turn bob Tue 2028-02-29 23:00",
        ),
    ),
    "holidays of a club": Course(
        zone="Europe/Paris",
        start="2026-12-16 12:00",
        pace=replace(preset("correspondence").pace, zone="Europe/Paris"),
        answers=("2026-12-25 15:00", "2027-01-06 09:00"),
        until="2027-01-30 00:00",
        deadlines=("Tue 2026-12-29 12:00", "Thu 2027-01-07 00:00", "Sat 2027-01-16 09:00"),
        mails=(
            "turn alice Wed 2026-12-16 12:00", "reminder alice Mon 2026-12-21 12:00", "turn bob Fri 2026-12-25 15:00",
            "reminder bob Fri 2027-01-01 00:00", "reminder bob Wed 2027-01-06 00:00",
            "turn alice Wed 2027-01-06 09:00", "reminder alice Mon 2027-01-11 09:00",
            "reminder alice Fri 2027-01-15 09:00", "overdue alice Sat 2027-01-16 09:02",
            "late bob Sat 2027-01-16 09:02", "overdue alice Tue 2027-01-19 09:02", "late bob Tue 2027-01-19 09:02",
            "overdue alice Sat 2027-01-23 09:02", "late bob Sat 2027-01-23 09:02",
        ),
        holidays=("2026-12-24", "2026-12-25", "2026-12-26", "2027-01-01"),
    ),
    **{f"weekends in {place}": Course(
        zone=f"Pacific/{place.replace(' ', '_')}",
        start="2026-11-20 10:00",
        pace=replace(WEEKENDS, decision=DAY, zone=f"Pacific/{place.replace(' ', '_')}"),
        answers=("2026-11-21 12:00", "2026-11-23 12:00"),
        until=None,
        deadlines=("Mon 2026-11-23 10:00", "Tue 2026-11-24 00:00", "Tue 2026-11-24 12:00"),
        mails=(
            "turn alice Fri 2026-11-20 10:00", "reminder alice Fri 2026-11-20 22:00", "turn bob Sat 2026-11-21 12:00",
            "reminder bob Mon 2026-11-23 00:00", "reminder bob Mon 2026-11-23 12:00",
            "turn alice Mon 2026-11-23 12:00",
        ),
    ) for place in ("Kiritimati", "Apia", "Pago Pago")},
}  # fmt: skip


@pytest.mark.parametrize("name", COURSES_OF_PLAY)
def test_months_of_play(sqlite_database: Database, name: str) -> None:
    course = COURSES_OF_PLAY[name]
    w = world(sqlite_database, course.zone, course.start)
    w.begin(course.pace, holidays=course.holidays)
    assert through(w, course.answers) == list(course.deadlines)
    if course.until is not None:
        w.wait_until(course.until)
    assert w.mails() == list(course.mails)
    if course.pace.has_bank:
        assert w.banks() == list(course.banks)


def test_turns_are_lost_one_after_another(sqlite_database: Database) -> None:
    """acres: nobody plays, and a day after each deadline the turn is ended."""
    w = world(sqlite_database, "UTC", "2026-11-21 20:00")
    w.begin(replace(preset("day").pace, stages=COURSES[2].stages), "acres")  # type: ignore[union-attr]
    w.wait_until("2026-11-25 21:00")
    assert w.mails() == [
        "turn alice Sat 2026-11-21 20:00", "reminder alice Sun 2026-11-22 08:00",
        "overdue alice Sun 2026-11-22 20:02", "late bob Sun 2026-11-22 20:02",
        "turn bob Mon 2026-11-23 20:00", "reminder bob Tue 2026-11-24 08:00",
        "overdue bob Tue 2026-11-24 20:02", "late alice Tue 2026-11-24 20:02",
        "turn alice Wed 2026-11-25 20:00",
    ]  # fmt: skip
    assert w.deadline == "Thu 2026-11-26 20:00" and load(sqlite_database, w.game_id).turn == 3


def test_a_strict_pace_ends_the_game(sqlite_database: Database) -> None:
    w = world(sqlite_database, "UTC", "2026-11-21 20:00")
    w.begin(replace(preset("day").pace, stages=COURSES[4].stages), "acres")  # type: ignore[union-attr]
    w.wait_until("2026-12-01 00:00")
    assert w.mails() == [
        "turn alice Sat 2026-11-21 20:00", "reminder alice Sun 2026-11-22 08:00",
        "overdue alice Sun 2026-11-22 20:02", "late bob Sun 2026-11-22 20:02",
        "time_out alice Mon 2026-11-23 08:00",  # the third of her day
        "time_out bob Sun 2026-11-22 21:02",
    ]  # fmt: skip
    result = load(sqlite_database, w.game_id).result
    assert result is not None and (result["winner"], result["reason"]) == ("french", "time")


def beats(database: Database, zone: ZoneInfo, ran: Sequence[tuple[str, str]]) -> None:
    """The sender of mails has run from and to these moments, and not between them."""
    with database.write() as session:
        for stretch in ran:
            first, last = (datetime.fromisoformat(at).replace(tzinfo=zone).astimezone(UTC) for at in stretch)
            session.execute(sa.insert(Heartbeat).values(job="mail", owner="one", first_at=first, last_at=last))
        session.commit()


def test_leave_an_outage_summer_time_and_automatic_leave_together(sqlite_database: Database) -> None:
    """Three days, weekends free.

    Two days of planned leave, six hours without mail, the night of 23 hours, and two days of automatic leave; then the
    player has no more, and the case takes its course.
    """
    w = world(sqlite_database, "Europe/Paris", "2027-03-22 10:00")
    w.begin(WEEKENDS, auto_leave=True)
    alice = load(sqlite_database, w.game_id).seated("red").player_id
    assert alice is not None and w.deadline == "Thu 2027-03-25 10:00"
    leave.plan(sqlite_database, alice, date(2027, 3, 23), date(2027, 3, 24), now=w.now, allowance=30)
    w.work()
    assert w.deadline == "Mon 2027-03-29 10:00"
    w.wait_until("2027-03-25 16:00")
    zone = ZoneInfo(w.zone)
    ran = (("2027-03-01 00:00", "2027-03-25 10:00"), ("2027-03-25 16:00", "2027-06-01 00:00"))
    beats(sqlite_database, zone, ran)
    assert outages.watch(sqlite_database, w.now) == 1
    assert w.deadline == "Mon 2027-03-29 16:00"
    w.wait_until("2027-03-30 00:00")
    assert w.deadline == "Tue 2027-03-30 16:00"
    w.wait_until("2027-03-31 00:00")
    assert w.deadline == "Wed 2027-03-31 16:00"
    write(sqlite_database, sa.update(Player).values(auto_leave=False))
    w.wait_until("2027-04-10 00:00")
    assert w.deadline == "Wed 2027-03-31 16:00"
    assert w.mails() == [
        "turn alice Mon 2027-03-22 10:00", "leave bob Mon 2027-03-22 10:00",
        "reminder alice Fri 2027-03-26 04:00", "reminder alice Sun 2027-03-28 16:00",
        "auto_leave alice Mon 2027-03-29 16:00", "leave bob Mon 2027-03-29 16:00",
        "reminder alice Tue 2027-03-30 00:00",
        "reminder alice Wed 2027-03-31 00:00",
        "overdue alice Wed 2027-03-31 16:02", "late bob Wed 2027-03-31 16:02",
        "overdue alice Fri 2027-04-02 16:02", "late bob Fri 2027-04-02 16:02",
    ]  # fmt: skip


def test_quiet_hours_leave_an_outage_holidays_and_summer_time_together(sqlite_database: Database) -> None:
    """Three days, weekends and Easter free, no mails from 22:00 to 7:00; begun in the night.

    Alice's clock starts with her mail at 7:00 on Tuesday and stands still on Wednesday (leave), for six hours of
    Thursday (no mails went out) and from Good Friday to Easter Monday, with the night of 23 hours in between.
    """
    zone = ZoneInfo("Europe/Paris")
    w = world(sqlite_database, "Europe/Paris", "2027-03-22 23:30")
    w.begin(WEEKENDS, holidays=("2027-03-26", "2027-03-29"), sleep=("22:00", "07:00"))
    assert load(sqlite_database, w.game_id).mailed_at is None
    w.wait_until("2027-03-23 09:00")
    assert w.deadline == "Tue 2027-03-30 07:00"
    alice = load(sqlite_database, w.game_id).seated("red").player_id or 0
    leave.plan(sqlite_database, alice, date(2027, 3, 24), date(2027, 3, 24), now=w.now, allowance=30)
    w.work()
    assert w.deadline == "Wed 2027-03-31 07:00"
    w.wait_until("2027-03-25 16:00")
    beats(sqlite_database, zone, (("2027-03-01 00:00", "2027-03-25 10:00"), ("2027-03-25 16:00", "2027-06-01 00:00")))
    assert outages.watch(sqlite_database, w.now) == 1
    assert w.deadline == "Wed 2027-03-31 13:00"
    w.answer("2027-03-30 23:00")
    assert load(sqlite_database, w.game_id).mailed_at is None, "bob sleeps, and his clock does not run"
    w.wait_until("2027-03-31 12:00")
    assert w.deadline == "Mon 2027-04-05 07:00"
    w.wait_until("2027-04-08 00:00")
    assert w.mails() == [
        "turn alice Tue 2027-03-23 07:00", "leave bob Tue 2027-03-23 09:00",
        "reminder alice Tue 2027-03-30 07:00", "reminder alice Tue 2027-03-30 13:00",
        "turn bob Wed 2027-03-31 07:00",
        "reminder bob Thu 2027-04-01 19:00", "reminder bob Sun 2027-04-04 07:00",
        "overdue bob Mon 2027-04-05 07:02", "late alice Mon 2027-04-05 07:02",
        "overdue bob Wed 2027-04-07 07:02", "late alice Wed 2027-04-07 07:02",
    ]  # fmt: skip
