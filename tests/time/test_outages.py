"""Outages: the mail worker away for a day, the scheduler for two, the server for a week. With a simulated clock."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.upkeep_tables import Heartbeat
from app.clocks.clock import Span
from app.clocks.outages import OUTAGE_AFTER, gaps
from app.clocks.pace import Pace
from app.games.tables import Game
from app.games.work import Work
from app.overdue import cases
from app.time import outages, pending
from app.time.away import leave
from app.time.reminding.reminders import remind, told_by
from app.time.tables import ClockNote, Outage
from app.upkeep import jobs
from tests.support.at_once import at_once
from tests.support.databases import ON_SQLITE
from tests.support.mails import kept
from tests.support.running import Install, free_port
from tests.support.sweeping import keep_running
from tests.support.tables import NOW, deliver, hand, load, say, start, write

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def ran(database: Database, job: str, first: datetime, last: datetime, owner: str = "one") -> None:
    """Let a job run, with its heartbeats stored."""
    write(database, sa.insert(Heartbeat).values(job=job, owner=owner, first_at=first, last_at=last))


def all_ran(database: Database, first: datetime, last: datetime, *, but: str = "") -> None:
    for job in outages.JOBS:
        if job != but:
            ran(database, job, first, last)


def credited(database: Database) -> list[tuple[int, int, str]]:
    """Return game, seconds and job of each credit, in order."""
    with database.read() as session:
        rows = session.scalars(sa.select(ClockNote).where(ClockNote.kind == "credit").order_by(ClockNote.id))
        return [(row.game_id, row.seconds, row.details["job"]) for row in rows]


def is_down(database: Database, now: datetime) -> bool:
    with database.read() as session:
        return outages.is_down(session, now)


def mails(database: Database, kind: str) -> list[Any]:
    with database.read() as session:
        return list(session.scalars(sa.select(OutboxMail).where(OutboxMail.kind == kind).order_by(OutboxMail.id)))


# -- gaps -------------------------------------------------------------------------------------------


def test_gaps_are_what_no_process_covers_for_longer_than_a_restart_takes() -> None:
    def at(minute: int) -> datetime:
        return NOW + minute * MINUTE

    stretches = [Span(at(0), at(10)), Span(at(24), at(60)), Span(at(30), at(40)), Span(at(80), at(90))]
    assert gaps(stretches) == [Span(at(60), at(80))]
    assert gaps(reversed(stretches)) == [Span(at(60), at(80))]
    assert gaps([Span(at(0), at(10)), Span(at(25), at(30))]) == [], "15 minutes are still a restart"
    assert gaps([]) == gaps([Span(at(0), at(10))]) == []


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 200)), max_size=8))
def test_minutes_are_in_a_gap_or_near_a_stretch(found: list[tuple[int, int]]) -> None:
    spans = [Span(NOW + first * MINUTE, NOW + (first + length) * MINUTE) for first, length in found]
    silent = gaps(spans)
    for gap in silent:
        assert gap.end - gap.start > OUTAGE_AFTER
        assert not any(span.start < gap.end and gap.start < span.end for span in spans)
    if spans:
        first, last = min(span.start for span in spans), max(span.end for span in spans)
        covered = {n for n in range(800) if any(s.start <= NOW + n * MINUTE <= s.end for s in spans)}
        for n in range(800):
            if first <= NOW + n * MINUTE <= last and n not in covered:
                near = n - max(m for m in covered if m < n) + min(m for m in covered if m > n) - n
                in_gap = any(gap.start < NOW + n * MINUTE < gap.end for gap in silent)
                assert in_gap == (near > 15)


# -- a job that is away -----------------------------------------------------------------------------


@pytest.mark.parametrize(("job", "away"), [("mail", DAY), ("scheduler", 2 * DAY), ("web", 3 * HOUR)])
def test_a_job_that_was_away_gives_all_running_clocks_its_time_back(
    database: Database, job: str, away: timedelta
) -> None:
    long = start(database, pace=7 * DAY)
    short = start(database, pace=DAY)
    deliver(database, NOW)
    went, back = NOW + 10 * HOUR + 7 * SECOND, NOW + 10 * HOUR + 7 * SECOND + away
    all_ran(database, NOW - DAY, back + DAY, but=job)
    ran(database, job, NOW - DAY, went)
    assert not is_down(database, went + 14 * MINUTE)
    assert is_down(database, went + 16 * MINUTE), "nobody is flagged, or reminded, from now on"
    assert is_down(database, back - SECOND)
    # Half time of the short game passes while the job is away.
    assert remind(database, back - SECOND) == 0 and outages.watch(database, back - SECOND) == 0
    ran(database, job, back, back + DAY)
    assert is_down(database, back + SECOND), "until its outage has been noted"
    assert remind(database, back + SECOND) == 0
    assert outages.watch(database, back + 2 * SECOND) == 2
    assert not is_down(database, back + 3 * SECOND)
    seconds = int(away.total_seconds())
    assert credited(database) == [(long, seconds, job), (short, seconds, job)]
    assert load(database, long).deadline_at == NOW + 7 * DAY + away
    assert load(database, short).deadline_at == NOW + DAY + away
    assert outages.watch(database, back + MINUTE) == 0
    # A day before the new deadline of the short game lay in the outage, so that its reminder comes now.
    assert remind(database, back + MINUTE) == (1 if went < NOW + away < back else 0)
    assert remind(database, back + 2 * MINUTE) == 0
    half = back + 2 * HOUR - 7 * SECOND  # of the twelve hours, ten had been used
    assert remind(database, half - SECOND) == 0 and remind(database, half) == 1


@ON_SQLITE
def test_the_server_away_for_a_week_is_credited_once_to_the_minute_and_sends_no_flood(database: Database) -> None:
    """All jobs are away, each some seconds longer or shorter than the others."""
    games = [start(database, pace=pace * DAY) for pace in (1, 2, 3, 7, 14)]
    deliver(database, NOW)
    went, back = NOW + 5 * HOUR, NOW + 5 * HOUR + 7 * DAY
    for n, job in enumerate(outages.JOBS):
        ran(database, job, NOW - DAY, went + n * SECOND)
    now = back
    for n, job in enumerate(outages.JOBS):  # the first sweeps run while the others come up
        now = back + 3 * n * SECOND
        outages.beat(database, job, "two", now)
        assert outages.watch(database, now) in (0, 5)
        assert remind(database, now) == (1 if job == outages.JOBS[-1] else 0)
    assert [load(database, game).deadline_at for game in games] == [
        NOW + pace * DAY + 7 * DAY + 6 * SECOND for pace in (1, 2, 3, 7, 14)
    ], "from when the first job was gone until the last one was back"
    assert credited(database) == [(game, 7 * 86400, "scheduler") for game in games], "one sentence a game, not three"
    sent = deliver(database, now)
    for minute in range(0, 120, 10):
        remind(database, now + minute * MINUTE)
        sent += deliver(database, now + minute * MINUTE)
    assert sent == 1, "a day before the first new deadline lay in that week"
    assert [[rung.game_id for rung in told_by(mail)] for mail in mails(database, "reminder")] == [games[:1]]


def test_a_clock_that_jumps_ahead_for_an_hour_and_is_set_back_times_nobody_out(database: Database) -> None:
    """The machine's clock is three days ahead for a while, and then right again.

    What was done in that time counts as in a server that was away, and nothing that waits by the clock waits longer
    than it should.
    """
    games = [start(database, pace=pace * DAY) for pace in (1, 2, 7)]
    deliver(database, NOW)
    jump, far = NOW + 2 * HOUR, NOW + 2 * HOUR + 3 * DAY
    for job in outages.JOBS:
        ran(database, job, NOW - DAY, jump)
    for minute in range(0, 60, 10):  # all processes run on, by the wrong clock
        for job in outages.JOBS:
            outages.beat(database, job, "one", far + minute * MINUTE)
        outages.watch(database, far + minute * MINUTE)
        cases.sweep_cases(database, far + minute * MINUTE)
    assert [load(database, game).is_over for game in games] == [False] * 3
    back = jump + HOUR
    for minute in range(0, 60, 10):
        for job in outages.JOBS:
            outages.beat(database, job, "one", back + minute * MINUTE)
        outages.watch(database, back + minute * MINUTE)
        cases.sweep_cases(database, back + minute * MINUTE)
    assert [load(database, game).is_over for game in games] == [False] * 3
    ends = [load(database, game).deadline_at for game in games]
    assert all(at is not None and at >= NOW + pace * DAY for at, pace in zip(ends, (1, 2, 7), strict=True))
    game = load(database, games[0])
    cards = hand(game, game.decides or "")
    say(database, game.id, f"drop {cards[0]}\ndrop {cards[1]}\nend", now=back + HOUR)
    assert deliver(database, back + HOUR) >= 1 and load(database, games[0]).deadline_at is not None


def test_clocks_that_had_not_started_or_belong_to_nobody_are_not_credited(sqlite_database: Database) -> None:
    waiting = start(sqlite_database, pace=7 * DAY)
    ran(sqlite_database, "mail", NOW - DAY, NOW + HOUR)
    ran(sqlite_database, "mail", NOW + 6 * DAY, NOW + 6 * DAY + HOUR)
    assert outages.watch(sqlite_database, NOW + 6 * DAY) == 0
    with sqlite_database.read() as session:
        check = session.scalar(sa.select(Game.check_at).where(Game.id == waiting))
    assert check == NOW + 3 * DAY + 6 * DAY - HOUR, "the time for the mail to arrive stood still as well"
    deliver(sqlite_database, NOW + 6 * DAY)
    assert load(sqlite_database, waiting).deadline_at == NOW + 13 * DAY
    later = start(sqlite_database, pace=7 * DAY, now=NOW + 7 * DAY)
    deliver(sqlite_database, NOW + 7 * DAY)
    assert load(sqlite_database, later).deadline_at == NOW + 14 * DAY
    assert credited(sqlite_database) == []


def test_overlapping_outages_and_leave_stop_a_clock_once(sqlite_database: Database) -> None:
    game = start(sqlite_database, pace=7 * DAY)
    deliver(sqlite_database, NOW)
    leave.plan(
        sqlite_database, 1, (NOW + 3 * DAY).date(), (NOW + 3 * DAY).date(), now=NOW, allowance=30
    )  # from midnight: NOW is 20:00, so from 2 days 4 hours to 3 days 4 hours
    ran(sqlite_database, "web", NOW, NOW + 2 * DAY)
    ran(sqlite_database, "web", NOW + 4 * DAY, NOW + 5 * DAY)
    ran(sqlite_database, "mail", NOW, NOW + 3 * DAY)
    ran(sqlite_database, "mail", NOW + 4 * DAY + 6 * HOUR, NOW + 5 * DAY)
    ran(sqlite_database, "scheduler", NOW, NOW + 5 * DAY)
    outages.watch(sqlite_database, NOW + 5 * DAY)
    assert credited(sqlite_database) == [(game, 86400, "web"), (game, 6 * 3600, "mail")]
    assert load(sqlite_database, game).deadline_at == NOW + 9 * DAY + 6 * HOUR


def test_a_bank_is_not_charged_for_an_outage_that_still_lasts(sqlite_database: Database) -> None:
    pace = Pace(decision=0, free=0, bank=86400 * 10, increment=0, cap=86400 * 20)
    game = start(sqlite_database, pace=pace)
    deliver(sqlite_database, NOW)
    all_ran(sqlite_database, NOW - DAY, NOW + 3 * DAY, but="mail")
    ran(sqlite_database, "mail", NOW - DAY, NOW + DAY)
    say(sqlite_database, game, "rob blue", now=NOW + 3 * DAY)
    assert load(sqlite_database, game).seated("red").bank == 9 * 86400


# -- whatever happens -------------------------------------------------------------------------------


def test_crediting_that_is_killed_goes_on_where_it_was(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outages, "AT_ONCE", 4)
    games = [start(sqlite_database, pace=7 * DAY) for _ in range(11)]
    deliver(sqlite_database, NOW)
    ran(sqlite_database, "scheduler", NOW, NOW + HOUR)
    ran(sqlite_database, "scheduler", NOW + 3 * HOUR, NOW + 3 * HOUR)
    commit, commits = Work.commit, []

    def killed(work: Work) -> None:
        commits.append(work)
        if len(commits) == 2:
            raise KeyboardInterrupt
        commit(work)

    with monkeypatch.context() as patched:
        patched.setattr(Work, "commit", killed)
        with pytest.raises(KeyboardInterrupt):
            outages.watch(sqlite_database, NOW + 3 * HOUR)
    assert [game for game, _, _ in credited(sqlite_database)] == games[:4]
    assert outages.watch(sqlite_database, NOW + 3 * HOUR + SECOND) == 7
    assert credited(sqlite_database) == [(game, 7200, "scheduler") for game in games]


def test_processes_that_watch_at_once_credit_each_game_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outages, "AT_ONCE", 3)
    games = [start(database, pace=7 * DAY) for _ in range(10)]
    deliver(database, NOW)
    ran(database, "scheduler", NOW, NOW + HOUR)
    ran(database, "scheduler", NOW + 3 * HOUR, NOW + 3 * HOUR)
    at_once(*[lambda: outages.watch(database, NOW + 3 * HOUR)] * 3)
    assert sorted(credited(database)) == [(game, 7200, "scheduler") for game in games]
    assert {load(database, game).deadline_at for game in games} == {NOW + 7 * DAY + 2 * HOUR}
    with database.read() as session:
        assert session.scalars(sa.select(Outage.is_credited)).all() == [True]


def test_an_outage_is_found_after_its_beats_have_grown_old(sqlite_database: Database) -> None:
    """Tidying keeps the beginning of the gap, whichever runs first after a hundred days."""
    game = start(sqlite_database, pace=7 * DAY)
    deliver(sqlite_database, NOW)
    for n in range(5):
        ran(sqlite_database, "scheduler", NOW - (9 - n) * DAY, NOW - (8 - n) * DAY)
    ran(sqlite_database, "scheduler", NOW, NOW + DAY)
    back = NOW + 101 * DAY
    outages.beat(sqlite_database, "scheduler", "two", back)
    jobs.tidy(sqlite_database, back)
    outages.watch(sqlite_database, back)
    assert load(sqlite_database, game).deadline_at == NOW + 107 * DAY


def test_who_does_not_run_a_job_any_more_is_not_waited_for(sqlite_database: Database) -> None:
    ran(sqlite_database, "scheduler", NOW - 40 * DAY, NOW - 31 * DAY)
    assert not is_down(sqlite_database, NOW)
    ran(sqlite_database, "scheduler", NOW - 40 * DAY, NOW - 29 * DAY, owner="two")
    assert is_down(sqlite_database, NOW)


# -- what is said -----------------------------------------------------------------------------------


def test_the_next_mail_and_the_log_say_what_was_credited(sqlite_database: Database) -> None:
    game = start(sqlite_database, pace=7 * DAY)
    deliver(sqlite_database, NOW)
    all_ran(sqlite_database, NOW - DAY, NOW + HOUR)
    all_ran(sqlite_database, NOW + DAY + 3 * HOUR + 20 * MINUTE, NOW + 9 * DAY)
    outages.watch(sqlite_database, NOW + 2 * DAY)
    assert remind(sqlite_database, NOW + 4.7 * DAY) == 1
    deliver(sqlite_database, NOW + 4.7 * DAY)
    text = kept(sqlite_database)[-1].words
    assert (
        "Answer by Sun 29 Nov, 22:20 (UTC). The server was down from Sat 21 Nov, 21:00 (UTC) to Sun 22 Nov, 23:20 "
        "(UTC): your deadline moved by 1 day, 2 hours, and 20 minutes."
    ) in text
    with sqlite_database.read() as session:
        decision = pending.owed(session, game)
    assert decision is not None and decision.deadline_at == NOW + 8 * DAY + 2 * HOUR + 20 * MINUTE


# -- the processes themselves -----------------------------------------------------------------------


def test_each_role_beats_for_what_it_runs(tmp_path: Path, sqlite_url: str) -> None:
    """The mail worker beats while its host answers, and is silent while it does not."""

    def beating(wanted: set[str], *role: str) -> set[str]:
        """Run a role until these jobs have beaten; return those that have."""
        found = set[str]()
        database = Database(sqlite_url)
        with install.serving(*role):
            end = time.monotonic() + 60
            while not wanted <= found and time.monotonic() < end:
                time.sleep(0.1)
                with database.read() as session:
                    found = set(session.scalars(sa.select(Heartbeat.job)))
        with database.write() as session:  # after its last beat
            session.execute(sa.delete(Heartbeat))
            session.commit()
        database.close()
        return found

    install = Install(tmp_path, SMTP_URL=f"smtp://127.0.0.1:{free_port()}", DATABASE_URL=sqlite_url)
    assert beating({"web"}, "--role", "web") == {"web"}
    both = {"scheduler", "mail"}
    assert beating(both, "--role", "worker") == both, "there is nothing to send"
    install.command("game", "new", "acres", "--seat", "british=a@example.org", "--seat", "french=b@example.org")
    assert beating({"scheduler"}, "--role", "worker") == {"scheduler"}, "its host does not answer"


def test_a_sweep_as_if_the_server_had_run_makes_no_outage(database: Database) -> None:
    """Without it each step of the tool counts as time in which the server was down."""
    for job in outages.JOBS:
        outages.beat(database, job, "one", NOW)
    later = NOW + timedelta(days=4)
    with database.read() as session:
        assert outages.is_down(session, later)
    keep_running(database, later)
    with database.read() as session:
        assert not outages.is_down(session, later)
    assert outages.watch(database, later) == 0
    with database.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(Outage)) == 0
