"""The app behind a real HTTP server in this process, and Chromium in front of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from tests.support.people import PostOffice, sign_in
from tests.support.tables import link_to, load
from tests.support.tools import headless_chromium
from tests.support.turn_driver import TurnDriver

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage",
    "--disable-component-update", "--no-first-run",
]  # fmt: skip


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: Any) -> None:
        """Log nothing about requests."""


def _closed_after(app: Flask) -> Callable[[Any, Any], Iterator[bytes]]:
    """Close the app's answers even if the browser has gone away: this server forgets to, and a font that was being sent
    stays open.
    """

    def answers(environ: Any, start_response: Any) -> Iterator[bytes]:
        answer: Any = app(environ, start_response)
        try:
            yield from answer
        finally:
            answer.close()

    return answers


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """Yield the address of the app's pages, until the end of the block; then its database is closed."""
    server = make_server("127.0.0.1", 0, _closed_after(app), threaded=True, request_handler=_Quiet)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        app.extensions["postroad"].database.close()


@contextmanager
def shown(app: Flask, browser: Browser) -> Iterator[str]:
    """The same, to a browser that goes on: what it has open is closed at the end."""
    with served(app) as base:
        yield base
        for context in browser.contexts:
            context.close()


@contextmanager
def browsing() -> Iterator[Browser]:
    """Yield the machine's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=headless_chromium(), args=FLAGS)
        yield browser
        browser.close()


AXE = (Path(__file__).parent.parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")

SIZES = {"phone": {"width": 360, "height": 740}, "desk": {"width": 1280, "height": 850}}


@dataclass
class Seen:
    """What a page wrote to the console and requested from the net."""

    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@dataclass
class Table:
    """A served game of Acres with the British on turn, and a browser."""

    desk: TurnDriver
    base: str
    browser: Browser
    seen: Seen = field(default_factory=Seen)

    @property
    def address(self) -> str:
        game = load(self.desk.server.database, self.desk.game_id)
        return f"{self.base}/t/{self.desk.server.links.turn_token(link_to(game))}"

    def open(self, size: str = "desk", scheme: str = "light", scripts: bool = True) -> Page:
        context = self.browser.new_context(
            viewport=SIZES[size], color_scheme=scheme, java_script_enabled=scripts, locale="en-GB"
        )
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: self.seen.console.append(message.text))
        page.on("pageerror", lambda error: self.seen.console.append(str(error)))
        page.on("request", lambda request: self.seen.requests.append(request.url))
        page.goto(self.address)
        return page

    def check(self) -> None:
        """Check that there were no complaints and no requests to other hosts."""
        assert self.seen.console == []
        assert self.seen.requests and all(url.startswith((self.base, "data:")) for url in self.seen.requests)


def violations(page: Page) -> list[str]:
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]


OUT = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
"""By how many pixels a page is wider than its window."""


def overflow(page: Page) -> int:
    return int(page.evaluate(OUT))


@dataclass
class Place:
    """A served club in which Alice, who is player 1, is signed in."""

    base: str
    app: Flask
    browser: Browser
    post: PostOffice
    seen: Seen = field(default_factory=Seen)

    def context(self, language: str, size: str, scheme: str = "light", scripts: bool = True) -> BrowserContext:
        alice = sign_in(self.app, self.post, "alice@example.org", language)
        alice.get("/account")
        alice.post("/account", name="Alice", language=language, zone="Europe/Paris", turns="on")
        cookie = alice.client.get_cookie("postroad_sign_in")
        assert cookie
        context = self.browser.new_context(viewport=SIZES[size], color_scheme=scheme, java_script_enabled=scripts)
        context.add_cookies([{"name": "postroad_sign_in", "value": cookie.value, "url": self.base}])
        context.on("console", lambda message: self.seen.console.append(message.text))
        context.on("request", lambda request: self.seen.requests.append(request.url))
        return context
