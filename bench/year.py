"""Simulates a year of mail: the deadline in each mail, read back from what the mail host accepted, against the clock's
row.

`python -m bench.year --games 60 --days 366 --seed 1` plays games at every named pace and at generated ones, by players
in ten zones and four languages with quiet hours and leave (planned, immediate, automatic); time is granted, people are
nudged and ask for their link again, the mail host is away for minutes to days, and so is the whole server. The clock is
simulated; the mail host is a real one over SMTP.

A mail is compared at the moment its host accepted it, once the outages that had ended by then have been given back:
with what its reader reads, to the minute, in subject and text, in the reader's zone and language.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes, policy
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.base.links import TurnLink
from app.base.process.config import Config
from app.base.process.mail_settings import MailHost
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import MailRoute, OutboxMail
from app.base.stored.upkeep_tables import Heartbeat
from app.base.words.i18n import LANGUAGES
from app.base.words.refusals import NotAccepted
from app.clocks.pace import DAY, HOUR, WEEKDAYS, Pace, ReminderLadder, read_pace
from app.clocks.presets import COURSES, PRESETS
from app.games.store import GameNow
from app.games.tables import Game
from app.overdue import nudges
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.turn import starting as games
from app.play.turn import turns
from app.post.out.sender import Sender
from app.server import registry
from app.time import outages
from app.time.away import leave
from app.time.reminding import quiet
from app.time.reminding.reminders import remind, told_by
from app.upkeep import migrating
from engine.kernel.refusals import Refusal
from engine.kernel.title import Choice
from tests.support.holidays import add_calendar
from tests.support.sink import Sink, text_of
from tests.support.stated import consequences, days_of, stated, to_the_minute
from tests.support.tables import KEYS, LINKS, load, say

NOW = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
MINUTE, AN_HOUR, ONE_DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ZONES = (
    "UTC", "Europe/Paris", "America/New_York", "America/Santiago", "Pacific/Chatham", "Pacific/Kiritimati",
    "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca", "America/St_Johns",
)  # fmt: skip
NAMES_A_DEADLINE = ("turn", "reminder", "nudge", "extension", "auto_leave")
ALLOWANCE = 30
KEPT_FOR = timedelta(minutes=5)
"""A rendering that is no older than this may go out at a second try: its deadline is early by at most this much."""
_GAME, _MAIL, _PLAYER = Game.__table__, OutboxMail.__table__, Player.__table__  # type: ignore[attr-defined]
_BEAT, _ROUTE = Heartbeat.__table__, MailRoute.__table__  # type: ignore[attr-defined]


@dataclass
class Figures:
    """The comparisons made."""

    mails: Counter[str] = field(default_factory=Counter)
    """By kind: `reminders` are of several games, `last` those that name consequences."""
    deadlines: int = 0
    within: int = 0
    """Deadlines that the mail names earlier than the clock, by `KEPT_FOR` at most."""
    wrong: list[str] = field(default_factory=list)
    moves: int = 0
    games: int = 0
    host_away: timedelta = timedelta()
    server_away: timedelta = timedelta()
    happened: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(self.mails.items()))
        also = ", ".join(f"{n} {what}" for what, n in sorted(self.happened.items()))
        return (
            f"{self.games} games, {self.moves} moves; host away {self.host_away}, server away {self.server_away}; "
            f"{also}\n{sum(self.mails.values())} mails ({kinds}) with {self.deadlines} deadlines: "
            f"{len(self.wrong)} wrong, {self.within} earlier than the clock by a kept rendering's age"
        )


class Year:
    """A server with a simulated clock, its mail host, and what happens to both."""

    def __init__(self, database: Database, seed: int, port: int, players: int) -> None:
        self.database, self.random, self.now = database, random.Random(seed), NOW
        host = MailHost("127.0.0.1", port, "offered")
        config = Config(Path("/nowhere"), database.url, LINKS.base_url, KEYS, host, "Post Road <p@example.org>", "en")
        self.sender = Sender(Server(config, database, LINKS))
        self.port, self.sink = port, Sink(port)
        self.sink.__enter__()
        self.is_host_up = self.is_server_up = True
        self.found = Figures()
        self._read = 0
        self._details: dict[int, Any] = {}
        self._planned: dict[int, int] = {}
        self._queue: list[tuple[datetime, int, str, Any]] = []
        self._order = count()
        self._blocked, self._may_beat = False, True
        self._addresses = [f"player{n}@example.org" for n in range(players)]
        self._calendars: list[int] = []

    # -- the world --------------------------------------------------------------------------------

    def begin(self, many: int, trouble: float) -> None:
        """Set up calendars, games at all named paces and at generated ones, and people."""
        self._start_beats()
        for n in range(3):
            self._calendars.append(add_calendar(self.database, f"Calendar {n}", *self._holidays()))
        named = [one.pace for one in PRESETS]
        if many < len(named):  # a few games of a year each: others with each seed
            named = self.random.sample([*named, *(self._pace() for _ in named)], many)
        for n in range(many):
            self._new_game(named[n] if n < len(named) else self._pace())
        with self.database.read() as session:
            people = session.execute(sa.select(_PLAYER.c.id)).scalars().all()
        for player in people:
            self._settle(player)
        for what, every in (("leave", 1.5), ("away", 4), ("extend", 1.5), ("nudge", 1), ("again", 2)):
            self._plan(self._in_days(every / trouble), what, every / trouble)
        for what, every in (("host", 9), ("server", 40)):
            self._plan(self._in_days(every / trouble), what, every / trouble)

    def _holidays(self) -> list[str]:
        days = {NOW.date() + timedelta(days=self.random.randrange(400)) for _ in range(25)}
        return [str(day) for day in sorted(days)]

    def _pace(self) -> Pace:
        r = self.random
        pace = Pace(
            decision=r.choice((6 * HOUR, DAY, 2 * DAY, 5 * DAY, 9 * DAY)), zone=r.choice(ZONES),
            days_off=tuple(r.sample(WEEKDAYS, r.choice((0, 0, 1, 2, 3)))),
            hour=r.choice((None, None, "20:00", "02:30", "00:00")), leave_days=r.choice((5, 30, 45)),
            reminders=ReminderLadder(r.choice(((), (0.5,), (0.3, 0.8))), r.choice(((), (24,), (72, 12)))),
            stages=r.choice(COURSES).stages,
        )  # fmt: skip
        if r.random() < 0.4:
            bank = r.choice((2, 10)) * DAY
            free, more = r.choice((0, 8 * HOUR)), r.choice((0, HOUR, DAY))
            pace = replace(pace, decision=r.choice((0, HOUR)), free=free, bank=bank, increment=more, cap=2 * bank)
        return read_pace(_as_data(pace))

    def _new_game(self, pace: Pace) -> None:
        seats = ("red", "blue", "green")[: self.random.choice((2, 2, 3))]
        taken = zip(seats, self.random.sample(self._addresses, len(seats)), strict=True)
        calendar = self.random.choice((None, *self._calendars))
        games.new_game(
            self.database, "ferry", list(taken), options={"turns": 90}, pace=pace, calendar_id=calendar, now=self.now
        )
        self.found.games += 1

    def _settle(self, player: int) -> None:
        r = self.random
        values = {"zone": r.choice(ZONES), "language": r.choice(LANGUAGES), "auto_leave": r.random() < 0.5}
        with self.database.write() as session:
            session.execute(sa.update(_PLAYER).where(_PLAYER.c.id == player).values(**values))
            session.commit()
        if r.random() < 0.5:
            quiet.settle(self.database, player, f"{r.randrange(20, 24)}:30", f"0{r.randrange(5, 10)}:15", now=self.now)

    # -- what happens -----------------------------------------------------------------------------

    def _in_days(self, mean: float) -> datetime:
        return self.now + timedelta(seconds=int(self.random.expovariate(1 / (mean * DAY))) + 60)

    def _plan(self, at: datetime, what: str, detail: Any) -> None:
        heappush(self._queue, (at, next(self._order), what, detail))

    def _happen(self, what: str, detail: Any) -> None:
        if what == "host":
            self._turn_host(detail)
        elif what == "server":
            self._turn_server(detail)
        elif what == "move":
            self._move(*detail)
        else:
            if self.is_server_up:
                with suppress(NotAccepted):
                    getattr(self, f"_{what}")()
                    self.found.happened[what] += 1
            self._plan(self._in_days(detail), what, detail)

    def _turn_host(self, every: float) -> None:
        """Take the mail host away for minutes, hours or days, or bring it back."""
        if self.is_host_up:
            self.sink.__exit__()
            away = timedelta(seconds=int(self.random.choice((300, 3600, 6 * 3600, 29 * 3600, 3 * DAY))))
            self.found.host_away += away
            self.found.happened["host away"] += 1
            self._plan(self.now + away, "host", every)
        else:
            self.sink = Sink(self.port)
            self.sink.__enter__()
            self._read = 0
            self._plan(self._in_days(every), "host", every)
        self.is_host_up = not self.is_host_up

    def _turn_server(self, every: float) -> None:
        if self.is_server_up:
            away = timedelta(seconds=int(self.random.choice((600, 5 * 3600, 2 * DAY))))
            self.found.server_away += away
            self.found.happened["server away"] += 1
            self._beaten = dict.fromkeys(outages.JOBS, False)
            self._plan(self.now + away, "server", every)
        else:
            self._plan(self._in_days(every), "server", every)
        self.is_server_up = not self.is_server_up

    def _player(self) -> int:
        with self.database.read() as session:
            return self.random.choice(session.execute(sa.select(_PLAYER.c.id)).scalars().all())

    def _leave(self) -> None:
        first = self.now.date() + timedelta(days=self.random.randrange(1, 20))
        last = first + timedelta(days=self.random.randrange(0, 6))
        leave.plan(self.database, self._player(), first, last, now=self.now, allowance=ALLOWANCE)

    def _away(self) -> None:
        leave.start_now(self.database, self._player(), self.random.randrange(1, 4), now=self.now, allowance=ALLOWANCE)

    def _owed(self) -> GameNow:
        with self.database.read() as session:
            running = session.execute(sa.select(_GAME.c.id).where(_GAME.c.decides.is_not(None))).scalars().all()
        return load(self.database, self.random.choice(running))

    def _extend(self) -> None:
        game = self._owed()
        by = game.others(game.decides or "")[0].player_id or 0
        with self.database.read() as session:
            granted = nudges.times_granted(session, game)
        nudges.extend(
            self.database, game.id, by, self.random.choice((1, 3)), number=game.number, granted=granted, now=self.now
        )

    def _nudge(self) -> None:
        game = self._owed()
        nudges.nudge(self.database, game.id, game.others(game.decides or "")[0].player_id or 0, now=self.now)

    def _again(self) -> None:
        game = self._owed()
        link = TurnLink(game.id, game.decides or "", game.number, game.seated(game.decides or "").player_id)
        turns.mail_current_link(self.database, link, now=self.now)

    def _move(self, game_id: int, number: int) -> None:
        """Let the player who owes the decision answer it."""
        if not self.is_server_up:
            self._plan(self.now + AN_HOUR, "move", (game_id, number))
            return
        game = load(self.database, game_id)
        if game.number != number or game.decides is None:
            return
        items = list(game.title.legal(game.state))
        item = self.random.choice(items)
        action = self.random.choice(list(item.smallest())) if isinstance(item, Choice) else item
        with suppress(Refusal):
            say(self.database, game_id, game.title.write(game.state, action), now=self.now)
            self.found.moves += 1
        after = load(self.database, game_id)
        if after.is_over:
            self._new_game(game.pace)

    # -- the clock --------------------------------------------------------------------------------

    def run(self, until: datetime) -> None:
        """Go from one relevant moment to the next."""
        while self.now < until:
            self._step()
            self._plan_moves()
            self.now = min(self._next(), until)
            while self._queue and self._queue[0][0] <= self.now:
                _, _, what, detail = heappop(self._queue)
                self._happen(what, detail)
        self.sink.__exit__() if self.is_host_up else None
        self.sender.close()

    def _step(self) -> None:
        """Do everything a server does at this moment."""
        if not self.is_server_up:
            return
        self._go_on_beating()
        self._send()
        self._beat_anew()
        outages.watch(self.database, self.now)
        self._compare()
        remind(self.database, self.now)
        sweep_cases(self.database, self.now, allowance=ALLOWANCE)
        self._send()
        self._beat_anew()
        outages.watch(self.database, self.now)
        self._compare()

    def _next(self) -> datetime:
        planned = self._queue[0][0]
        if not self.is_server_up:
            return planned
        with self.database.read() as session:
            asked = sa.select(sa.func.min(_GAME.c.remind_at), sa.func.min(_GAME.c.check_at))
            due = [*session.execute(asked.where(_GAME.c.decides.is_not(None))).one()]
            due.append(session.scalar(sa.select(sa.func.min(_MAIL.c.due_at)).where(_MAIL.c.state == "waiting")))
        pause = AN_HOUR if self._blocked and not self.is_host_up else MINUTE
        found = min([at for at in due if at is not None], default=planned)
        if self._blocked:
            found = min(found, self.now + pause)
        return min(planned, max(found, self.now + pause) if found <= self.now else found)

    def _plan_moves(self) -> None:
        """Plan when each new decision will be answered: mostly in time, sometimes too late, or not soon."""
        with self.database.read() as session:
            asked = sa.select(_GAME.c.id, _GAME.c.number, _GAME.c.deadline_at).where(_GAME.c.decides.is_not(None))
            rows = session.execute(asked).all()
        for row in rows:
            if self._planned.get(row.id) != row.number:
                self._planned[row.id] = row.number
                left = max(row.deadline_at - self.now, AN_HOUR)
                self._plan(self.now + left * self.random.uniform(0.01, 1.15), "move", (row.id, row.number))

    # -- beats ------------------------------------------------------------------------------------

    def _start_beats(self) -> None:
        with self.database.write() as session:
            for job in outages.JOBS:
                row = {"job": job, "owner": "year", "first_at": self.now, "last_at": self.now}
                session.execute(sa.insert(_BEAT).values(**row))
            session.commit()
        self._beaten = dict.fromkeys(outages.JOBS, True)

    def _go_on_beating(self) -> None:
        """Write the heartbeats of jobs that ran until now, every ten seconds; one that comes back has none yet."""
        for job in outages.JOBS:
            if self._beaten[job]:
                self._prolong(job)

    def _beat_anew(self) -> None:
        for job in outages.JOBS:
            if not self._beaten[job] and (job != "mail" or self._may_beat):
                outages.beat(self.database, job, "year", self.now)
                self._beaten[job] = True

    def _prolong(self, job: str) -> None:
        with self.database.write_lightly() as session:
            newest = sa.select(sa.func.max(_BEAT.c.id)).where(_BEAT.c.job == job).scalar_subquery()
            session.execute(sa.update(_BEAT).where(_BEAT.c.id == newest).values(last_at=self.now))
            session.commit()

    # -- mails ------------------------------------------------------------------------------------

    def _send(self) -> None:
        with self.database.read() as session:
            waiting = sa.select(
                _MAIL.c.id, _MAIL.c.kind, _MAIL.c.game_id, _MAIL.c.seat, _MAIL.c.number, _MAIL.c.details
            )
            rows = session.execute(waiting.where(_MAIL.c.state == "waiting", _MAIL.c.due_at <= self.now)).all()
        self._details = {row.id: row for row in rows}
        carried = 0
        for _ in range(200):
            try:
                found = self.sender.send_due(self.now)
                carried += found
                if not found:
                    break
            except Exception as down:
                if type(down).__name__ != "HostDown":
                    raise
                break
        with self.database.read() as session:
            due = sa.select(_MAIL.c.id).where(_MAIL.c.state == "waiting", _MAIL.c.due_at <= self.now).limit(1)
            is_due = session.execute(due).first() is not None
            paused = sa.select(_ROUTE.c.host).where(_ROUTE.c.paused_at.is_not(None))
            is_paused = session.execute(paused).first() is not None
        self._blocked = is_due or is_paused
        # As the sender does it: after mails were sent, and when there is nothing to send.
        self._may_beat = not is_paused and (carried > 0 or not is_due)
        if not self._may_beat:
            self._beaten["mail"] = False

    def _compare(self) -> None:
        for raw in self.sink.taken[self._read :]:
            mail = message_from_bytes(raw[1], policy=policy.default)
            row = self._details.get(int(str(mail["Message-ID"]).lstrip("<").partition(".")[0]))
            if row is not None and row.kind in NAMES_A_DEADLINE:
                self._look_at(row, str(mail["Subject"]), text_of(mail), str(mail["Date"]))  # type: ignore[arg-type]
        self._read = len(self.sink.taken)

    def _look_at(self, row: Any, subject: str, text: str, sent: str) -> None:
        rungs = told_by(row) if row.kind == "reminder" else [row]
        asked = sa.select(_GAME.c.id, _GAME.c.number, _GAME.c.deadline_at, _GAME.c.pace).where(
            _GAME.c.id.in_([rung.game_id for rung in rungs])
        )
        with self.database.read() as session:
            clocks = {(one.id, one.number): one for one in session.execute(asked)}
            zone = session.scalar(
                sa.select(_PLAYER.c.zone).join(_MAIL, _MAIL.c.player_id == _PLAYER.c.id).where(_MAIL.c.id == row.id)
            )
        named = [(found.deadline_at, rung) for rung in rungs if (found := clocks.get((rung.game_id, rung.number)))]
        mine = sorted(named, key=lambda one: one[0])
        dues = [to_the_minute(due) for due, _ in mine]
        said = stated(subject, text, zone or "UTC", self.now)
        last = [rung for _, rung in mine if getattr(rung, "is_last", False)]
        self.found.mails["reminders" if len(dues) > 1 else "last" if last else row.kind] += 1
        self.found.deadlines += len(dues)
        told = [to_the_minute(at) for at in said.moments]
        apart = [due - at for due, at in zip(dues, told, strict=False)]
        is_right = len(told) == len(set(dues)) and said.days == days_of(said.moments[:1], zone or "UTC")
        if is_right and last and len(dues) == 1:
            found = clocks[row.game_id, row.number] if row.game_id else clocks[last[0].game_id, last[0].number]
            follow = [dues[0] + timedelta(seconds=stage.after) for stage in read_pace(found.pace).stages if stage.do]
            is_right = consequences(text, zone or "UTC", self.now) == [to_the_minute(at) for at in follow]
        if is_right and sorted(set(dues)) == sorted(told):
            return
        if is_right and len(dues) == 1 and timedelta() <= apart[0] <= KEPT_FOR:
            self.found.within += 1
            return
        self.found.wrong.append(
            f"{self.now} {row.kind} {row.id}: {subject} ({zone}); {told}, the clocks {dues}; {sent}"
        )


def _as_data(pace: Pace) -> Any:
    from app.clocks.pace import write_pace

    return write_pace(pace)


@contextmanager
def new_database() -> Iterator[Database]:
    """Make a migrated SQLite database."""
    in_memory = Path("/dev/shm")  # none of it has to survive
    with tempfile.TemporaryDirectory(dir=in_memory if in_memory.is_dir() else None) as folder:
        url = f"sqlite:///{folder}/postroad.db"
        migrating.upgrade(url)
        database = Database(url)
        yield database
        database.close()


def simulate(
    database: Database, *, many: int, days: int, seed: int, port: int, players: int = 24, trouble: float = 1
) -> Figures:
    """Simulate this many games for this many days; return the comparisons. `trouble` multiplies the usual incidents."""
    year = Year(database, seed, port, players)
    year.begin(many, trouble)
    year.run(NOW + timedelta(days=days))
    return year.found


def main() -> None:
    """The command."""
    from tests.support.running import free_port

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--days", type=int, default=366)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    registry.register()
    began = time.monotonic()
    with new_database() as database:
        found = simulate(database, many=given.games, days=given.days, seed=given.seed, port=free_port())
    for line in found.wrong[:20]:
        print(line)
    print(f"{given.days} days from {date(2026, 11, 21)}, seed {given.seed}: {found}; {time.monotonic() - began:.0f} s")
    raise SystemExit(1 if found.wrong else 0)


if __name__ == "__main__":
    main()
