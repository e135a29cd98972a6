"""The time zone of the browser in Chromium: reported once automatically, by page and by mailed link; never again after
a choice; and zones that this server does not know, or knows by another name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.base.process.config import load as load_config
from app.people.tables import Player
from app.server.factory import create_app
from tests.support.people import BASE, PostOffice, sign_in
from tests.support.served import SIZES, Place, overflow, shown, violations
from tests.support.tables import KEYS, start

pytestmark = pytest.mark.browser
KEPT = "From now on times are those of"
OFFER = "Use the browser’s zone"


@pytest.fixture
def place(tmp_path: Path, sqlite_url: str, browser: Browser) -> Iterator[Place]:
    """Alice, who is player 1 and has chosen no zone, owes a decision."""
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    server = app.extensions["postroad"]
    start(server.database, "acres")
    with shown(app, browser) as base:
        yield Place(base, app, browser, PostOffice(server))


@dataclass
class Traveller:
    """A browser somewhere in the world, and what it sent and complained of."""

    place: Place
    context: BrowserContext
    page: Page
    posts: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        """Open a page, and wait for its script."""
        self.page.goto(self.place.base + path)
        self.page.wait_for_load_state("networkidle")

    def sees(self, words: str) -> bool:
        return self.page.get_by_text(words).is_visible()


def traveller(place: Place, zone: str, size: str = "phone", signed_in: bool = False) -> Traveller:
    context = place.browser.new_context(viewport=SIZES[size], timezone_id=zone, locale="en-GB")
    made = Traveller(place, context, context.new_page())
    context.on("request", lambda asked: made.posts.append(asked.post_data or "") if asked.method == "POST" else None)
    context.on("console", lambda message: place.seen.console.append(message.text))
    made.page.on("pageerror", lambda error: place.seen.console.append(str(error)))
    if signed_in:
        cookie = sign_in(place.app, place.post, "alice@example.org").client.get_cookie("postroad_sign_in")
        assert cookie
        context.add_cookies([{"name": "postroad_sign_in", "value": cookie.value, "url": place.base}])
    return made


def kept(place: Place) -> tuple[str, bool | None]:
    with place.app.extensions["postroad"].database.read() as session:
        player = session.get_one(Player, 1)
        return player.zone, player.zone_chosen


@pytest.mark.parametrize(
    ("zone", "present", "by_link"),
    [("America/Lima", "America/Lima", True), ("Asia/Calcutta", "Asia/Kolkata", False)],
)
def test_it_is_told_once(place: Place, zone: str, present: str, by_link: bool) -> None:
    """Browsers say Asia/Calcutta, tzdata has called it Asia/Kolkata since 1993: they are the same zone."""
    first = traveller(place, zone, signed_in=not by_link)
    path = place.post.link("alice@example.org", "t") if by_link else "/games"
    assert kept(place) == ("UTC", None)
    first.go(path)
    assert first.sees(KEPT) and kept(place) == (present, False)
    assert len(first.posts) == 1 and "guessed=yes" in first.posts[0]
    assert violations(first.page) == [] and overflow(first.page) == 0
    other = traveller(place, zone, "desk", signed_in=not by_link)
    for browser in (first, other):
        browser.go(path)
        browser.go(path)
        assert not browser.sees(KEPT) and not browser.sees(OFFER)
    assert len(first.posts) == 1 and other.posts == [] and place.seen.console == []


def test_a_club_that_is_founded_at_once_has_the_zone_of_the_browser(place: Place) -> None:
    first = traveller(place, "Europe/Rome", signed_in=True)
    first.go("/clubs")
    assert first.sees(KEPT)
    expect(first.page.get_by_label("Time zone of its days")).to_have_value("Europe/Rome")


def test_another_zone_is_offered_and_left_or_taken(place: Place) -> None:
    traveller(place, "Europe/Paris", signed_in=True).go("/games")
    near = traveller(place, "Europe/Berlin", signed_in=True)
    near.go("/games")
    assert not near.sees(OFFER), "the same times under another name"
    away = traveller(place, "Asia/Tokyo", signed_in=True)
    away.go("/games")
    assert away.posts == [] and violations(away.page) == [] and overflow(away.page) == 0
    away.page.get_by_role("button", name="Leave it as it is").click()
    away.go("/games")
    assert not away.sees(OFFER) and kept(place) == ("Europe/Paris", False)
    later = traveller(place, "Asia/Tokyo", signed_in=True)
    later.go("/games")
    later.page.get_by_role("button", name=OFFER).click()
    later.page.wait_for_load_state("networkidle")
    assert kept(place) == ("Asia/Tokyo", True)
    elsewhere = traveller(place, "Pacific/Chatham", signed_in=True)
    for path in ("/games", "/account", place.post.link("alice@example.org", "t")):
        elsewhere.go(path)
        assert not elsewhere.sees(OFFER) and not elsewhere.sees(KEPT)
    assert elsewhere.posts == [] and place.seen.console == []


def test_a_zone_that_this_server_does_not_know_is_told_once_and_changes_nothing(place: Place) -> None:
    browser = traveller(place, "Europe/Paris", signed_in=True)
    browser.context.add_init_script(
        "const real = Intl.DateTimeFormat.prototype.resolvedOptions;"
        "Intl.DateTimeFormat.prototype.resolvedOptions = function () {"
        " return { ...real.call(this), timeZone: 'Mars/Olympus_Mons' }; };"
    )
    for _ in range(3):
        browser.go("/games")
        assert not browser.sees(KEPT) and not browser.sees(OFFER)
    assert len(browser.posts) == 1 and kept(place) == ("UTC", None)
    assert place.seen.console == []
