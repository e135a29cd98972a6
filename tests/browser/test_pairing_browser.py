"""A long pairing in a real browser without scripts: its progress, and the way on to the draft."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, expect

from app.base.process.config import load as load_config
from app.base.server import Server
from app.leagues.pure.pairing.tasks import LONG
from app.leagues.rounds import pairing_jobs
from app.leagues.tables import PairingJob
from app.server.factory import create_app
from tests.support.events import crowd, press
from tests.support.people import BASE, PostOffice, sign_in
from tests.support.served import Place, shown
from tests.support.tables import KEYS, write

pytestmark = pytest.mark.browser


@pytest.fixture
def place(tmp_path: Path, sqlite_url: str, browser: Browser) -> Iterator[Place]:
    """Alice, who is player 1, runs an event of 42 players that has started."""
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    server: Server = app.extensions["postroad"]
    sign_in(app, PostOffice(server), "alice@example.org")
    now = crowd(server.database, LONG + 2)
    with server.database.write() as session:
        session.connection().exec_driver_sql("UPDATE club_member SET player_id = 1")
        session.commit()
    press(server.database, now.divisions[0].id, 1, at=datetime.now(UTC))
    with shown(app, browser) as base:
        yield Place(base, app, browser, PostOffice(server))


def test_without_scripts_the_page_goes_on_by_itself(place: Place) -> None:
    database = place.app.extensions["postroad"].database
    page = place.context("en", "phone", scripts=False).new_page()
    page.goto(f"{place.base}/events/1/pairings/1")
    bar = page.get_by_role("progressbar", name="Waiting for the server to begin.")
    expect(bar).to_have_attribute("value", "0")
    write(database, sa.update(PairingJob).values(step="pairing", share=42))
    bar = page.get_by_role("progressbar", name="Looking for the best opponent of everybody.")
    expect(bar).to_have_attribute("value", "42", timeout=60_000)
    assert pairing_jobs.work_one(database, "test", lambda: datetime.now(UTC))
    page.wait_for_url("**/events/1/rounds/*", timeout=60_000)
    expect(page.get_by_role("heading", name="Draft of round 1")).to_be_visible()
    page.goto(f"{place.base}/events/1/manage")
    page.get_by_role("button", name="Pair the draft again").click()
    page.get_by_role("button", name="Stop this pairing").click()
    expect(page.get_by_text("The pairing is stopped; nothing was changed.")).to_be_visible()
