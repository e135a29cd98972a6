"""A new event in a real browser, without a script: clicks, fields and controls are counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from app.base.process.config import load as load_config
from app.base.server import Server
from app.leagues.clubs import club_rights
from app.leagues.events import lifecycle, round_rows
from app.leagues.tables import CompetitionStatus
from app.people import unasked
from app.server.factory import create_app
from tests.support.events import read
from tests.support.people import BASE, PostOffice, sign_in
from tests.support.people import Browser as Person
from tests.support.served import Place, shown
from tests.support.tables import KEYS

pytestmark = pytest.mark.browser
NOW = datetime.now(UTC).replace(microsecond=0)
CONTROLS = "main input:visible, main select:visible, main textarea:visible, main summary:visible"


@pytest.fixture
def place(tmp_path: Path, sqlite_url: str, browser: Browser) -> Iterator[Place]:
    """Alice, who is player 1, has founded a club."""
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    post = PostOffice(app.extensions["postroad"])
    sign_in(app, post, "alice@example.org")
    club_rights.make(app.extensions["postroad"].database, 1, slug="vendee", name="Vendée", now=NOW)
    with shown(app, browser) as base:
        yield Place(base, app, browser, post)


def is_narrow(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


@pytest.mark.parametrize("shape", ["phone", "desk"])
def test_a_league_of_three_divisions_takes_four_clicks_and_four_fields(place: Place, shape: str) -> None:
    server: Server = place.app.extensions["postroad"]
    page = place.context("en", shape, scripts=False).new_page()
    page.goto(f"{place.base}/clubs/vendee")
    page.get_by_role("link", name="Prepare an event").click()
    assert page.locator(CONTROLS).count() <= 13 + 1, "titles of tests are among the games"
    assert is_narrow(page)
    begins = (NOW + timedelta(days=30)).date()
    page.get_by_label("It begins on").fill(begins.isoformat())
    page.get_by_label("A round takes").select_option("2 weeks")
    page.get_by_role("button", name="Show the terms").click()
    assert page.locator(CONTROLS).count() <= 12
    expect(page.get_by_text("in a round of 14 days most will not end")).to_be_visible()
    page.get_by_label("Name of the event").fill("Winter")
    page.get_by_text("There is 1 division.").click()
    page.get_by_label("How many divisions").fill("3")
    assert is_narrow(page)
    page.get_by_role("button", name="Create it, open sign-up").click()
    expect(page.get_by_text("Sign-up is open.")).to_be_visible()
    event = read(server.database, lambda session: lifecycle.get(session, 1))
    assert (event.name, event.status, event.format) == ("Winter", CompetitionStatus.SIGN_UP, "round_robin")
    assert [(one.promoted, one.relegated) for one in event.divisions] == [(0, 2), (2, 2), (2, 0)]
    assert (event.terms.round_days, event.terms.round_remind, event.terms.round_end) == (14, 3, "ruling")
    assert event.sign_up_until is not None and event.sign_up_until.date() < begins


def test_all_faults_are_named_at_once_and_lead_to_their_fields(place: Place) -> None:
    page = place.context("en", "phone", scripts=False).new_page()
    page.goto(f"{place.base}/clubs/vendee/events/new?title=acres&kind=swiss&weeks=8&days=5")
    page.locator("#term-points > summary").click()
    page.get_by_label("Points of a win").fill("much")
    page.locator("#term-play > summary").click()
    page.get_by_label("Rounds (needed").fill("")
    page.locator("#term-entry > summary").click()
    page.get_by_label("Sign-up closes (date and hour)").fill("2001-01-31T20:00")
    page.get_by_role("button", name="Create it, open sign-up").click()
    told = page.locator("#complaint a")
    assert told.count() == 3
    for link in told.all():
        expect(page.locator(link.get_attribute("href") or "")).to_have_attribute("aria-invalid", "true")
        expect(page.locator(link.get_attribute("href") or "")).to_be_visible()
    assert page.locator("[aria-invalid]").count() == 3
    page.get_by_label("Points of a win").fill("2 1 0")
    page.get_by_label("Rounds (needed").fill("7")
    page.get_by_label("Sign-up closes (date and hour)").fill("")
    page.locator("#term-play").get_by_role("button", name="Keep this").click()
    expect(page.locator("#term-play > summary")).to_contain_text("7 rounds are played.")
    expect(page.locator("#term-points > summary")).to_contain_text("A win is worth 2")
    assert page.locator("#complaint").count() == 0


@dataclass
class Counted:
    """A page on which clicks and typed fields are counted."""

    page: Page
    clicks: int = 0
    typed: int = 0

    def click(self, name: str, role: Literal["button", "link"] = "button", *, exact: bool = False) -> None:
        self.page.get_by_role(role, name=name, exact=exact).first.click()
        self.clicks += 1

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label).first.fill(text)
        self.typed += 1

    def ends(self, clicks: int, typed: int = 0) -> None:
        """Check what was needed at most; begin anew."""
        assert self.clicks <= clicks and self.typed <= typed, (self.clicks, self.typed)
        self.clicks = self.typed = 0


@pytest.mark.parametrize("shape", ["phone", "desk"])
def test_a_club_stands_and_its_league_plays_in_nineteen_clicks_and_three_fields(
    place: Place, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    """Founded, 30 members invited, a league of three divisions made, signed up by mail, divided, started, published."""
    monkeypatch.setattr(unasked, "AT_ONCE", 30)
    page = place.context("en", shape, scripts=False).new_page()
    one, names = Counted(page), [f"m{n}" for n in range(30)]
    page.goto(f"{place.base}/clubs")
    one.fill("Name", "Harbour")
    one.click("Found the club")
    one.fill("The list", "\n".join(f"{name.upper()}, {name}@example.org" for name in names))
    one.click("Look at the list")
    one.click("Take the list over")
    for name in names:
        link = place.post.link(f"{name}@example.org", "clubs/invitation")
        Person(place.app).post(link, answer="accept")
    one.click("Events", "link")
    one.click("Prepare an event", "link")
    one.click("Show the terms")
    page.get_by_text("There is 1 division.").click()
    one.clicks += 1
    one.fill("How many divisions", "3")
    name_of_event = page.get_by_label("Name of the event").input_value()
    one.click("Create it, open sign-up")
    for name in names:
        assert f"You play in {name_of_event}." in Person(place.app).post(
            place.post.link(f"{name}@example.org", "asked/sign_up_open"), answer="yes"
        )
    one.click("Players", "link", exact=True)
    one.click("by rating")
    one.click("Run it", "link")
    one.click("Start")
    one.click("Week", "link")
    for button in ("Look at what is ticked", "Do what is ticked"):
        one.click(button)
    one.click("Look at what is ready now", "link")
    one.click("Do what is ticked")
    one.ends(19, 3)
    server: Server = place.app.extensions["postroad"]
    event = read(server.database, lambda session: lifecycle.get(session, 1))
    published = [
        len(round.matches)
        for part in event.divisions
        for round in read(server.database, lambda session, d=part.id: round_rows.rounds_of(session, d))
    ]
    assert published == [5, 5, 5]
