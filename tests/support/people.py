"""People with browsers and a post office: pages are requested over HTTP, mails are those that the sender renders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import cache, lru_cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select, update
from werkzeug.test import TestResponse

from app.base.process.config import load
from app.base.server import Server
from app.base.stored.mail_tables import OF_TIME, OutboxMail
from app.people import accounts, signin
from app.people.tables import Player
from app.post.out.sender import Sender
from app.server.factory import create_app
from app.tables import metadata
from app.web.visit import COOKIE
from tests.support.tables import KEYS

BASE = "http://post.example.org"
_MAIL = OutboxMail.__table__  # type: ignore[attr-defined]
_TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


class Browser:
    """One browser: keeps cookies, sends the token of its current page."""

    def __init__(self, app: Flask, language: str = "en") -> None:
        self.client = app.test_client()
        self.headers = {"Accept-Language": language, "User-Agent": "Mozilla/5.0 (X11; Linux) Firefox/150.0"}
        self.token = ""
        self.page: TestResponse

    def get(self, path: str, status: int = 200) -> str:
        """Return the text of a page."""
        return self._look(self.client.get(path.removeprefix(BASE), headers=self.headers), status)

    def post(self, path: str, status: int = 200, *, follow: bool = True, **form: Any) -> str:
        """Send a form with the token of the last page, and return the page that follows."""
        data = {"csrf_token": self.token, **{name.replace("__", "."): value for name, value in form.items()}}
        path = path.removeprefix(BASE)
        headers = {"Sec-Fetch-Site": "same-origin", **self.headers}
        return self._look(self.client.post(path, data=data, headers=headers, follow_redirects=follow), status)

    def resign(self, game: int) -> str:
        """Resign this browser's player, on the page to which that of the game leads."""
        self.get(f"/games/{game}/resign", 303)
        link = str(self.page.location)
        self.get(link)
        return self.post(link, sure="yes")

    def _look(self, response: TestResponse, status: int) -> str:
        text = response.get_data(as_text=True)
        assert response.status_code == status, f"{response.status_code}, not {status}: {text}"
        self.page = response
        found = _TOKEN.search(text)
        if found:
            self.token = unescape(found[1])
        return unescape(text)

    def __getstate__(self) -> dict[str, Any]:
        """What `made_once` keeps: without the page that is open."""
        cookie = self.client.get_cookie(COOKIE)
        kept = {"headers": self.headers, "token": self.token, "cookie": cookie and cookie.value}
        return {"app": self.client.application, **kept}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.client, self.headers, self.token = kept["app"].test_client(), kept["headers"], kept["token"]
        if kept["cookie"]:
            self.client.set_cookie(COOKIE, kept["cookie"])


class PostOffice:
    """Everybody's mails, as they would go over the wire."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.sender = Sender(server)

    def all(self, to: str | None = None) -> list[EmailMessage]:
        """Return all mails so far, oldest first."""
        for waited in (timedelta(0), OF_TIME):  # those about passed deadlines are sent together, a little later
            while self.sender.send_due(datetime.now(UTC) + waited):
                pass
        asked = select(_MAIL.c.message).where(_MAIL.c.state == "kept").order_by(_MAIL.c.sent_at, _MAIL.c.id)
        if to is not None:
            asked = asked.where(_MAIL.c.address.contains(to, autoescape=True))
        with self.server.database.read() as session:
            return [_parsed(m) for m in session.scalars(asked)]

    def last(self, to: str, kind: str = "") -> EmailMessage:
        """Return the newest mail to an address (whose link leads to `kind`)."""
        return [m for m in self.all(to) if not kind or f"{BASE}/{kind}/" in text_of(m)][-1]

    def link(self, to: str, kind: str) -> str:
        """Return the newest link of a kind: `sign-in`, `invitation`, `t` ..."""
        found = re.search(rf"^{BASE}(/{kind}/\S+)$", text_of(self.last(to, kind)), re.MULTILINE)
        assert found
        return found[1]

    def subjects(self, to: str) -> list[str]:
        return [str(m["Subject"]) for m in self.all(to)]


def make_operator(server: Server, address: str) -> None:
    with server.database.write() as session:
        session.execute(update(Player).where(Player.address_key == address).values(role="operator"))


Enter = Callable[..., Browser]
"""Signs a person in, by the fixture `enter`."""
BOTH = pytest.mark.parametrize("app", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
"""On both kinds of database."""


@lru_cache(maxsize=200)
def _parsed(raw: bytes) -> EmailMessage:
    """Parse a mail as it was sent; cached for tests that look for another, newer one."""
    return message_from_bytes(raw, policy=policy.default)  # type: ignore[no-any-return]


def text_of(mail: EmailMessage) -> str:
    """Return the text part."""
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def sign_in(
    app: Flask, post: PostOffice, address: str, language: str = "en", then: str = "/games", source: str = ""
) -> Browser:
    """Return a browser signed in by mail; from `source`, an address of its own, if many do."""
    browser = _browser(app, language, source)
    browser.get(f"/sign-in?then={then}")
    browser.post("/sign-in", address=address, then=then)
    link = post.link(address, "sign-in")
    browser.get(link)
    browser.post(link.partition("?")[0], then=then)
    return browser


def signed_in(app: Flask, address: str, language: str = "en", then: str = "/games", source: str = "") -> Browser:
    """Return a signed-in browser without visiting the pages before and without the mail: a third of the time."""
    browser, server = _browser(app, language, source), app.extensions["postroad"]
    signin.request_link(server.database, address, language=language, then=then, now=datetime.now(UTC))
    asked = select(_MAIL.c.details).where(_MAIL.c.kind == "sign_in").order_by(_MAIL.c.id.desc()).limit(1)
    with server.database.read() as session:
        token = session.scalar(asked)["token"]
    secret, _ = signin.sign_in(server.database, token, device="Firefox, Linux", instead_of=None, now=datetime.now(UTC))
    browser.client.set_cookie(COOKIE, secret)
    browser.get(then)
    return browser


def _browser(app: Flask, language: str, source: str) -> Browser:
    browser = Browser(app, language)
    if source:
        browser.headers["X-Forwarded-For"] = source
    return browser


def everything(server: Server, *, but: str = "", but_seen: bool = False) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all tables, except one, as they are stored.

    With `but_seen` without the columns for when a mail was first used and when its reader was last active: every POST
    of theirs sets them, even a refused one.
    """
    without = ("seen_at", "acted_at") if but_seen else ()
    found = {}
    with server.database.read() as session:
        connection = session.connection()
        for name, columns, statement in _statements_for_all():
            if name != but:
                rows = map(tuple, connection.exec_driver_sql(statement))
                hidden = [column in without for column in columns]
                if any(hidden):
                    rows = (tuple(None if h else v for h, v in zip(hidden, row, strict=True)) for row in rows)
                found[name] = list(rows)
    return found


@cache
def _statements_for_all() -> list[tuple[str, list[str], str]]:
    """For each table its columns, and a statement that reads it as it is stored."""
    return [
        (table.name, list(table.columns.keys()), str(table.select().order_by(*table.primary_key.columns)))
        for table in metadata.sorted_tables
    ]


@pytest.fixture
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Flask]:
    """Yield the app, on PostgreSQL if the test is parametrized with it."""
    url = request.getfixturevalue(f"{getattr(request, 'param', 'sqlite')}_url")
    environ = {"POSTROAD_DATABASE_URL": url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load(environ, tmp_path))
    yield app
    app.extensions["postroad"].database.close()


@pytest.fixture
def server(app: Flask) -> Server:
    server: Server = app.extensions["postroad"]
    return server


@pytest.fixture
def post(server: Server) -> PostOffice:
    return PostOffice(server)


@pytest.fixture
def stranger(app: Flask) -> Browser:
    return Browser(app)


@pytest.fixture
def enter(app: Flask) -> Enter:
    """Return a function that signs a person in: `enter("alice")`."""
    return lambda who, **kwargs: signed_in(app, f"{who}@example.org", **kwargs)


def trail_lines(page: str) -> list[str]:
    """Return the lines of the trail without markup, newest first."""
    part = page.partition('<ul class="log trail">')[2]
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", line)).split()) for line in part.split("<li id=")[1:]]


def make_table(browser: Browser, title: str = "ferry", status: int = 200, **form: Any) -> int:
    """Fill in the form for a new table; return its game."""
    browser.get(f"/games/new/{title}")
    browser.post(f"/games/new/{title}", status, days="7", **form)
    return int(browser.page.request.path.rpartition("/")[2])


_name_for_now = accounts._name_for_now
accounts._name_for_now = lambda player, host="": player.address.partition("@")[0][: accounts.LONGEST_NAME]
"""Everybody in the tests has a name: what stands before the @ of their address."""


@pytest.fixture
def nameless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave new accounts without a name, as on a server."""
    monkeypatch.setattr(accounts, "_name_for_now", _name_for_now)
