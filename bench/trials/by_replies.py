"""Plays whole games by answers alone, over real mail: out by SMTP, in by LMTP to a separate process; no link is opened.

    python -m bench.trials.by_replies [--game acres-2] [--seed S] [--most N]

Plays A Few Acres of Snow with two seats and New World with two and with three (or one of them), with random orders, to
their ends (or N answers). Every answer is a mail with the whole mail that it answers quoted below. The clock of both
processes advances two minutes with each mail, so that a game of months takes minutes. Exit code 1 unless each mail is
accepted and advances its game, each decision was answered by one mail, nobody got two echoes of an answer, and the log
replays to the final position.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from email.utils import parseaddr
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa
from sqlmodel import col

from app.base.stored.database import Database
from app.games.store import GameStore
from app.games.tables import DecisionMade
from app.server import registry
from app.upkeep import migrating
from tests.support import fresh
from tests.support.afterwards import killed_with_us
from tests.support.inbound import Lmtp, WayIn, addressed, listening, way_in, written
from tests.support.replies import MINUTE, Correspondence
from tests.support.running import ROOT, Install, stop
from tests.support.sink import text_of
from tests.support.tables import KEYS, NOW, address, load, start

GAMES = {"acres-2": ("acres", 2), "new-world-2": ("new-world", 2), "new-world-3": ("new-world", 3)}
QUICK = """
import os
from datetime import datetime, timedelta
from itertools import count
from app.post.inbound import gate

take, begins, mails = gate.take, datetime.fromisoformat(os.environ["BEGINS"]), count(1)
gate.take = lambda server, mail, now: take(server, mail, begins + next(mails) * timedelta(minutes=2))
from app.server.cli import main
main(["mail", "serve"], prog_name="postroad")
"""
"""`postroad mail serve` with a clock that advances with the mails."""


@dataclass
class OverLmtp(Correspondence):
    """The same people; their mails go to a process that listens."""

    host: Lmtp | None = None

    def says(self, who: str, text: str, to: str = "", **given: str) -> str:
        assert self.host is not None
        self.now += 2 * MINUTE
        asked = self.last(who)
        quoted = "".join(f"> {line}\n" for line in text_of(asked).splitlines())
        body = f"{text}\n\nOn Monday, Post Road <{parseaddr(str(asked['From']))[1]}> wrote:\n{quoted}"
        mail = written(next(self._numbers), body, author=f"{who.title()} <{address(who)}>", **given)
        to = to or parseaddr(str(asked["Reply-To"]))[1]
        answer = self.host.hand(address(who), [to], addressed(mail.as_bytes(), to, self.now))[-1]
        assert answer[0] == 250, answer
        self.way.send(self.now)
        return str(self.way.rows()[-1].verdict)


@contextmanager
def quick_serve(way: WayIn, folder: Path) -> Iterator[Lmtp]:
    """Run the process that takes mails; yield a connection to it."""
    place = str(folder / "lmtp")
    install = Install(
        folder, DATABASE_URL=way.database.url, LMTP=place, MAIL_FROM="post@example.org", SECRET_KEY=KEYS[0],
        MAIL_AUTHSERV="mail.example.org",
    )  # fmt: skip
    environ = install.environ | {"BEGINS": NOW.isoformat()}
    with (folder / "mail.log").open("wb") as log:
        process = fresh.start(
            [sys.executable, "-c", QUICK], env=environ, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
        )
    with killed_with_us(process.pid):
        try:
            with listening(place) as host:
                yield host
        finally:
            stop(process)


@dataclass(frozen=True)
class PlayedByMail:
    """The outcome of a game."""

    answers: int
    mails: int
    over: bool
    faults: list[str]


def play(way: WayIn, folder: Path, seed: int, most: int) -> PlayedByMail:
    """Play the only game of a new server."""
    with quick_serve(way, folder) as host:
        answers = OverLmtp(way, host=host).play(1, random.Random(seed), most)
    game = load(way.database, 1)
    with way.database.read() as session:
        asked = sa.select(sa.func.count()).select_from(DecisionMade).where(col(DecisionMade.orders).is_not(None))
        answered = session.scalar(asked) or 0
        rebuilt = GameStore(session).rebuilt(game)
    faults = []
    if answered != answers:
        faults.append(f"{answered} decisions were answered by {answers} mails")
    if len(way.mails("echo")) > answers:
        faults.append(f"{len(way.mails('echo'))} echoes of {answers} answers")
    if game.title.state_to_json(rebuilt) != game.title.state_to_json(game.state):
        faults.append("the log does not replay to the position")
    return PlayedByMail(answers, len(way.sink.taken), game.is_over, faults)


def main() -> int:
    """Play them and print each outcome."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=GAMES, action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=5_000)
    given = parser.parse_args()
    registry.register()
    failed = False
    for name in given.game or GAMES:
        title, seats = GAMES[name]
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            url = f"sqlite:///{folder / 'post.db'}"
            migrating.upgrade(url)
            database = Database(url)
            stack.callback(database.close)
            start(database, title, seats=seats)
            began = time.perf_counter()
            played = play(stack.enter_context(way_in(database)), folder, given.seed, given.most)
        how = "to its end" if played.over else "not to its end"
        seconds = time.perf_counter() - began
        print(f"{name}: {played.answers} answers, {how}; {played.mails} mails out; {seconds:.0f} s", flush=True)
        for fault in played.faults:
            print(f"{name}: {fault}")
        failed = failed or bool(played.faults) or not (played.over or played.answers == given.most)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
