"""The ladder of reminders: when they come, what is merged, and what the last one says. With a simulated clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from app.base.stored.database import Database
from app.clocks.clock import Span, Standstill, deadline
from app.clocks.pace import DAY, DEFAULT, HOUR, Pace, ReminderLadder, Stage
from app.clocks.reminders import CLOSE, rungs
from app.overdue import nudges
from app.people.tables import Player
from app.time.away import leave
from app.time.reminding.reminders import remind
from tests.support.databases import ON_SQLITE
from tests.support.mails import kept
from tests.support.tables import NOW, deliver, load, say, start, write

A_DAY, AN_HOUR = timedelta(days=1), timedelta(hours=1)
ALICE, BOB = 1, 2


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def reminded(database: Database, hours: int, step: timedelta = AN_HOUR) -> list[tuple[datetime, str]]:
    """Return when reminders were sent in the next hours, and their subjects: sweeps and the sender at intervals."""
    before = len(kept(database, "reminder"))
    now = NOW
    while now < NOW + hours * AN_HOUR:
        remind(database, now)
        deliver(database, now)
        now += step
    return [(mail.at, mail.subject) for mail in kept(database, "reminder")[before:]]


# -- the ladder -------------------------------------------------------------------------------------


@given(
    st.lists(st.floats(0.01, 0.99), max_size=6), st.lists(st.integers(1, 720), max_size=6),
    st.integers(600, 40 * DAY), st.lists(st.tuples(st.integers(0, 600), st.integers(1, 200)), max_size=3),
)  # fmt: skip
def test_rungs_lie_between_start_and_deadline_apart_and_not_in_a_standstill(
    shares: list[float], hours: list[int], seconds: int, stands: list[tuple[int, int]]
) -> None:
    spans = tuple(Span(NOW + a * AN_HOUR, NOW + (a + n) * AN_HOUR) for a, n in stands)
    still = Standstill(spans)
    due = deadline(DEFAULT, NOW, seconds, still)
    found = rungs(ReminderLadder(tuple(shares), tuple(hours)), DEFAULT, NOW, seconds, due, still)
    assert found == sorted(found) and all(NOW < one < due for one in found)
    assert all(later - one > CLOSE for one, later in pairwise(found))
    assert not any(span.start <= one < span.end for one in found for span in spans)


def test_shares_are_of_the_time_that_runs(sqlite_database: Database) -> None:
    """Four days without weekends from Saturday 20:00: half time is Tuesday's end."""
    pace = Pace(decision=4 * DAY, days_off=("sat", "sun"), reminders=ReminderLadder((0.5,), (12,)))
    game = start(sqlite_database, pace=pace)
    deliver(sqlite_database, NOW)
    assert load(sqlite_database, game).deadline_at == at("2026-11-27T00:00")
    assert reminded(sqlite_database, 8 * 24) == [
        (at("2026-11-25T00:00"), "Still your move until Fri 27 Nov against bob: Ferry #1, turn 1"),
        (at("2026-11-26T12:00"), "Still your move until Fri 27 Nov against bob: Ferry #1, turn 1"),
    ]


def test_hours_before_the_end_go_with_the_clocks_of_the_zone(sqlite_database: Database) -> None:
    """The deadline hour is 20:00 in Paris on 28 March 2027, when the clocks go forward; 24 hours before it is 19:00."""
    begun = at("2027-03-25T21:00", "Europe/Paris")
    pace = Pace(decision=2 * DAY, zone="Europe/Paris", hour="20:00", reminders=ReminderLadder((), (24,)))
    game = start(sqlite_database, pace=pace, now=begun)
    deliver(sqlite_database, begun)
    assert load(sqlite_database, game).deadline_at == at("2027-03-28T20:00", "Europe/Paris") == at("2027-03-28T18:00")
    sweeps = [begun + n * AN_HOUR for n in range(4 * 24)]
    assert [now for now in sweeps if remind(sqlite_database, now)] == [at("2027-03-27T19:00", "Europe/Paris")]


def test_nobody_is_reminded_of_a_deadline_that_has_passed(sqlite_database: Database) -> None:
    game = start(sqlite_database, pace=A_DAY)
    deliver(sqlite_database, NOW)
    due = load(sqlite_database, game).deadline_at
    assert due is not None and remind(sqlite_database, due) == 0


# -- one mail ---------------------------------------------------------------------------------------


@ON_SQLITE
def test_what_is_due_within_the_hour_goes_along_and_comes_no_more(database: Database) -> None:
    for minutes in (0, 40, 59, 61):
        start(database, pace=2 * A_DAY, now=NOW + minutes * timedelta(minutes=1))
        deliver(database, NOW + minutes * timedelta(minutes=1))
    told = reminded(database, 26, timedelta(minutes=1))
    assert told == [
        (NOW + A_DAY, "3 games wait for you, the first until Mon 23 Nov"),
        (NOW + A_DAY + timedelta(minutes=61), "Still your move until Mon 23 Nov against bob: Ferry #4, turn 1"),
    ]


def test_the_mail_for_several_games_says_each_with_its_link_and_the_urgent_first(sqlite_database: Database) -> None:
    games = [start(sqlite_database, pace=pace * A_DAY) for pace in (7, 4, 5)]
    deliver(sqlite_database, NOW)
    write(sqlite_database, sa.update(Player).values(zone="Europe/Paris"))
    remind(sqlite_database, NOW + 3.6 * A_DAY)
    say(sqlite_database, games[2], "rob blue", now=NOW + 3.6 * A_DAY)
    deliver(sqlite_database, NOW + 3.6 * A_DAY)
    (mail,) = kept(sqlite_database, "reminder")
    assert mail.subject == "2 games wait for you, the first until Wed 25 Nov"
    first, second = mail.words.index("Answer by Wed 25 Nov, 21:00 (CET)."), mail.words.index("Sat 28 Nov, 21:00 (CET).")
    assert first < second and mail.text.count("https://post.example.org/t/".replace("https", "http")) == 2
    assert "List-Unsubscribe" in mail.headers and mail.headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert max(len(line) for line in mail.text.splitlines() if not line.startswith("http")) <= 72


def test_a_reminder_that_still_waits_goes_with_the_next_one(sqlite_database: Database) -> None:
    """The mail host was away for some minutes: the mail written for it is withdrawn, and nothing comes twice."""
    one, other = start(sqlite_database, pace=2 * A_DAY), start(sqlite_database, pace=3 * A_DAY)
    deliver(sqlite_database, NOW)
    assert remind(sqlite_database, NOW + A_DAY) == 1 and remind(sqlite_database, NOW + 1.5 * A_DAY) == 1
    deliver(sqlite_database, NOW + 1.6 * A_DAY)
    (mail,) = kept(sqlite_database, "reminder")
    assert mail.subject == "2 games wait for you, the first until Mon 23 Nov" and one != other


# -- what is true -----------------------------------------------------------------------------------


def test_time_granted_and_leave_move_the_reminders(sqlite_database: Database) -> None:
    game = start(sqlite_database, pace=4 * A_DAY)
    deliver(sqlite_database, NOW)
    nudges.extend(sqlite_database, game, BOB, 3, number=1, granted=0, now=NOW)
    day = (NOW + 5 * A_DAY).date()
    leave.plan(sqlite_database, ALICE, day, day, now=NOW, allowance=30)
    assert load(sqlite_database, game).deadline_at == NOW + 8 * A_DAY
    assert [now for now, _ in reminded(sqlite_database, 9 * 24)] == [NOW + 3.5 * A_DAY, NOW + 7 * A_DAY]


def test_a_deadline_that_has_moved_without_being_kept_is_worked_out_anew(sqlite_database: Database) -> None:
    """Rows written without the services, as after a restored copy: the sweep reschedules, and sends nothing yet."""
    game = start(sqlite_database, pace=2 * A_DAY)
    deliver(sqlite_database, NOW)
    with sqlite_database.write() as session:
        session.connection().exec_driver_sql(f"UPDATE game SET extra_seconds = {2 * DAY} WHERE id = {game}")
        session.commit()
    assert remind(sqlite_database, NOW + A_DAY) == 0
    assert load(sqlite_database, game).deadline_at == NOW + 4 * A_DAY
    assert remind(sqlite_database, NOW + 2 * A_DAY) == 1


# -- the last one -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "zone"), [("en", "America/New_York"), ("fr", "Europe/Paris")])
def test_the_last_reminder_says_what_will_happen_when(sqlite_database: Database, language: str, zone: str) -> None:
    stages = (
        Stage(0, "warned", ("remind",)), Stage(12 * HOUR, "grace", ("orders", "forfeit_turn")),
        Stage(2 * DAY, "flagged", ("claim",)), Stage(9 * DAY, "ruled", ("forfeit",)),
    )  # fmt: skip
    start(sqlite_database, pace=Pace(decision=7 * DAY, stages=stages))
    deliver(sqlite_database, NOW)
    write(sqlite_database, sa.update(Player).values(language=language, zone=zone))
    reminded(sqlite_database, 7 * 24)
    first, last = kept(sqlite_database, "reminder")
    if language == "en":
        assert "This is the last reminder" not in first.text
        assert (
            "This is the last reminder. What happens if you do not answer: "
            "- Sat 28 Nov, 15:00 (EST): all players are told. "
            "- Sun 29 Nov, 03:00 (EST): standing orders are used, or what all can see to be the only action is "
            "played and the turn ends where the rules allow it. "
            "- Mon 30 Nov, 15:00 (EST): the others may claim the game or wait. "
            "- Mon 7 Dec, 15:00 (EST): the game is lost. "
            "While you have days of leave left this year, one is taken before you count as late."
        ) in last.words
    else:
        assert "dernier rappel" not in first.text and "C’est le dernier rappel." in last.words
        assert "lundi 30 nov., 21:00 (CET) : les autres peuvent réclamer le gain ou attendre." in last.words
