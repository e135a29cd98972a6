"""Cases and takebacks in a real browser without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, expect

from app.base.process.config import load as load_config
from app.base.server import Server
from app.clocks.pace import DAY as A_DAY
from app.clocks.pace import Pace, Stage
from app.games.store import GameStore
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.agreed import takeback
from app.server.factory import create_app
from tests.support.people import BASE, PostOffice
from tests.support.served import Place, shown
from tests.support.tables import KEYS, deliver, load, say, start

pytestmark = pytest.mark.browser
DAY = timedelta(days=1)
CLAIM = Pace(decision=A_DAY, stages=(Stage(0, "flagged", ("claim",)),))
RULED = Pace(decision=A_DAY, stages=(Stage(0, "flagged", ("organiser",)),))


@pytest.fixture
def place(tmp_path: Path, sqlite_url: str, browser: Browser) -> Iterator[Place]:
    """Alice is player 1 and an operator. Game 1: she may claim. 2: it waits for her ruling. 3: she may take back what
    she sent."""
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    server: Server = app.extensions["postroad"]
    database, now = server.database, datetime.now(UTC).replace(microsecond=0)
    start(database, "acres", pace=CLAIM, now=now - DAY)
    start(database, "acres", pace=RULED, now=now - DAY)
    with database.write() as session:
        session.execute(sa.update(Player).values(auto_leave=False))
        session.execute(sa.update(Player).where(Player.id == 1).values(role="operator"))  # type: ignore[arg-type]
        session.connection().exec_driver_sql("UPDATE game_seat SET player_id = 3 - player_id WHERE game_id = 1")
        session.commit()
    deliver(database, now - DAY)
    sweep_cases(database, now)
    ferry = start(database, "ferry", now=now)
    say(database, ferry, "rob blue", now=now)
    with shown(app, browser) as base:
        yield Place(base, app, browser, PostOffice(server))


def test_a_move_is_taken_back_and_a_case_is_ruled_without_scripts(place: Place) -> None:
    server: Server = place.app.extensions["postroad"]
    page = place.context("en", "phone", scripts=False).new_page()
    page.goto(f"{place.base}/games/3")
    page.get_by_role("button", name="Take your last move back").click()
    expect(page.locator("main")).to_contain_text("The others are asked by mail")
    page.goto(place.base + place.post.link("bob@example.org", "proposal").removeprefix(BASE))
    page.get_by_role("radio", name="Agree", exact=True).check()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("main")).to_contain_text("All have agreed, and it is taken back.")
    assert load(server.database, 3).decides == "red"
    with server.database.read() as session:
        assert takeback.offer(session, GameStore(session).load(3), "red") is None
    page.goto(f"{place.base}/cases/2")
    page.get_by_label("more time, from now on").check()
    page.get_by_label("Days to give").fill("5")
    page.get_by_role("textbox").last.fill("Both asked for it.")
    page.get_by_role("button", name="Rule").click()
    expect(page.locator("main")).to_contain_text("Both asked for it.")
    assert (load(server.database, 2).deadline_at or datetime.min.replace(tzinfo=UTC)) > datetime.now(UTC) + 4 * DAY
