"""My games with 25 of them on a phone: how many are in sight, and how far the most urgent one is."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from app.base.process.config import load as load_config
from app.server.factory import create_app
from tests.support.people import BASE, PostOffice
from tests.support.served import Place, shown
from tests.support.tables import KEYS, start

pytestmark = pytest.mark.browser
ROOM = {"width": 390, "height": 740}


def test_twelve_of_25_games_are_in_sight_and_the_most_urgent_is_one_tap(
    tmp_path: Path, sqlite_url: str, browser: Browser
) -> None:
    environ = {
        "POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0],
    }  # fmt: skip
    app = create_app(load_config(environ, tmp_path))
    server, now = app.extensions["postroad"], datetime.now(UTC)
    hours = [48 + n * 7 % 25 for n in range(25)]
    games = [
        start(server.database, ("acres", "new-world")[n % 2], now=now, pace=timedelta(hours=each))
        for n, each in enumerate(hours)
    ]
    with shown(app, browser) as base:
        place = Place(base, app, browser, PostOffice(server))
        page = place.context("en", "phone").new_page()
        page.set_viewport_size(ROOM)
        page.goto(f"{base}/games")
        boxes = [row.bounding_box() for row in page.locator(".games li > a").all()]
        assert len(boxes) == 25
        assert sum(box is not None and box["y"] + box["height"] <= ROOM["height"] for box in boxes) >= 12
        page.get_by_role("link", name="Play the most urgent").click()
        expect(page).to_have_url(re.compile("/t/"))
        most = games[hours.index(min(hours))]
        assert server.links.read_turn(page.url.rpartition("/")[2]).game == most
