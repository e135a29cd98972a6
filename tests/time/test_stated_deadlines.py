"""The deadline named in a mail is that of its clock: read back from subject and text as they were sent."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.words.i18n import LANGUAGES
from app.clocks.pace import DAY as A_DAY
from app.clocks.pace import Pace, ReminderLadder
from app.games.tables import Game
from app.overdue import nudges
from app.people.tables import Player
from app.play.turn import turns
from app.time import pending
from app.time.away import leave
from app.time.reminding import quiet
from app.time.reminding.reminders import remind
from app.time.tables import Outage
from engine.kernel.title import Choice
from tests.support.holidays import add_calendar
from tests.support.mails import Kept, kept
from tests.support.overdue import fail_mail
from tests.support.stated import days_of, stated, to_the_minute
from tests.support.tables import NOW, deliver, link_to, load, say, start, write

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ALICE, BOB = 1, 2
ZONE = "Europe/Paris"
ONE_DAY = Pace(decision=A_DAY)


def live(database: Database, language: str = "en", zone: str = ZONE) -> None:
    """Set everybody's zone and language."""
    write(database, sa.update(Player).values(language=language, zone=zone, auto_leave=False))


def is_named(mail: Kept, due: datetime | None, zone: str = ZONE) -> bool:
    """Whether subject and text both name this deadline."""
    assert due is not None
    said = stated(mail.subject, mail.text, zone, mail.at)
    assert said.moments == (to_the_minute(due),), f"{mail.subject}\n{mail.text}\n{due}"
    assert said.days == days_of(said.moments, zone), mail.subject
    return True


def answer(database: Database, game_id: int, now: datetime) -> None:
    """Make the decision a player owes, until another player owes one."""
    owes = load(database, game_id).decides
    while (game := load(database, game_id)).decides == owes:
        first = next(iter(game.title.legal(game.state)))
        action = next(iter(first.smallest())) if isinstance(first, Choice) else first
        say(database, game_id, game.title.write(game.state, action), now)


# -- what the clock knows ---------------------------------------------------------------------------


def holiday(database: Database, game_id: int) -> None:
    calendar_id = add_calendar(database, "Holidays", "2026-11-22", "2026-11-24")
    write(database, sa.update(Game).values(calendar_id=calendar_id))


def planned_leave(database: Database, game_id: int) -> None:
    leave.plan(database, ALICE, date(2026, 11, 22), date(2026, 11, 26), now=NOW, allowance=30)


def running_leave(database: Database, game_id: int) -> None:
    leave.start_now(database, ALICE, 3, now=NOW, allowance=30)


def night(database: Database, game_id: int) -> None:
    quiet.settle(database, ALICE, "20:30", "07:15", now=NOW)


def granted(database: Database, game_id: int) -> None:
    assert nudges.extend(database, game_id, BOB, 3, number=load(database, game_id).number, granted=0, now=NOW)


def outage(database: Database, game_id: int) -> None:
    """Noted late: it was still going on when the mail went out."""
    with database.write() as session:
        row = {"job": "web", "from_at": NOW, "to_at": NOW + 6 * HOUR, "noted_at": NOW, "is_credited": True}
        session.execute(sa.insert(Outage).values(**row, credited_up_to=0))
        session.commit()


def nothing(database: Database, game_id: int) -> None:
    """The clock alone."""


BANKED = Pace(decision=0, free=6 * 3600, bank=2 * A_DAY, increment=3600, cap=3 * A_DAY)
WEEKDAYS = Pace(decision=A_DAY, days_off=("sat", "sun"), zone="America/New_York", hour="19:30")


@pytest.mark.parametrize("pace", [ONE_DAY, BANKED, WEEKDAYS], ids=["one day", "bank and free hours", "days and hour"])
@pytest.mark.parametrize(
    "happens", [nothing, holiday, planned_leave, running_leave, night, granted, outage], ids=lambda f: f.__name__
)
def test_a_turn_mail_names_the_deadline_of_its_acceptance_however_late_it_is(
    sqlite_database: Database, happens: Callable[[Database, int], None], pace: Pace
) -> None:
    """The mail waits 29 hours, during which the clock does not run."""
    game_id = start(sqlite_database, pace=pace)
    live(sqlite_database)
    happens(sqlite_database, game_id)
    for hours in (29, 30, 31, 32, 33, 34, 35, 36):
        deliver(sqlite_database, NOW + hours * HOUR + timedelta(minutes=7))
    turn = kept(sqlite_database, "turn")
    assert len(turn) == 1 and is_named(turn[0], load(sqlite_database, game_id).deadline_at)
    assert load(sqlite_database, game_id).mailed_at == turn[0].at


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("zone", ["Pacific/Chatham", "America/Santiago"])
def test_it_is_named_in_every_language_in_the_reader_s_zone(
    sqlite_database: Database, language: str, zone: str
) -> None:
    game_id = start(sqlite_database, pace=ONE_DAY)
    live(sqlite_database, language, zone)
    leave.plan(sqlite_database, ALICE, date(2026, 11, 23), date(2026, 11, 26), now=NOW, allowance=30)
    deliver(sqlite_database, NOW + 2 * HOUR)
    assert is_named(kept(sqlite_database)[0], load(sqlite_database, game_id).deadline_at, zone)


def test_whoever_has_used_a_bank_reads_what_is_left(database: Database) -> None:
    game_id = start(database, pace=BANKED)
    live(database)
    at = NOW
    for _ in range(6):
        at += 5 * HOUR
        deliver(database, at)
        asked = kept(database, "turn")[-1]
        assert asked.at == at and is_named(asked, load(database, game_id).deadline_at)
        at += 9 * HOUR
        answer(database, game_id, at)


# -- mails of a clock that runs ---------------------------------------------------------------------


def test_mails_of_a_running_clock_name_its_row(sqlite_database: Database) -> None:
    """Reminders, time granted, a nudge, and the link sent again, each after something has moved the deadline."""
    game_id = start(sqlite_database, pace=Pace(decision=7 * A_DAY))
    live(sqlite_database)
    deliver(sqlite_database, NOW)
    planned_leave(sqlite_database, game_id)
    assert nudges.nudge(sqlite_database, game_id, BOB, now=NOW + HOUR)
    deliver(sqlite_database, NOW + 5 * HOUR)
    granted(sqlite_database, game_id)
    deliver(sqlite_database, NOW + 8 * HOUR)
    turns.mail_current_link(sqlite_database, link_to(load(sqlite_database, game_id)), now=NOW + 9 * HOUR)
    deliver(sqlite_database, NOW + 9 * HOUR)
    due = load(sqlite_database, game_id).deadline_at
    assert due is not None
    for hours in range(24 * 20):
        if remind(sqlite_database, NOW + hours * HOUR):
            deliver(sqlite_database, NOW + hours * HOUR + 20 * HOUR)
    found = [mail for mail in kept(sqlite_database) if mail.kind != "leave"]
    assert [mail.kind for mail in found] == ["turn", "nudge", "extension", "turn", "reminder", "reminder"]
    assert is_named(found[0], NOW + 7 * DAY) and is_named(found[1], due - 3 * DAY)
    assert all(is_named(mail, due) for mail in found[2:])


def test_reminders_of_several_games_name_the_row_of_each(sqlite_database: Database) -> None:
    told = ReminderLadder((), (120,))
    games = [start(sqlite_database, pace=Pace(decision=days * A_DAY, reminders=told)) for days in (9, 7, 8)]
    live(sqlite_database)
    deliver(sqlite_database, NOW)
    leave.plan(sqlite_database, ALICE, date(2026, 11, 29), date(2026, 11, 29), now=NOW, allowance=30)
    for hours in range(24 * 5 + 1):
        remind(sqlite_database, NOW + hours * HOUR)
    deliver(sqlite_database, NOW + 5 * DAY)
    mail = kept(sqlite_database, "reminder")[-1]
    dues = sorted(due for game in games if (due := load(sqlite_database, game).deadline_at) is not None)
    said = stated(mail.subject, mail.text, ZONE, mail.at)
    assert list(said.moments) == [to_the_minute(due) for due in dues] and len(dues) == 3
    assert said.days == days_of(said.moments[:1], ZONE)


def test_an_outage_that_was_noted_but_not_credited_yet_is_in_the_mail(sqlite_database: Database) -> None:
    """Crediting takes a hundred games at a time; a mail between two of these is as correct as one after them."""
    game_id = start(sqlite_database, pace=ONE_DAY)
    live(sqlite_database)
    deliver(sqlite_database, NOW)
    with sqlite_database.write() as session:
        row = {"job": "web", "from_at": NOW + HOUR, "to_at": NOW + 3 * HOUR, "noted_at": NOW, "is_credited": False}
        session.execute(sa.insert(Outage).values(**row, credited_up_to=0))
        session.commit()
    assert nudges.nudge(sqlite_database, game_id, BOB, now=NOW + 4 * HOUR)
    deliver(sqlite_database, NOW + 4 * HOUR)
    assert is_named(kept(sqlite_database, "nudge")[0], NOW + DAY + 2 * HOUR)


def test_what_a_mail_may_name_is_what_its_acceptance_writes(database: Database) -> None:
    """The same function computes both; for a decision that has been made there is nothing to name."""
    game_id = start(database, pace=WEEKDAYS)
    planned_leave(database, game_id)
    number, at = load(database, game_id).number, NOW + 31 * HOUR
    with database.write() as session:
        said = pending.deadline_if_accepted(session, game_id, number, at)
        pending.start_clock(session, game_id, number, at)
        assert said == pending.deadline_if_accepted(session, game_id, number, at + 9 * DAY)
        assert pending.deadline_if_accepted(session, game_id, number + 1, at) is None
        session.commit()
    assert said == load(database, game_id).deadline_at


def test_a_mail_after_one_that_failed_names_its_own_clock(sqlite_database: Database) -> None:
    """The clock has not started: the earlier mail never arrived."""
    game_id = start(sqlite_database, pace=ONE_DAY)
    live(sqlite_database)
    fail_mail(sqlite_database, game_id, NOW)
    turns.mail_current_link(sqlite_database, link_to(load(sqlite_database, game_id)), now=NOW + 50 * HOUR)
    deliver(sqlite_database, NOW + 50 * HOUR)
    assert is_named(kept(sqlite_database)[-1], NOW + 50 * HOUR + DAY)
    assert load(sqlite_database, game_id).deadline_at == NOW + 50 * HOUR + DAY
