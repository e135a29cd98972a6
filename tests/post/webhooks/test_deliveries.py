"""Webhooks: the content and signature of a call, how often it is tried, and where it never goes."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import threading
import time
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.account import my_data
from app.base.links import Links
from app.base.process.config import Config
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.people.tables import Player, Webhook, WebhookDelivery
from app.play.agreed import results
from app.post.webhooks import settings
from app.post.webhooks.delivering import MOST_FAILURES, PAUSES, Deliverer
from app.post.webhooks.payloads import signature
from tests.support.at_once import at_once
from tests.support.databases import ON_SQLITE
from tests.support.listener import Listener
from tests.support.tables import KEYS, NOW, hand, load, say, start

BASE = "http://post.example.org"


@pytest.fixture
def server(database: Database) -> Server:
    config = Config(Path("/nowhere"), database.url, BASE, KEYS, None, "Post Road <post@example.org>", "en")
    return Server(replace(config, webhook_private=True), database, Links(BASE, KEYS))


def player_of(server: Server, game_id: int, seat: str) -> int:
    return load(server.database, game_id).seated(seat).player_id or 0


def turn_over(server: Server, game_id: int) -> None:
    """Give two cards away and end the turn, as the seat that decides."""
    game = load(server.database, game_id)
    cards = hand(game, game.decides or "")
    say(server.database, game_id, f"drop {cards[0]}\ndrop {cards[1]}\nend")


def add(server: Server, player_id: int, url: str, kind: str = "json") -> int:
    hook = settings.add(server.database, player_id, url, private=True, now=NOW)
    with server.database.write() as session:
        session.execute(sa.update(Webhook).where(Webhook.id == hook).values(kind=kind))  # its host would tell it
        session.commit()
    return hook


def call_all(server: Server, now: Any = NOW) -> None:
    deliverer = Deliverer(server, lambda: now)
    while deliverer.deliver_due():
        pass


def states(server: Server) -> list[str]:
    with server.database.read() as session:
        return list(session.scalars(sa.select(WebhookDelivery.state).order_by(WebhookDelivery.id)))


def hook_of(server: Server) -> Any:
    with server.database.read() as session:
        return session.execute(sa.select(Webhook.__table__)).one()  # type: ignore[attr-defined]


# -- what is said -------------------------------------------------------------------------------------


@ON_SQLITE
def test_a_decision_and_the_end_are_told_signed_and_once(server: Server, listener: Listener) -> None:
    game_id = start(server.database)
    bob = player_of(server, game_id, "blue")
    add(server, bob, listener.url)
    call_all(server)
    assert listener.calls == []  # Alice decides
    turn_over(server, game_id)
    for _ in range(3):
        call_all(server)
    game = load(server.database, game_id)
    [(path, headers, body)] = listener.calls
    assert path == "/hook?key=1" and headers["Content-Type"] == "application/json; charset=utf-8"
    told = json.loads(body)
    assert told["format"] == "postroad-webhook" and told["version"] == 1 and told["event"] == "turn"
    assert told["game"] == {
        "number": game_id, "title": "ferry", "name": "Ferry", "turn": game.turn, "address": f"{BASE}/games/{game_id}",
    }  # fmt: skip
    assert told["seat"] == "blue" and told["opponents"] == ["alice"] and told["decision"] == game.number
    assert game.deadline_at and told["deadline"] == f"{game.deadline_at:%Y-%m-%dT%H:%M:%SZ}"
    at, signed = headers["Postroad-Signature"].removeprefix("t=").split(",v1=")
    secret = hook_of(server).secret
    assert signed == hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    assert int(at) == int(NOW.timestamp()) and headers["Postroad-Call"]
    results.resign(server.database, game_id, bob, now=NOW)
    call_all(server)
    assert [one["event"] for one in listener.told] == ["turn", "over"]
    assert listener.told[1]["text"] == "Ferry against alice is over. alice won."
    assert listener.told[1]["winners"] == ["red"] and states(server) == ["sent", "sent"]
    assert listener.told[0]["id"] != listener.told[1]["id"]


def test_nothing_secret_is_told(server: Server, listener: Listener) -> None:
    game_id = start(server.database)
    bob = player_of(server, game_id, "blue")
    for kind, path in (("json", "/a"), ("discord", "/b"), ("slack", "/c")):
        add(server, bob, listener.url + path, kind)
    cards = {card for seat in ("red", "blue") for card in hand(load(server.database, game_id), seat)}
    turn_over(server, game_id)
    call_all(server)
    assert len(listener.calls) == 3
    for _, headers, body in listener.calls:
        text = body.decode()
        assert "/t/" not in text and "@example.org" not in text and not any(card in text for card in cards)
        assert ("Postroad-Signature" in headers) == ("format" in text)


def test_channels_get_a_line_in_the_owner_s_language_that_nobody_s_name_can_dress_up(
    server: Server, listener: Listener
) -> None:
    game_id = start(server.database)
    bob = player_of(server, game_id, "blue")
    with server.database.write() as session:
        session.execute(sa.update(Player).where(Player.id == bob).values(language="fr"))
        name = "**@everyone** <!here> [x](http://e.org)"
        session.execute(sa.update(Player).where(Player.name == "alice").values(name=name))
        session.commit()
    add(server, bob, listener.url + "d", "discord")
    add(server, bob, listener.url + "s", "slack")
    turn_over(server, game_id)
    call_all(server)
    discord, slack = sorted(listener.told, key=lambda told: "text" in told)
    assert discord["allowed_mentions"] == {"parse": []} and discord["content"].startswith("À toi de décider")
    assert "\\*\\*\\@everyone\\*\\* \\<\\!here\\> \\[x\\]\\(http\\://e.org\\)" in discord["content"]
    assert "&lt;!here&gt;" in slack["text"] and "<" not in slack["text"] and slack["mrkdwn"] is False
    assert discord["content"].endswith(f" {BASE}/games/{game_id}")


def test_a_trial_call_says_that_it_works(server: Server, listener: Listener) -> None:
    game_id = start(server.database)
    bob = player_of(server, game_id, "blue")
    hook_id = add(server, bob, listener.url)
    settings.try_out(server.database, bob, hook_id, now=NOW)
    call_all(server)
    assert listener.told[0]["event"] == "trial" and "works" in listener.told[0]["text"]
    with pytest.raises(NotAccepted):
        settings.try_out(server.database, player_of(server, game_id, "red"), hook_id, now=NOW)


def test_the_documented_check_takes_our_signature_and_no_other() -> None:
    """The snippet of docs/webhooks.md, exactly as it is there."""
    document = (Path(__file__).resolve().parents[3] / "docs" / "webhooks.md").read_text()
    known: dict[str, Any] = {}
    exec(document.partition("```python\n")[2].partition("```")[0], known)
    is_genuine, body, now = known["is_genuine"], b'{"a": 1}', int(time.time())
    header = signature("key", body, now)
    assert is_genuine(header, body, "key")
    assert not is_genuine(header, body + b" ", "key") and not is_genuine(header, body, "other")
    assert not is_genuine(header.replace(f"t={now}", f"t={now + 1}"), body, "key")
    assert not is_genuine(signature("key", body, now - 301), body, "key") and not is_genuine("", body, "key")


def test_a_call_is_dropped_when_the_decision_has_been_made(server: Server, listener: Listener) -> None:
    game_id = start(server.database)
    add(server, player_of(server, game_id, "blue"), listener.url)
    turn_over(server, game_id)
    turn_over(server, game_id)
    call_all(server)
    assert listener.calls == [] and states(server) == ["dropped"]


def test_calls_last_only_with_the_move_that_causes_them(server: Server, listener: Listener) -> None:
    """The calls of a move are written with it, or not at all."""
    from app.base.stored.outbox import PlannedMail
    from app.games.work import Work

    game_id = start(server.database)
    bob = player_of(server, game_id, "blue")
    add(server, bob, listener.url)
    mail = PlannedMail("turn:x", "turn", "b@example.org", bob, game_id, "blue", 1)
    with pytest.raises(KeyboardInterrupt), Work(server.database) as work:
        work.outbox.add([mail], NOW)
        raise KeyboardInterrupt
    assert states(server) == []
    for _ in range(2):
        with Work(server.database) as work:
            work.outbox.add([mail], NOW)
            work.commit()
    assert states(server) == ["waiting"]


# -- tries --------------------------------------------------------------------------------------------


def test_a_call_that_fails_is_tried_again_with_growing_pauses(server: Server, listener: Listener) -> None:
    game_id = start(server.database)
    add(server, player_of(server, game_id, "blue"), listener.url)
    turn_over(server, game_id)
    listener.status = 500
    now = NOW
    for tries, pause in enumerate(PAUSES.between, 1):
        call_all(server, now)
        call_all(server, now + pause - timedelta(seconds=1))
        assert len(listener.calls) == tries and hook_of(server).failures == tries
        now += pause
    assert list(PAUSES.between) == sorted(PAUSES.between) and states(server) == ["waiting"]
    listener.status = 200
    call_all(server, now)
    assert states(server) == ["sent"] and hook_of(server).failures == 0
    bodies = {body for _, _, body in listener.calls}
    assert len(bodies) == 1  # the same id each time, so that a receiver knows it again


def test_a_call_is_given_up_after_the_last_try_or_a_refusal(server: Server, listener: Listener) -> None:
    game_id = start(server.database)
    add(server, player_of(server, game_id, "blue"), listener.url)
    turn_over(server, game_id)
    listener.status = 503
    now = NOW
    for pause in (*PAUSES.between, timedelta(0)):
        call_all(server, now)
        now += pause
    assert states(server) == ["failed"] and len(listener.calls) == len(PAUSES.between) + 1
    listener.status = 404
    turn_over(server, game_id)
    turn_over(server, game_id)
    call_all(server, now)
    assert states(server) == ["failed", "failed"] and len(listener.calls) == len(PAUSES.between) + 2


@pytest.mark.parametrize(
    ("status", "said", "wait"),
    [
        (429, "120", timedelta(minutes=2)),
        (503, " 7200 ", timedelta(hours=2)),
        (429, format_datetime(NOW + timedelta(hours=3), usegmt=True), timedelta(hours=3)),
        (503, format_datetime(NOW - timedelta(days=3), usegmt=True), timedelta(seconds=30)),
        (503, format_datetime(NOW + timedelta(days=3), usegmt=True), timedelta(days=1)),
        (429, "0", timedelta(seconds=30)),
        (429, "999999999999", timedelta(days=1)),
        (503, "-30", timedelta(minutes=10)),
        (503, "Fri, 99 Foo 2026 25:00:00 GMT", timedelta(minutes=10)),
        (429, "when I please", timedelta(minutes=10)),
        (429, None, timedelta(minutes=10)),
    ],
)
def test_patience_that_is_asked_for_is_no_failure(
    server: Server, listener: Listener, status: int, said: str | None, wait: timedelta
) -> None:
    """RFC 6585, 4 and RFC 9110, 10.2.3 and 15.6.4; however often it is requested; other calls to that host wait too."""
    game_id = start(server.database)
    bob = player_of(server, game_id, "blue")
    hook_id = add(server, bob, listener.url)
    turn_over(server, game_id)
    listener.status, listener.headers = status, {} if said is None else {"Retry-After": said}
    call_all(server)
    call_all(server, NOW + wait - timedelta(seconds=1))
    assert len(listener.calls) == 1
    now = NOW + wait
    for tries in range(2, len(PAUSES.between) + MOST_FAILURES):
        call_all(server, now)
        assert len(listener.calls) == tries and states(server) == ["waiting"] and hook_of(server).failures == 0
        now += timedelta(days=1)
    settings.try_out(server.database, bob, hook_id, now=now)
    call_all(server, now)
    asked = len(listener.calls)
    call_all(server, now + timedelta(seconds=29))
    assert len(listener.calls) == asked, "nothing else is said there meanwhile"
    listener.status, listener.headers = 200, {}
    call_all(server, now + timedelta(days=1))
    assert states(server) == ["sent", "sent"]


def test_a_webhook_that_keeps_failing_is_switched_off_with_one_mail(server: Server, listener: Listener) -> None:
    game_id = start(server.database)
    bob = player_of(server, game_id, "blue")
    hook_id = add(server, bob, listener.url)
    listener.status = 410
    for _ in range(MOST_FAILURES + 3):
        settings.try_out(server.database, bob, hook_id, now=NOW)
    call_all(server)
    assert not hook_of(server).is_on and hook_of(server).failures >= MOST_FAILURES
    assert "waiting" not in states(server)
    with server.database.read() as session:
        off = sa.select(sa.func.count()).select_from(OutboxMail).where(OutboxMail.kind == "webhook_off")
        assert session.scalar(off) == 1
    with pytest.raises(NotAccepted):
        settings.try_out(server.database, bob, hook_id, now=NOW)
    turn_over(server, game_id)
    assert "waiting" not in states(server)
    settings.switch_on(server.database, bob, hook_id)
    assert hook_of(server).is_on and hook_of(server).failures == 0


def test_two_callers_make_a_call_once(server: Server, listener: Listener) -> None:
    game_id = start(server.database)
    bob = player_of(server, game_id, "blue")
    hook_id = add(server, bob, listener.url)
    for _ in range(12):
        settings.try_out(server.database, bob, hook_id, now=NOW)
    at_once(*[lambda: call_all(server)] * 3)
    assert len(listener.calls) == 12 and states(server) == ["sent"] * 12


def test_the_call_of_a_killed_caller_comes_up_again(server: Server, listener: Listener) -> None:
    game_id = start(server.database)
    bob = player_of(server, game_id, "blue")
    settings.try_out(server.database, bob, add(server, bob, listener.url), now=NOW)
    with server.database.write() as session:
        until = NOW + timedelta(minutes=3)
        session.execute(sa.update(WebhookDelivery).values(claimed_by="gone", due_at=until, attempts=1))
        session.commit()
    call_all(server)
    assert listener.calls == []
    call_all(server, NOW + timedelta(minutes=3))
    assert len(listener.calls) == 1


def test_an_erased_player_is_not_called(server: Server, listener: Listener) -> None:
    game_id = start(server.database)
    bob = player_of(server, game_id, "blue")
    add(server, bob, listener.url)
    turn_over(server, game_id)
    my_data.erase(server.database, bob, now=NOW)
    call_all(server)
    assert listener.calls == [] and states(server) == []


def test_a_few_webhooks_each_once(database: Database) -> None:
    start(database)
    for n in range(settings.MOST):
        settings.add(database, 1, f"https://e.org/{n}", private=False, now=NOW)
        with pytest.raises(NotAccepted):
            settings.add(database, 1, "https://e.org/0", private=False, now=NOW)
    with pytest.raises(NotAccepted) as no:
        settings.add(database, 1, "https://e.org/more", private=False, now=NOW)
    assert no.value.code == "hook.many"


def test_slow_receivers_and_slow_names_hold_up_nobody_else(
    server: Server, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of four that are called before, half never answer, and the names of the others are never found."""
    goes_on, real = threading.Event(), socket.getaddrinfo

    def look_up(host: str, *more: Any, **named: Any) -> Any:
        if host.startswith("slow"):
            goes_on.wait(60)
        return real("127.0.0.1", *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    game_id = start(server.database)
    bob = player_of(server, game_id, "blue")
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        for n in range(2):
            add(server, bob, f"http://127.0.0.1:{deaf.getsockname()[1]}/{n}")
            add(server, bob, f"http://slow{n}.example.com:{listener.port}/")
        add(server, bob, listener.url)
        turn_over(server, game_id)
        stop, began = threading.Event(), time.monotonic()
        worker = threading.Thread(target=Deliverer(server).run, args=(stop,), daemon=True)
        worker.start()
        while not listener.calls and time.monotonic() < began + 60:
            time.sleep(0.02)
        took = time.monotonic() - began
        while states(server).count("waiting") < 4 and time.monotonic() < began + 60:
            time.sleep(0.1)
        stop.set()
        worker.join(60)
        goes_on.set()
    assert len(listener.calls) == 1 and took < 5, took
    assert time.monotonic() - began < 20, "a name takes no longer than a call"
