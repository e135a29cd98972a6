"""A club at play: its members read their mail and answer it over HTTP; nobody touches the database.

Mails go to a real mail host, and only those that it accepted are known. The clock stands still between two steps, so
that time passes only when a test says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import time_machine
from click.testing import CliRunner
from flask import Flask

from app.base.process.config import load
from app.post.out.sender import Sender
from app.server.factory import create_app
from app.titles.new_world import shelf
from tests.support.club_pages import take_list
from tests.support.forms import Form, Page
from tests.support.people import BASE, Browser, everything, text_of
from tests.support.sink import Sink
from tests.support.sweeping import main as sweeping
from tests.support.tables import KEYS

JSON = {"Accept": "application/json"}
BEGIN = datetime(2027, 1, 4, 9, 0, tzinfo=UTC)
Choose = Callable[[dict[str, Any]], str]
"""The JSON of a turn link; the line to play."""


@dataclass(frozen=True)
class Mail:
    """A mail as the mail host accepted it."""

    to: str
    raw: bytes

    @cached_property
    def message(self) -> EmailMessage:
        read = message_from_bytes(self.raw, policy=policy.default)
        assert isinstance(read, EmailMessage)
        return read

    @cached_property
    def text(self) -> str:
        return text_of(self.message)

    @cached_property
    def subject(self) -> str:
        return str(self.message["Subject"])

    def link(self, kind: str) -> str | None:
        """Return the path of its link to `t`, `invitation`, `clubs/invitation` ..., not to a page below; or None."""
        found = re.search(rf"^{BASE}(/{kind}/[^/\s]+)$", self.text, re.MULTILINE)
        return found[1] if found else None


@dataclass(frozen=True)
class Pairing:
    """A game of a round as its page shows it: the players with their sides, by name."""

    match: int
    game: int | None
    seats: Mapping[str, str]

    @property
    def players(self) -> list[str]:
        return list(self.seats)


def address(who: str) -> str:
    return f"{who}@example.org"


@dataclass
class World:
    """A server with its mail host, its people and the current moment."""

    app: Flask
    environ: Mapping[str, str]
    sink: Sink
    clock: Any
    people: dict[str, Browser] = field(default_factory=dict)
    mails: dict[str, list[Mail]] = field(default_factory=dict)
    waiting: dict[int, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    """For each game the link that was mailed, and what it showed."""
    unread: list[Mail] = field(default_factory=list)
    taken: int = 0

    def __post_init__(self) -> None:
        self.sender = Sender(self.app.extensions["postroad"])

    # -- time and mail ----------------------------------------------------------------------------

    def pass_time(self, **delta: float) -> None:
        self.clock.shift(timedelta(**delta))

    def sweep(self) -> str:
        """Do everything that is due now."""
        now = datetime.now(UTC).isoformat()
        done = CliRunner().invoke(sweeping, ["--now", now], env=dict(self.environ), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        # The command ran in this process and has closed its database: sets of tiles are read from the server's again.
        shelf.keep_in(self.app.extensions["postroad"].database)
        self.deliver()
        return str(done.output)

    def deliver(self) -> list[Mail]:
        """Send every written mail; return those that arrived."""
        while self.sender.send_due(datetime.now(UTC)):
            pass
        fresh = [Mail(*each) for each in self.sink.taken[self.taken :]]
        self.taken += len(fresh)
        for mail in fresh:
            self.mails.setdefault(mail.to, []).append(mail)
        self.unread += fresh
        return fresh

    def mail(self, who: str, kind: str = "", subject: str = "") -> Mail:
        """Return the newest mail to a person, with a link to `kind` and these words in its subject."""
        self.deliver()
        for mail in reversed(self.mails.get(address(who), [])):
            if subject in mail.subject and (not kind or mail.link(kind)):
                return mail
        raise AssertionError(f"{who} has no mail of this kind, but {[m.subject for m in self.mails[address(who)]]}")

    def link(self, who: str, kind: str) -> str:
        found = self.mail(who, kind).link(kind)
        assert found
        return found

    # -- people and their pages -------------------------------------------------------------------

    def sign_in(self, who: str) -> Browser:
        """Return a browser in which a person has signed in by mail; the same one again on later calls."""
        if who in self.people:
            return self.people[who]
        browser = self.people[who] = Browser(self.app)
        browser.get("/sign-in?then=/clubs")
        self.send(browser, "/sign-in", address=address(who))
        browser.get(self.link(who, "sign-in"))
        self.send(browser, "/sign-in/")
        self.pass_time(minutes=5)  # more at once would be delayed
        return browser

    def send(
        self, browser: Browser, action: str, status: int = 200, *, among: Mapping[str, str] | None = None,
        rows: Mapping[str, Sequence[str]] | None = None, **values: Any,
    ) -> str:  # fmt: skip
        """Fill in the form that leads to an address and send it; return the text of the following page.

        `among` picks one of several by its content, `rows` fills fields of the same name in their order.
        """
        form = form_to(browser, action, among or {})
        filled, left = [], {name: list(column) for name, column in (rows or {}).items()}
        for name, value in form.fill(**values):
            filled.append((name, left[name].pop(0)) if left.get(name) else (name, value))
        assert not any(left.values()), left
        data: dict[str, list[str]] = {}
        for name, value in filled:
            data.setdefault(name, []).append(value)
        answer = browser.client.post(form.action, data=data, headers=browser.headers, follow_redirects=True)
        return browser._look(answer, status)

    def by_link(self, who: str, kind: str, answer: str) -> str:
        """Follow the newest link of a kind in a browser without cookies, and press one of its buttons."""
        browser, link = Browser(self.app), self.link(who, kind)
        browser.get(link)
        return self.send(browser, link, among={"answer": answer}, answer=answer)

    # -- games ------------------------------------------------------------------------------------

    def read_mail(self) -> None:
        """Open the turn links of the mails that have arrived since, as everybody."""
        self.deliver()
        fresh, self.unread = self.unread, []
        for mail in fresh:
            link = mail.link("t")
            if link is None:
                continue
            asked = self.app.test_client().get(link, headers=JSON)
            if asked.status_code == 410:
                continue  # answered in the meantime, or over
            assert asked.status_code == 200, asked.text
            shown: Any = asked.json
            if shown["to_decide"]:
                self.waiting[shown["game"]] = (link, shown)

    def answer(self, game: int, choose: Choose) -> bool:
        """Play for the player asked in this game until another seat is on turn; return whether the game is over."""
        link, asked = self.waiting.pop(game)
        while True:
            body = {"orders": choose(asked), "decision": asked["decision"]}
            answered = self.app.test_client().post(link, json=body, headers=JSON)
            assert answered.status_code == 200, answered.text
            shown: Any = answered.json
            if shown["next"] is None:
                return bool(shown["over"])
            link, asked = shown["next"].removeprefix(BASE), shown

    def play_out(self, game: int, choose: Choose) -> int:
        """Read and answer mail after mail until this game is over; return how many mails that took."""
        mails = 1
        while not self.answer(game, choose):
            self.read_mail()
            mails += 1
        return mails

    def agree(self, who: str, other: str, game: int) -> str:
        """Propose a draw on the page of the game as one player, and agree by mail as the other."""
        browser = self.people[who]
        browser.get(f"/games/{game}")
        self.send(browser, f"/games/{game}/propose", among={"kind": "agreed"}, kind="agreed")
        return self.by_link(other, "proposal", "agree")

    def resign(self, who: str, game: int) -> str:
        """Give a game up, on its page."""
        return self.people[who].resign(game)


@contextmanager
def world_at(folder: Path, database_url: str) -> Iterator[World]:
    """Yield a server on this database with a mail host, on a Monday in January."""
    with Sink() as sink, time_machine.travel(BEGIN, tick=False) as clock:
        environ = {
            "POSTROAD_DATABASE_URL": database_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0],
            "POSTROAD_SMTP_URL": sink.url, "POSTROAD_DATA": str(folder),
        }  # fmt: skip
        app = create_app(load(environ, folder))
        made = World(app, environ, sink, clock)
        yield made
        made.sender.close()
        app.extensions["postroad"].database.close()


def html_of(browser: Browser) -> str:
    """Return the current page of a browser, as it was sent."""
    return browser.page.get_data(as_text=True)


def form_to(browser: Browser, action: str, among: Mapping[str, str]) -> Form:
    """Return the form of the open page that leads to an address, with any query (or, ending in `/`, below it)."""
    for form in Page(html_of(browser)).forms:
        fits = form.action.startswith(action) if action.endswith("/") else form.action.partition("?")[0] == action
        if fits and all(value in form.offers(name) for name, value in among.items()):
            return form
    raise AssertionError(f"no form to {action} on {html_of(browser)}")


def pairings(browser: Browser) -> list[Pairing]:
    """Return the games and byes of the round whose page is open."""
    found = []
    for block in html_of(browser).split('<li id="m')[1:]:
        line = block.partition("<ul")[0].partition("</li>")[0]
        seats = {
            unescape(name).strip(): unescape(side) for name, side in re.findall(r'seat">([^<]+)<small>([^<]*)<', line)
        }
        game = re.search(r'href="/games/(\d+)"', line)
        found.append(Pairing(int(block.partition('"')[0]), int(game[1]) if game else None, seats))
    return found


def number_in(text: str, pattern: str) -> int:
    """The number at the end of an address such as `/events/(\\d+)`."""
    found = re.search(pattern, text, re.DOTALL)
    assert found, f"no {pattern}"
    return int(found[1])


# -- a club on its way ------------------------------------------------------------------------------------

CLUB = "/clubs/acres"


def owner_of_a_club(world: World) -> Browser:
    """Let Olga found a club; return her browser."""
    browser = world.sign_in("olga")
    browser.get("/clubs")
    world.send(browser, "/clubs", slug="acres", name="Friends of Acres")
    return browser


def join(world: World, olga: Browser, *names: str) -> None:
    """Let the members accept an invitation by list and sign in."""
    table = "address,name\n" + "".join(f"{address(who)},{who}\n" for who in names)
    take_list(olga, "acres", table)
    for who in names:
        world.by_link(who, "clubs/invitation", "accept")
        world.sign_in(who)


def prepared(world: World, olga: Browser, *names: str, **terms: Any) -> str:
    """Prepare an event of Acres for these members, open and with their entries; return its address."""
    usual: dict[str, Any] = {"name": "Cup", "format": "swiss", "rounds": "3"}
    asked = {name: value for name, value in (usual | terms).items() if value != ""}
    kind = "teams" if "boards" in asked else {"round_robin": "league"}.get(asked["format"], asked["format"])
    olga.get(f"{CLUB}/events/new?title=acres&kind={kind}")
    world.send(olga, f"{CLUB}/events/new", **asked)
    event = f"/events/{number_in(html_of(olga), r'/events/([0-9]+)/open')}"
    world.send(olga, f"{event}/open")
    for who in names:
        world.people[who].get(event)
        world.send(world.people[who], f"{event}/sign-up")
    olga.get(f"{event}/manage")
    return event


def drafted(world: World, olga: Browser, *names: str, **terms: Any) -> tuple[str, str]:
    """The same, started and with its first round as a draft; return the addresses of the event and of the round."""
    event = prepared(world, olga, *names, **terms)
    world.send(olga, f"{event}/start")
    world.send(olga, f"{event}/pair")
    world.deliver()
    return event, f"{event}/rounds/{number_in(html_of(olga), r'/rounds/([0-9]+)/publish')}"


BOTH = pytest.mark.parametrize("world", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    url = request.getfixturevalue(f"{getattr(request, 'param', 'sqlite')}_url")
    with world_at(tmp_path, url) as made:
        yield made


@pytest.fixture
def olga(world: World) -> Browser:
    return owner_of_a_club(world)


def published(world: World, olga: Browser, *names: str, **terms: Any) -> tuple[str, str]:
    """The same, with the first round published and its mails read; return both addresses."""
    event, round_at = drafted(world, olga, *names, **terms)
    olga.get(round_at)
    world.send(olga, f"{round_at}/publish")
    world.read_mail()
    return event, round_at


def rows(world: World) -> dict[str, list[tuple[Any, ...]]]:
    return everything(world.app.extensions["postroad"], but_seen=True)


def second_organiser(world: World, olga: Browser) -> Browser:
    """Return the browser of Pia, who runs the club with Olga."""
    olga.get(f"{CLUB}/members")
    world.send(olga, f"{CLUB}/members/invite", address=address("pia"), role="organiser")
    world.by_link("pia", "clubs/invitation", "accept")
    return world.sign_in("pia")
