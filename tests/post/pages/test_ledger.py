"""The state of mails, as players and operators see it; the second address; addresses that accept mails again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.server import Server
from app.base.stored.mail_tables import BouncedAddress, OutboxMail
from app.games.work import Work
from app.people.tables import Player
from app.post.inbound import bounces
from app.post.inbound.reports import Report
from app.post.route.faults import Fault
from tests.support.people import BASE, BOTH, Browser, Enter, PostOffice, everything
from tests.support.tables import LINKS, hand, link_to, load, start, write


def come_back(server: Server, kind: str = "turn") -> None:
    """Bounce the newest mail of a kind, after a host accepted it."""
    with Work(server.database) as work:
        newest = sa.select(OutboxMail).where(OutboxMail.kind == kind).order_by(OutboxMail.id.desc()).limit(1)
        mail = work.session.scalars(newest).one()
        taken = {"state": "sent", "answer": "250 queued as 4711", "sent_at": datetime.now(UTC)}
        work.session.execute(sa.update(OutboxMail).where(OutboxMail.id == mail.id).values(**taken))
        bounces.happened(work, mail, Report(Fault.ADDRESS, "5.1.1", "no such user"), datetime.now(UTC))
        work.commit()


@BOTH
def test_a_mail_that_came_back_is_seen_by_its_reader_and_the_operator_and_goes_again(
    app: Flask, server: Server, post: PostOffice, enter: Enter
) -> None:
    alice, bob = enter("alice"), enter("bob")
    write(server.database, sa.update(Player).where(Player.name == "bob").values(role="operator"))
    start(server.database, now=datetime.now(UTC))
    post.all()
    assert "come back, so nothing" not in alice.get("/games")
    come_back(server)
    page = alice.get("/games")
    assert "Mails to alice@example.org come back" in page and "/account/mails" in page
    mine = alice.get("/account/mails")
    assert "came back: it did not arrive" in mine and "no such user" in mine and "4711" not in mine
    assert "bob@example.org" not in mine and alice.get("/outbox", 403)

    found = bob.get("/outbox?q=ali&state=bounced")
    assert "250 queued as 4711" in found and "Send again" in found and "alice@example.org" in found
    assert "alice@" not in bob.get("/outbox?q=zoe").partition("Addresses that take no mails")[0]
    assert "Send again" in bob.get("/outbox?q=%231") and bob.get("/outbox?state=nonsense", 404)
    bob.get("/outbox")
    assert "Mails go there again." in bob.post("/outbox/address", address="alice@example.org")
    turn = next(row for row in rows(server) if row.bounced_at is not None)
    assert "It goes out once more." in bob.post(f"/outbox/{turn.id}/again")
    assert bob.post(f"/outbox/{turn.id}/again", 422)
    assert "come back, so nothing" not in alice.get("/games")

    post.all()
    come_back(server)
    alice.get("/account/mails")
    assert "Mails go there again" in alice.post("/account/mails/works")
    post.all()
    assert load(server.database, 1).mailed_at is not None
    with server.database.read() as session:
        assert session.scalars(sa.select(BouncedAddress)).all() == []


def rows(server: Server) -> list[OutboxMail]:
    with server.database.read() as session:
        return list(session.scalars(sa.select(OutboxMail).where(OutboxMail.kind == "turn").order_by(OutboxMail.id)))


def test_only_what_somebody_does_on_a_page_counts_as_seen(app: Flask, server: Server, post: PostOffice) -> None:
    start(server.database, now=datetime.now(UTC))
    post.all()
    link = "/t/" + LINKS.turn_token(link_to(load(server.database, 1)))
    browser = Browser(app)
    browser.get(link)
    assert rows(server)[0].seen_at is None
    browser.client.head(link)
    forged = {"csrf_token": "x", "decision": "1", "do": "say", "text": "hello"}
    assert browser.client.post(link, data=forged).status_code == 400
    assert rows(server)[0].seen_at is None
    browser.get(link)
    for mark, method, status in (("x", "post", 204), ("", "post", 204), (browser.token, "get", 405)):
        asked = getattr(browser.client, method)(f"{link}/seen", data={"csrf_token": mark})
        assert asked.status_code == status and rows(server)[0].seen_at is None
    assert browser.client.post("/t/none-of-ours/seen", data={"csrf_token": browser.token}).status_code == 404
    before = everything(server, but_seen=True)
    for _ in range(2):  # as the script of the page does
        assert browser.client.post(f"{link}/seen", data={"csrf_token": browser.token}).status_code == 204
    after = everything(server, but_seen=True)
    assert {name for name in after if after[name] != before[name]} == {"rate_count"}, "and it was counted once"
    assert len(after["rate_count"]) == len(before["rate_count"]) + 1
    first = rows(server)[0].seen_at
    assert first is not None
    browser.post(link, decision="1", do="say", say="hello")
    assert rows(server)[0].seen_at == first


def test_a_move_is_answered_as_played_where_that_its_mail_was_seen_cannot_be_noted(
    app: Flask, server: Server, post: PostOffice, caplog: pytest.LogCaptureFixture
) -> None:
    start(server.database, now=datetime.now(UTC))
    post.all()
    with server.database.write() as session:
        at_the_note = "CREATE TRIGGER full BEFORE UPDATE OF seen_at ON outbox_mail"
        session.execute(sa.text(f"{at_the_note} BEGIN SELECT RAISE(FAIL, 'disk is full'); END"))
        session.commit()
    game = load(server.database, 1)
    link = "/t/" + LINKS.turn_token(link_to(game))
    browser = Browser(app)
    browser.get(link)
    browser.post(link, decision="1", do="send", orders=f"keep {hand(game, game.decides)[0]}")
    assert load(server.database, 1).number > game.number and rows(server)[0].seen_at is None
    assert "could not be noted" in caplog.text and "disk is full" in caplog.text


def test_a_second_address_counts_when_it_has_confirmed(
    app: Flask, server: Server, post: PostOffice, enter: Enter
) -> None:
    alice = enter("alice")
    alice.get("/account/mails")
    assert "first address already" in alice.post("/account/second-address", 422, address="Alice@example.org")
    assert "a2@example.com" in alice.post("/account/second-address", address="a2@example.com")
    link = post.link("a2@example.com", "second-address")
    stranger = Browser(app)
    assert "a2@example.com" in stranger.get(link)
    assert "a2@example.com" not in alice.get("/account/mails").partition("What happened")[0].partition("<form")[0]
    assert "Nothing has been done yet" in stranger.post(link, 422)
    stranger.post(link, sure="yes")
    assert "go to a2@example.com" in alice.get("/account/mails")
    stranger.get(link[:-3] + "abc", 404)
    old = server.links.sign("second", [1, "x@example.com", 1])
    stranger.get(f"{BASE}/second-address/{old}", 410)
    assert "no second address any more" in alice.post("/account/second-address", do="remove")
    stranger.post(link, 410, sure="yes")
    assert "a2@example.com" not in alice.get("/account/mails").partition("What happened")[0].partition("<form")[0]


def test_the_first_address_is_told_of_a_second_one_and_takes_it_away(
    app: Flask, server: Server, post: PostOffice, enter: Enter
) -> None:
    """Somebody has found a browser open."""
    alice, stranger = enter("alice"), Browser(app)
    alice.get("/account/mails")
    alice.post("/account/second-address", address="foe@evil.example")
    link = post.link("foe@evil.example", "second-address")
    stranger.get(link)
    stranger.post(link, sure="yes")
    told = post.link("alice@example.org", "not-me")
    assert "foe@evil.example" in stranger.get(told)
    assert "Nothing has been done yet" in stranger.post(told, 422) and "foe@evil.example" in alice.get("/account/mails")
    assert "all browsers are signed out" in stranger.post(told, sure="yes")
    alice.get("/account/mails", 303)
    with server.database.read() as session:
        assert session.scalars(sa.select(Player.second_address)).all() == [None]
    stranger.get(told[:-3] + "abc", 404)
