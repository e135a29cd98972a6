"""Delivers a thousand delivery reports at once over LMTP and checks the mails, the clocks and the time-outs.

    python -m bench.trials.bounces [--count 1000] [--connections 8] [--postgres]

Begins this many games. A third of them wait for an answer, a third are late, and a third were lost on time days ago.
Then the mail host reports of every mail that asked for a decision that it did not arrive, over several connections at
once, to a `postroad mail serve` of its own. Prints the outcome and how long it took; exit code 1 if a report was not
accepted, a mail is not marked, a clock still runs, a time-out counts, or the operator got anything but one mail.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import InboundMail
from app.clocks.pace import DAY as DAY_SECONDS
from app.clocks.pace import Stage, simple
from app.games.tables import Game, GameStatus
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.lists.reliability import timeouts
from app.server import registry
from app.upkeep import migrating
from tests.support import fresh, postgres
from tests.support.afterwards import killed_with_us
from tests.support.inbound import WayIn, listening, report, way_in
from tests.support.post_storm import DAY, HOUR, OPERATOR, add_operator, begin_games
from tests.support.running import ROOT, Install, stop
from tests.support.tables import KEYS

PACE = replace(simple(DAY), stages=(Stage(0, "warned", ("remind",)), Stage(10 * DAY_SECONDS, "flagged", ("forfeit",))))
"""A day for a decision; a player who is ten days late has lost."""
AGES = (timedelta(hours=6), timedelta(hours=25), timedelta(days=20))
"""The start of the games: in time, late, lost."""


@dataclass(frozen=True)
class Outcome:
    """The effect of a thousand reports."""

    count: int
    seconds: float
    not_taken: int
    """Reports that were answered with anything but 250."""
    verdicts: dict[str, int]
    not_marked: int
    """Mails that bounced without a note in their row."""
    waiting: int
    running: int
    """Games that wait for a decision; those of them whose clock runs."""
    counted_before: int
    counted_after: int
    """People's time-outs before and after the reports, and some weeks later."""
    to_operator: int

    @property
    def faults(self) -> list[str]:
        """Return what is wrong, in words."""
        found = {
            "reports were not taken": self.not_taken,
            "reports were not held to be bounces": self.count - self.verdicts.get("bounce", 0),
            "mails are not marked": self.not_marked,
            "clocks still run": self.running,
            "time-outs count": self.counted_after,
        }
        faults = [f"{number} {what}" for what, number in found.items() if number]
        if self.to_operator != 1:
            faults.append(f"{self.to_operator} mails to the operator")
        if not self.waiting or not self.counted_before:
            faults.append("nobody waited or nobody had lost: nothing was shown")
        return faults

    def __str__(self) -> str:
        return (
            f"{self.count} reports in {self.seconds:.1f} s ({self.count / self.seconds:.0f} a second): "
            f"{self.to_operator} mail to the operator, {self.count - self.not_marked} mails marked, "
            f"{self.waiting - self.running} of {self.waiting} clocks set back, time-outs that count: "
            f"{self.counted_before} before, {self.counted_after} after"
        )


def begin(way: WayIn, count: int, now: datetime) -> None:
    """Begin games between different people, a third of each age; time passes until now."""
    steps = {now - age + after for age in AGES for after in (timedelta(0), DAY + HOUR, 12 * DAY) if after <= age}
    shares = [range(count)[n :: len(AGES)] for n in range(len(AGES))]
    for step in sorted(steps):
        for age, share in zip(AGES, shares, strict=True):
            if step == now - age:
                begin_games(way.database, share, step, PACE)
        with way.database.write() as session:
            session.execute(sa.update(Player).values(auto_leave=False))
            session.commit()
        sweep_cases(way.database, step)
        way.send(step)
    sweep_cases(way.database, now)
    way.send(now)


def bring(place: str, reports: Sequence[tuple[str, bytes]], connections: int) -> int:
    """Hand reports in over this many connections at once; return how many were not accepted."""

    def some(share: Sequence[tuple[str, bytes]]) -> int:
        with listening(place) as host:
            return sum(host.hand("", [to], raw)[-1][0] != 250 for to, raw in share)

    with ThreadPoolExecutor(connections) as pool:
        return sum(pool.map(some, [reports[n::connections] for n in range(connections)]))


def counted(way: WayIn) -> int:
    """Return how many time-outs count on any profile."""
    with way.database.read() as session:
        return sum(len(session.execute(timeouts(who)).all()) for who in session.scalars(sa.select(Player.id)))


def storm(way: WayIn, place: str, count: int, connections: int = 8) -> Outcome:
    """Begin games on a new server, let all their mails bounce at `place`, and let weeks pass."""
    add_operator(way.database)
    begin(way, count, datetime.now(UTC))
    before, sent = counted(way), len(way.sink.mails(OPERATOR))
    wanted = {mail.address: mail.id for mail in way.mails("turn")}
    # Without the mail itself below: the address says which it is.
    reports = [
        (to, report(number, to))
        for number, (address, to) in enumerate(zip((to for to, _ in way.sink.taken), way.sink.senders, strict=True))
        if wanted.pop(address, None) is not None
    ]
    assert len(reports) == count, len(reports)

    began = time.perf_counter()
    not_taken = bring(place, reports, connections)
    seconds = time.perf_counter() - began

    now = datetime.now(UTC)
    with way.database.read() as session:
        waits = Game.decides.is_not(None), Game.status != GameStatus.OVER  # type: ignore[union-attr]
        waiting = session.scalar(sa.select(sa.func.count()).select_from(Game).where(*waits)) or 0
        runs = *waits, Game.mailed_at.is_not(None)  # type: ignore[union-attr]
        running = session.scalar(sa.select(sa.func.count()).select_from(Game).where(*runs)) or 0
        verdict = sa.select(InboundMail.verdict, sa.func.count()).group_by(InboundMail.verdict)
        verdicts = {str(row[0]): int(row[1]) for row in session.execute(verdict)}
    not_marked = sum(mail.bounced_at is None or mail.state != "failed" for mail in way.mails("turn"))
    for later in (HOUR, 2 * HOUR, 12 * DAY, 20 * DAY):
        sweep_cases(way.database, now + later)
        way.send(now + later)
        if later == 2 * HOUR:
            told = len(way.sink.mails(OPERATOR)) - sent
    return Outcome(count, seconds, not_taken, verdicts, not_marked, waiting, running, before, counted(way), told)


@contextmanager
def mail_serve(way: WayIn, folder: Path) -> Iterator[str]:
    """Run a separate `postroad mail serve` beside a server; yield where it listens."""
    place = str(folder / "lmtp")
    install = Install(
        folder, DATABASE_URL=way.database.url, LMTP=place, MAIL_FROM=way.server.config.mail_from, SECRET_KEY=KEYS[0],
    )  # fmt: skip
    line = [*install.program, "mail", "serve"]
    with (folder / "mail.log").open("wb") as log:
        process = fresh.start(line, env=install.environ, cwd=ROOT, stdout=log, stderr=log, start_new_session=True)
    with killed_with_us(process.pid):
        try:
            listening(place).close()
            yield place
        finally:
            stop(process)


def main() -> int:
    """Run it and print the outcome."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--postgres", action="store_true")
    given = parser.parse_args()
    registry.register()
    logging.getLogger("postroad.mail").setLevel(logging.ERROR)  # mails not being accepted is expected here
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        if given.postgres:
            url = postgres.make_database(stack.enter_context(postgres.server()))
        else:
            url = f"sqlite:///{folder / 'post.db'}"
        migrating.upgrade(url)
        database = Database(url)
        stack.callback(database.close)
        way = stack.enter_context(way_in(database))
        place = stack.enter_context(mail_serve(way, folder))
        outcome = storm(way, place, given.count, given.connections)
    print(outcome)
    for fault in outcome.faults:
        print(fault)
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
