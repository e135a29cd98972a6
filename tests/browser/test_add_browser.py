"""*Add to draft* with the script, in every title: it adds, and nothing is played by it, whatever goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page

from app.base.process.config import load as load_config
from app.server.factory import create_app
from engine.acres.state import Question
from tests.support.acres import acres
from tests.support.served import Table, shown
from tests.support.tables import KEYS
from tests.support.turn_driver import turn_at

pytestmark = pytest.mark.browser


@pytest.fixture
def app(tmp_path: Path, sqlite_url: str) -> Iterator[Flask]:
    environ = {
        "POSTROAD_DATABASE_URL": sqlite_url,
        "POSTROAD_BASE_URL": "http://127.0.0.1",
        "POSTROAD_SECRET_KEY": KEYS[0],
    }
    yield create_app(load_config(environ, tmp_path))


def touched_to_the_end(page: Page) -> Any:
    """The button that adds, after the first answer to each question."""
    for _ in range(12):
        adds = page.locator("#tray button[value^='add:'], #tray button[value='choose']")
        if adds.count():
            return adds.first
        before = page.url
        ways = page.locator("#tray .offers a, #tray .nw-rows a, .nw-best a, #kinds .kinds a, #tray .items label")
        ways.first.click()
        page.wait_for_function("was => location.href !== was", arg=before)
        page.locator("body:not([aria-busy])").wait_for()
    raise AssertionError(f"nothing can be added: {page.url}")


@pytest.mark.parametrize("is_cut", [False, True], ids=["", "without a network for the script"])
@pytest.mark.parametrize("title", ["acres", "new-world", "ferry"])
def test_add_only_adds(app: Flask, browser: Browser, title: str, is_cut: bool) -> None:
    desk = turn_at(app, title)
    with shown(app, browser) as base:
        table = Table(desk, base, browser)
        page, before = table.open(), desk.game
        adds = touched_to_the_end(page)
        if is_cut:
            page.route(
                "**/t/*", lambda route: route.abort() if route.request.resource_type == "fetch" else route.continue_()
            )
        adds.click()
        page.locator("ol.draft li").first.wait_for(state="attached")
        assert (desk.game.number, desk.game.entries) == (before.number, before.entries)
        assert [said for said in table.seen.console if "ERR_FAILED" not in said] == []


def test_a_draft_is_changed_where_the_next_answers_stand_below_each_other(app: Flask, browser: Browser) -> None:
    """There the tray has no head of its own."""
    desk = turn_at(app, "acres")
    won = acres(british_hand=["boston", "new-york", "militia"], british_places=["boston", "pemaquid"])
    desk.place(won._replace(question=Question("conquest", "british", "louisbourg")))
    with shown(app, browser) as base:
        table = Table(desk, base, browser)
        page, before, loads = table.open(), desk.game, list[str]()
        page.on("request", lambda request: loads.append(request.url) if request.is_navigation_request() else None)
        page.get_by_role("button", name="leave louisbourg").click()
        page.locator("ol.draft li").wait_for(state="attached")
        page.locator("button[value='clear'], button[value^='undo']").first.click()
        page.locator("#tray .answers").wait_for()
        page.locator("body:not([aria-busy])").wait_for()
        assert (loads, table.seen.console) == ([], [])
        assert (desk.game.number, desk.game.entries) == (before.number, before.entries)
