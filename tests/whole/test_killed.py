"""Killed processes, a mail host that is away for a day, a scheduler that is away for two: nothing is lost, nothing
comes twice, nothing comes in a flood.

Real processes, real signals; days pass by `--now` and `now=`.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
import time
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.links import Links
from app.base.process.config import Config
from app.base.process.mail_settings import MailHost
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.games.tables import Game, GameSeat
from app.people.tables import Player
from app.post.out.mail_leases import LEASE
from app.post.out.sender import Sender
from app.time.reminding.reminders import AT_ONCE, remind, told_by
from tests.support import fresh
from tests.support.killed import IN_A_COMMIT, killed_in_the_middle
from tests.support.running import Install, free_port
from tests.support.sink import Sink
from tests.support.tables import KEYS, NOW, deliver, load, say, start

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
BASE = "http://post.example.org"
ACRES = ("acres", "--seat", "british=alice@example.org", "--seat", "french=bob@example.org")
GAMES = 2 * AT_ONCE + 30

SWEEP = (sys.executable, "-m", "tests.support.sweeping", "--now")


def reminders(database: Database) -> Counter[int]:
    """How many reminders each game's seat was sent or is to be sent."""
    columns = (OutboxMail.game_id, OutboxMail.seat, OutboxMail.number, OutboxMail.details)
    with database.read() as session:
        rows = session.execute(sa.select(*columns).where(OutboxMail.kind == "reminder")).all()
    return Counter(rung.game_id for row in rows for rung in told_by(row))


def states(database: Database) -> Counter[str]:
    with database.read() as session:
        return Counter(session.scalars(sa.select(OutboxMail.state)))


def many_games(database: Database, n: int, *, pace: timedelta = 7 * DAY) -> list[int]:
    """A game, and copies of its row and seats for other players: a sweep reads no more of them."""
    first = start(database, pace=pace)
    deliver(database, NOW)
    with database.write() as session:
        game = dict(session.execute(sa.select(Game.__table__)).mappings().one())
        del game["id"], game["seed_number"]
        seats = [dict(row) for row in session.execute(sa.select(GameSeat.__table__)).mappings()]
        for seat in seats:
            del seat["id"]
        ids = [first]
        for _ in range(n - 1):
            ids.append(session.execute(sa.insert(Game).values(**game).returning(Game.id)).scalar_one())
            somebody = {"address": f"p{ids[-1]}@example.org", "address_key": f"p{ids[-1]}", "name": "P"}
            added = session.execute(sa.insert(Player).values(**somebody, created_at=NOW).returning(Player.id))
            player = added.scalar_one()
            session.execute(sa.insert(GameSeat), [{**s, "game_id": ids[-1], "player_id": player} for s in seats])
        session.commit()
    return ids


def server_with(database: Database, port: int) -> Server:
    host = MailHost("127.0.0.1", port, "offered")
    config = Config(Path("/nowhere"), database.url, BASE, KEYS, host, "Post Road <post@example.org>", "en")
    return Server(config, database, Links(BASE, KEYS))


def in_hand(database: Database) -> int:
    """How many mails a sender has taken and not yet handed over."""
    held = sa.and_(OutboxMail.state == "waiting", OutboxMail.claimed_by.is_not(None))  # type: ignore[arg-type, union-attr]
    with database.read() as session:
        return session.scalar(sa.select(sa.func.count()).where(held)) or 0


# -- killed ------------------------------------------------------------------------------------------


def test_a_sweep_killed_in_the_middle_is_finished_by_the_next_one(database_url: str, database: Database) -> None:
    games = many_games(database, GAMES)
    sweep = IN_A_COMMIT.format(module="app.time.reminding.reminders", sweep="remind", after=1)
    killed_in_the_middle(sweep, database_url, NOW + 4 * DAY)
    assert sum(reminders(database).values()) == AT_ONCE, "the second hundred was not committed"
    assert remind(database, NOW + 4 * DAY + timedelta(seconds=1)) == GAMES - AT_ONCE
    assert reminders(database) == Counter(games), "each game once"
    assert remind(database, NOW + 5 * DAY) == 0


class Stuck(Sink):
    """Takes some mails and keeps the next one waiting without taking it."""

    def __init__(self, takes: int) -> None:
        super().__init__()
        self.takes = takes
        self.is_stuck = threading.Event()
        self.over = False

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.over or len(self.taken) < self.takes:
            return await super().handle_DATA(server, session, envelope)
        self.is_stuck.set()
        while not self.over:
            await asyncio.sleep(0.02)
        return "451 not taken"


def test_a_sender_killed_in_the_middle_of_a_batch_loses_no_mail_and_sends_none_twice(
    tmp_path: Path, sqlite_url: str
) -> None:
    with Stuck(takes=7) as sink:
        install = Install(tmp_path, SMTP_URL=sink.url, DATABASE_URL=sqlite_url)
        install.command("db", "upgrade")
        database = Database(sqlite_url)
        for _ in range(15):
            start(database, "acres")
        sweep = fresh.start([*SWEEP, NOW.isoformat()], env=install.environ, cwd=tmp_path, start_new_session=True)
        assert sink.is_stuck.wait(60)
        end = time.monotonic() + 60
        # It puts back what it will not hand over soon, and notes the seventh a moment after the host has taken it.
        while not (1 <= in_hand(database) <= 4 and states(database)["sent"] == 7):
            assert time.monotonic() < end
            time.sleep(0.05)
        sweep.kill()
        assert sweep.wait(60) == -signal.SIGKILL
        assert states(database) == {"sent": 7, "waiting": 8}
        sink.over = True

        def swept(now: datetime) -> None:
            assert fresh.run([*SWEEP, now.isoformat()], env=install.environ, cwd=tmp_path).returncode == 0

        swept(NOW)
        left = states(database)["waiting"]
        assert 1 <= left <= 4, "the killed one had no more in hand than the mails that its connections were busy with"
        swept(NOW + LEASE - timedelta(seconds=1))
        assert states(database) == {"sent": 15 - left, "waiting": left}, "they are still the killed one's"
        swept(NOW + LEASE)
        assert states(database) == {"sent": 15} and len(sink.taken) == 15
        ids = [mail["Message-ID"] for mail in sink.mails()]
        assert len(set(ids)) == 15
        database.close()


# -- away --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["dead", "unwilling"])
def test_a_mail_host_away_for_a_day_gets_all_mails_later_and_once(sqlite_database: Database, how: str) -> None:
    port = free_port()
    games, sender, tries = [], Sender(server_with(sqlite_database, port)), 0

    def pass_a_day(sink: Sink | None) -> None:
        nonlocal tries
        for quarter in range(4 * 24):
            now = NOW + quarter * HOUR / 4
            if quarter % 8 == 0:
                games.append(start(sqlite_database, now=now))
                say(sqlite_database, games[0], "peek" if len(games) == 1 else "rob blue", now=now) if quarter < 9 else 0
            while taken := sender.send_due(now):
                tries += taken

    if how == "dead":
        pass_a_day(None)
        assert set(states(sqlite_database)) <= {"waiting", "dropped"}
        sink = Sink(port)
    else:
        sink = Sink(port)
        with sink:
            sink.answer = "451 come back later"
            pass_a_day(sink)
        assert 12 <= tries < 12 * 16, "the pauses grow"
        assert not sink.taken
        sink = Sink(port)
    sender.close()
    with sink:
        for hour in range(24, 36):
            while sender.send_due(NOW + hour * HOUR):
                pass
        sender.close()
    owed = {(game.id, game.number) for game in (load(sqlite_database, game_id) for game_id in games)}
    with sqlite_database.read() as session:
        sent = session.execute(sa.select(OutboxMail.game_id, OutboxMail.number).where(OutboxMail.state == "sent")).all()
    assert sorted(tuple(row) for row in sent) == sorted(owed), "one mail for each decision that is still owed"
    assert len(sink.taken) == len(owed) and "waiting" not in states(sqlite_database)


def test_a_scheduler_away_for_two_days_sends_no_flood_on_return(sqlite_database: Database) -> None:
    """A game of each age, the sweeps stop for two days: one mail for all decisions, each once, none for what was
    answered or is over time, and no second one soon after."""
    games = {}
    for age in reversed(range(16)):
        games[age] = start(sqlite_database, pace=7 * DAY, now=NOW - age * DAY / 2)
        deliver(sqlite_database, NOW - age * DAY / 2)
    soon = start(sqlite_database, pace=DAY, now=NOW)
    deliver(sqlite_database, NOW)
    for hour in range(24):
        remind(sqlite_database, NOW - DAY + hour * HOUR)
    before = reminders(sqlite_database)
    answered = games[5]
    say(sqlite_database, answered, "rob blue", now=NOW + HOUR)  # while the scheduler is away

    back = NOW + 2 * DAY
    assert remind(sqlite_database, back) == 1, "they are all the same player's"
    after = reminders(sqlite_database)
    assert max(after[game] - before[game] for game in games.values()) == 1
    assert after[soon] == 0, "its deadline has passed"
    assert after[answered] == before[answered]
    for age, game in games.items():
        if NOW - age * DAY / 2 + 7 * DAY <= back:
            assert after[game] == before[game], "nobody is reminded of a deadline that has passed"
    for minute in range(120):
        remind(sqlite_database, back + timedelta(minutes=minute))
    hours = (back, back + 3 * HOUR)  # the day before, or half time: what is due within the hour went along
    day_before = {g for age, g in games.items() if hours[0] < NOW - age * DAY / 2 + 6 * DAY <= hours[1]}
    assert {game for game in games.values() if reminders(sqlite_database)[game] > after[game]} <= day_before
