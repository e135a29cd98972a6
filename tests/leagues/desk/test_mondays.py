"""Organisers get one mail on Monday morning about everything the week asks for, and none if it asks for nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import BouncedAddress, OutboxMail
from app.leagues.changes import leaving
from app.leagues.desk import weekly_mail
from app.leagues.rulings import round_ends
from app.overdue import cases
from app.people.tables import Player
from tests.support import pressed
from tests.support.databases import ON_SQLITE
from tests.support.events import club, people, planned, resign_all
from tests.support.mails import Kept, kept
from tests.support.season import DAY, HOUR, season
from tests.support.tables import NOW, deliver, write

MONDAY = datetime(2026, 11, 23, 7, 0, tzinfo=UTC)
"""Eight o'clock in Paris."""


def told(database: Database) -> list[Kept]:
    return kept(database, "club_week")


def set_for(database: Database, player: int, **values: object) -> None:
    write(database, sa.update(Player).where(Player.id == player).values(**values))


@ON_SQLITE
def test_one_mail_on_monday_morning_of_their_own_zone_for_all_their_clubs(database: Database) -> None:
    made = season(database, 4, round_days=6)
    other = season(database, 2, slug="angers")
    assert other.organiser == made.organiser
    set_for(database, made.organiser, zone="Europe/Paris")
    deliver(database, NOW)
    for early in (MONDAY - 24 * HOUR, MONDAY - HOUR):
        assert weekly_mail.plan(database, early) == 0
    resign_all(database, other.round())
    for moment in (MONDAY, MONDAY + HOUR):
        weekly_mail.plan(database, moment)
        deliver(database, moment)
    [mail] = told(database)
    assert mail.to == "p0@example.org" and mail.subject == "This week: 1 thing needs your hand"
    assert "- 1 round can be closed, paired or published." in mail.text
    assert "- Cup, round 1 ends on Fri 27 Nov, 21:00 (CET)" in mail.text
    assert "/clubs/angers/week" in mail.text and "/clubs/vendee/week" in mail.text
    assert weekly_mail.plan(database, MONDAY + 5 * HOUR) == 0, "it is afternoon"


def test_the_mail_says_what_events_do_by_themselves_this_week(sqlite_database: Database) -> None:
    boss, *_ = people(sqlite_database, 1)
    there = club(sqlite_database, boss)
    for name, opens in (("Cup", 2), ("Autumn", 8)):
        event = planned(
            sqlite_database,
            there,
            boss,
            name=name,
            sign_up_from=MONDAY + timedelta(days=opens),
            sign_up_until=MONDAY + timedelta(days=opens + 3),
            autopilot=24,
        )
    assert weekly_mail.plan(sqlite_database, MONDAY + HOUR) == 1
    deliver(sqlite_database, MONDAY + HOUR)
    [mail] = told(sqlite_database)
    assert "Cup: sign-up opens by itself on Wed 25 Nov" in mail.words and "Autumn" not in mail.words
    pressed.open_sign_up(sqlite_database, event, boss, now=NOW)
    with sqlite_database.read() as session:
        [said] = weekly_mail.read(session, boss, MONDAY + timedelta(days=7, hours=1))
    assert [(one.name, act.kind) for one, act in said.ahead if one.id == event] == [
        ("Autumn", "remind"), ("Autumn", "close_sign_up"), ("Autumn", "start"),
    ]  # fmt: skip


def test_the_mail_says_what_went_wrong_in_the_week_before(sqlite_database: Database) -> None:
    made = season(sqlite_database, 6, round_days=1, round_end="ruling")
    for number in range(3):
        made.start_clock(number, NOW)
    cases.sweep_cases(sqlite_database, NOW + 8 * DAY)
    round_ends.sweep(sqlite_database, NOW + 8 * DAY)
    out, back, gone = (f"p{made.owes(n) - 1}" for n in range(3))
    leaving.withdraw(sqlite_database, made.event, made.owes(0), made.organiser, reason="silent", now=NOW + 8 * DAY)
    leaving.withdraw(sqlite_database, made.event, made.owes(2), made.owes(2), reason="", now=NOW + 8 * DAY)
    with sqlite_database.write() as session:
        mail = sa.update(OutboxMail).where(OutboxMail.game_id == made.game(1).id, OutboxMail.kind == "turn")  # type: ignore[arg-type]
        session.execute(mail.values(state="failed", bounced_at=NOW + 8 * DAY))
        session.commit()
    at = MONDAY + 7 * DAY + HOUR
    with sqlite_database.read() as session:
        [said] = weekly_mail.read(session, made.organiser, at)
    assert said.wrong == {"bounced": [back], "round.end": ["Cup"], "entry.withdrawn": [gone]}, "the reader knows of out"
    assert out not in said.who and back in said.who
    with sqlite_database.write() as session:
        session.add(BouncedAddress(address_key=f"{back}@example.org", at=at, reason="550 5.1.1"))
        session.commit()
    weekly_mail.plan(sqlite_database, at)
    deliver(sqlite_database, at)
    [mail] = told(sqlite_database)
    assert f"Mails do not reach: {back}" in mail.words and f"Left an event last week: {gone}" in mail.words
    assert "Games still ran last week at the end of a round: Cup" in mail.words
    assert f"1 game needs somebody: {back}" in mail.words
    with sqlite_database.read() as session:
        later = weekly_mail.read(session, made.organiser, at + 14 * DAY)
        assert all(set(one.wrong) == {"bounced"} for one in later), "long ago"


def test_it_is_monday_morning_in_every_zone(sqlite_database: Database) -> None:
    """Club review, F12: from eight to eleven, wherever its reader lives."""
    made = season(sqlite_database, 2, round_days=6)
    for offset in range(-12, 15):
        set_for(sqlite_database, made.organiser, zone=f"Etc/GMT{-offset:+d}")
        hours = [MONDAY.replace(hour=0) + (hour - offset) * HOUR for hour in weekly_mail.MORNING]
        assert [weekly_mail.plan(sqlite_database, moment) for moment in hours] == [1] * len(hours), offset


def test_no_mail_where_there_is_nothing_to_say_or_no_news_are_wanted(sqlite_database: Database) -> None:
    made = season(sqlite_database, 4)
    noon = MONDAY + HOUR
    assert weekly_mail.plan(sqlite_database, noon) == 1
    deliver(sqlite_database, noon)
    assert told(sqlite_database) == [], "all games run, and no round has an end"
    resign_all(sqlite_database, made.round())
    set_for(sqlite_database, made.organiser, mail_news=False)
    assert weekly_mail.plan(sqlite_database, noon + timedelta(days=7)) == 0
    with sqlite_database.read() as session:
        assert [one.club.slug for one in weekly_mail.read(session, made.organiser, noon)] == ["vendee"]
        assert weekly_mail.read(session, made.players[0], noon) == []
