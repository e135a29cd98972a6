"""The page of webhooks, and calls made by a running server."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.people.tables import Webhook
from app.post.webhooks import settings
from app.post.webhooks.delivering import Deliverer
from tests.support.listener import Listener
from tests.support.people import Browser, Enter, PostOffice, everything, text_of
from tests.support.running import Install
from tests.support.tables import write


@pytest.mark.quick
def test_webhooks_are_added_tried_and_removed(server: Server, enter: Enter, stranger: Browser) -> None:
    alice, bob = enter("alice"), enter("bob")
    alice.get("/account/webhooks")
    page = alice.post("/account/webhooks", url="https://hooks.example.org/some/long/path/secret-abcdef")
    assert "Saved." in page and "hooks.example.org…abcdef" in page and "not called yet" in page
    assert "some/long/path" not in page and "The secret that signs" in page
    page = alice.post("/account/webhooks", 422, url="http://hooks.example.org/")
    assert "has to begin with https://" in page and 'value="http://hooks.example.org/"' in page
    assert "It is being called" in alice.post("/account/webhooks/1/try")
    before = everything(server)
    bob.get("/account/webhooks")
    bob.post("/account/webhooks/1/try", 422)
    bob.post("/account/webhooks/1/remove")
    bob.post("/account/webhooks/1/on", 422)
    assert everything(server, but="rate_count") == {k: v for k, v in before.items() if k != "rate_count"}
    write(server.database, sa.update(Webhook).values(is_on=False, failures=10))
    page = alice.get("/account/webhooks")
    assert "Switched off because" in page
    assert "switch it on first" in alice.post("/account/webhooks/1/try", 422)
    alice.post("/account/webhooks/1/on")
    assert "Removed." in alice.post("/account/webhooks/1/remove") and "abcdef" not in alice.get("/account/webhooks")
    stranger.get("/account/webhooks", 303)


def test_a_refused_network_is_said_on_the_page(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = enter("alice")
    alice.get("/account/webhooks")
    settings.add(server.database, 1, "https://127.0.0.1/hook", private=True, now=datetime.now(UTC))
    alice.post("/account/webhooks/1/try")
    assert Deliverer(server).deliver_due() == 1
    assert "the host is in a private network" in alice.get("/account/webhooks")
    for _ in range(9):
        alice.post("/account/webhooks/1/try")
    Deliverer(server).deliver_due()
    mail = post.last("alice@example.org")
    assert mail["Subject"] == "A webhook is switched off"
    assert "127.0.0.1 has failed 10" in " ".join(text_of(mail).split())


def test_a_host_that_cannot_be_called_is_refused_at_the_form(enter: Enter) -> None:
    alice, url = enter("alice"), "https://192.168.1.9/hook"
    alice.get("/account/webhooks")
    page = alice.post("/account/webhooks", 422, url=url)
    assert "“192.168.1.9” is in a private network" in page and f'value="{url}" aria-invalid="true"' in page
    assert 'class="hook"' not in alice.get("/account/webhooks")


@pytest.mark.parametrize("language", ["en", "fr", "es", "it"])
def test_the_page_is_in_the_reader_s_language(language: str, enter: Enter) -> None:
    page = enter("alice", language=language).get("/account/webhooks")
    assert ("Another webhook" in page) == (language == "en")


def test_a_running_server_calls_by_itself(tmp_path: Path, sqlite_url: str, listener: Listener) -> None:
    """The mail that asks and the call come from one move; a private target only with the setting."""
    install = Install(tmp_path, WEBHOOK_PRIVATE="allow", DATABASE_URL=sqlite_url)
    install.command("game", "new", "acres", "--seat", "british=a@example.org", "--seat", "french=b@example.org")
    from app.base.stored.database import Database

    database = Database(sqlite_url)
    hook_id = settings.add(database, 1, listener.url, private=True, now=datetime.now(UTC))
    settings.try_out(database, 1, hook_id, now=datetime.now(UTC))
    database.close()
    with install.serving("--role", "worker"):
        until = time.monotonic() + 60
        while not listener.calls and time.monotonic() < until:
            time.sleep(0.05)
    assert [told["event"] for told in listener.told] == ["trial"]
