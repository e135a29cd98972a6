"""Replay and analysis in a real browser: arrow keys, and without scripts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from app.base.process.config import load as load_config
from app.base.server import Server
from app.server.factory import create_app
from tests.support.people import BASE, PostOffice, sign_in
from tests.support.served import SIZES, Seen, shown
from tests.support.tables import KEYS, load, random_line, say, start

pytestmark = pytest.mark.browser


@dataclass
class Club:
    """A served game of each title, and Alice's cookie."""

    base: str
    browser: Browser
    cookie: str
    games: dict[str, int]
    plans: dict[str, str]
    seen: Seen = field(default_factory=Seen)

    def context(self, size: str = "desk", scheme: str = "light", scripts: bool = True) -> BrowserContext:
        context = self.browser.new_context(
            viewport=SIZES[size], color_scheme=scheme, java_script_enabled=scripts, locale="en-GB"
        )
        context.add_cookies([{"name": "postroad_sign_in", "value": self.cookie, "url": self.base}])
        context.on("console", lambda message: self.seen.console.append(message.text))
        context.on("request", lambda request: self.seen.requests.append(request.url))
        return context

    def check(self) -> None:
        """Check that there were no complaints and no requests to other hosts."""
        assert self.seen.console == []
        assert self.seen.requests and all(url.startswith((self.base, "data:")) for url in self.seen.requests)


@pytest.fixture
def club(tmp_path: Path, sqlite_url: str, browser: Browser) -> Iterator[Club]:
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    server: Server = app.extensions["postroad"]
    alice = sign_in(app, PostOffice(server), "alice@example.org")
    games, plans = {}, {}
    for title, seats in (("acres", 2), ("new-world", 3)):
        game_id, chooser = start(server.database, title, seats=seats), random.Random(3)
        for _ in range(24):
            line = random_line(load(server.database, game_id), chooser)
            if line != "resign":
                say(server.database, game_id, line)
        entry = load(server.database, game_id).entries
        alice.get(f"/games/{game_id}/replay/{entry}")
        alice.post(f"/games/{game_id}/replay/{entry}/plan")
        games[title], plans[title] = game_id, alice.page.request.path
    cookie = alice.client.get_cookie("postroad_sign_in")
    assert cookie
    with shown(app, browser) as base:
        yield Club(base, browser, cookie.value, games, plans)


def test_the_arrow_keys_step_and_leave_fields_alone(club: Club) -> None:
    page = club.context().new_page()
    game = f"{club.base}/games/{club.games['acres']}/replay"
    page.goto(f"{game}?turn=3")
    for key, turn in (("ArrowRight", 4), ("ArrowRight", 5), ("ArrowLeft", 4), ("Home", 0)):
        page.keyboard.press(key)
        page.wait_for_url(f"{game}?turn={turn}#at")
    page.keyboard.press("ArrowLeft")  # nothing is before the opening
    page.get_by_label("To turn").focus()
    page.keyboard.press("ArrowLeft")
    assert page.url == f"{game}?turn=0#at"
    page.get_by_label("To turn").fill("2")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{game}?turn=2")
    club.check()


def test_everything_goes_without_scripts(club: Club) -> None:
    page = club.context(scripts=False).new_page()
    page.goto(f"{club.base}/games/{club.games['acres']}/replay?turn=3")
    page.get_by_role("link", name="Step back").click()
    page.wait_for_url("**/replay/**")
    page.get_by_label("Only you see these").fill("a note")
    page.get_by_role("button", name="Keep the notes").click()
    expect(page.get_by_label("Only you see these")).to_have_value("a note")
    page.get_by_role("button", name="Try out from here").click()
    page.wait_for_url("**/plan/*")
    page.locator("ul.kinds a").first.click()
    adds = page.locator("#tray button[value^='add']")
    for _ in range(6):  # as many choices as a step has at most
        if adds.count():
            break
        page.locator("#tray .offers a").first.click()
    adds.first.click()
    expect(page.locator("ol.draft > li")).to_have_count(1)
    club.check()


def test_a_picture_alone_shows_its_colours(club: Club) -> None:
    """Its style is inside it, and its policy allows just that."""
    page = club.context().new_page()
    page.goto(f"{club.base}/games/{club.games['acres']}/turns/3.svg")
    sea = page.evaluate("getComputedStyle(document.querySelector('.sea')).fill")
    assert sea == "rgb(207, 220, 218)"
    club.check()
