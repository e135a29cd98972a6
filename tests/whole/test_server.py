"""The real thing: servers as processes, mails over SMTP, moves over HTTP."""

from __future__ import annotations

import json
import random
import re
import signal
import time
import urllib.parse
import urllib.request
from pathlib import Path

from app.titles.registry import TITLES
from engine.kernel import records
from tests.support.running import Install, free_port, get, post, stop
from tests.support.sink import Sink, link_in, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
ACRES = ("acres", "--seat", f"british={ALICE}", "--seat", f"french={BOB}")


def send_form(link: str, orders: str, decision: int) -> None:
    """Do what a person's browser does: read the form, fill it in and send it with all its fields."""
    with urllib.request.urlopen(link, timeout=20) as page:
        mark = re.search(r'name="csrf_token" value="([^"]+)"', page.read().decode())
    assert mark
    fields = {"csrf_token": mark[1], "orders": orders, "decision": str(decision)}
    data = urllib.parse.urlencode(fields).encode()
    with urllib.request.urlopen(urllib.request.Request(link, data=data), timeout=20) as answer:
        assert answer.status == 200


def pick(legal: list[str], chooser: random.Random) -> str:
    """Return a line of a random kind, preferring those that bring a game of Acres to its end."""
    kinds: dict[str, list[str]] = {}
    for line in legal:
        kinds.setdefault(line.split()[0], []).append(line)
    for kind in ("lose", "allow", "develop", "settle", "occupy"):
        if kind in kinds:
            return chooser.choice(kinds[kind])
    return chooser.choice(kinds[chooser.choice(sorted(kinds))])


def test_a_game_of_acres_by_mail_from_the_first_letter_to_the_result(tmp_path: Path, sqlite_url: str) -> None:
    """Each turn: read the newest mail, follow its link, send orders; until a mail says that the game is over."""
    chooser = random.Random(4)
    with Sink() as sink:
        install = Install(tmp_path, SMTP_URL=sink.url, DATABASE_URL=sqlite_url)
        with install.serving():
            game = install.command("game", "new", *ACRES)
            seen = 0
            while True:
                mail = sink.wait(seen + 1)[seen]
                if "is over" in mail["Subject"]:
                    break
                seen += 1
                link: str | None = link_in(mail)
                while link:
                    asked = get(link)
                    answered = post(link, pick(asked["legal"], chooser), asked["decision"])
                    assert answered["status"] == 200, answered
                    link = answered["next"]
            with urllib.request.urlopen(f"{install.base_url}/games/{game}/record.json") as answer:
                record = answer.read()
    read = json.loads(record)
    assert read["result"]["reason"] in ("points", "home-taken")
    assert records.verify(records.load(record, TITLES)).turns > 10
    (tmp_path / "game.json").write_bytes(record)
    install.command("record", "verify", str(tmp_path / "game.json"))
    assert int(install.command("game", "import", str(tmp_path / "game.json"))) == int(game) + 1
    install.command("game", "verify", str(int(game) + 1))
    check_mails(sink)


def check_mails(sink: Sink) -> None:
    """Check headers that mail programs rely on, in every mail."""
    ids = [mail["Message-ID"] for mail in sink.mails()]
    assert len(set(ids)) == len(ids)
    for raw in (raw for _, raw in sink.taken):
        assert b"\r\nAuto-Submitted: auto-generated\r\n" in raw
        assert b"\r\nIn-Reply-To: <game.1@127.0.0.1>\r\n" in raw
        assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in raw
        assert b"\r\nList-Unsubscribe: <http://127.0.0.1" in raw
    for mail in sink.mails():
        assert [line for line in text_of(mail).splitlines() if len(line) > 72 and not line.startswith("http")] == []


def test_a_person_plays_by_the_form(tmp_path: Path, sqlite_url: str) -> None:
    with Sink() as sink:
        install = Install(tmp_path, SMTP_URL=sink.url, DATABASE_URL=sqlite_url)
        with install.serving():
            install.command("game", "new", *ACRES)
            link = link_in(sink.wait(1)[0])
            send_form(link, "pass\nend", 1)
            second = link_in(sink.wait(1, BOB)[0])
            assert get(link)["status"] == 410 and get(second)["to_decide"]


def test_a_reminder_goes_out_once_by_itself_with_two_processes(tmp_path: Path, sqlite_url: str) -> None:
    with Sink() as sink:
        install = Install(tmp_path, SMTP_URL=sink.url, DATABASE_URL=sqlite_url)
        with install.serving("--workers", "2"):
            install.command("game", "new", *ACRES, "--pace", "4s")
            sink.wait(2)
            time.sleep(2)
        subjects = [mail["Subject"] for mail in sink.mails()]
        assert "Still your move" in subjects[1]
        assert len(set(subjects)) == len(subjects), "nothing comes twice, the day of leave that follows neither"


def test_a_server_killed_after_the_commit_sends_the_mail_when_it_is_back_and_once(
    tmp_path: Path, sqlite_url: str
) -> None:
    with Sink() as sink:
        install = Install(tmp_path, SMTP_URL=sink.url, DATABASE_URL=sqlite_url)
        with install.serving("--role", "worker"):
            install.command("game", "new", *ACRES)
            link = link_in(sink.wait(1)[0])
        with install.serving("--role", "web") as web:
            assert post(link, "pass\nend", 1)["status"] == 200
            stop(web, signal.SIGKILL)
        assert not sink.mails(BOB)
        with install.serving(), install.serving("--role", "worker"):
            sink.wait(1, BOB)
            time.sleep(1)
        assert len(sink.mails(BOB)) == 1


def test_moves_do_not_wait_for_a_dead_mail_host_and_the_mails_come_when_it_is_back(
    tmp_path: Path, sqlite_url: str
) -> None:
    port = free_port()
    install = Install(tmp_path, SMTP_URL=f"smtp://127.0.0.1:{port}", DATABASE_URL=sqlite_url)
    with install.serving():
        for _ in range(3):
            install.command("game", "new", *ACRES)
        time.sleep(1)
        with Sink(port) as sink:
            sink.wait(3, seconds=90)
            time.sleep(0.5)
            assert len(sink.mails()) == 3
    assert "no mails go to 127.0.0.1" in (tmp_path / "serve.log").read_text()
