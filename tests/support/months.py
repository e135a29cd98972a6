"""A server with a simulated clock that advances from one relevant moment to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.base.links import Links
from app.base.process.config import Config
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.clocks.pace import DAY, Pace
from app.games.tables import Game, GameSeat
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.post.out.sender import Sender
from app.time.reminding import quiet
from app.time.reminding.reminders import remind
from tests.support.holidays import add_calendar
from tests.support.tables import KEYS, hand, load, say, start, write

FORM = "%a %Y-%m-%d %H:%M"


@dataclass
class World:
    """A server, a game of two seats in it, and its current moment."""

    database: Database
    zone: str
    now: datetime
    game_id: int = 0
    told: int = 0
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        config = Config(
            Path("/nowhere"), self.database.url, "http://post.example.org", KEYS, None, "p@example.org", "en"
        )
        self.sender = Sender(Server(config, self.database, Links(config.base_url, KEYS)))

    def begin(
        self, pace: Pace, title: str = "ferry", holidays: Sequence[str] = (), *, auto_leave: bool = False,
        sleep: tuple[str, str] | None = None,
    ) -> None:  # fmt: skip
        """Start the game; `sleep` are the quiet hours of both players."""
        calendar_id = add_calendar(self.database, "Club", *holidays) if holidays else None
        options = {"turns": 90} if title == "ferry" else None
        self.game_id = start(self.database, title, now=self.now, pace=pace, calendar_id=calendar_id, options=options)
        write(self.database, sa.update(Player).values(auto_leave=auto_leave, zone=self.zone))
        for seated in load(self.database, self.game_id).seats if sleep else ():
            quiet.settle(self.database, seated.player_id or 0, *(sleep or ()), now=self.now)
        self.work()

    def work(self) -> None:
        """Do everything that is due at this moment."""
        remind(self.database, self.now)
        sweep_cases(self.database, self.now)
        while self.sender.send_due(self.now):
            pass

    def wait_until(self, local: str) -> None:
        """Advance to a moment, working whenever something is due."""
        end = datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(self.zone)).astimezone(UTC)
        assert end > self.now
        while (following := self._next()) is not None and following < end:
            assert following > self.now, "what was due has been done"
            self.now = following
            self.work()
        self.now = end
        self.work()

    def _next(self) -> datetime | None:
        with self.database.read() as session:
            row = session.execute(sa.select(Game.remind_at, Game.check_at).where(Game.id == self.game_id)).one()
            held = session.scalar(sa.select(sa.func.min(OutboxMail.due_at)).where(OutboxMail.state == "waiting"))
        return min((at for at in (*row, held) if at is not None), default=None)

    def answer(self, local: str) -> None:
        """Wait until then, and let the seat that owes the decision play its turn."""
        self.wait_until(local)
        game = load(self.database, self.game_id)
        if game.title.id == "ferry":
            first, second, *_ = hand(game, game.decides or "")
            say(self.database, self.game_id, f"drop {first}\ndrop {second}\nend", now=self.now)
        else:
            say(self.database, self.game_id, "pass\npass\nend" if game.turn > 1 else "pass", now=self.now)
        self.work()

    @property
    def deadline(self) -> str:
        due = load(self.database, self.game_id).deadline_at
        return "none" if due is None else due.astimezone(ZoneInfo(self.zone)).strftime(FORM)

    def mails(self) -> list[str]:
        """Return the mails since the last call: kind, to whom and when, in the zone of the pace."""
        columns = (OutboxMail.id, OutboxMail.kind, OutboxMail.address, OutboxMail.sent_at, OutboxMail.state)
        with self.database.read() as session:
            rows = session.execute(sa.select(*columns).where(OutboxMail.id > self.told).order_by(OutboxMail.id)).all()
        self.told = rows[-1].id if rows else self.told
        return [
            f"{row.kind} {row.address.partition('@')[0]} {row.sent_at.astimezone(ZoneInfo(self.zone)).strftime(FORM)}"
            for row in rows
            if row.state == "kept"
        ]

    def banks(self) -> list[float]:
        """Return what is left in the banks, in days."""
        with self.database.read() as session:
            asked = sa.select(GameSeat.bank_seconds).where(GameSeat.game_id == self.game_id).order_by(GameSeat.place)
            return [round(seconds / DAY, 3) for seconds in session.scalars(asked)]


def world(database: Database, zone: str, local: str) -> World:
    return World(database, zone, datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC))


def through(w: World, answers: Sequence[str]) -> list[str]:
    """Return the deadline of each decision when answered at these moments in turn."""
    found = [w.deadline]
    for local in answers:
        w.answer(local)
        found.append(w.deadline)
    return found
