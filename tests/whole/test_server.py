"""The real thing: servers as processes, mails over SMTP, moves over HTTP."""

from __future__ import annotations

import re
import signal
import time
import urllib.parse
import urllib.request
from pathlib import Path

from tests.support.running import Install, free_port, get, post, stop
from tests.support.sink import Sink, link_in

ALICE, BOB = "alice@example.org", "bob@example.org"
ACRES = ("acres", "--seat", f"british={ALICE}", "--seat", f"french={BOB}")


def send_form(link: str, orders: str, decision: int) -> None:
    """Do what a person's browser does: read the form, fill it in and send it with all its fields."""
    with urllib.request.urlopen(link, timeout=60) as page:
        mark = re.search(r'name="csrf_token" value="([^"]+)"', page.read().decode())
    assert mark
    fields = {"csrf_token": mark[1], "do": "send", "orders": orders, "decision": str(decision)}
    data = urllib.parse.urlencode(fields).encode()
    for to, sent in ((link, data), (f"{link}/send-now", b"")):  # it is not held for its minute
        with urllib.request.urlopen(urllib.request.Request(to, data=sent), timeout=60) as answer:
            assert answer.status == 200


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
            install.command("game", "new", *ACRES, "--pace", "8s")
            sink.wait(2, seconds=60)
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
