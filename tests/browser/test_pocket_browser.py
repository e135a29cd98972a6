"""On a home screen: what Chromium asks of a page that is installed, the worker, its notifications, and no network."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, BrowserContext, CDPSession, Error, Page, Worker, expect

from app.base.process.config import load as load_config
from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.outbox import PlannedMail
from app.people.push_tables import Push, PushDevice
from app.people.tables import Player, SignIn
from app.post.owed import plan_pushes
from app.post.push import delivering, telling
from app.server.factory import create_app
from tests.support import tools
from tests.support.people import BASE, PostOffice
from tests.support.push_service import Phone
from tests.support.served import FLAGS, Place, overflow, shown, violations
from tests.support.tables import KEYS, NOW, start, write

pytestmark = pytest.mark.browser
ICON = "navigator.serviceWorker.ready.then(worker => worker.getNotifications()).then(all => all.map(one => one"
BADGES = (
    "self.badges = []; navigator.setAppBadge = n => badges.push(n); navigator.clearAppBadge = () => badges.push(0); 0"
)
STORED = "caches.open('pages').then(kept => kept.keys()).then(keys => keys.map(key => new URL(key.url).pathname))"
SUBSCRIBED = """key => { PushManager.prototype.subscribe = async (wanted) => ({ toJSON: () => ({
  endpoint: `https://fcm.googleapis.com/fcm/send/x-${wanted.applicationServerKey.length}`, keys: key }) }) }"""

TOUCHED = """async () => {
  WindowClient.prototype.focus = async function () { return this; };  // only a real touch may
  const [notification] = await registration.getNotifications();
  self.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
}"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path, chromium: Browser) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("data")
    url = f"sqlite:///{shutil.copy(sqlite_template, folder / 'postroad.db')}"
    environ = {"POSTROAD_DATABASE_URL": url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, folder))
    server: Server = app.extensions["postroad"]
    start(server.database, "acres")
    # One that only draws pages shows no notifications.
    whole = chromium.browser_type.launch(executable_path=tools.chromium(), args=FLAGS)
    with shown(app, whole) as base:
        yield Place(base, app, whole, PostOffice(server))
    whole.close()


class Visitor:
    """Alice with the worker installed, and the DevTools protocol."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.context: BrowserContext = place.context("en", "phone")
        self.context.grant_permissions(["notifications"], origin=place.base)
        self.page: Page = self.context.new_page()
        self.tools: CDPSession = self.context.new_cdp_session(self.page)
        self._known: list[Any] = []
        self.tools.on("ServiceWorker.workerRegistrationUpdated", lambda told: self._known.extend(told["registrations"]))
        self.tools.send("ServiceWorker.enable")
        self.page.goto(f"{place.base}/games")
        self.page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
        self.worker: Worker = self.context.service_workers[0]
        self.page.wait_for_function(f"{STORED}.then(all => all.length > 0)")
        self.worker.evaluate(BADGES)

    def deliver(self, text: str) -> None:
        """Deliver a push message, decrypted, as a push service does."""
        told = {"origin": self.place.base, "registrationId": self._known[-1]["registrationId"], "data": text}
        before = self.worker.evaluate("badges.length")
        self.tools.send("ServiceWorker.deliverPushMessage", told)
        self.page.wait_for_timeout(50)
        for _ in range(40):
            if self.worker.evaluate("badges.length") > before:
                break
            self.page.wait_for_timeout(50)
        self.page.wait_for_timeout(100)

    def shown(self, what: str) -> list[Any]:
        found: list[Any] = self.page.evaluate(f"{ICON}{what}))")
        return found

    def close(self) -> None:
        self.context.close()


def told_in(server: Server, language: str) -> str:
    """Return what a device of Alice's is told of her turn, in a language."""
    phone = Phone("/x")
    with server.database.write() as session:
        session.execute(sa.update(Player).where(Player.id == 1).values(language=language))
        device = PushDevice(
            player_id=1,
            sign_in_id=session.scalar(sa.text("SELECT max(id) FROM sign_in")) or 0,
            endpoint=f"https://push.example.org/{language}",
            host="push.example.org",
            public_key=phone.public,
            auth="",
            server_key="",
            made_at=NOW,
        )
        session.add(device)
        session.flush()
        key = sa.select(OutboxMail.mail_key).where(OutboxMail.kind == "turn", OutboxMail.player_id == 1)
        mail = session.execute(key).scalar_one()
        plan_pushes(session, [PlannedMail(mail, "turn", "", 1, 1)], NOW)
        session.execute(sa.update(Push).values(claimed_by="test", due_at=NOW + delivering.LEASE))
        push_id = session.scalar(sa.select(Push.id).where(Push.device_id == device.id)) or 0
        session.commit()
    with server.database.read() as session:
        push = telling.read(session, push_id, ("test", NOW))
        assert push is not None
        told = telling.told(session, server.links, push, NOW)
    assert told is not None
    return told.text.decode()


TITLES = {
    "en": "Your turn against bob, until",
    "fr": "À toi de jouer contre bob, avant",
    "es": "Te toca contra bob, hasta el",
    "it": "Tocca a te contro bob, entro",
}


def test_a_delivered_message_is_shown_with_its_words_badge_and_link_and_taken_back(place: Place) -> None:
    alice = Visitor(place)
    for language, begins in TITLES.items():
        text = told_in(place.app.extensions["postroad"], language)
        told = json.loads(text)
        alice.deliver(text)
        assert alice.shown(".title") == [told["title"]] and told["title"].startswith(begins)
        assert alice.shown(".body") == [told["body"]] and "#1" in told["body"]
        assert alice.shown(".lang") == [language]
        assert alice.shown(".data") == [{"link": "/games/1/turn", "number": 1}], "one for each game"
    closing = {"close": True, "tag": told["tag"], "link": told["link"], "badge": 0, "number": 0}
    alice.deliver(json.dumps(closing))
    assert alice.shown(".tag") == ["game-1"], "of an earlier turn"
    closing["number"] = 1
    alice.deliver(json.dumps(closing))
    assert alice.shown(".tag") == [] and alice.worker.evaluate("badges") == [1, 1, 1, 1, 0, 0]
    # A touch leads a window that is there to the game.
    alice.deliver(text)
    alice.worker.evaluate(TOUCHED)
    alice.page.wait_for_url("**/t/**")
    # What does not wait any more goes when the list is opened, too.
    alice.deliver(json.dumps({**told, "tag": "game-99", "link": "/games/99/turn"}))
    alice.deliver(text)
    alice.page.goto(f"{place.base}/games")
    alice.page.wait_for_function(f"{ICON}.tag)).then(tags => tags.length == 1)")
    assert alice.shown(".tag") == ["game-1"]
    alice.close()


def test_without_a_network_the_list_is_there_as_last_seen_and_signed_out_it_is_not(place: Place) -> None:
    alice = Visitor(place)
    page = alice.page
    alice.context.set_offline(True)
    page.goto(f"{place.base}/games")
    expect(page.get_by_role("status").filter(has_text="No network: this page is as it was at")).to_be_visible()
    assert page.get_by_role("link", name="A Few Acres of Snow").is_visible() and overflow(page) == 0
    page.goto(f"{place.base}/clubs")
    assert page.get_by_role("heading", name="No network").is_visible() and violations(page) == []
    page.get_by_role("link", name="My games, as last seen").click()
    expect(page.get_by_role("link", name="A Few Acres of Snow")).to_be_visible()
    alice.context.set_offline(False)
    page.goto(f"{place.base}/games")
    assert not page.get_by_text("No network").is_visible(), "a fresh page where there can be one"
    page.goto(f"{place.base}/account")
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.wait_for_url(f"{place.base}/")
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then(all => all.length)") == 0
    assert page.evaluate("caches.keys()") == []
    alice.context.set_offline(True)
    with pytest.raises(Error):
        page.goto(f"{place.base}/games")
    alice.close()


def test_a_seen_turn_page_is_kept_if_its_player_wishes_and_goes_with_the_turn(place: Place) -> None:
    alice = Visitor(place)
    page = alice.page
    page.goto(f"{place.base}/games/1/turn")
    page.goto(f"{place.base}/account/devices")
    assert alice.worker.evaluate(STORED) == ["/games"], "only by wish"
    page.get_by_role("checkbox", name="Keep the turn pages").check()
    page.get_by_role("button", name="Save").last.click()
    page.goto(f"{place.base}/games/1/turn")
    page.wait_for_function(f"{STORED}.then(all => all.includes('/games/1/turn'))")
    alice.context.set_offline(True)
    page.goto(f"{place.base}/games")
    page.get_by_role("link", name="A Few Acres of Snow").click()
    expect(page.get_by_role("status").filter(has_text="No network")).to_be_visible()
    expect(page.locator("#board svg").first).to_be_visible()
    alice.context.set_offline(False)
    told = {"close": True, "tag": "game-1", "link": "/games/1/turn", "badge": 0, "lang": "en"}
    alice.deliver(json.dumps(told))
    assert alice.worker.evaluate(STORED) == ["/games"]
    alice.close()


def test_a_device_is_added_when_its_owner_presses_the_button(place: Place) -> None:
    alice = Visitor(place)
    page, phone = alice.page, Phone("/x")
    page.goto(f"{place.base}/account/devices")
    page.get_by_role("button", name="Tell this device").wait_for()
    assert overflow(page) == 0 and violations(page) == []
    page.evaluate(SUBSCRIBED, {"p256dh": phone.public, "auth": "AAAAAAAAAAAAAAAAAAAAAA"})
    page.get_by_role("button", name="Tell this device").click()
    page.get_by_text("This device is told from now on.").wait_for()
    assert page.get_by_text("this one").is_visible() and not page.get_by_role("button", name="Tell this").is_visible()
    with place.app.extensions["postroad"].database.read() as session:
        device = session.scalars(sa.select(PushDevice).where(PushDevice.host == "fcm.googleapis.com")).one()
    assert device.public_key == phone.public and device.endpoint.endswith(f"x-{len(device.server_key)}")
    # Its push service has given it up: the list says so, and a page has it told again.
    write(
        place.app.extensions["postroad"].database,
        sa.update(SignIn).where(SignIn.id == device.sign_in_id).values(told=False),
        sa.delete(PushDevice).where(PushDevice.id == device.id),
    )
    alice.worker.evaluate(SUBSCRIBED, {"p256dh": phone.public, "auth": "AAAAAAAAAAAAAAAAAAAAAA"})
    page.goto(f"{place.base}/games")
    expect(page.get_by_text("This device is not told any more")).to_be_visible()
    page.wait_for_function(
        "fetch('/games').then((fresh) => fresh.text()).then((html) => !html.includes('is not told any more'))",
        polling=200,
    )
    page.goto(f"{place.base}/games")
    assert not page.get_by_text("This device is not told any more").is_visible()
    page.goto(f"{place.base}/account/devices")
    page.get_by_role("button", name="Remove it").first.click()
    page.get_by_text("Removed.").wait_for()
    alice.close()


def test_it_can_be_installed(place: Place, tmp_path: Path) -> None:
    """Chromium's own list is empty; and what Lighthouse's has besides (a worker that answers `fetch` for the start page
    is above): names, colours, a viewport, a secure page, icons of the sizes that they claim; and shortcuts."""
    kind = place.browser.browser_type
    context = kind.launch_persistent_context(tmp_path, executable_path=tools.chromium(), args=["--no-sandbox"])
    page = context.new_page()
    page.goto(f"{place.base}/sign-in")
    devtools = context.new_cdp_session(page)
    found = devtools.send("Page.getAppManifest")
    assert found["errors"] == [] and devtools.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
    manifest = json.loads(found["data"])
    assert manifest["start_url"] == "/games" and manifest["scope"] == "/" and manifest["display"] == "standalone"
    assert manifest["name"] == "Post Road" and 0 < len(manifest["short_name"]) <= 12
    assert all(re.fullmatch("#[0-9a-f]{6}", manifest[one]) for one in ("theme_color", "background_color"))
    assert page.evaluate("isSecureContext") and page.evaluate("document.title")
    assert "width=device-width" in (page.locator("meta[name=viewport]").get_attribute("content") or "")
    assert {(one["sizes"], one["purpose"]) for one in manifest["icons"]} >= {
        (size, purpose) for size in ("192x192", "512x512") for purpose in ("any", "maskable")
    }
    assert [one["url"] for one in manifest["shortcuts"]] == ["/games/next", "/games"]
    measure = """async addresses => Promise.all(addresses.map(async (address) => { const image = new Image();
      image.src = address; await image.decode(); return `${image.naturalWidth}x${image.naturalHeight}` }))"""
    pictures = [one for one in manifest["icons"] if one["sizes"] != "any"]
    assert page.evaluate(measure, [one["src"] for one in pictures]) == [one["sizes"] for one in pictures]
    assert (
        page.locator("meta[name=theme-color]").count() == 2 and page.locator("link[rel=apple-touch-icon]").count() == 1
    )
    context.close()
