"""A server whose mail host is in trouble for hours of a simulated clock, and counts of the outcome."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlmodel import SQLModel

from app.base.links import Links
from app.base.process.config import Config
from app.base.process.mail_settings import MailHost
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.clocks.pace import Pace, simple
from app.games.tables import Game
from app.overdue.cases import sweep_cases
from app.people import signin
from app.people.tables import Player
from app.play.turn import starting
from app.post.out.sender import Sender
from app.post.route.host import TimeLimits
from app.time import outages
from app.time.reminding.reminders import remind
from app.time.tables import Case, ClockNote
from tests.support.scripted import Script, ScriptedHost, willing
from tests.support.tables import KEYS, NOW

BASE = "http://post.example.org"
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
OPERATOR = "olga@example.org"
IMPATIENT = TimeLimits(connect=2, greeting=2, mail=2, rcpt=2, data=2, block=2, sent=2, quit=1)


def server_at(database: Database, port: int, connections: int = 4) -> Server:
    """Return a server that hands its mails to a host on this machine."""
    host = MailHost("127.0.0.1", port, "offered")
    config = Config(
        Path("/nowhere"), database.url, BASE, KEYS, host, "Post Road <post@example.org>", "en",
        mail_connections=connections,
    )  # fmt: skip
    return Server(config, database, Links(BASE, KEYS))


def begin_games(database: Database, numbers: range, now: datetime, pace: Pace) -> list[int]:
    """Begin games between different people at twelve domains; the first seat of each is owed a mail."""
    return [
        starting.new_game(
            database, "ferry", [("red", f"r{n}@d{n % 12}.example"), ("blue", f"b{n}@d{(n + 5) % 12}.example")],
            now=now, pace=pace,
        )
        for n in numbers
    ]  # fmt: skip


def add_operator(database: Database) -> None:
    """Add an operator to be told."""
    with database.write() as session:
        row = {"address": OPERATOR, "address_key": OPERATOR, "name": "Olga", "role": "operator", "created_at": NOW}
        session.execute(sa.insert(Player).values(**row))
        session.commit()


@dataclass
class Storm:
    """A server, its mail host, and the current moment."""

    database: Database
    host: ScriptedHost
    now: datetime = NOW
    begun: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sender = Sender(server_at(self.database, self.host.port), IMPATIENT)
        add_operator(self.database)

    def step(self, by: timedelta = MINUTE) -> None:
        """Do what the server does in a minute: the sweeps, then its mails."""
        outages.watch(self.database, self.now)
        remind(self.database, self.now)
        sweep_cases(self.database, self.now)
        self.sender.send_all(self.now)
        self.now += by

    def run(self, until: datetime, script: Script) -> None:
        """Run for minutes with the host behaving as the script says."""
        self.host.script = script
        while self.now < until:
            self.step()

    def begin(self, count: int, pace: Pace | timedelta = 7 * DAY) -> None:
        """Begin this many games now."""
        numbers = range(len(self.begun), len(self.begun) + count)
        pace = simple(pace) if isinstance(pace, timedelta) else pace
        self.begun += begin_games(self.database, numbers, self.now, pace)

    def sign_in(self, address: str) -> None:
        """Ask for a link to sign in."""
        signin.request_link(self.database, address, language="en", then="/", now=self.now)

    # -- what came of it --------------------------------------------------------------------------

    def rows(self, statement: Any) -> list[Any]:
        with self.database.read() as session:
            found = session.execute(statement).all()
            return [row[0] if isinstance(row[0], SQLModel) else row for row in found]

    def states(self) -> Counter[str]:
        """Return the states of the mails that ask for a move."""
        return Counter(row.state for row in self.rows(sa.select(OutboxMail.state).where(OutboxMail.kind == "turn")))

    def cases(self) -> int:
        return len(self.rows(sa.select(Case.id)))

    def operators_mails(self) -> list[str]:
        """Return the states of the mails to the operators."""
        return [row.state for row in self.rows(sa.select(OutboxMail.state).where(OutboxMail.kind == "mail_pause"))]

    def mailed_at(self) -> list[datetime]:
        """Return when the clock of each game began to run; games whose mail was not accepted are left out."""
        return [row.mailed_at for row in self.rows(sa.select(Game.mailed_at)) if row.mailed_at is not None]

    def credited(self) -> list[int]:
        """Return the seconds given back, by credit."""
        rows = self.rows(sa.select(ClockNote.seconds).where(ClockNote.kind == "credit"))
        return [row.seconds for row in rows]


def weather(database: Database, script: Script, *, lasts: timedelta, count: int) -> Storm:
    """Run games before, at the beginning of and during hours in which the host follows the script; then ten minutes in
    which it accepts mail again.

    The deadlines of the earlier games fall into these hours.
    """
    with ScriptedHost() as host:
        storm = Storm(database, host)
        storm.begin(2, lasts / 2)
        storm.run(storm.now + 2 * MINUTE, willing)
        assert storm.states() == {"sent": 2}
        storm.begin(count)
        trouble = storm.now
        storm.run(trouble + lasts / 2, script)
        storm.begin(count)
        storm.sign_in("nadia@example.net")
        storm.run(trouble + lasts, script)
        storm.run(storm.now + 10 * MINUTE, willing)
        storm.sender.close()
    return storm
