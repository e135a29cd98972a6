"""Long pairings as jobs, on SQLite and PostgreSQL: asked for once, taken once, killed, cancelled, overtaken, broken."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.leagues.changes import leaving
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.pure.pairing.tasks import LONG
from app.leagues.rounds import pairing_jobs
from app.leagues.rounds.pairing_jobs import KEPT, LEASE, MOST_TRIES, PAUSE, work_one
from app.leagues.tables import About, Audit, Competition, CompetitionRound, Member, PairingJob
from app.upkeep import jobs
from tests.support import pressed
from tests.support.at_once import at_once
from tests.support.databases import ON_SQLITE
from tests.support.events import crowd, people, press, read
from tests.support.killed import killed_in_the_middle
from tests.support.running import Install
from tests.support.tables import NOW, write

SECOND = timedelta(seconds=1)
MANY = LONG + 2

KILLED_AT_WORK = """
import sys, time
from datetime import datetime
from app.base.stored.database import Database
from app.leagues.rounds.pairing_jobs import work_one

asked = []

def clock():
    asked.append(1)
    if len(asked) > 3:
        print("in the middle", flush=True)
        time.sleep(60)
    return datetime.fromisoformat(sys.argv[2])

work_one(Database(sys.argv[1]), "killed", clock)
"""
"""A worker that has reported its start, and then stalls."""


def organiser(database: Database) -> int:
    return int(read(database, lambda c: c.scalar(sa.select(Member.player_id).where(Member.role == "owner"))))


def asked(database: Database, now: Competition, once: str | None = None, at: datetime = NOW) -> int:
    job = press(database, now.divisions[0].id, organiser(database), once, at)
    assert job is not None
    return job


def job_of(database: Database, job_id: int) -> PairingJob:
    return read(database, lambda session: pairing_jobs.get(session, job_id))


def drafts(database: Database, now: Competition) -> list[CompetitionRound]:
    return read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id, drafts=True))


def acts(database: Database) -> Counter[str]:
    return Counter(read(database, lambda c: c.scalars(sa.select(Audit.act).where(Audit.act.like("round.%"))).all()))


def ticking(step: timedelta, then: Callable[[], None] = lambda: None) -> Callable[[], datetime]:
    """Return a clock that advances at every look; `then` happens at each."""
    at = [NOW]

    def look() -> datetime:
        at[0] += step
        then()
        return at[0]

    return look


@ON_SQLITE
def test_a_short_pairing_is_left_to_the_page_and_a_long_one_is_worked_out(database: Database) -> None:
    now = crowd(database, MANY)
    who = read(database, lambda c: entries.entrants(c, now.id))
    for one in who[LONG + 1 :]:
        pressed.set_rounds_off(database, now.id, one.player_id, away=[1], byes=[], by_id=one.player_id, now=NOW)
    division, by = now.divisions[0].id, organiser(database)
    job_id = asked(database, now)
    job = job_of(database, job_id)
    assert (job.state, job.step, job.share, job.number, job.claimed_by) == ("open", "waiting", 0, 1, None)
    assert acts(database) == {"round.pairing_asked": 1} and drafts(database, now) == []
    assert work_one(database, "one", lambda: NOW) and not work_one(database, "one", lambda: NOW)
    done, (draft,) = job_of(database, job_id), drafts(database, now)
    assert (done.state, done.share, done.round_id) == ("done", 100, draft.id)
    seated = Counter(seat.entry_id for match in draft.matches for seat in match.seats)
    assert seated == Counter(one.id for one in who)
    assert acts(database) == {"round.pairing_asked": 1, "round.paired": 1}
    with database.read() as session:
        paired = session.scalars(sa.select(Audit).where(Audit.act == "round.paired")).one()
    about = paired.about, paired.about_number, paired.about_division
    assert (paired.by_id, about) == (by, (About.ROUND, 1, now.divisions[0].id))
    same = pressed.pair(database, division, by, now=NOW)
    again = read(database, lambda c: round_rows.get(c, same))
    seats = [
        [seat.model_dump(exclude={"id", "match_id"}) for match in made.matches for seat in match.seats]
        for made in (again, draft)
    ]
    assert seats[0] == seats[1], "the very round that `pair` makes"
    pressed.set_rounds_off(database, now.id, who[LONG].player_id, away=[1], byes=[], by_id=who[LONG].player_id, now=NOW)
    assert press(database, division, by) is None and acts(database)["round.pairing_asked"] == 1
    assert len(drafts(database, now)) == 1 and read(database, lambda c: pairing_jobs.newest(c, now.id)).keys() == {
        division
    }


def test_asked_for_twice_it_is_one_job_and_of_two_workers_one_takes_it(database: Database) -> None:
    now = crowd(database, MANY)
    division, by = now.divisions[0].id, organiser(database)
    found = at_once(*[lambda: press(database, division, by, "form:first00")] * 4)
    assert asked(database, now, "form:other00") == found[0], "another organiser, on a page of their own"
    assert len(set(found)) == 1 and acts(database) == {"round.pairing_asked": 1}
    taken = at_once(*[lambda n=n: work_one(database, f"worker {n}", lambda: NOW) for n in range(3)])
    assert sorted(taken) == [False, False, True] and len(drafts(database, now)) == 1
    first = job_of(database, found[0] or 0)
    assert asked(database, now, "form:first00") in set(found), "a page that is sent again finds its job, not a new one"
    again = asked(database, now, "form:again00")
    assert again != first.id and job_of(database, again).state == "open"


def test_a_worker_that_is_killed_leaves_its_job_to_another_one(database_url: str, database: Database) -> None:
    now = crowd(database, MANY, title="acres")
    job_id = asked(database, now)
    killed_in_the_middle(KILLED_AT_WORK, database_url, NOW)
    job = job_of(database, job_id)
    assert job.claimed_by and job.step in ("reading", "pairing") and drafts(database, now) == []
    assert not work_one(database, "two", lambda: NOW + LEASE - SECOND), "the first might still be at it"
    assert work_one(database, "two", lambda: NOW + LEASE)
    assert job_of(database, job_id).state == "done" and len(drafts(database, now)) == 1


def test_a_job_that_kills_every_worker_is_given_up_with_a_sentence(database: Database) -> None:
    now = crowd(database, MANY)
    job_id = asked(database, now)

    class Killed(BaseException):
        pass

    def killing(at: datetime) -> Callable[[], datetime]:
        looks = iter(range(9))

        def look() -> datetime:
            if next(looks):  # the first one claims the job
                raise Killed
            return at

        return look

    for n in range(MOST_TRIES):
        with pytest.raises(Killed):
            work_one(database, "one", killing(NOW + n * LEASE))
    assert work_one(database, "one", lambda: NOW + MOST_TRIES * LEASE + SECOND)
    failed = job_of(database, job_id)
    assert failed.state == "failed" and "could not work this pairing out" in Voice().say(failed.why)
    assert acts(database) == {"round.pairing_asked": 1, "round.pairing_failed": 1}


@ON_SQLITE
def test_progress_is_written_about_once_a_second_and_never_goes_back(database: Database) -> None:
    now = crowd(database, 120)
    job_id = asked(database, now)
    seen: list[tuple[str, int]] = []

    def look() -> None:
        job = job_of(database, job_id)
        seen.append((job.step, job.share))

    assert work_one(database, "one", ticking(SECOND / 5, look))
    shares = [share for _, share in seen]
    assert shares == sorted(shares) and shares[-1] <= 99 and len(set(shares)) > 2
    assert {step for step, _ in seen} == {"waiting", "reading", "pairing"}
    changes = sum(one != two for one, two in pairwise(shares))
    assert changes <= len(seen) / 5 + 1, "five looks at the clock are a second"


def test_a_job_can_be_stopped_before_and_in_the_middle(database: Database) -> None:
    now = crowd(database, MANY)
    by = organiser(database)
    waiting = asked(database, now)
    member = people(database, 3)[2]
    with pytest.raises(NotAccepted, match=r"club\.role"):
        pressed.stop_pairing(database, waiting, member, now=NOW)
    assert pressed.stop_pairing(database, waiting, by, now=NOW)
    assert not pressed.stop_pairing(database, waiting, by, now=NOW), "pressed twice it is stopped once"
    assert not work_one(database, "one", lambda: NOW)

    running = asked(database, now)

    def stop() -> None:
        if job_of(database, running).step == "pairing":
            pressed.stop_pairing(database, running, by, now=NOW)

    assert work_one(database, "one", ticking(SECOND, stop))
    assert job_of(database, running).state == "cancelled" and drafts(database, now) == []
    assert acts(database) == {"round.pairing_asked": 2, "round.pairing_stopped": 2}
    with database.write() as session:
        assert pairing_jobs.forget(session, NOW + KEPT) == 0
        session.commit()
    assert jobs.tidy(database, NOW + KEPT + SECOND) >= 2
    assert read(database, lambda c: c.scalar(sa.select(sa.func.count()).select_from(PairingJob))) == 0


def test_a_worker_that_has_to_end_gives_its_job_back(database: Database) -> None:
    now = crowd(database, MANY)
    job_id = asked(database, now)
    assert work_one(database, "one", lambda: NOW, lambda: True)
    job = job_of(database, job_id)
    assert (job.state, job.step, job.claimed_by) == ("open", "waiting", None) and drafts(database, now) == []
    assert work_one(database, "two", lambda: NOW) and job_of(database, job_id).state == "done", "at once"


def test_who_leaves_meanwhile_is_not_paired_and_endless_changes_are_said(database: Database) -> None:
    now = crowd(database, MANY, rounds=60)
    who = read(database, lambda c: entries.entrants(c, now.id))
    job_id, gone = asked(database, now), who[7]
    at_work = lambda: job_of(database, job_id).step == "pairing"  # noqa: E731

    def leave() -> None:
        if at_work():
            leaving.withdraw(database, now.id, gone.player_id, gone.player_id, reason="", now=NOW)

    assert work_one(database, "one", ticking(SECOND, leave))
    (draft,) = drafts(database, now)
    seated = {seat.entry_id for match in draft.matches for seat in match.seats}
    assert seated == {one.id for one in who} - {gone.id}

    job_id, wavers = asked(database, now), who[9].player_id
    looks = iter(range(1000))

    def change() -> None:
        if at_work():
            off = [2 + next(looks) % 50]
            pressed.set_rounds_off(database, now.id, wavers, away=off, byes=[], by_id=wavers, now=NOW)

    assert work_one(database, "one", ticking(timedelta(), change))
    failed = job_of(database, job_id)
    assert failed.state == "failed" and "changed again and again" in Voice().say(failed.why)
    assert drafts(database, now)[0].version == draft.version, "the old draft is as it was"


def test_a_draft_that_was_seated_by_hand_meanwhile_stays(database: Database) -> None:
    now = crowd(database, MANY)
    by = organiser(database)
    round_id = pressed.pair(database, now.divisions[0].id, by, now=NOW)
    job_id = asked(database, now)
    draft = read(database, lambda c: round_rows.get(c, round_id))
    turned = [[seat.entry_id for seat in reversed(match.seats)] for match in draft.matches]
    pressed.edit(database, round_id, draft.version, turned, [], ActRequest(by, "sides"), now=NOW)
    assert work_one(database, "one", lambda: NOW)
    failed = job_of(database, job_id)
    assert failed.state == "failed" and "changed or published meanwhile" in Voice().say(failed.why)
    (kept,) = drafts(database, now)
    assert [[seat.entry_id for seat in match.seats] for match in kept.matches] == turned


def test_what_is_refused_is_said_at_once_or_on_the_page(database: Database) -> None:
    now = crowd(database, MANY)
    division, by = now.divisions[0].id, organiser(database)
    with pytest.raises(NotAccepted, match=r"club\.role"):
        press(database, division, people(database, 3)[2])
    with pytest.raises(lifecycle.NoSuchCompetition):
        press(database, 999, by)
    job_id = asked(database, now)
    write(database, sa.update(Member).where(Member.player_id == by).values(role="member"))
    assert work_one(database, "one", lambda: NOW)
    failed = job_of(database, job_id)
    assert failed.state == "failed" and "This needs the role “deputy”" in Voice().say(failed.why)
    write(
        database,
        sa.update(Member).where(Member.player_id == by).values(role="owner"),
        sa.update(Competition).values(status="over"),
    )
    with pytest.raises(NotAccepted, match=r"event\.not_running"):
        press(database, division, by)
    with pytest.raises(pairing_jobs.NoSuchJob):
        job_of(database, 999)


@ON_SQLITE
def test_an_error_of_the_program_is_tried_again_and_then_said(
    database: Database, caplog: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = crowd(database, MANY)
    job_id = asked(database, now)

    def fail(*_: object) -> None:
        raise RuntimeError("unheard-of")

    monkeypatch.setattr("app.leagues.pure.pairing.tasks.Task.work_out", fail)
    for n in range(MOST_TRIES):
        assert job_of(database, job_id).state == "open"
        assert not n or not work_one(database, "one", lambda n=n: NOW + n * PAUSE - SECOND)
        assert work_one(database, "one", lambda n=n: NOW + n * PAUSE)
    failed = job_of(database, job_id)
    assert failed.state == "failed" and "its log says why" in Voice().say(failed.why)
    assert "unheard-of" in caplog.text


def test_tables_are_seated_by_a_job_too(sqlite_database: Database) -> None:
    now = crowd(sqlite_database, MANY, "tables", "new-world")
    asked(sqlite_database, now)
    assert work_one(sqlite_database, "one", lambda: NOW)
    (draft,) = drafts(sqlite_database, now)
    assert Counter(len(match.seats) for match in draft.matches) == {4: 9, 3: 2}


@pytest.mark.parametrize("role", [(), ("--role", "worker")])
def test_a_server_does_it_by_itself(tmp_path: Path, sqlite_url: str, role: tuple[str, ...]) -> None:
    """Another process has written the row; `serve` in one command, and a worker alone."""
    install = Install(tmp_path, DATABASE_URL=sqlite_url)
    database = Database(sqlite_url)
    now = crowd(database, MANY, title="acres")
    with install.serving(*role):
        job_id = asked(database, now, at=datetime.now(UTC))
        end = time.monotonic() + 60
        while job_of(database, job_id).state == "open":
            assert time.monotonic() < end, (tmp_path / "serve.log").read_text()
            time.sleep(0.05)
    assert job_of(database, job_id).state == "done" and len(drafts(database, now)) == 1
    database.close()
