"""Nudges and time granted: pressed six times, each is one. With a simulated clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.overdue import nudges
from app.people.tables import Player
from app.time.reminding import quiet
from app.time.tables import ClockNote
from tests.support.at_once import at_once
from tests.support.mails import kept
from tests.support.tables import NOW, deliver, load, say, start, write

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ALICE, BOB, CAROL = 1, 2, 3


def six_times(press: Callable[[], bool]) -> list[bool]:
    """Return the results of six simultaneous presses."""
    return sorted(at_once(*[press] * 6))


def events(database: Database) -> list[tuple[str, int | None, int | None, str | None]]:
    with database.read() as session:
        columns = (ClockNote.kind, ClockNote.by_id, ClockNote.seconds, ClockNote.seat)
        return [tuple(row) for row in session.execute(sa.select(*columns).order_by(ClockNote.id))]


def test_a_nudge_pressed_six_times_is_one_mail(database: Database) -> None:
    game = start(database)
    deliver(database, NOW)
    assert six_times(lambda: nudges.nudge(database, game, BOB, now=NOW + HOUR)) == [False] * 5 + [True]
    deliver(database, NOW + HOUR)
    (mail,) = kept(database, "nudge")
    assert (mail.to, mail.subject) == (
        "alice@example.org", "bob waits for you until Sat 28 Nov: Ferry #1, turn 1",
    )  # fmt: skip
    assert "alice, bob asks whether you have forgotten your game." in mail.words
    assert "List-Unsubscribe" in mail.headers
    assert nudges.nudge(database, game, BOB, now=NOW + 4 * HOUR), "after midnight it is another day"
    assert not nudges.nudge(database, game, BOB, now=NOW + DAY)
    assert events(database) == [("nudge", BOB, None, "red")] * 2
    assert load(database, game).deadline_at == NOW + 7 * DAY


def test_one_nudge_a_day_whoever_of_the_others_asks(sqlite_database: Database) -> None:
    game, other = start(sqlite_database, seats=3), start(sqlite_database, seats=3)
    deliver(sqlite_database, NOW)
    assert nudges.nudge(sqlite_database, game, BOB, now=NOW)
    assert not nudges.nudge(sqlite_database, game, CAROL, now=NOW)
    assert nudges.nudge(sqlite_database, other, CAROL, now=NOW), "another game is another matter"


def test_who_may_not_nudge(sqlite_database: Database) -> None:
    game = start(sqlite_database)
    with pytest.raises(NotAccepted, match=r"nudge\.early"):
        nudges.nudge(sqlite_database, game, BOB, now=NOW)
    deliver(sqlite_database, NOW)
    with pytest.raises(NotAccepted, match=r"nudge\.own"):
        nudges.nudge(sqlite_database, game, ALICE, now=NOW)
    start(sqlite_database, seats=3)
    with pytest.raises(NotAccepted):
        nudges.nudge(sqlite_database, game, CAROL, now=NOW)
    assert events(sqlite_database) == []


def test_a_nudge_waits_for_the_morning_and_is_dropped_when_it_is_answered(sqlite_database: Database) -> None:
    game = start(sqlite_database)
    deliver(sqlite_database, NOW)
    quiet.settle(sqlite_database, ALICE, "20:00", "08:00", now=NOW)
    nudges.nudge(sqlite_database, game, BOB, now=NOW + HOUR)
    deliver(sqlite_database, NOW + HOUR)
    assert kept(sqlite_database, "nudge") == []
    say(sqlite_database, game, "rob blue", now=NOW + 2 * HOUR)
    deliver(sqlite_database, NOW + 13 * HOUR)
    assert kept(sqlite_database, "nudge") == []


def test_time_granted_six_times_is_granted_once(database: Database) -> None:
    game = start(database)
    deliver(database, NOW)

    def press(granted: int = 0) -> bool:
        return nudges.extend(database, game, BOB, 3, number=1, granted=granted, now=NOW + HOUR)

    assert six_times(press) == [False] * 5 + [True]
    assert load(database, game).deadline_at == NOW + 10 * DAY
    assert press(1), "the page shown anew can grant more"
    assert not press(1) and not press(0)
    assert load(database, game).deadline_at == NOW + 13 * DAY
    assert events(database) == [("extension", BOB, 3 * 86400, "red")] * 2
    deliver(database, NOW + HOUR)
    first, second = kept(database, "extension")
    assert first.to == second.to == "alice@example.org"
    assert first.subject == "3 days more for Ferry against bob (turn 1), until Fri 4 Dec · #1"
    assert "alice, bob has given you 3 days more." in first.words and "Answer by Fri 4 Dec, 20:00 (UTC)." in first.words


def test_time_is_for_the_decision_that_is_owed(sqlite_database: Database) -> None:
    game = start(sqlite_database)

    def grant(days: int, number: int, granted: int = 0, who: int = BOB) -> bool:
        return nudges.extend(sqlite_database, game, who, days, number=number, granted=granted, now=NOW)

    assert grant(7, 1), "also before the clock has started"
    deliver(sqlite_database, NOW)
    assert load(sqlite_database, game).deadline_at == NOW + 14 * DAY
    with pytest.raises(NotAccepted, match=r"extension\.days"):
        grant(1000, 1, 1)
    with pytest.raises(NotAccepted, match=r"nudge\.own"):
        grant(7, 1, 1, ALICE)
    for n in range(1, 12):
        grant(7, 1, n)
    with pytest.raises(NotAccepted, match=r"extension\.most"):
        grant(7, 1, 12)
    say(sqlite_database, game, "rob blue", now=NOW)
    with pytest.raises(NotAccepted, match=r"extension\.made"):
        grant(1, 1, 12, ALICE)
    deliver(sqlite_database, NOW)
    assert load(sqlite_database, game).deadline_at == NOW + 7 * DAY, "the next decision has its own time"


def test_any_one_of_several_opponents_may_grant(sqlite_database: Database) -> None:
    game = start(sqlite_database, seats=3)
    deliver(sqlite_database, NOW)
    for n, who in enumerate((BOB, CAROL)):
        assert nudges.extend(sqlite_database, game, who, 1, number=1, granted=n, now=NOW)
    assert load(sqlite_database, game).deadline_at == NOW + 9 * DAY


def test_granted_time_is_told_to_whom_wants_no_reminders_and_a_nudge_is_not(sqlite_database: Database) -> None:
    """A moved deadline belongs to the turn; only being asked once more is a reminder."""
    game = start(sqlite_database)
    write(sqlite_database, sa.update(Player).where(Player.id == ALICE).values(mail_reminders=False))
    deliver(sqlite_database, NOW)
    assert nudges.nudge(sqlite_database, game, BOB, now=NOW)
    assert nudges.extend(sqlite_database, game, BOB, 3, number=1, granted=0, now=NOW)
    deliver(sqlite_database, NOW)
    assert kept(sqlite_database, "nudge") == [] and len(kept(sqlite_database, "extension")) == 1
