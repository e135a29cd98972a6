"""Leave, quiet hours, nudges and time granted in a real browser without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from app.base.process.config import load as load_config
from app.base.server import Server
from app.games.work import Work
from app.overdue import nudges
from app.server.factory import create_app
from app.time.away import leave
from tests.support.people import BASE, PostOffice
from tests.support.served import Place, shown
from tests.support.tables import KEYS, deliver, start

pytestmark = pytest.mark.browser
DAY = timedelta(days=1)


@pytest.fixture
def place(tmp_path: Path, sqlite_url: str, browser: Browser) -> Iterator[Place]:
    """Bob owes a decision to Alice, who is player 1, has leave of each kind, and looks."""
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    server: Server = app.extensions["postroad"]
    database, now = server.database, datetime.now(UTC)
    start(database, "ferry", now=now - 3 * DAY)
    start(database, "acres", now=now - 3 * DAY)
    deliver(database, now - 3 * DAY)
    with database.write() as session:
        session.connection().exec_driver_sql("UPDATE game_seat SET player_id = 3 - player_id")
        session.commit()
    begun = leave.start_now(database, 1, 2, now=now - 2 * DAY, allowance=30)
    with Work(database) as work:
        leave.end(work, 1, begun, 1, now - DAY)
    leave.start_now(database, 1, 2, now=now, allowance=30)
    coming = (now + 20 * DAY).date()
    leave.plan(database, 1, coming, coming + 2 * DAY, now=now, allowance=30)
    leave.start_now(database, 2, 3, now=now, allowance=30)
    nudges.nudge(database, 2, 1, now=now - DAY)
    nudges.extend(database, 2, 1, 3, number=1, granted=0, now=now)
    with shown(app, browser) as base:
        yield Place(base, app, browser, PostOffice(server))


def leave_link(place: Place, player_id: int) -> str:
    server: Server = place.app.extensions["postroad"]
    return server.links.leave(player_id, datetime.now(UTC), None, None).removeprefix(BASE)


def test_everything_goes_without_scripts(place: Place) -> None:
    page = place.context("en", "phone", scripts=False).new_page()
    page.goto(f"{place.base}/games/2")
    page.get_by_role("button", name="Nudge bob by mail").click()
    expect(page.get_by_text("We have mailed them that you are waiting.")).to_be_visible()
    page.get_by_text("Give bob more time").click()
    page.get_by_role("button", name="7 days more").click()
    expect(page.get_by_text("Alice gave bob 7 days more.")).to_be_visible()
    page.goto(f"{place.base}/account")
    page.get_by_role("link", name="Leave and quiet hours").click()
    page.get_by_role("button", name="I am back").click()
    page.get_by_label("Quiet from").fill("22:00")
    page.get_by_label("Quiet until").fill("07:30")
    page.get_by_role("button", name="Keep these hours").click()
    expect(page.get_by_label("Quiet until")).to_have_value("07:30")
    page.goto(place.base + leave_link(place, 1))
    page.get_by_label("My leave begins now").check()
    page.get_by_role("button", name="Start leave now").click()
    expect(page.get_by_text("You are on leave until")).to_be_visible()
