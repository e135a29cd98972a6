"""Games between programs that have no mailbox, played over HTTP by the bot of `bench.trials.programs`."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from flask import Flask
from sqlmodel import col

from app.base.process.config import load as load_settings
from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from app.people.tables import Player
from app.play.turn import starting
from app.server.factory import create_app
from app.upkeep import migrating
from bench.trials.programs import SECOND, Bot, Fetch, play
from tests.support.tables import KEYS, load, start

GAMES = (
    *(("acres", 2, {"edition": edition}) for edition in ("second", "first", "first-revised")),
    *(("new-world", seats, {}) for seats in (2, 3, 4, 5)),
    *(("ferry", seats, {}) for seats in (2, 3)),
)


def fetch_of(app: Flask) -> Fetch:
    """Return how a program reaches the app."""
    client = app.test_client(use_cookies=False)

    def fetch(
        method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        answer = client.open(path, method=method, headers=dict(headers), data=body)
        return answer.status_code, answer.headers, answer.data

    return fetch


def declared(server: Server, game_id: int) -> list[str]:
    """Declare all players of a game as programs that get no mails; return the paths of their feeds."""
    found = []
    for seated in load(server.database, game_id).seats:
        assert seated.player_id is not None
        with server.database.write() as session:
            off = {"mail_turns": False, "mail_reminders": False, "mail_news": False, "program_of": "Ada"}
            session.execute(sa.update(Player).where(col(Player.id) == seated.player_id).values(off))
            session.commit()
        with server.database.read() as session:
            version = session.scalar(sa.select(col(Player.feed_version)).filter_by(id=seated.player_id))
        found.append(f"/feeds/{server.links.sign('json', [seated.player_id, version])}/waiting.json")
    return found


def played(
    app: Flask, title: str, seats: int, seed: int, options: Mapping[str, str], twin: bool = False
) -> tuple[int, Bot]:
    """Play a game to its end; return its number, and the bot with what it has seen."""
    server: Server = app.extensions["postroad"]
    game_id = start(server.database, title, seats=seats, now=datetime.now(UTC), options=dict(options))
    paths, fetch = declared(server, game_id), fetch_of(app)
    bot = Bot(fetch, paths, random.Random(seed))
    play(bot, Bot(fetch, paths, random.Random(-seed)) if twin else None)
    return game_id, bot


def games_of_programs(folder: Path, count: int) -> Iterator[str]:
    """Play so many games, all kinds of them in turn, every third with a second copy of the bot; yield a line each."""
    environ = {"POSTROAD_DATABASE_URL": f"sqlite:///{folder / 'programs.db'}", "POSTROAD_SECRET_KEY": KEYS[0]}
    migrating.upgrade(environ["POSTROAD_DATABASE_URL"])
    app = create_app(load_settings(environ, folder))
    server: Server = app.extensions["postroad"]
    for number in range(count):
        title, seats, options = GAMES[number % len(GAMES)]
        game_id, bot = played(app, title, seats, number + 1, options, twin=number % 3 == 2)
        fine = load(server.database, game_id).is_over and not starting.verify(server.database, game_id)
        refused = {code: n for code, n in bot.seen.items() if "." in code or "_" in code}
        if number % 3 == 2:
            refused = {code: n for code, n in refused.items() if code not in SECOND}
        with server.database.read() as session:
            sent = session.scalar(sa.select(sa.func.count()).where(col(OutboxMail.sent_at).is_not(None)))
        calls = (bot.seen["calls"] + bot.seen["looks"]) / max(1, bot.seen["decisions"])
        verdict = "well" if fine and not refused and not sent else f"HARMED: {refused}, {sent} mails"
        yield (
            f"{title} {dict(options) or seats}: {bot.seen['decisions']} decisions, {calls:.2f} calls each, "
            f"{bot.seen['looks']} looks, {bot.seen['304']} answers 304: {verdict}"
        )
    server.database.close()
