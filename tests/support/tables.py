"""Games to test with: the same cast everywhere (Alice, Bob, Carol, Dora) around a table of Ferry or another title."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.links import Links, TurnLink
from app.base.process.config import Config
from app.base.process.mail_settings import MailHost
from app.base.server import Server
from app.base.stored.database import Database
from app.clocks.pace import DEFAULT, Pace, simple
from app.games.store import GameNow, GameStore
from app.games.tables import GameSeat
from app.play.turn import starting, turns
from app.post.out.sender import Sender
from app.titles.registry import TITLES
from engine.kernel.title import Choice
from tests.support import ferry  # noqa: F401  (installs the title that most tests play)

NOW = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
CAST = ("alice", "bob", "carol", "dora", "emil")
KEYS = ("a-key-only-for-tests",)
LINKS = Links("http://post.example.org", KEYS)
CONFIG = Config(Path("/nowhere"), "", LINKS.base_url, KEYS, None, "Post Road <post@example.org>", "en")
"""The configuration of a server without a mail host: its sender leaves all mails in the mailbox."""


def address(who: str) -> str:
    return f"{who}@example.org"


def start(
    database: Database, title: str = "ferry", seats: int = 2, now: datetime = NOW, pace: Pace | timedelta = DEFAULT,
    **kwargs: Any,
) -> int:  # fmt: skip
    """Start a game of the first seats of a title, taken by the cast in order, whose turns go out at once; a duration is
    a pace of that length per decision.
    """
    pace = simple(pace) if isinstance(pace, timedelta) else pace
    taken = list(zip(TITLES[title].seats[:seats], map(address, CAST), strict=False))
    game_id = starting.new_game(database, title, taken, now=now, pace=pace, **kwargs)
    write(database, sa.text("UPDATE player SET hold_minutes = 0 WHERE hold_minutes IS NULL"))
    return game_id


def load(database: Database, game_id: int) -> GameNow:
    with database.read() as session:
        return GameStore(session).load(game_id)


def write(database: Database, *statements: Any) -> None:
    """Carry out statements in one transaction."""
    with database.write() as session:
        for statement in statements:
            session.execute(statement)
        session.commit()


def link_to(game: GameNow) -> TurnLink:
    """Return the link of the pending decision."""
    assert game.decides
    return TurnLink(game.id, game.decides, game.number, game.seated(game.decides).player_id)


def say(database: Database, game_id: int, orders: str, now: datetime = NOW) -> turns.TurnPlayed:
    """Answer as the seat that owes the decision."""
    return turns.play_turn(database, link_to(load(database, game_id)), orders, now=now)


def deliver(database: Database, at: datetime, to: str = "") -> int:
    """Let a sender take all mails that are due, to the embedded mailbox or a host; return how many."""
    host = MailHost("127.0.0.1", int(to.rpartition(":")[2]), "offered") if to else None
    sender = Sender(Server(replace(CONFIG, mail_host=host), database, LINKS))
    sent = 0
    while found := sender.send_due(at):
        sent += found
    sender.close()
    return sent


def hand(game: GameNow, seat: str) -> list[str]:
    """Return the cards of a Ferry seat."""
    return list(game.state.sides[seat].hand)


def give_standing(database: Database, game_id: int, seat: str, *lines: str) -> None:
    """Write standing orders directly into the seat."""
    where = (GameSeat.game_id == game_id, GameSeat.seat == seat)
    write(database, sa.update(GameSeat).where(*where).values(standing="\n".join(lines)))


@pytest.fixture
def sqlite_database(sqlite_url: str) -> Any:
    """Yield a migrated SQLite database, open."""
    opened = Database(sqlite_url)
    yield opened
    opened.close()


def rows_of_games(database: Database) -> list[Any]:
    """Return all rows of a game, for comparing before and after."""
    with database.read() as session:
        tables = ("game", "game_seat", "game_state", "log_entry", "decision_made", "outbox_mail", "draft")
        return [session.execute(sa.text(f"SELECT * FROM {name} ORDER BY 1")).fetchall() for name in tables]


def possible(title: Any, state: Any) -> list[Any]:
    actions: list[Any] = []
    for item in title.legal(state):
        actions += item.smallest() if isinstance(item, Choice) else [item]
    return actions


def random_line(game: Any, chooser: random.Random) -> str:
    return str(game.title.write(game.state, chooser.choice(possible(game.title, game.state))))


def played(server: Server, title: str = "ferry", moves: int = 12, seats: int = 2, seed: int = 1) -> int:
    """Return a running game after this many random moves."""
    game_id, chooser = start(server.database, title, seats=seats), random.Random(seed)
    for _ in range(moves):
        game = load(server.database, game_id)
        line = random_line(game, chooser)
        while line == "resign":
            line = random_line(game, chooser)
        say(server.database, game_id, line)
    assert not load(server.database, game_id).is_over
    return game_id
