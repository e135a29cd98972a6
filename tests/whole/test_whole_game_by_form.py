"""Whole games of Acres the way people play them: a mail is read, its link followed, the form of the page sent.

A server of its own, a real mail host, HTTP alone, no knowledge of the rules beyond what the page offers. When every
kind of control has been used, the rest of the game is played by JSON.
"""

from __future__ import annotations

import json
import random
import re
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from app.titles.registry import TITLES
from engine.kernel import records
from tests.support.forms import Form, Page, Person
from tests.support.running import Install, get, post
from tests.support.sink import Sink, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
LIKED = ("occupy", "develop", "settle", "fortify", "besiege", "reinforce", "lose", "block")
"""What brings a game to its end."""
TICKED_KINDS = ("raid", "merchant", "trade", "discard", "govern")
"""Kinds of which cards are ticked."""


@dataclass
class Club:
    """A server, its mail host, and two people."""

    install: Install
    sink: Sink
    people: dict[str, Person]
    read: int = 0
    """Mails read so far."""
    told: list[tuple[str, str]] = field(default_factory=list)
    """Who was told about the result, and the subject."""

    def next_mail(self, seconds: float = 60) -> tuple[Person, EmailMessage]:
        end = time.monotonic() + seconds
        while len(self.sink.taken) <= self.read:
            assert time.monotonic() < end, f"no further mail after {self.read}"
            time.sleep(0.002)
        address, raw = self.sink.taken[self.read]
        self.read += 1
        mail = message_from_bytes(raw, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        return self.people[address], mail

    def follow(self, purpose: str) -> tuple[Person, Page]:
        """Open the link of the next mail in its recipient's browser; it leads to `purpose`."""
        person, mail = self.next_mail()
        link = link_of(mail, purpose)
        assert link, mail["Subject"]
        return person, person.get(link)

    def invite(self) -> str:
        """Let Alice sign in, make the table on the page and invite Bob, who accepts from the mail; return the game."""
        alice = self.people[ALICE]
        form = alice.get(f"{self.install.base_url}/games/new/acres").form("address")
        alice.send(form, form.fill(address=ALICE))
        _, page = self.follow("sign-in")
        form = next(form for form in page.forms if form.method == "post" and "sign-in" in form.action)
        page = alice.send(form, form.fill())
        assert alice.url.endswith("/games/new/acres"), alice.url
        form = page.form("offer.british")
        page = alice.send(form, form.fill(offer__british="me", offer__french="mail", address__french=BOB))
        game = alice.url.rpartition("/")[2]
        assert game.isdigit() and "waiting for players" in page.text
        bob, page = self.follow("invitation")
        form = page.form("answer")
        page = bob.send(form, form.fill(answer="accept"))
        assert bob.status == 200 and "the game has begun" in page.text
        return game

    def play(self, take_turn: Callable[[Person, Page], None], turns: int = 1_000) -> int:
        """Read mail after mail and answer those that ask, until both know the result or this many turns are made."""
        made = 0
        while len(self.told) < 2 and made < turns:
            person, mail = self.next_mail()
            if mail["Subject"].startswith(("You won", "You lost", "You share", "Nobody")):
                self.told.append((person.address, mail["Subject"]))
            elif link := link_of(mail, "t"):
                take_turn(person, person.get(link))
                made += 1
        return made

    def record(self, game: str) -> records.Record:
        """Return the record that anybody can load after the end, and that the command accepts."""
        with urllib.request.urlopen(f"{self.install.base_url}/games/{game}/record.json") as answer:
            raw = answer.read()
        file = self.install.folder / "game.json"
        file.write_bytes(raw)
        self.install.command("record", "verify", str(file))
        assert self.install.command("game", "verify", game).splitlines()[1:] == []
        again = self.install.command("game", "import", str(file))
        assert again in ("", str(int(game) + 1)), "one game is here once, when its end has been kept"
        assert json.loads(raw)["result"]
        return records.load(raw, TITLES)


def check_mails(sink: Sink) -> None:
    """Check headers that mail programs rely on, in every mail of a game."""
    ids = [mail["Message-ID"] for mail in sink.mails()]
    assert len(set(ids)) == len(ids)
    of_games = [raw for _, raw in sink.taken if b"In-Reply-To: <game." in raw]
    assert len(of_games) > 10
    for raw in of_games:
        assert b"\r\nAuto-Submitted: auto-generated\r\n" in raw
        assert b"\r\nIn-Reply-To: <game.1@127.0.0.1>\r\n" in raw
        assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in raw
        assert b"\r\nList-Unsubscribe: <http://127.0.0.1" in raw
    for mail in sink.mails():
        assert [line for line in text_of(mail).splitlines() if len(line) > 72 and not line.startswith("http")] == []


def link_of(mail: EmailMessage, purpose: str) -> str | None:
    """Return the link that is alone on its line."""
    found = re.search(rf"^(http://\S+/{purpose}/\S+)$", text_of(mail), re.MULTILINE)
    return found[1] if found else None


@pytest.fixture
def club(tmp_path: Path, sqlite_url: str) -> Iterator[Club]:
    with Sink() as sink:
        install = Install(tmp_path, SMTP_URL=sink.url, DATABASE_URL=sqlite_url)
        with install.serving():
            yield Club(install, sink, {address: Person(address) for address in (ALICE, BOB)})


def lines_of(form: Form) -> list[str]:
    """Return the lines that a button adds."""
    return [value.removeprefix("add:") for value in form.offers("do") if value.startswith("add:")]


def can_choose(page: Page) -> bool:
    """Whether a step can be chosen on the page."""
    return any("?at=" in link for link in page.links) or bool(lines_of(page.form("orders")))


@dataclass
class Hand:
    """Chooses among what a page offers."""

    chooser: random.Random
    refused: int = 0
    used: set[str] = field(default_factory=set)
    """The kinds of controls that were used."""

    def touch(self, person: Person, page: Page, carefully: bool) -> tuple[Page, dict[str, str | list[str]]]:
        """Touch a kind of action and whatever is asked then, up to a button that adds a step; return the page it is on,
        and what to fill in.

        `carefully` after a refusal: not every set of boxes is legal.
        """
        links = [re.fullmatch(r"([^?]*)\?at=([a-z-]+)#board", link) for link in page.links]
        kind = ""
        if any(links):  # else the only answer is already chosen
            where, kinds = next(found[1] for found in links if found), [found[2] for found in links if found]
            kinds = [kind for kind in kinds if not carefully or kind not in TICKED_KINDS] or kinds
            liked = [kind for kind in kinds if kind in LIKED]
            rest = [kind for kind in kinds if kind not in (*LIKED, "pass", "withdraw")]
            kind = self.chooser.choice(liked if liked and self.chooser.random() < 0.8 else rest or kinds)
            self.used.add(kind)
            page = person.get(f"{where}?at={kind}#board")
        for _ in range(60):  # touching some items again clears them
            form = page.form("orders")
            does = form.offers("do")
            if form.named("touch"):
                self.used.add("choose")
                boxes = form.offers("touch")
                ticked = self.chooser.sample(boxes, self.chooser.randint(1, min(3, len(boxes))))
                return page, {"touch": ticked, "do": "choose"}
            # An answer in the turn of the other side has no draft: it is sent at once.
            adds = [value for value in does if value.startswith("add:")] or [
                value for value in does if value.startswith("play:")
            ]
            if adds:
                button = self.chooser.choice(adds)
                at_once = button.replace("add:", "play:", 1)
                if at_once in does and self.chooser.random() < 0.6:
                    button = at_once
                self.used.add(button.partition(":")[0])
                return page, {"do": button}
            further = [link for link in page.links if f"?at={kind}," in link]
            assert further, f"{kind} leads nowhere: {page.text}"
            page = person.get(self.chooser.choice(further))
        raise AssertionError(f"{kind} leads to no step")

    def by_controls(self, person: Person, page: Page) -> None:
        """Choose and seal, by way of the draft or at once, until the page asks for nothing more."""
        for _ in range(40):
            if not page.asks("orders"):
                return
            form = page.form("orders")
            drafted = form.named("draft")[0].value
            chosen: dict[str, str | list[str]] = {"do": "send"}
            if page.alerts and "clear" in form.offers("do"):
                chosen = {"do": "clear"}  # if anything is wrong, it starts over
            elif can_choose(page) and not (drafted and self.chooser.random() < 0.5):
                page, chosen = self.touch(person, page, carefully=bool(page.alerts))
                form = page.form("orders")
            else:
                self.used.add("send")
            page = person.send(form, form.fill(**chosen, orders=""))
            assert person.status in (200, 422), page.text
            self.refused += person.status == 422
            assert (person.status == 422) == bool(page.alerts), page.text
        raise AssertionError(f"a turn without end: {form.named('draft')}, {page.complaint}")

    def by_program(self, person: Person, page: Page) -> None:
        """Answer as a program does, until the page asks for nothing more."""
        link: str | None = person.url
        while link:
            asked = get(link)
            liked = [line for line in asked["legal"] if line.split()[0] in LIKED]
            line = self.chooser.choice(liked if liked and self.chooser.random() < 0.8 else asked["legal"])
            answered = post(link, line, asked["decision"])
            assert answered["status"] == 200, answered
            link = answered["next"]

    def by_typing(self, person: Person, page: Page) -> None:
        """Type lines that the page names into the box, two at once if there are two; correct what is refused."""
        for _ in range(40):
            if not page.asks("orders"):
                return
            form = page.form("orders")
            if page.alerts and form.named("draft")[0].value:  # a line that was kept is refused: begin again
                page = person.send(form, form.fill(do="clear", orders=""))
                form = page.form("orders")
            lines = lines_of(form)
            if can_choose(page):
                offered = [self.touch(person, page, carefully=True)[1]["do"] for _ in range(3)]
                lines = [str(button).partition(":")[2] for button in offered if ":" in button]
            if not set(lines) - {
                "pass"
            }:  # a player who only passes would keep such a hand endlessly: cards must be discarded
                return self.by_controls(person, page)
            liked = [line for line in lines if line.split()[0] in LIKED]
            typed = [self.chooser.choice(liked or lines)]
            if page.alerts == 0 and len(lines) > 1:
                typed.append(self.chooser.choice(lines))
            orders = "\n".join(typed)
            page = person.send(form, form.fill(orders=orders, do="send"))
            assert person.status in (200, 422), page.text
            if person.status == 422:
                self.refused += 1
                assert page.alerts
                kept = page.form("orders").named("orders")[0].value if page.asks("orders") else typed[-1]
                assert kept.replace("\r", "").strip().split("\n")[-1] == typed[-1]
        raise AssertionError("a turn without end")


def test_a_whole_game_from_the_invitation_to_the_result(club: Club) -> None:
    hand = Hand(random.Random(2))
    game = club.invite()

    def all_are_used() -> bool:
        return {"choose", "add", "send", "play", "settle"} <= hand.used

    turns = club.play(hand.by_controls, turns=10)
    while not club.told and not all_are_used():
        turns += club.play(hand.by_controls, turns=1)
    turns += club.play(hand.by_program)
    assert {address for address, _ in club.told} == {ALICE, BOB} and turns > 10
    assert all_are_used()
    check_mails(club.sink)
    record = club.record(game)
    assert record.result is not None and record.result["reason"] in ("points", "home-taken")
    assert records.verify(record).turns > 10
    page = club.people[ALICE].get(f"{club.install.base_url}/games/{game}")
    assert club.people[ALICE].status == 200 and f"/games/{game}/record.json" in page.links


def test_a_game_of_typed_lines_that_ends_when_somebody_gives_up(club: Club) -> None:
    hand = Hand(random.Random(9))
    game = club.invite()
    assert club.play(hand.by_typing, turns=12) == 12
    while not hand.refused:
        assert club.play(hand.by_typing, turns=1) == 1, "no line was ever refused: the mending was not tried"
    alice = club.people[ALICE]
    page = alice.get(f"{club.install.base_url}/games/{game}")
    page = alice.get(next(link for link in page.links if "resign" in link))
    form = next(form for form in page.forms if form.named("sure"))
    alice.send(form, form.fill(sure="yes"))
    assert alice.status == 200
    club.play(hand.by_typing)
    assert {address for address, _ in club.told} == {ALICE, BOB}
    record = club.record(game)
    assert record.result is not None and (record.result["winner"], record.result["reason"]) == ("french", "resignation")
    assert records.verify(record).turns > 10
