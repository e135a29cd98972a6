"""Two machines over one PostgreSQL: each with its own folder, which contains nothing that the other needs."""

from __future__ import annotations

import json
import re
import time
import urllib.request
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from engine.new_world import tiles
from tests.support.forms import Page, Person
from tests.support.running import Install, get, post
from tests.support.sink import Sink, text_of

KEY, TOKEN = "the-same-key-on-all-machines", "a-token-for-the-figures"
ALICE, BOB = "alice@example.org", "bob@example.org"


class Mails:
    """The mails that the mail host has accepted, in order."""

    def __init__(self, sink: Sink) -> None:
        self._sink, self._read = sink, 0

    def link(self, purpose: str) -> str:
        """Return the link of the next mail, whose base is the address of the first machine."""
        end = time.monotonic() + 60
        while len(self._sink.taken) <= self._read:
            assert time.monotonic() < end, "no further mail"
            time.sleep(0.01)
        mail = message_from_bytes(self._sink.taken[self._read][1], policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self._read += 1
        found = re.search(rf"^(http://\S+/{purpose}/\S+)$", text_of(mail), re.MULTILINE)
        assert found, text_of(mail)
        return found[1]


class Machines:
    """Two that serve pages, and a third one that sends the mails; links name the first."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.all = []
        for name in ("first", "second", "worker"):
            (folder / name).mkdir()
            self.all.append(Install(folder / name, **settings))
        self.base = self.all[0].base_url
        for other in self.all[1:]:
            other.environ["POSTROAD_BASE_URL"] = self.base

    def at(self, machine: int, url: str) -> str:
        """Return the same address at another machine; the proxy before them sends each request to either."""
        return url.replace(self.base, f"http://127.0.0.1:{self.all[machine].port}")

    def files(self) -> list[str]:
        """Return all files in the data folders but kept pictures, which each machine can draw again; an empty one is a
        lock of its own machine."""
        found = [file for one in self.all for file in (one.folder / "var").rglob("*") if file.is_file()]
        found = [file for file in found if file.parent.name != "pictures"]
        return [str(file) for file in found if file.suffix != ".lock" or file.stat().st_size]


def send(person: Person, url: str, page: Page, field: str, **filled: str) -> Page:
    """Fill in a form shown by one machine, and send it to the machine of this address."""
    person.url = url
    form = page.form(field)
    return person.send(form, form.fill(**filled))


def figures(url: str) -> str:
    asked = urllib.request.Request(url, headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return str(answer.read().decode())


@pytest.mark.postgres
def test_nothing_on_a_disk_that_another_machine_needs(tmp_path: Path, postgres_url: str) -> None:
    """Sign-in, tile set, spreadsheet, a turn with its draft, picture and record: each step at another machine."""
    (tmp_path / "tiles.json").write_text(json.dumps(tiles.shipped_data() | {"set_id": "club-tiles"}), encoding="utf-8")
    with Sink() as sink:
        settings = {"DATABASE_URL": postgres_url, "SECRET_KEY": KEY, "SMTP_URL": sink.url, "METRICS_TOKEN": TOKEN}
        machines, mails, alice = Machines(tmp_path, **settings), Mails(sink), Person(ALICE)
        first, second, worker = machines.all
        worker.command("tiles", "install", str(tmp_path / "tiles.json"))
        worker.command("league", "club", "new", "acres", "--name", "Club", "--owner", ALICE)
        web = ("--role", "web")
        with first.serving(*web), second.serving(*web), worker.serving("--role", "worker"):
            page = alice.get(machines.at(0, f"{machines.base}/sign-in"))
            send(alice, machines.at(1, alice.url), page, "address", address=ALICE)
            link = mails.link("sign-in")
            page = alice.get(machines.at(1, link))
            form = next(form for form in page.forms if form.method == "post" and "sign-in" in form.action)
            alice.url = link
            alice.send(form, form.fill())
            # a list is previewed at one machine and imported at the other
            page = alice.get(machines.at(1, f"{machines.base}/clubs/acres/members"))
            form = next(form for form in page.forms if "/name/" in form.action)  # invitations go out in a name
            alice.send(form, form.fill(name="Alice"))
            page = alice.get(machines.at(1, f"{machines.base}/clubs/acres/members"))
            sheet = f"{machines.base}/clubs/acres/members/list"
            page = send(alice, machines.at(1, sheet), page, "list", list=f"Name;Address\nBob;{BOB}\n")
            page = send(alice, machines.at(0, sheet), page, "previewed", do="take")
            assert alice.status == 200 and BOB in alice.get(machines.at(1, alice.url)).text
            assert mails.link("clubs/invitation")
            # a game with the tiles that a third one has installed
            seats = ("--seat", f"red={ALICE}", "--seat", f"blue={BOB}")
            game = second.command("game", "new", "new-world", "--option", "tile_set=club-tiles", *seats)
            link = mails.link("t")
            shown = get(machines.at(1, link))
            page = alice.get(machines.at(0, link))
            send(alice, machines.at(0, link), page, "orders", orders=shown["legal"][0], do="add")
            assert shown["legal"][0] in alice.get(machines.at(1, link)).text, "the draft"
            assert post(machines.at(1, link), shown["legal"][0], shown["decision"])["status"] == 200
            assert get(machines.at(0, mails.link("t")))["decision"] > shown["decision"]
            for machine in (0, 1):
                drawn = machines.at(machine, f"{machines.base}/games/{game}/turns/1.png")
                with urllib.request.urlopen(drawn, timeout=60) as picture:
                    assert picture.read(4) == b"\x89PNG"
            said, end = "", time.monotonic() + 60
            while 'postroad_job_seconds_count{job="reminders"' not in said:
                assert time.monotonic() < end, f"the one without pages is told of at a beat of its own: {said}"
                said = figures(machines.at(1, f"{machines.base}/metrics"))
                time.sleep(0.2)
            assert 'postroad_job_processes{job="web"} 2.0' in said, "of all machines"
        assert machines.files() == []
