"""Quiet hours: mails that wait for the morning, and those that do not. With a simulated clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.clocks.quiet import QuietHours
from app.people import signin
from app.people.tables import Player
from app.play.turn import turns
from app.time.reminding import quiet
from app.time.reminding.reminders import remind
from tests.support.mails import kept
from tests.support.tables import NOW, deliver, link_to, load, say, start

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ALICE = 1


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def sleeps(database: Database, start: str = "22:00", end: str = "07:00", zone: str = "Europe/Paris") -> None:
    """Give everybody quiet hours."""
    with database.write() as session:
        session.execute(sa.update(Player).values(zone=zone))
        session.commit()
        players = session.scalars(sa.select(Player.id)).all()
    for player_id in players:
        quiet.settle(database, player_id, start, end, now=NOW)


# -- nights -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moment", "night"),
    [
        ("2026-11-21T21:00", None),
        ("2026-11-21T22:30", ("2026-11-21T22:30", "2026-11-22T07:00")),
        ("2026-11-22T06:59", ("2026-11-21T22:30", "2026-11-22T07:00")),
        ("2026-11-22T07:00", None),
        ("2027-03-28T05:00", ("2027-03-27T22:30", "2027-03-28T07:00")),
        ("2027-10-31T01:00", ("2027-10-30T22:30", "2027-10-31T07:00")),
    ],
)  # fmt: skip
def test_a_night_goes_over_midnight(moment: str, night: tuple[str, str] | None) -> None:
    """The nights of the two clock changes have seven and a half and nine and a half hours."""
    found = QuietHours(22 * 60 + 30, 7 * 60, "Europe/Paris").night(at(moment, "Europe/Paris"))
    assert found == (None if night is None else tuple(at(end, "Europe/Paris") for end in night))


def test_a_night_that_ends_in_the_hour_that_is_left_out_ends_with_it() -> None:
    """On 28 March 2027 the clocks of Paris go from 2:00 to 3:00."""
    found = QuietHours(23 * 60, 2 * 60 + 30, "Europe/Paris").night(at("2027-03-28T01:00", "Europe/Paris"))
    assert found is not None and found.end == at("2027-03-28T01:00")


@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2030, 1, 1)), st.integers(0, 1439), st.integers(0, 1439),
    st.sampled_from(["UTC", "Europe/Paris", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/Santiago"]),
)  # fmt: skip
def test_what_is_put_off_comes_after_the_night(moment: datetime, first: int, last: int, zone: str) -> None:
    if first == last:
        return
    hours, now = QuietHours(first, last, zone), moment.replace(tzinfo=UTC)
    after = hours.put_off(now)
    assert now <= after <= now + timedelta(hours=25)
    assert after == now or hours.night(after) is None or hours.night(after) != hours.night(now)
    assert hours.put_off(now, before=now + timedelta(seconds=1)) == now, "what ends before the morning is told at once"


# -- mails ------------------------------------------------------------------------------------------


def test_a_mail_in_the_night_waits_and_so_does_the_clock(database: Database) -> None:
    game = start(database, pace=7 * DAY)
    sleeps(database)
    night, morning = at("2026-11-21T23:00", "Europe/Paris"), at("2026-11-22T07:00", "Europe/Paris")
    for minute in range(0, 8 * 60, 20):
        deliver(database, night + minute * timedelta(minutes=1))
    assert kept(database) == []
    with database.read() as session:
        assert session.execute(sa.select(OutboxMail.due_at, OutboxMail.attempts)).all() == [(morning, 0)]
    deliver(database, morning)
    assert [(mail.to, mail.at) for mail in kept(database)] == [("alice@example.org", morning)]
    assert load(database, game).deadline_at == morning + 7 * DAY, "the clock starts when the mail was delivered"


def test_a_deadline_before_the_morning_is_told_at_once(sqlite_database: Database) -> None:
    start(sqlite_database, pace=5 * HOUR, now=at("2026-11-22T00:00"))
    sleeps(sqlite_database)
    deliver(sqlite_database, at("2026-11-22T00:00"))
    assert len(kept(sqlite_database, "turn")) == 1
    hours = [at("2026-11-22T00:00") + n * HOUR / 2 for n in range(12)]
    assert [hour for hour in hours if remind(sqlite_database, hour)] == [at("2026-11-22T02:30")]
    deliver(sqlite_database, at("2026-11-22T02:30"))
    assert len(kept(sqlite_database, "reminder")) == 1, "in the night, for an end in the night"


def test_what_the_reader_asked_for_just_now_is_not_held(sqlite_database: Database) -> None:
    night = datetime.now(UTC)  # links to sign in run out by the machine's clock
    game = start(sqlite_database, now=night)
    sleeps(sqlite_database)
    hours = [f"{(night.astimezone(ZoneInfo('Europe/Paris')).hour + n) % 24:02}:00" for n in (0, 3)]
    quiet.settle(sqlite_database, ALICE, *hours, now=night)
    signin.request_link(sqlite_database, "alice@example.org", language="en", then="/games", now=night)
    turns.mail_current_link(sqlite_database, link_to(load(sqlite_database, game)), now=night)
    deliver(sqlite_database, night)
    assert sorted(mail.kind for mail in kept(sqlite_database)) == ["sign_in", "turn"]
    with sqlite_database.read() as session:
        waiting = session.scalars(sa.select(OutboxMail.mail_key).where(OutboxMail.state == "waiting")).all()
    assert waiting == [f"turn:{game}:1"], "the one that nobody asked for"


def test_reminders_of_the_night_come_together_in_the_morning(sqlite_database: Database) -> None:
    """Half time of three games falls into one night: one mail at seven o'clock, none before."""
    for n in range(3):
        start(sqlite_database, pace=2 * DAY, now=at("2026-11-22T22:00") + n * 2 * HOUR)
        deliver(sqlite_database, at("2026-11-22T22:00") + n * 2 * HOUR)
    sleeps(sqlite_database)
    for minute in range(0, 24 * 60, 10):
        now = at("2026-11-23T20:00") + minute * timedelta(minutes=1)
        remind(sqlite_database, now)
        deliver(sqlite_database, now)
    told = [(mail.at, mail.subject) for mail in kept(sqlite_database, "reminder")]
    assert told == [
        (at("2026-11-24T07:00", "Europe/Paris"), "3 games wait for you, the first until Tue 24 Nov"),
    ]  # fmt: skip


def test_quiet_hours_are_off_until_they_are_set(sqlite_database: Database) -> None:
    game = start(sqlite_database)
    with pytest.raises(NotAccepted, match=r"quiet\.time"):
        quiet.settle(sqlite_database, ALICE, "22:00", "", now=NOW)
    with pytest.raises(NotAccepted, match=r"quiet\.time"):
        quiet.settle(sqlite_database, ALICE, "25:00", "7:00", now=NOW)
    with pytest.raises(NotAccepted, match=r"quiet\.all"):
        quiet.settle(sqlite_database, ALICE, "22:00", "22:00", now=NOW)
    deliver(sqlite_database, at("2026-11-22T03:00"))
    assert len(kept(sqlite_database)) == 1
    sleeps(sqlite_database)
    quiet.settle(sqlite_database, 2, "", "", now=NOW)
    say(sqlite_database, game, "rob blue", now=at("2026-11-23T03:00"))
    deliver(sqlite_database, at("2026-11-23T03:00"))
    assert [mail.to for mail in kept(sqlite_database)] == ["alice@example.org", "bob@example.org"]
