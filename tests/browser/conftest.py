"""A game in front of Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from app.base.process.config import load as load_config
from app.server.factory import create_app
from tests.support.acres import acres
from tests.support.served import Table, shown
from tests.support.tables import KEYS
from tests.support.turn_driver import turn_at

expect.set_options(timeout=60_000)


@pytest.fixture
def table(tmp_path: Path, sqlite_url: str, browser: Browser) -> Iterator[Table]:
    environ = {
        "POSTROAD_DATABASE_URL": sqlite_url,
        "POSTROAD_BASE_URL": "http://127.0.0.1",
        "POSTROAD_SECRET_KEY": KEYS[0],
    }
    app = create_app(load_config(environ, tmp_path))
    desk = turn_at(app, "acres")
    desk.place(acres(british_hand=["boston", "new-haven", "norfolk", "philadelphia", "militia"]))
    with shown(app, browser) as base:
        yield Table(desk, base, browser)
