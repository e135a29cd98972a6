"""Tries all routes with hostile values, as everybody in turn, and checks every answer.

    python -m bench.trials.crawl [--requests N] [--database sqlite|postgres|URL] [--seed S] [--from-round R]

In path, query, form, JSON, headers, cookies and files; as nobody, player, opponent, spectator, member, organiser and
operator; with clubs, events, a ladder, running and finished games of both titles. A round is a number of requests to a
copy of the same server. For every answer: no server error, no traceback, nothing unescaped in page, header or mail, a
GET changes nothing, a refusal has a sentence, and none takes seconds. After each round everything due is done, and the
mails are checked. A URL is that of a PostgreSQL server on which databases may be made.

Prints its findings with the line that reproduces each, and exits with 1; else what it tried.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from sqlalchemy import make_url

from app.base.process.config import load
from app.games import seeds
from app.server import registry
from app.server.factory import create_app
from app.upkeep import migrating
from tests.support import postgres
from tests.support.afterwards import end_when_told
from tests.support.asked import Asked, Asking
from tests.support.hostile import Samples, Seen
from tests.support.people import Browser, everything
from tests.support.settled import ROLES, settled
from tests.support.watchful import Noted, Writes, noting, of_answer, of_mail
from tests.support.world import World, world_at

log = logging.getLogger("crawl")
ROUND = 1_000
SLOW = 3.0
"""Seconds of this process for one request."""
ENOUGH = 20
"""The number of complaints after which it stops."""
BLOCK = 40
"""Requests between two checks of the whole database and the mails."""
COOKIES = ("postroad_sign_in", "session", "postroad_language")
TRIED = 12
"""Blocks of a round in which the whole database is compared; reading it takes as long as many requests."""


@dataclass
class Ground:
    """A server as all rounds start from it: its people's cookies, the moment, and a database to copy."""

    samples: Samples
    cookies: dict[str, dict[str, str]]
    moment: datetime
    copy: Callable[[], str]
    """Copies a database; returns its URL."""
    drop: Callable[[str], None]


@dataclass
class Crawl:
    """What was asked, and the outcome."""

    asked: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    routes: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """Method and rule; who has requested it."""
    well: set[tuple[str, str]] = field(default_factory=set)
    """Those that answered with a page, or a redirect."""
    mails: int = 0
    found: list[str] = field(default_factory=list)


@contextmanager
def ground(
    world: World, copy: Callable[[], str], drop: Callable[[str], None], *,
    most: int = 4, most_forms: int = 2, seen: Seen | None = None,
) -> Iterator[Ground]:  # fmt: skip
    """Set up a server; its database is then only copied."""
    samples = settled(world, most_forms, most, seen)
    kept = {who: _cookies(browser) for who, browser in world.people.items()}
    world.app.extensions["postroad"].database.close()
    yield Ground(samples, kept, datetime.now(UTC), copy, drop)


def _cookies(browser: Browser) -> dict[str, str]:
    found = {name: browser.client.get_cookie(name) for name in COOKIES}
    return {name: cookie.value for name, cookie in found.items() if cookie is not None}


def crawl(world: World, ground: Ground, requests: int, seed: str, first_round: int = 1) -> Crawl:
    """Send this many requests, in rounds. Stops at the end of a round with enough findings."""
    done = Crawl()
    number = first_round
    with noting() as noted:
        while done.asked < requests and len(done.found) < ENOUGH:
            url = ground.copy()
            world.clock.move_to(ground.moment, tick=False)
            app = create_app(
                load({**world.environ, "POSTROAD_DATABASE_URL": url}, Path(world.environ["POSTROAD_DATA"]))
            )
            there = World(app, {**world.environ, "POSTROAD_DATABASE_URL": url}, world.sink, world.clock)
            there.taken = len(world.sink.taken)
            try:
                _Round(there, ground, done, noted, f"{seed}.{number}").run(min(ROUND, requests - done.asked))
            finally:
                there.sender.close()
                app.extensions["postroad"].database.close()
                ground.drop(url)
            log.info("round %s: %s requests, %s complaints", number, done.asked, len(done.found))
            number += 1
    return done


class _Round:
    """One of many servers, and the people who ask it."""

    def __init__(self, world: World, ground: Ground, done: Crawl, noted: Noted, name: str) -> None:
        self.world, self.done, self.noted, self.name = world, done, noted, name
        self.server = world.app.extensions["postroad"]
        self.writes = Writes(self.server.database)
        self.browsers = {who: Browser(world.app) for who in ROLES}
        for who, cookies in ground.cookies.items():
            for cookie, value in cookies.items():
                if who in self.browsers:
                    self.browsers[who].client.set_cookie(cookie, value, domain="localhost")
        self.chooser = random.Random(name)
        self.asking = Asking(world.app, ground.samples, self.chooser, tuple(ROLES))

    def run(self, count: int) -> None:
        """Send this many requests; then do everything that is due."""
        gc.collect()
        gc.freeze()  # as a server does; else the collector scans the servers of all earlier rounds
        compared = max(1, count // BLOCK // TRIED)
        for block in range(0, count, BLOCK):
            self._new_tokens()
            asked = [self.asking.next(self.done.asked + n) for n in range(min(BLOCK, count - block))]
            gets = [one for one in asked if one.method in ("GET", "HEAD")]
            looks = block // BLOCK % compared == 0
            before = everything(self.server) if looks else None
            for one in gets:
                self._ask(one)
            if looks and everything(self.server) != before:
                self._complain(gets[-1], "one of the last GETs changed the database")
            for one in asked:
                if one not in gets:
                    self._ask(one)
            self.world.pass_time(minutes=20)  # so as not to exceed the rate limits
            self._read_mails()
        self.world.sweep()
        self._read_mails()
        for error in self.noted.taken():
            self._say("after the round", error)

    def _new_tokens(self) -> None:
        """Load the tokens for everybody's forms."""
        for who, browser in self.browsers.items():
            page = browser.client.get("/account" if who else "/sign-in", headers=browser.headers)
            if page.status_code == 200:
                browser._look(page, 200)
        self.writes.taken()

    def _ask(self, one: Asked) -> None:
        began = time.process_time()
        answer = one.send(self.browsers[one.who])
        answer.get_data()
        spent = time.process_time() - began
        done = self.done
        done.asked += 1
        done.statuses[answer.status_code] += 1
        rule = self.asking.rule_of(one)
        done.routes.setdefault((one.method, rule), set()).add(one.who)
        if answer.status_code < 400:
            done.well.add((one.method, rule))
        wrong = (
            [] if rule == "/health" else of_answer(answer, wants=one.method)
        )  # it reports how a server without jobs is
        for what in [*wrong, *self.noted.taken()]:
            self._complain(one, what)
        if spent > SLOW:
            self._complain(one, f"{spent:.1f} seconds")
        if (written := self.writes.taken()) and one.method in ("GET", "HEAD"):
            self._complain(one, f"a {one.method} writes: {written[0][:200]}")
        answer.close()

    def _read_mails(self) -> None:
        try:
            fresh = self.world.deliver()
        except Exception as error:
            self._say("mails", repr(error))
            return
        for mail in fresh:
            self.done.mails += 1
            for what in of_mail(mail.message):
                self._say(f"a mail “{mail.subject}”", what)

    def _complain(self, one: Asked, what: str) -> None:
        self._say(one.shown(ROLES), what)

    def _say(self, where: str, what: str) -> None:
        seed, _, number = self.name.rpartition(".")
        again = f"python -m bench.trials.crawl --seed {seed} --from-round {number} --requests {ROUND}"
        self.done.found.append(f"{what}\n  {where}\n  {again}")


# -- the command --------------------------------------------------------------------------------------


def sqlite_copies(folder: Path, template: Path) -> tuple[Callable[[], str], Callable[[str], None]]:
    """Return functions that copy a file and that remove the copies."""

    def copy() -> str:
        for old in folder.glob("round.db*"):
            old.unlink()
        shutil.copy(template, folder / "round.db")
        return f"sqlite:///{folder / 'round.db'}"

    return copy, lambda url: None


def postgres_copies(server: str, template: str) -> tuple[Callable[[], str], Callable[[str], None]]:
    """Return functions that copy a database of a server and that drop the copies."""
    name = make_url(template).database
    return lambda: postgres.make_database(server, name), lambda url: postgres.drop_database(server, url)


def report(done: Crawl, seconds: float) -> str:
    """Return what was tried, in a few lines."""
    lines = [*dict.fromkeys(done.found)][:20]
    statuses = ", ".join(f"{status}: {n}" for status, n in sorted(done.statuses.items()))
    lines.append(
        f"{done.asked} requests in {seconds:.0f} s; {len(done.routes)} routes by method, {len(done.well)} of them with "
        f"an answer other than a refusal; {done.mails} mails looked at; {statuses}; {len(done.found)} complaints"
    )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--database", default="sqlite")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--from-round", type=int, default=1)
    given = parser.parse_args()
    logging.basicConfig(format="%(message)s", level=logging.ERROR)
    log.setLevel(logging.INFO)
    os.environ["POSTROAD_SEEDS"] = "2048"
    registry.register()
    seeds.make_trees_of(2048)
    made = iter(range(1_000_000))
    seeds.new_secret = lambda: sha256(f"{given.seed} {next(made)}".encode()).digest()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if given.database == "sqlite":
            url = f"sqlite:///{folder / 'template.db'}"
            copy, drop = sqlite_copies(folder, folder / "template.db")
        else:
            server = given.database if "://" in given.database else stack.enter_context(postgres.server())
            url = postgres.make_database(server)
            stack.callback(postgres.drop_database, server, url)
            copy, drop = postgres_copies(server, url)
        migrating.upgrade(url)
        world = stack.enter_context(world_at(folder, url))
        began = time.process_time()
        there = stack.enter_context(ground(world, copy, drop))
        done = crawl(world, there, given.requests, given.seed, given.from_round)
        print(report(done, time.process_time() - began))
    return 1 if done.found else 0


if __name__ == "__main__":
    end_when_told()
    sys.exit(main())
