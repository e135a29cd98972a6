"""The file of a player's data, and erasing an account, in a real browser without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from app.base.process.config import load as load_config
from app.base.server import Server
from app.play.agreed import results
from app.play.turn import chat_and_notes
from app.post.webhooks import settings
from app.server.factory import create_app
from tests.support.people import BASE, PostOffice
from tests.support.served import Place, shown
from tests.support.tables import KEYS, NOW, load, start

pytestmark = pytest.mark.browser


@pytest.fixture
def place(tmp_path: Path, sqlite_url: str, browser: Browser) -> Iterator[Place]:
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    server: Server = app.extensions["postroad"]
    for title, seats in (("acres", 2), ("new-world", 4)):
        game_id = start(server.database, title, seats=seats)
        results.resign(server.database, game_id, 2, now=NOW)
    start(server.database, "acres")
    chat_and_notes.say_as_player(server.database, 1, 2, "Well played", now=datetime.now(UTC))
    address = "https://hooks.example.org/services/T00000000/B00000000/a-long-secret-that-is-not-shown"
    for n in range(3):
        settings.add(server.database, 1, f"{address}-{n}", private=True, now=NOW)
    with shown(app, browser) as base:
        yield Place(base, app, browser, PostOffice(server))


def test_the_file_and_erasing_go_without_scripts(place: Place) -> None:
    page = place.context("en", "phone", scripts=False).new_page()
    page.goto(f"{place.base}/account")
    page.get_by_role("link", name="My data").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the file").click()
    assert download.value.suggested_filename == "post-road-my-data.zip"
    page.get_by_role("button", name="Mail me the link that erases").click()
    link = place.post.link("alice@example.org", "erase")
    page.goto(place.base + link)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Erase the account").click()
    expect(page.get_by_text("Your account is erased")).to_be_visible()
    page.goto(f"{place.base}/games/1")
    expect(page.get_by_text("a former player").first).to_be_visible()
    assert load(place.app.extensions["postroad"].database, 3).is_over


@pytest.mark.parametrize("scripts", [True, False])
def test_a_message_that_was_in_sight_is_read(place: Place, scripts: bool) -> None:
    """Its dots go: with the script by themselves, else by a button."""
    chat_and_notes.say_as_player(place.app.extensions["postroad"].database, 3, 2, "Good luck", now=datetime.now(UTC))
    page = place.context("en", "phone", scripts=scripts).new_page()
    page.goto(f"{place.base}/games/3")
    marks = page.locator(".menu summary .mark, #chat .mark")
    expect(marks).to_have_count(2)
    if scripts:
        page.locator("#read").scroll_into_view_if_needed()
        expect(page.locator("#read")).to_be_hidden()
    else:
        page.get_by_role("button", name="Mark as read").click()
    expect(marks).to_have_count(0)
    page.goto(f"{place.base}/games")
    expect(page.locator("i.mark")).to_have_count(0)
