"""Mails to people who have not asked: few a day, none against their will, and nothing in them leads elsewhere."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
import time_machine
from flask import Flask

from app.base.server import Server
from app.base.stored.limits import Counts, Limit, add, count
from app.base.stored.mail_tables import MailState, OutboxMail
from app.base.words.addresses import mailbox_of
from app.base.words.refusals import TooOften
from app.base.words.texts import without_links
from app.games.work import Work
from app.leagues.clubs import club_rights, members
from app.people import unasked
from app.people.accounts import find_or_add
from app.people.signin import ask_change, request_link
from app.people.tables import Player
from app.upkeep import condition
from tests.support import pressed
from tests.support.club_pages import take_list
from tests.support.people import BASE, BOTH, Browser, Enter, PostOffice, signed_in, text_of
from tests.support.tables import NOW, load, start

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


@pytest.mark.parametrize(
    ("given", "mailbox"),
    [
        ("Ann.B+x@Example.org", "ann.b@example.org"), ("+x@example.org", "+x@example.org"),
        ("A.n.n+games@GoogleMail.com", "ann@gmail.com"), ("ann@xn--mnchen-3ya.example", "ann@xn--mnchen-3ya.example"),
        ("ann@münchen.example", "ann@xn--mnchen-3ya.example"),
    ],
)  # fmt: skip
def test_an_address_has_one_mailbox_however_it_is_written(given: str, mailbox: str) -> None:
    assert mailbox_of(given) == mailbox


def test_a_network_and_all_that_a_customer_has_are_counted(server: Server) -> None:
    some = Limit("some", 2, DAY, Counts.NETWORK)
    with server.database.write() as session:
        numbers = [add(session, some, f"2001:db8:1:{n:x}::/64", NOW) for n in range(12)]
        session.commit()
    assert numbers == [1] * 4 + [2] * 4 + [3] * 4, "four of these networks count as one"
    with pytest.raises(TooOften):
        count(server.database, [(some, "2001:db8:1:99::/64")], NOW)
    count(server.database, [(some, "2001:db8:2:99::/64")], NOW)


def club(server: Server, owner: str, age: timedelta = timedelta(0)) -> tuple[int, int]:
    """Return a new club and its owner, whose account is so old."""
    with Work(server.database) as work:
        player = find_or_add(work.session, f"{owner}@example.org", now=NOW - age)
        player.acted_at = NOW - age
        work.commit()
    club_rights.make(server.database, player.id, slug=owner, name=owner.title(), now=NOW)
    with server.database.read() as session:
        return club_rights.find(session, owner).id, player.id


def invite(server: Server, of: tuple[int, int], names: list[str], now: datetime = NOW) -> list[timedelta]:
    """Invite strangers from a list; return how long each of their mails waits."""
    lines = "address\n" + "\n".join(f"{name}@example.org" for name in names)
    pressed.take_list(server.database, *of, lines, now=now)
    wanted = [f"{name}@example.org" for name in names]
    asked = sa.select(OutboxMail.due_at).where(OutboxMail.address.in_(wanted)).order_by(OutboxMail.id)  # type: ignore[attr-defined]
    with server.database.read() as session:
        return [due - now for due in session.scalars(asked)]


def test_a_young_account_and_its_network_write_one_after_another(server: Server) -> None:
    young, old = club(server, "young"), club(server, "old", 8 * DAY)
    most = unasked.AT_ONCE
    waits = invite(server, young, [f"a{n}" for n in range(most + 3)])
    assert waits == [timedelta(0)] * most + [MINUTE, 2 * MINUTE, 3 * MINUTE]
    assert invite(server, old, [f"b{n}" for n in range(40)]) == [timedelta(0)] * 40
    token = unasked.ORIGIN.set(unasked.Origin("192.0.2.7"))
    try:
        for n in range(3):
            last = invite(server, club(server, f"sock{n}"), [f"c{n}{m}" for m in range(10)])[-1]
        assert last == (30 - most) * MINUTE, "several accounts of one network count as one"
    finally:
        unasked.ORIGIN.reset(token)


def test_a_club_of_two_hundred_is_invited_in_an_afternoon(server: Server) -> None:
    waits = invite(server, club(server, "large"), [f"m{n}" for n in range(200)])
    assert max(waits) <= timedelta(hours=4)


def test_what_is_over_the_budget_of_a_day_waits_for_the_next(server: Server) -> None:
    of, budget = club(server, "olga", 8 * DAY), 5
    token = unasked.ORIGIN.set(unasked.Origin(budget=budget))
    try:
        waits = invite(server, of, [f"a{n}" for n in range(2 * budget + 1)])
        midnight = NOW.replace(hour=0, minute=0, second=0, microsecond=0)
        later = [midnight + n * DAY - NOW for n in (1, 2)]
        assert waits == [timedelta(0)] * 5 + [later[0]] * 5 + [later[1]]
        with pytest.raises(members.BadLines) as no:
            invite(server, of, [f"b{n}" for n in range(7 * budget)])
        assert "days to come are full" in str(no.value.complaints)
        with pytest.raises(TooOften):
            request_link(server.database, "new@example.org", language="en", then="/", now=NOW)
        request_link(server.database, "olga@example.org", language="en", then="/", now=NOW)
    finally:
        unasked.ORIGIN.reset(token)
    with server.database.read() as session:
        found = condition.signs(session, server.config, NOW)
        assert found.strangers >= budget
        assert "strangers" not in condition.ills(found, server.config, NOW, set())
        small = replace(server.config, stranger_mails=budget)
        assert condition.ills(found, small, NOW, set())["strangers"] == str(found.strangers)


@BOTH
def test_who_is_declined_stopped_or_returned_too_often_is_paused(app: Flask, server: Server, post: PostOffice) -> None:
    of = club(server, "pest", 8 * DAY)
    with time_machine.travel(NOW, tick=False):
        invite(server, of, [f"a{n}" for n in range(8)])
        links = [post.link(f"a{n}@example.org", "clubs/invitation") for n in range(3)]
        stop = re.search(rf"{BASE}(/unsubscribe/\S+)", text_of(post.last("a1@", "clubs/invitation")))
        invite(server, of, ["late"])
        Browser(app).post(links[0], answer="decline")
        assert stop is not None
        app.test_client().post(stop[1], data={"List-Unsubscribe": "One-Click"})
        invite(server, of, ["b1"])
        with server.database.write() as session:
            returned = sa.select(OutboxMail.id).where(OutboxMail.address == "a2@example.org")  # type: ignore[arg-type]
            unasked.failed(session, session.scalars(returned).one(), NOW)
            session.commit()
        assert not [mail for mail in post.all() if "late@" in str(mail["To"])], "what still waited is not sent any more"
        with pytest.raises(members.BadLines) as no:
            invite(server, of, ["c1"])
        assert "did not want it" in str(no.value.complaints)
        assert invite(server, club(server, "kind", 8 * DAY), ["c1"]) == [timedelta(0)]


def test_who_has_stopped_the_mails_of_a_strange_server_gets_no_sign_in_mail(
    app: Flask, server: Server, post: PostOffice
) -> None:
    asked = Browser(app)
    asked.get("/sign-in")
    asked.post("/sign-in", address="stranger@example.org")
    mail = post.last("stranger@", "sign-in")
    stop = re.search(rf"{BASE}(/unsubscribe/\S+)", text_of(mail))
    assert stop is not None and stop[1] in str(mail["List-Unsubscribe"])
    page = Browser(app).post(stop[1], do="stop")
    assert "writes to you no more" in page
    asked.get("/sign-in")
    assert "stranger@example.org" in asked.post("/sign-in", address="stranger@example.org"), "nothing is told"
    assert len(post.all("stranger@")) == 1
    again = re.search(r'href="(/mails-again/[^"]+)"', page)
    assert again is not None
    Browser(app).post(again[1], sure="yes")
    asked.get("/sign-in")
    asked.post("/sign-in", address="stranger@example.org")
    assert len(post.all("stranger@")) == 2
    signed_in(app, "bob@example.org")
    asked.get("/sign-in")
    asked.post("/sign-in", address="bob@example.org")
    assert "List-Unsubscribe" not in post.last("bob@", "sign-in"), "who has been here needs the mails to come in"


def test_links_to_one_mailbox_count_together_whatever_they_are_for(server: Server, enter: Enter) -> None:
    alice, now = enter("alice"), datetime.now(UTC)
    alice.get("/account/mails")
    for n in range(unasked.MAILBOX.most - 1):
        ask_change(server.database, 1, f"new+{n}@example.org", now=now)
    request_link(server.database, "new@example.org", language="en", then="/", now=now)
    assert "had enough mails" in alice.post("/account/second-address", 429, address="new+x@example.org")
    with pytest.raises(TooOften):
        ask_change(server.database, 1, "new@example.org", now=now)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("You won! https://evil.example/prize", "You won! …"), ("Write to me@evil.example now", "Write to … now"),
        ("evil.example", "…"), ("See www.evil.example:80/x?y", "See …"), ("evil。example", "…"),
        ("ev-il．co．uk!", "…!"), ("javascript://x", "…"), ("St. Pauli 1910 e. V.", "St. Pauli 1910 e. V."),
        ("J.R.R. Tolkien", "J.R.R. Tolkien"), ("Acres 2.0, spring", "Acres 2.0, spring"), ("3.30 pm", "3.30 pm"),
    ],
)  # fmt: skip
def test_nothing_that_strangers_are_told_leads_elsewhere(given: str, said: str) -> None:
    assert without_links(given) == said


def test_an_invitation_carries_no_link_of_others_to_a_stranger(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = enter("alice")
    enter("bob")
    alice.get("/clubs")
    asked = {"slug": "spam", "name": "Win at evil.example", "about": "https://evil.example"}
    alice.post("/clubs", **asked, language="en", zone="UTC")
    alice.get("/clubs/spam/members")
    take_list(alice, "spam", "address\nnew@example.org\nbob@example.org")
    alice.get("/games/new/ferry")
    new, known = post.last("new@"), post.last("bob@", "clubs/invitation")
    assert "evil" not in new.as_string() and "Win at …" in str(new["Subject"])
    assert "Win at evil.example" in str(known["Subject"]) and "https://evil.example" in text_of(known)


def test_a_day_of_an_attacker_costs_the_budget_and_delays_no_turn(server: Server, post: PostOffice) -> None:
    """Forty networks, forty accounts, ten clubs: invitations and links to as many strangers as they can."""
    budget = 40
    attackers = [club(server, f"evil{n}") for n in range(40)]
    for hour in range(0, 24, 2):
        now = NOW.replace(hour=0) + timedelta(hours=hour)
        for n in range(hour % 4, 40, 4):
            token = unasked.ORIGIN.set(unasked.Origin(f"198.51.100.{n}", budget))
            with suppress(TooOften, members.BadLines):
                invite(server, attackers[n % 10], [f"v{hour}x{n}x{m}" for m in range(2)], now)
            with suppress(TooOften):
                request_link(server.database, f"w{hour}x{n}@example.org", language="en", then="/", now=now)
                ask_change(server.database, attackers[n % 10][1], f"c{hour}x{n}@example.org", now=now)
            unasked.ORIGIN.reset(token)
    game = start(server.database, "ferry", now=NOW.replace(hour=23))
    end = NOW.replace(hour=23, minute=59)
    while post.sender.send_due(end):
        pass
    ours = OutboxMail.kind.in_(("turn", "old_address"))  # type: ignore[attr-defined]
    asked = sa.select(sa.func.count()).where(OutboxMail.state == MailState.KEPT, ~ours)  # type: ignore[arg-type]
    with server.database.read() as session:
        sent = session.scalar(asked) or 0
        assert session.scalar(sa.select(sa.func.count()).select_from(Player)) > budget
    assert 0 < sent <= budget, sent
    assert load(server.database, game).mailed_at is not None
