"""Plays whole games against the computer: by mail alone, by page without a script, and by phone with it.

    python -m bench.trials.against_computer [--title acres] [--level club] [--way mail|page|phone]

Whoever plays the other seat does so as a beginner, on the phone by touching whatever is in sight; each way, title and
level that is not named is played. Every game must come to its end, and its log replay to the final position.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from flask import Flask
from playwright.sync_api import Page

from app.base.process.config import load as load_config
from app.base.server import Server
from app.base.stored.database import Database
from app.computer import starting as computer
from app.computer.starting import Wish
from app.computer.thinking import Thinker
from app.games.store import GameNow
from app.people import accounts
from app.play.turn import starting
from app.server.factory import create_app
from app.upkeep import migrating
from bench.trials.in_sight import thumb
from engine.kernel.search import levels_of, see, think
from tests.support.inbound import way_in
from tests.support.people import BASE, Browser
from tests.support.replies import Correspondence
from tests.support.served import browsing, served
from tests.support.tables import CONFIG, KEYS, NOW, address, load
from tests.support.turn_driver import Form, TurnDriver

TITLES, LEVELS = ("acres", "new-world"), ("beginner", "club", "strong")
AWAY = timedelta(minutes=6)
"""Who has moved by a page is mailed nothing for some minutes."""
MOST = 2000
COMES_WITHIN = 30_000


def line_of(game: GameNow, seat: str) -> str:
    """Return what a beginner would play."""
    level = levels_of(game.title)[0]
    return game.title.write(game.state, think(game.title, see(level.mind, game.state, seat), level, b"person").action)


def by_mail(folder: Path, title: str, level: str) -> Iterator[GameNow]:
    """Answer each mail by a mail."""
    url = f"sqlite:///{folder}/postroad.db"
    migrating.upgrade(url)
    database = Database(url)
    with way_in(database) as way:
        with database.write() as session:
            me = accounts.find_or_add(session, address("alice"), now=NOW, name="Alice").id
            session.commit()
        seat = computer.start(database, Wish(title_id=title, level=level, player_id=me), now=NOW).seat
        letters, works = Correspondence(way), Thinker(database, CONFIG, "one")
        while not (game := load(database, 1)).is_over:
            if game.decides == seat:
                letters.now += AWAY
                way.send(letters.now)
                assert letters.says("alice", f"{line_of(game, seat)}\nyes\n") == "reply", letters.words("alice")
            else:
                works.work_off(letters.now)
            yield load(database, 1)
        starting.verify(database, 1)
    database.close()


def by_page(folder: Path, title: str, level: str) -> Iterator[GameNow]:
    """Fill in the form of the page and send it, without an account."""
    app = _app(folder)
    server: Server = app.extensions["postroad"]
    me = Browser(app)
    me.get(f"/computer/{title}")
    me.post(f"/computer/{title}", level=level)
    path = str(me.page.request.path)
    seat = next(one.seat for one in load(server.database, 1).seats if one.is_guest)
    while not (game := load(server.database, 1)).is_over:
        if game.decides == seat:
            me._look(me.client.get(path, headers=me.headers, follow_redirects=True), 200)
            said = Form(me.page.text).sent | {"orders": line_of(game, seat), "do": "send"}
            me.post(str(me.page.request.path), **said)
            if load(server.database, 1).number == game.number:  # something could be added, and the draft is shown first
                me.post(str(me.page.request.path), **Form(me.page.text).sent | {"do": "send"})
        else:
            _answer(server)
        yield load(server.database, 1)
    starting.verify(server.database, 1)


def by_phone(folder: Path, title: str, level: str) -> Iterator[GameNow]:
    """Touch what is in sight; the answer of the computer comes to the page by itself."""
    app = _app(folder)
    server: Server = app.extensions["postroad"]
    with served(app) as base, browsing() as browser:
        player = thumb(TurnDriver(app.test_client(), server, 1), base, browser, 1)
        player.page.goto(f"{base}/computer/{title}")
        player.page.locator(f"input[name=level][value={level}]").check()
        player.page.locator("form button.wax").last.click()
        seat = next(one.seat for one in load(server.database, 1).seats if one.is_guest)
        while not (game := load(server.database, 1)).is_over:
            if game.decides == seat:
                player.decide()
            else:
                _answer(server)
                _sees_the_answer(player.page, server, seat)
            yield load(server.database, 1)
    starting.verify(server.database, 1)


def _sees_the_answer(page: Page, server: Server, seat: str) -> None:
    game = load(server.database, 1)
    page.wait_for_load_state("load")
    if page.locator("a[data-waits]").count() and game.decides == seat:
        page.wait_for_selector("#decide", state="attached", timeout=COMES_WITHIN)


def _answer(server: Server) -> None:
    Thinker(server.database, server.config, "one").work_off(datetime.now(UTC))


def _app(folder: Path) -> Flask:
    url = f"sqlite:///{folder}/postroad.db"
    migrating.upgrade(url)
    environ = {"POSTROAD_DATABASE_URL": url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    return create_app(load_config(environ, folder))


WAYS: dict[str, Any] = {"mail": by_mail, "page": by_page, "phone": by_phone}


@contextmanager
def _timed(what: str) -> Iterator[list[str]]:
    began, said = time.monotonic(), list[str]()
    yield said
    print(f"{what}: {', '.join(said)}; {time.monotonic() - began:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--title", choices=TITLES, action="append")
    parser.add_argument("--level", choices=LEVELS, action="append")
    parser.add_argument("--way", choices=WAYS, action="append")
    given = parser.parse_args()
    for way in given.way or WAYS:
        for title in given.title or TITLES:
            for level in given.level or LEVELS:
                with tempfile.TemporaryDirectory() as folder, _timed(f"{title}, {level}, by {way}") as said:
                    for steps, game in enumerate(WAYS[way](Path(folder), title, level)):
                        assert steps < MOST, f"{game.number} decisions, and no end"
                    said += [f"{game.number} decisions", f"over: {game.is_over}"]


if __name__ == "__main__":
    from app.server.registry import register

    register()
    main()
