"""Pushes: what a device is told, when, and what every answer of a push service leads to."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.account import my_data
from app.base.server import Server
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.games.tables import Game
from app.people import signin
from app.people.push_tables import Push, PushDevice
from app.people.tables import DeliveryState, Player, SignIn
from app.play.agreed import results
from app.post.push import delivering, devices
from app.post.push.delivering import FIRST_REST, PAUSES, Pusher, take_back
from app.post.push.sealing import ServerKeys
from app.time.reminding import digest, quiet
from bench.trials.push_storm import storm
from tests.support.at_once import at_once
from tests.support.databases import ON_SQLITE
from tests.support.push_service import Phone
from tests.support.push_service import PushService as Service
from tests.support.tables import KEYS, NOW, deliver, hand, load, say, start, write

BOB = 2


def turn_over(database: Database, game_id: int, first: str = "") -> list[str]:
    """Give two cards away and end the turn, as the seat that decides; return the cards."""
    game = load(database, game_id)
    cards = hand(game, game.decides or "")[:2]
    say(database, game_id, f"{first}drop {cards[0]}\ndrop {cards[1]}\nend")
    return cards


def push_all(server: Server, now: Any = NOW) -> None:
    take_back(server.database, now)
    pusher = Pusher(server, lambda: now)
    while pusher.deliver_due():
        pass


def settle(server: Server, **values: Any) -> None:
    write(server.database, sa.update(Player).where(Player.id == BOB).values(**values))


def rows(server: Server) -> list[tuple[str, bool]]:
    with server.database.read() as session:
        return [
            (row.state, row.closes) for row in session.execute(sa.select(Push.state, Push.closes).order_by(Push.id))
        ]


@pytest.fixture
def game_id(server: Server) -> int:
    return start(server.database)


@pytest.fixture
def phone(server: Server, pushes: Service, game_id: int) -> Phone:
    """Bob's, whose turn comes when Alice ends hers."""
    return pushes.phone(server.database, server.config, BOB, NOW)


# -- what is told -------------------------------------------------------------------------------------


TOLD = {
    "en": ("Your turn against alice, until Sat 28 Nov", "Your turn, by Sat 28 Nov: Ferry #1 against alice"),
    "fr": ("À toi de jouer contre alice, avant le samedi 28 nov.", "Ferry"),
    "es": ("Te toca contra alice, hasta el sáb 28 nov", "Ferry"),
    "it": ("Tocca a te contro alice, entro sab 28 nov", "Ferry"),
}


@pytest.mark.parametrize("lang", TOLD)
@ON_SQLITE
def test_a_turn_is_told_in_the_player_s_language_and_taken_back_when_it_is_made(
    server: Server, phone: Phone, game_id: int, lang: str
) -> None:
    settle(server, language=lang)
    turn_over(server.database, game_id)
    push_all(server)
    title, body = TOLD[lang]
    [told] = phone.told
    assert told["title"] == title and body in told["body"]
    said = {"badge": 1, "lang": lang, "link": f"/games/{game_id}/turn", "tag": f"game-{game_id}"}
    assert {name: told[name] for name in said} == said and set(told) == {*said, "title", "body", "number"}
    left = int(phone.headers[0]["TTL"])
    assert timedelta(days=2) < timedelta(seconds=left) <= timedelta(days=28)
    push_all(server)
    assert len(phone.told) == 1
    turn_over(server.database, game_id)
    push_all(server)
    closing = {"badge": 0, "close": True, "lang": lang, "link": said["link"], "tag": said["tag"]}
    assert phone.told[1] == closing | {"number": told["number"]}
    assert phone.headers[1]["TTL"] == "0" and phone.headers[1]["Topic"] == phone.headers[0]["Topic"]
    assert phone.shown == {} and rows(server) == [("sent", True)]
    push_all(server)
    assert len(phone.told) == 2


def test_nothing_is_told_of_a_turn_that_was_made_before(server: Server, phone: Phone, game_id: int) -> None:
    turn_over(server.database, game_id)
    turn_over(server.database, game_id)
    push_all(server)
    assert phone.told == [] and rows(server) == [("dropped", False)]


def test_what_may_have_come_without_anybody_knowing_is_taken_back(server: Server, phone: Phone, game_id: int) -> None:
    phone.answers = ["unheard"]
    turn_over(server.database, game_id)
    push_all(server)
    assert len(phone.shown) == 1 and rows(server) == [("waiting", False)]
    turn_over(server.database, game_id)
    push_all(server, NOW + FIRST_REST)
    assert phone.shown == {} and rows(server) == [("sent", True)]


def test_the_end_of_a_game_is_told_once_on_every_device_and_to_nobody_else(
    server: Server, phone: Phone, pushes: Service, game_id: int
) -> None:
    second, of_alice = (pushes.phone(server.database, server.config, who, NOW) for who in (BOB, 1))
    results.resign(server.database, game_id, 1, now=NOW)
    push_all(server)
    for one in (phone, second):
        [told] = one.told
        assert told["title"].startswith("You won. Ferry against alice") and told["tag"] == f"game-{game_id}"
    assert phone.headers[0]["Topic"] != second.headers[0]["Topic"], "a service does not learn whose they are"
    assert all("bob" in one["title"] for one in of_alice.told)


def test_states_that_differ_in_hidden_cards_alone_give_the_same_bytes(
    server: Server, phone: Phone, pushes: Service, game_id: int
) -> None:
    """Two games with other cards and the same events: what is encrypted differs in the numbers of the games, and in the
    cards that were dropped before everybody, alone; not in those that were looked at, drawn or held.
    """
    other = start(server.database)
    hands = [sorted(hand(load(server.database, one), "blue")) for one in (game_id, other)]
    assert hands[0] != hands[1]
    dropped = [turn_over(server.database, game_id, "peek\n")]
    push_all(server)
    with server.database.write() as session:  # so that both have the same badge
        session.execute(sa.update(Game).where(Game.id == game_id).values(decides="red"))
        session.commit()
    dropped.append(turn_over(server.database, other, "peek\n"))
    push_all(server)
    texts = [text for text in phone.texts if b"close" not in text]
    alike = []
    for number, cards, text in zip((game_id, other), dropped, texts, strict=True):
        told = re.sub(rb"(#|game-|games/)%d\b" % number, rb"\1N", text)
        alike.append(re.sub("|".join(cards).encode(), b"CARD", told))
    assert alike[0] == alike[1] and b"N" in alike[0] and alike[0].count(b"CARD") == 2


def test_a_clock_starts_with_the_mail_and_never_with_a_push(server: Server, phone: Phone, game_id: int) -> None:
    turn_over(server.database, game_id)

    def mailed() -> Any:
        with server.database.read() as session:
            return session.scalar(sa.select(Game.mailed_at).where(Game.id == game_id))

    push_all(server)
    assert len(phone.told) == 1 and mailed() is None
    deliver(server.database, NOW + timedelta(hours=1))
    assert mailed() == NOW + timedelta(hours=1)


# -- what is wanted -----------------------------------------------------------------------------------


def test_pushes_have_switches_of_their_own(server: Server, phone: Phone, game_id: int) -> None:
    settle(server, push_turns=False)
    turn_over(server.database, game_id)
    push_all(server)
    assert phone.told == []
    settle(server, push_turns=True, mail_turns=False)  # instead of mails
    turn_over(server.database, game_id)
    turn_over(server.database, game_id)
    deliver(server.database, NOW)
    push_all(server)
    with server.database.read() as session:
        mail = sa.select(OutboxMail.state).where(OutboxMail.player_id == BOB).order_by(OutboxMail.id.desc()).limit(1)
        assert session.scalar(mail) == "dropped"
    assert [told["title"][:9] for told in phone.told] == ["Your turn"]


@ON_SQLITE
def test_quiet_hours_and_digests_hold_for_pushes(server: Server, phone: Phone, game_id: int) -> None:
    quiet.settle(server.database, BOB, "19:00", "7:00", now=NOW)
    turn_over(server.database, game_id)
    push_all(server)
    push_all(server, NOW + timedelta(hours=10))
    assert phone.told == []
    push_all(server, NOW + timedelta(hours=11))
    assert len(phone.told) == 1
    quiet.settle(server.database, BOB, "", "", now=NOW)
    with server.database.write() as session:
        digest.settle(session, BOB, "8", True, NOW)
        session.commit()
    turn_over(server.database, game_id)
    turn_over(server.database, game_id)
    push_all(server)
    assert phone.shown == {}, "the digest tells it"
    morning = NOW + timedelta(hours=12)
    digest.send_due(server.database, morning)
    push_all(server, morning)
    assert [told["tag"] for told in phone.shown.values()] == ["digest"]
    assert "1 game waits for you" in phone.shown["digest"]["title"]


# -- answers of push services -------------------------------------------------------------------------


@pytest.mark.parametrize("status", [404, 410])
def test_a_device_that_is_gone_is_removed_with_what_it_is_owed(
    server: Server, phone: Phone, game_id: int, status: int
) -> None:
    phone.answers = [status]
    turn_over(server.database, game_id)
    push_all(server)
    with server.database.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(PushDevice)) == 0
    assert rows(server) == []


def heard(server: Server) -> tuple[bool, list[str], list[bool | None]]:
    """Whether Bob gets turn mails, the mails about devices, and what his browsers know."""
    deliver(server.database, NOW + timedelta(hours=31))
    with server.database.read() as session:
        mails = session.scalars(sa.select(OutboxMail.state).where(OutboxMail.kind == "device_off")).all()
        told = session.scalars(sa.select(SignIn.told).where(SignIn.player_id == BOB)).all()
        return session.get_one(Player, BOB).mail_turns, [str(one) for one in mails], list(told)


@ON_SQLITE
def test_who_is_told_by_devices_alone_gets_mails_again_with_the_loss_of_the_last_one(
    server: Server, phone: Phone, game_id: int, pushes: Service
) -> None:
    settle(server, mail_turns=False)
    other = pushes.phone(server.database, server.config, BOB, NOW)
    phone.answers = [410]
    turn_over(server.database, game_id)
    push_all(server)
    assert len(other.told) == 1 and heard(server) == (False, [], [False, True]), "one of two is enough"
    other.answers = [410]
    turn_over(server.database, game_id)
    turn_over(server.database, game_id)
    push_all(server)
    assert heard(server) == (True, ["kept"], [False, False])
    assert devices.make_good(server.database, NOW) == 0, "once"


@pytest.mark.parametrize("loss", ["expired", "signed out", "removed", "mailed anyway"])
def test_however_the_last_device_goes_its_player_hears_of_turns(server: Server, phone: Phone, loss: str) -> None:
    settle(server, mail_turns=loss == "mailed anyway")
    with server.database.read() as session:
        device = session.scalars(sa.select(PushDevice)).one()
    if loss in ("expired", "mailed anyway"):
        with server.database.write() as session:
            signin.forget(session, NOW + timedelta(days=91))
            session.commit()
    elif loss == "signed out":
        signin.end(server.database, BOB, device.sign_in_id)
    else:
        devices.remove(server.database, BOB, device.id, NOW)
    devices.make_good(server.database, NOW)
    assert heard(server)[:2] == (True, [] if loss == "mailed anyway" else ["kept"])


@ON_SQLITE
def test_a_device_that_is_refused_again_and_again_is_lost(server: Server, phone: Phone, game_id: int) -> None:
    settle(server, mail_turns=False)
    for hours, is_told in ((1, True), (3, True), (30, False)):
        phone.answers = [403] * 9
        now = NOW + timedelta(hours=hours)
        game = start(server.database)
        at = load(server.database, game)
        cards = hand(at, at.decides or "")
        say(server.database, game, f"drop {cards[0]}\ndrop {cards[1]}\nend", now)
        push_all(server, now)
        assert heard(server)[2] == [is_told]
    assert heard(server)[:2] == (True, ["kept"])


def test_the_device_of_a_browser_that_signs_in_again_stays(server: Server, phone: Phone) -> None:
    for who, still in ((BOB, 1), (1, 0)):
        write(server.database, sa.update(SignIn).values(token_hash=signin.hashed("before")))
        with server.database.write() as session:
            signin.begin(session, who, device="", instead_of="before", now=NOW)
        with server.database.read() as session:
            assert session.scalar(sa.select(sa.func.count()).select_from(PushDevice)) == still
            assert session.scalar(sa.select(sa.func.count()).select_from(SignIn)) == 1


def test_errors_are_tried_again_and_given_up(server: Server, phone: Phone, game_id: int, pushes: Service) -> None:
    phone.answers = [500] * 9
    turn_over(server.database, game_id)
    now = NOW
    for tries, pause in enumerate(PAUSES.between, 1):
        push_all(server, now)
        push_all(server, now + pause - timedelta(seconds=1))
        assert pushes.calls == tries
        now += pause
    push_all(server, now)
    assert rows(server) == [("failed", False)] and pushes.calls == len(PAUSES.between) + 1
    for status in (400, 401, 403):
        phone.answers = [status]
        turn_over(server.database, start(server.database))
        push_all(server, now)
    assert rows(server)[1:] == [("failed", False)] * 3 and phone.told == []


@pytest.mark.parametrize(("status", "said", "wait"), [(429, "120", 120), (503, "7200", 7200), (429, None, 600)])
def test_retry_after_is_kept_and_counts_for_nothing(
    server: Server, phone: Phone, game_id: int, status: int, said: str | None, wait: int
) -> None:
    """RFC 9110, 10.2.3."""
    answer = status, {} if said is None else {"Retry-After": said}
    phone.answers = [answer] * 7
    turn_over(server.database, game_id)
    now = NOW
    for _ in range(7):
        push_all(server, now)
        left = len(phone.answers)
        push_all(server, now + timedelta(seconds=wait - 1))
        assert len(phone.answers) == left and phone.told == []
        now += timedelta(seconds=wait)
    push_all(server, now)
    assert len(phone.told) == 1 and rows(server) == [("sent", False)]


def test_a_dead_service_rests_longer_and_longer_and_nothing_is_lost(
    server: Server, phone: Phone, game_id: int, pushes: Service
) -> None:
    phone.answers = ["dead"] * 4
    turn_over(server.database, game_id)
    now, rest = NOW, FIRST_REST
    for tries in range(1, 5):
        push_all(server, now)
        push_all(server, now + rest - timedelta(seconds=1))
        assert pushes.calls == tries
        with server.database.read() as session:
            [one] = devices.figures(session).resting(now)
            assert (one.last_error, one.rests_until) == ("answer", now + rest)
            assert failing.how_many(session, now) == 0, "operators read of it once"
        now, rest = now + rest, rest * 2
    push_all(server, now)
    assert len(phone.told) == 1
    with server.database.read() as session:
        assert [one[1:] for one in devices.figures(session).services] == [(now, None, None)]


def test_a_slow_service_holds_up_no_other(server: Server, phone: Phone, game_id: int, pushes: Service) -> None:
    """The worker as it runs: one service takes its time, the other is told meanwhile."""
    quick = Service()
    thread = quick.start()
    try:
        with server.database.write() as session:  # two names of this machine are two services
            session.execute(sa.update(PushDevice).values(host="slow.example.org"))
            session.commit()
        other = quick.phone(server.database, server.config, BOB, NOW)
        phone.answers = ["slow"]
        turn_over(server.database, game_id)
        stop = threading.Event()
        worker = threading.Thread(target=Pusher(server).run, args=(stop,))
        worker.start()
        until = time.monotonic() + 60
        while not other.told and time.monotonic() < until:
            time.sleep(0.02)
        assert other.told and not phone.told
        pushes.goes_on.set()
        stop.set()
        worker.join(60)
        assert len(phone.told) == 1
    finally:
        quick.stop(thread)


def test_several_workers_push_each_once_and_a_killed_one_s_come_up_again(
    server: Server, phone: Phone, pushes: Service
) -> None:
    games = [start(server.database) for _ in range(12)]
    for one in games:
        turn_over(server.database, one)
    killed = Pusher(server)
    with server.database.write() as session:
        first = sa.select(sa.func.min(Push.id)).scalar_subquery()
        held = {"claimed_by": killed.name, "due_at": NOW + delivering.LEASE, "attempts": 1}
        session.execute(sa.update(Push).where(Push.id == first).values(**held))
        session.commit()
    at_once(*[lambda: push_all(server)] * 3)
    assert len(phone.told) == len(games) - 1 == len(phone.shown)
    push_all(server, NOW + delivering.LEASE)
    assert len(phone.told) == len(games) == len(phone.shown)


# -- devices ------------------------------------------------------------------------------------------


def device_at(endpoint: str, phone: Phone) -> PushDevice:
    keys = {"public_key": phone.public, "auth": "A" * 22, "server_key": ServerKeys(KEYS).newest}
    return PushDevice(player_id=BOB, sign_in_id=1, endpoint=endpoint, **keys, made_at=NOW)


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://push.example.org/x", "http://fcm.googleapis.com/x", "https://fcm.googleapis.com:8443/x",
        "https://127.0.0.1/x", "https://192.168.1.4/x", "https://fcm.googleapis.com.example.org/x",
        "https://evilpush.services.mozilla.com.attacker.example/x", "https://a:b@fcm.googleapis.com/x", "nothing",
        "https://xpush.apple.com/x",
    ],
)  # fmt: skip
@ON_SQLITE
def test_only_push_services_are_called(server: Server, phone: Phone, endpoint: str) -> None:
    config = replace(server.config, webhook_private=False)
    with pytest.raises(NotAccepted):
        devices.add(server.database, config, device_at(endpoint, phone))


def test_the_usual_services_are_known_and_an_operator_adds_others(server: Server, phone: Phone) -> None:
    config = replace(server.config, webhook_private=False, push_hosts=("push.example.org", ".example.net"))
    usual = ("fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com", "wns2.notify.windows.com")
    for host in (*usual, "push.example.org", "a.example.net"):
        devices.add(server.database, config, device_at(f"https://{host}/x", phone))
    long = f"https://wns2.notify.windows.com/w/?token={'x' * 1900}"
    devices.add(server.database, config, device_at(long, phone))
    with server.database.read() as session:
        [device] = devices.of_player(session, BOB)
    assert device.sign_in_id == 1, "a sign-in has one device: its newest"


def test_who_signs_out_or_is_erased_is_told_nothing_more(server: Server, phone: Phone, game_id: int) -> None:
    turn_over(server.database, game_id)
    with server.database.read() as session:
        sign_in = session.scalar(sa.select(PushDevice.sign_in_id)) or 0
    signin.end(server.database, BOB, sign_in)
    push_all(server)
    assert phone.told == [] and rows(server) == []
    my_data.erase(server.database, BOB, now=NOW)


def test_a_key_that_was_replaced_still_serves_and_one_that_was_removed_ends_its_devices(
    server: Server, phone: Phone, game_id: int
) -> None:
    turn_over(server.database, game_id)
    new = replace(server.config, secret_keys=("another-key-for-tests",))
    push_all(Server(replace(new, secret_keys=(*KEYS, *new.secret_keys)), server.database, server.links))
    assert len(phone.told) == 1
    turn_over(server.database, game_id)
    push_all(Server(new, server.database, server.links))
    assert len(phone.told) == 1 and rows(server) == []


def test_old_rows_are_forgotten(server: Server, phone: Phone, game_id: int) -> None:
    turn_over(server.database, game_id)
    push_all(server)
    with server.database.write() as session:
        assert delivering.forget(session, NOW + timedelta(days=29)) == 0
        assert delivering.forget(session, NOW + timedelta(days=31)) == 1
        assert session.scalar(sa.select(sa.func.count()).where(Push.state == DeliveryState.SENT)) == 0


def test_a_storm_loses_doubles_and_outlives_nothing(server: Server, pushes: Service) -> None:
    """A short one; `python -m bench.trials.push_storm 10000` is the long one."""
    found = storm(server, pushes, 60, killed=0)
    assert found.is_well and found.told > 20, found
