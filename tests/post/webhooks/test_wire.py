"""Where a call never goes, and servers that misbehave."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.post.webhooks import settings, wire
from tests.support.listener import Listener
from tests.support.tables import NOW, start

# -- where it never goes ------------------------------------------------------------------------------

PRIVATE = (
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "198.18.0.1", "192.0.0.1", "192.0.0.192", "192.0.2.1", "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "192.88.99.1",
    "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%1", "fc00::1",
    "fd12::1", "ff02::1", "fec0::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b:1::1", "2002:7f00:1::", "2001::1", "2001:db8::1", "3fff::1", "100::1", "not an address", "",
)  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_private_and_odd_addresses_are_not_public(address: str) -> None:
    assert not wire.is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::1"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert wire.is_public(address)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0", "localhost."],
)
def test_no_spelling_of_this_machine_is_called(host: str, listener: Listener) -> None:
    with pytest.raises(wire.CallFailed) as failed:
        wire.call(f"https://{host}:{listener.port}/", b"{}", {})
    assert failed.value.code in ("private", "host", "form") and listener.calls == []


def resolving(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Resolve names to these lists of addresses, one list after the other; return the names that were requested."""
    asked: list[str] = []

    def getaddrinfo(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        ips = answers[min(len(asked), len(answers)) - 1]
        return [(socket.AF_INET6 if ":" in ip else socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ips]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


def test_one_private_address_among_public_ones_is_enough_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(wire.CallFailed) as failed:
        wire.addresses(wire.read_url("https://mixed.example"))
    assert failed.value.code == "private" and failed.value.for_good


def test_a_name_that_changes_its_mind_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the connection goes to the address that was checked."""
    asked = resolving(monkeypatch, ["203.0.113.7"], ["127.0.0.1"])
    monkeypatch.setattr(wire, "is_public", lambda ip: ip == "203.0.113.7")
    reached: list[Any] = []

    def connect(self: socket.socket, address: Any) -> None:
        reached.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(wire.CallFailed) as failed:
        wire.call("https://rebinding.example/x", b"{}", {})
    assert failed.value.code == "connect" and asked == ["rebinding.example"] and reached == [("203.0.113.7", 443)]


def test_redirects_are_not_followed(listener: Listener) -> None:
    listener.status, listener.headers = 302, {"Location": f"http://127.0.0.1:{listener.port}/inside"}
    with pytest.raises(wire.CallFailed) as failed:
        wire.call(listener.url, b"{}", {}, private=True)
    assert failed.value.code == "status 302" and [path for path, _, _ in listener.calls] == ["/hook?key=1"]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://example.org/", "scheme"), ("ftp://example.org/", "scheme"), ("javascript:alert(1)", "form"),
        ("https://", "form"), ("https://user:pw@example.org/", "user"), ("https://example.org:0/", "form"),
        ("https://example.org:99999/", "form"), ("https://exa mple.org/", "form"), ("https://e.org/\r\nX: y", "form"),
        ("https://e.org/ä b", "form"), ("https://" + "a" * 2000, "form"), ("example.org", "form"), ("", "form"),
        ("https://[::1", "form"), ("file:///etc/passwd", "form"),
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_webhook_is_refused_in_words(sqlite_database: Database, url: str, code: str) -> None:
    start(sqlite_database)
    with pytest.raises(NotAccepted) as no:
        settings.add(sqlite_database, 1, url, private=False, now=NOW)
    assert no.value.code == f"hook.{code}" and Voice("en").say(no.value.why).endswith(".")


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "10.0.0.8", "172.20.1.1", "192.168.0.4", "169.254.169.254",
        "100.64.0.1", "0.0.0.0", "[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[::ffff:10.0.0.1]", "localhost",
        "LOCALHOST.", "db.localhost", "printer.local", "printer.LOCAL.", "router.lan", "nas.home.arpa",
        "metadata.google.internal", "postgres",
    ],
)  # fmt: skip
def test_a_host_inside_is_refused_as_it_is_written(sqlite_database: Database, host: str) -> None:
    start(sqlite_database)
    with pytest.raises(NotAccepted) as no:
        settings.add(sqlite_database, 1, f"https://{host}/hook", private=False, now=NOW)
    assert no.value.code == "hook.private"
    settings.add(sqlite_database, 1, f"https://{host}/hook", private=True, now=NOW)


@pytest.mark.parametrize(
    ("kind", "host"),
    [
        ("json", "example.org"), ("json", "1.1.1.1"), ("json", "[2606:4700:4700::1111]"), ("json", "local.example.org"),
        ("json", "notlocal.org"), ("json", "discord.com.example.org"), ("json", "evildiscord.com"),
        ("json", "slack.com"), ("json", "hooks.slack.com.evil.org"), ("discord", "discord.com"),
        ("discord", "discordapp.com"), ("discord", "Canary.Discord.com"), ("slack", "hooks.slack.com"),
    ],
)  # fmt: skip
def test_its_host_tells_the_kind_of_a_webhook(sqlite_database: Database, kind: str, host: str) -> None:
    start(sqlite_database)
    settings.add(sqlite_database, 1, f"https://{host}/hook", private=False, now=NOW)
    with sqlite_database.read() as session:
        assert [hook.kind for hook, _ in settings.of_player(session, 1)] == [kind]


# -- servers that misbehave ---------------------------------------------------------------------------


@contextmanager
def raw_server(behave: Callable[[socket.socket], None]) -> Iterator[str]:
    """Run a server that does something other than answer."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            try:
                session, _ = listening.accept()
                with session:
                    behave(session)
            except OSError:
                pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        listening.close()
        thread.join(60)


def drip(session: socket.socket) -> None:
    while True:
        session.sendall(b"H")
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("behave", "code"),
    [
        (lambda session: time.sleep(1.5), "timeout"),
        (drip, "timeout"),
        (lambda session: session.sendall(b"A" * 100_000), "answer"),
        (lambda session: session.sendall(b"220 smtp ready\r\n"), "answer"),
        (lambda session: session.recv(10), "answer"),
    ],
    ids=["silent", "dripping", "endless", "mail", "hangs-up"],
)
def test_a_server_that_misbehaves_costs_little(behave: Callable[[socket.socket], None], code: str) -> None:
    with raw_server(behave) as url, pytest.raises(wire.CallFailed) as failed:
        wire.call(url, b"{}", {}, private=True, seconds=0.6)
    assert failed.value.code == code or (code == "answer" and failed.value.code == "connect")


def test_encryption_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate that no authority signed is refused; the same one is accepted when the machine trusts it."""
    line = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    files = ["-keyout", str(tmp_path / "key"), "-out", str(tmp_path / "cert")]
    subprocess.run([*line.split(), *files], check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    made = Listener()
    made.server.socket = context.wrap_socket(made.server.socket, server_side=True)
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    url = f"https://localhost:{made.port}/secure"
    try:
        with pytest.raises(wire.CallFailed) as failed:
            wire.call(url, b"{}", {}, private=True)
        assert failed.value.code == "tls" and made.calls == []
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))
        wire.call(url, b"{}", {}, private=True)
        assert [path for path, _, _ in made.calls] == ["/secure"]
    finally:
        made.server.shutdown()
        made.server.server_close()
        thread.join(60)
