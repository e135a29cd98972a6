"""The line of strangers: who waits, in which order, and who never does."""

from __future__ import annotations

import re
import threading
import urllib.request
from ipaddress import ip_network

import pytest
from flask import Flask

from app.base.process.networks import network_of, wider
from app.base.server import Server
from app.web.gates import line
from app.web.gates.line import OPERATOR, Acquaintances, Asker, Line
from tests.support.people import Enter
from tests.support.running import Install
from tests.support.tables import link_to, load, start


def stranger(network: str) -> Asker:
    return Asker(network, known=False)


def test_strangers_are_answered_one_after_another_network_by_network() -> None:
    waits: Line[str] = Line()
    assert waits.comes("a1", stranger("a"))
    assert not any(waits.comes(name, stranger(name[0])) for name in ("a2", "a3", "b1", "c1"))
    order, now = [], "a1"
    while following := waits.leaves(now):
        (now,) = following
        order.append(now)
    assert order == ["a2", "b1", "c1", "a3"], "who asks a lot waits for the others"
    assert waits.comes("d1", stranger("d"))


def test_who_is_known_waits_for_no_stranger_and_only_for_themselves() -> None:
    waits: Line[str] = Line()
    waits.comes("a1", stranger("a"))
    waits.comes("a2", stranger("a"))
    alice, bob = Asker(1, known=True), Asker(2, known=True)
    assert [waits.comes(f"alice{n}", alice) for n in range(3)] == [True, True, False]
    assert waits.comes("bob", bob) and all(waits.comes(f"health{n}", OPERATOR) for n in range(9))
    assert waits.leaves("health3") == waits.leaves("bob") == []
    assert waits.leaves("alice0") == ["alice2"] and waits.leaves("a1") == ["a2"]


def test_who_has_waited_long_is_asked_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: Line[str] = Line()
    clock = 100.0
    monkeypatch.setattr(line, "monotonic", lambda: clock)
    for name in ("a1", "a2"):
        waits.comes(name, stranger("a"))
    clock += line.LONGEST_WAIT - 1
    waits.comes("a3", stranger("a"))
    assert waits.give_up() == []
    clock += 2
    assert waits.give_up() == ["a2"] and waits.leaves("a1") == ["a3"] and waits.leaves("a3") == []


def test_a_line_that_is_full_sends_strangers_away_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "MOST_WAITING", 3)
    waits: Line[str] = Line()
    assert [waits.comes(f"b{n}", stranger("b")) for n in range(5)] == [True, False, False, False, None]
    assert waits.comes("alice", Asker(1, known=True)) and waits.comes("health", OPERATOR)


def test_known_are_turn_links_and_sign_ins_that_were_good(app: Flask, server: Server, enter: Enter) -> None:
    knows: Acquaintances = app.extensions["postroad.acquaintances"]
    turn = server.links.turn_token(link_to(load(server.database, start(server.database))))
    secret = "no-such-sign-in"

    def who(path: str, headers: str = "", peer: str = "192.0.2.7") -> Asker:
        return knows.who(f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers}".encode(), peer)

    assert who("/health") == who("/health/live") == who("/metrics") == OPERATOR
    assert who(f"/t/{turn}").known and who(f"/t/{turn}?at=settle") == who(f"/t/{turn}")
    assert who(f"/t/{turn[:-1]}") == who("/t/") == who("/healthy") == stranger("192.0.2.7")
    assert not who("/games", f"Cookie: x=1; postroad_sign_in={secret}\r\n").known
    alice = enter("alice")
    alice.get("/games")
    cookie = alice.client.get_cookie("postroad_sign_in")
    assert cookie and who("/games", f"Cookie: x=1; postroad_sign_in={cookie.value}\r\n").known
    assert who("/", "X-Forwarded-For: 198.51.100.1, 203.0.113.9\r\n", "127.0.0.1") == stranger("203.0.113.9")
    assert not re.search(cookie.value, repr(vars(knows)["_seen"])), "secrets are not kept"


def test_networks_are_those_of_customers() -> None:
    local = [ip_network("127.0.0.0/8")]
    mapped = "::ffff:192.0.2.7"
    assert network_of(mapped, "", local) == "192.0.2.7" == network_of("127.0.0.1", mapped, local)
    assert network_of("::ffff:127.0.0.1", "192.0.2.8", local) == "192.0.2.8", "a mapped proxy is trusted as well"
    assert network_of("192.0.2.7", "192.0.2.8", local) == "192.0.2.7", "others are not"
    assert network_of("2001:db8:1:2:3::4", "", local) == "2001:db8:1:2::/64"
    assert network_of("", "", local) == "unknown" == network_of("socket", "nonsense", local)
    assert wider("2001:db8:1:2::/64") == "2001:db8:1::/48" and wider("192.0.2.7") is None and wider("unknown") is None


def test_beside_a_crowd_of_strangers_the_server_answers_all(tmp_path_factory: pytest.TempPathFactory) -> None:
    install = Install(tmp_path_factory.mktemp("crowd"))
    said: list[int] = []

    def status(path: str) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{install.port}{path}", timeout=60) as answer:
            return int(answer.status)

    with install.serving("--role", "web"):
        crowd = [threading.Thread(target=lambda: said.extend(status("/sign-in") for _ in range(5))) for _ in range(12)]
        for one in crowd:
            one.start()
        healthy = [status("/health/live") for _ in range(20)]
        for one in crowd:
            one.join()
    assert set(healthy) == set(said) == {200} and len(said) == 60
