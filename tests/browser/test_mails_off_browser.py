"""The note that clocks run on without mails, and the way back, in a real browser: narrow and wide, light and dark,
axe-core, by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from app.base.process.config import load as load_config
from app.base.server import Server
from app.base.words.i18n import catalogue
from app.server.factory import create_app
from tests.support.people import BASE, PostOffice
from tests.support.served import Place, overflow, shown, violations
from tests.support.tables import KEYS, LINKS, link_to, load, start

pytestmark = pytest.mark.browser
RUNS_ON = "You get no mails when it is your turn, and your clocks run on."


@pytest.fixture
def place(tmp_path: Path, sqlite_url: str, browser: Browser) -> Iterator[Place]:
    """Alice owes a decision in each game."""
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    server: Server = app.extensions["postroad"]
    start(server.database, "acres")
    start(server.database, "new-world")
    with shown(app, browser) as base:
        yield Place(base, app, browser, PostOffice(server))


@pytest.mark.parametrize(
    ("language", "size", "scheme"),
    [("fr", "phone", "dark"), ("es", "desk", "light")],
)
def test_off_by_the_link_of_a_mail_and_on_again(place: Place, language: str, size: str, scheme: str) -> None:
    server: Server = place.app.extensions["postroad"]
    said = catalogue(language).gettext
    page = place.context(language, size, scheme).new_page()
    page.set_extra_http_headers({"Accept-Language": language})
    stop, turn = (
        server.links.unsubscribe(1, "turns").removeprefix(BASE),
        LINKS.turn_token(link_to(load(server.database, 1))),
    )

    def look(name: str) -> None:
        assert violations(page) == [] and overflow(page) == 0, name

    page.goto(place.base + stop)
    look("stop")
    page.get_by_role("radio", name=said("Unsubscribe")).check()
    page.get_by_role("button", name=said("Send"), exact=True).click()
    look("stopped")
    for name, path in (("games", "/games"), ("turn", f"/t/{turn}"), ("game", "/games/2")):
        page.goto(place.base + path)
        expect(page.get_by_role("complementary", name=said("Mails about your turns")), path).to_be_visible()
        look(name)
    page.get_by_role("link", name=said("Get them again")).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/mails-again/*")
    look("again")
    page.locator("main input[name=sure]").check()
    page.locator("main button").click()
    look("on")
    page.goto(f"{place.base}/games")
    assert not page.get_by_text(said(RUNS_ON)).is_visible()
