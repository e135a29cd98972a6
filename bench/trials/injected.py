"""Injects a fault at each statement or commit of background work: a pairing, a sweep, mails handed over, an import.

Nothing half-done stays, and the next run finishes the work as if nothing had happened.

    python -m bench.trials.injected [--database sqlite|postgres] [--every N]

Each point is tried on its own copy of a database. The final state is compared with that of a run without a fault: as
many rows in every table, and what each work reports about itself. Exit code 1, with the point, if they differ.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import make_url

from app.base.process import failures
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.games.tables import Game
from app.leagues.rounds import pairing_jobs
from app.leagues.tables import CompetitionRound, Member, PairingJob
from app.overdue.cases import sweep_cases
from app.post.out.sender import Sender
from app.server import registry
from app.tables import metadata
from app.time.tables import Case
from app.upkeep import migrating
from tests.support import postgres, pressed
from tests.support.afterwards import end_when_told
from tests.support.events import club, crowd, people, read
from tests.support.faults import Faults
from tests.support.overdue import DUE, begin
from tests.support.post_storm import IMPATIENT, server_at
from tests.support.sink import Sink
from tests.support.tables import NOW, start

LATER = timedelta(minutes=11)
"""After this time a lease has run out, and a game is looked at again."""
TRIES = 4
"""Runs after a fault, by which everything must be done: some wait longer the second time."""
Rows = dict[str, int]


@dataclass(frozen=True)
class Injected:
    """Work that is done in one or more transactions."""

    name: str
    settle: Callable[[Database], Any]
    """The preparation; its result is handed to the others."""
    act: Callable[[Database, Any, datetime], None]
    at: datetime
    said: Callable[[Database], Any]
    """The resulting state, as this work describes it: the same in the end, whatever happened in between."""
    whole: Callable[[Database], None]
    """Raises AssertionError if something is half-done."""


def rows_of(database: Database) -> Rows:
    """Return how many rows each table has."""
    with database.read() as session:
        return {
            table.name: session.scalar(sa.select(sa.func.count()).select_from(table)) or 0
            for table in metadata.sorted_tables
            if table.name != "mail_route"  # each run has its own mail host
        }


def _all(database: Database, *columns: Any) -> list[tuple[Any, ...]]:
    with database.read() as session:
        return sorted(tuple(row) for row in session.execute(sa.select(*columns)))


# -- a pairing ----------------------------------------------------------------------------------------


def _settle_pairing(database: Database) -> None:
    event = crowd(database, 7)
    by = read(database, lambda session: session.scalar(sa.select(sa.func.min(Member.player_id))))
    job = {"event_id": event.id, "division_id": event.divisions[0].id, "number": 1, "version": 0, "asked_by": by}
    with database.write() as session:  # as `pairing_jobs.pair` writes it for more players than these
        session.add(PairingJob(**job, asked_at=NOW, due_at=NOW))
        session.commit()


def _pair(database: Database, given: Any, now: datetime) -> None:
    while pairing_jobs.work_one(database, "one", lambda: now):
        pass


def _drafts(database: Database) -> Any:
    with database.read() as session:
        rounds = session.scalars(sa.select(CompetitionRound)).unique().all()
        drafts = [(one.number, one.status, sorted(len(match.seats) for match in one.matches)) for one in rounds]
        return drafts, [job.state for job in session.scalars(sa.select(PairingJob))]


def _whole_draft(database: Database) -> None:
    drafts, jobs = _drafts(database)
    assert (len(drafts) == 1) == (jobs == ["done"]), (drafts, jobs)
    assert all(sum(sizes) == 7 for _, _, sizes in drafts), drafts


# -- a sweep ------------------------------------------------------------------------------------------


def _settle_sweep(database: Database) -> None:
    begin(database)
    begin(database, seats=3)


def _sweep(database: Database, given: Any, now: datetime) -> None:
    sweep_cases(database, now)


def _cases(database: Database) -> Any:
    mails = Counter(_all(database, OutboxMail.game_id, OutboxMail.kind, OutboxMail.player_id))
    return _all(database, Case.game_id, Case.state, Case.stage), sorted(mails.items())


def _whole_cases(database: Database) -> None:
    told = {
        game for game, kind, _ in _all(database, OutboxMail.game_id, OutboxMail.kind, OutboxMail.id) if kind == "late"
    }
    assert {game for game, _, _ in _cases(database)[0]} == told, "a case, and those who are told of it"


# -- mails --------------------------------------------------------------------------------------------


def _settle_mails(database: Database) -> list[tuple[str, bytes]]:
    start(database, "acres")
    start(database, "ferry", 3)
    return []  # what mail hosts accept


def _hand_over(database: Database, taken: list[tuple[str, bytes]], now: datetime) -> None:
    with Sink() as sink:
        sink.taken = taken
        sender = Sender(server_at(database, sink.port), IMPATIENT)
        try:
            while sender.send_due(now):
                pass
        finally:
            sender.close()


def _mails(database: Database) -> Any:
    running = [(game, at is not None) for game, at in _all(database, Game.id, Game.mailed_at)]
    return _all(database, OutboxMail.id, OutboxMail.kind, OutboxMail.state), running


def _whole_mails(database: Database) -> None:
    sent = {game for game, kind, state in _all(database, OutboxMail.game_id, OutboxMail.kind, OutboxMail.state)
            if kind == "turn" and state == "sent"}  # fmt: skip
    assert sent == {game for game, at in _all(database, Game.id, Game.mailed_at) if at}, "a clock runs from its mail on"


# -- an import ----------------------------------------------------------------------------------------

_LIST = (
    "mail,name,elo,note,due\na@example.org,Ann,1500,owes a game,paid\nb@example.org,Bea,1600,,\nc@example.org,C,,,no\n"
)


def _settle_import(database: Database) -> tuple[int, int]:
    (owner,) = people(database, 1)
    return club(database, owner), owner


def _import(database: Database, given: tuple[int, int], now: datetime) -> None:
    pressed.take_list(database, *given, _LIST, now=now)


def _members(database: Database) -> Any:
    return _all(database, OutboxMail.kind, OutboxMail.address), len(_all(database, Member.player_id))


def _whole_import(database: Database) -> None:
    assert len(_members(database)[0]) in (0, 3), "all are invited, or nobody"


WORKS = (
    Injected("pairing", _settle_pairing, _pair, NOW, _drafts, _whole_draft),
    Injected("sweep", _settle_sweep, _sweep, DUE, _cases, _whole_cases),
    Injected("mails", _settle_mails, _hand_over, NOW, _mails, _whole_mails),
    Injected("import", _settle_import, _import, NOW, _members, _whole_import),
)


# -- trying every point -------------------------------------------------------------------------------


@dataclass
class Ground:
    """Copies of a migrated database."""

    copy: Callable[[str], str]
    """Copy the database at a URL; return the URL of the copy."""
    drop: Callable[[str], None]
    empty: str


def points(work: Injected, ground: Ground, every: int, first: int = 1) -> Iterator[tuple[int, str]]:
    """Try a fault at one point after another; yield the point with what failed there.

    Raises AssertionError if something is half-done, or if the next runs do not end like a run without a fault.
    """
    settled = ground.copy(ground.empty)
    database = Database(settled)
    given = work.settle(database)
    database.close()
    expected = _outcome(work, ground, settled, given, None)[1]
    for point in range(first, 10_000, every):
        what, found = _outcome(work, ground, settled, given, point)
        if not what:
            return
        assert found == expected, f"{work.name}, point {point} ({what}): {found} and not {expected}"
        yield point, what
    ground.drop(settled)


def _outcome(work: Injected, ground: Ground, settled: str, given: Any, point: int | None) -> tuple[str, Any]:
    """Return what failed at a point (nothing if there was no such point), and the final state."""
    url = ground.copy(settled)
    database = Database(url)
    faults = Faults(database)
    now = work.at
    taken = len(given) if isinstance(given, list) else 0
    with faults.at(point or 1_000_000):
        try:
            work.act(database, given, now)
        except Exception as error:
            if not failures.is_of_the_database(error):
                raise  # otherwise its caller tries it again, or it runs at its next time
    what = faults.what
    work.whole(database)
    for _ in range(TRIES if what else 0):
        now += LATER
        work.act(database, given, now)
        work.whole(database)
    found = work.said(database), rows_of(database)
    if isinstance(given, list):
        _check_mails(database, given[taken:], bool(what))
    database.close()
    ground.drop(url)
    return what, found


def _check_mails(database: Database, taken: list[tuple[str, bytes]], had_fault: bool) -> None:
    """Check that everybody has every mail; at most one came twice, if recording its acceptance failed."""
    owed = Counter(address for (address,) in _all(database, OutboxMail.address))
    came = Counter(to for to, _ in taken)
    assert not owed - came and (came - owed).total() <= had_fault, (owed, came)


def grounds(folder: Path, server: str | None) -> Ground:
    """Return copies on SQLite, or on a PostgreSQL server."""
    numbers = iter(range(1_000_000))
    if server is None:

        def copy(url: str) -> str:
            made = folder / f"copy{next(numbers)}.db"
            shutil.copy(make_url(url).database or "", made)
            return f"sqlite:///{made}"

        return Ground(copy, lambda url: Path(make_url(url).database or "").unlink(), f"sqlite:///{folder / 'empty.db'}")
    return Ground(
        lambda url: postgres.make_database(server, make_url(url).database),
        lambda url: postgres.drop_database(server, url),
        postgres.make_database(server),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--every", type=int, default=1)
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    os.environ["POSTROAD_SEEDS"] = "2048"
    registry.register()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(postgres.server()) if given.database == "postgres" else None
        ground = grounds(folder, server)
        migrating.upgrade(ground.empty)
        for work in WORKS:
            began, tried = time.monotonic(), 0
            try:
                for _ in points(work, ground, given.every):
                    tried += 1
            except AssertionError:
                print(f"{work.name}: after {tried} points")
                traceback.print_exc()
                return 1
            spent = time.monotonic() - began
            print(f"{work.name}: {tried} points in {spent:.0f} s, nothing half-done, all done in the end", flush=True)
    return 0


if __name__ == "__main__":
    end_when_told()
    sys.exit(main())
