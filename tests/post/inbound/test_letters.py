"""The table of incoming mails (`tests.support.letters`): each is classified correctly and read as it was meant."""

from __future__ import annotations

from email.utils import parseaddr
from typing import Any

from app.base.stored.database import Database
from app.play.replies import taking, words
from app.post.inbound import port
from tests.support.inbound import WayIn, way_in
from tests.support.letters import Writer, hostile, table
from tests.support.quoting import Quoted
from tests.support.replies import MINUTE
from tests.support.sink import text_of
from tests.support.tables import NOW, load, start


def is_order(line: str) -> bool:
    return words.is_one(line) or line.split(" ")[0] in ("drop", "rob")


def asked(way: WayIn) -> Quoted:
    [mail] = way.sink.mails()
    html = mail.get_body(("html",))
    assert html is not None
    return Quoted(text_of(mail), str(html.get_content()), parseaddr(str(mail["Reply-To"]))[1], "en")


def test_every_mail_of_the_table_is_what_it_is(sqlite_database: Database) -> None:
    start(sqlite_database)
    texts: list[str] = []

    def take(work: Any, reply: port.Reply, key: str, now: Any) -> None:
        texts.append(reply.text(is_order))

    port.register(take)
    try:
        with way_in(sqlite_database) as way:
            way.send(NOW)
            ours = asked(way)
            letters = table(ours, way.bounce_address())
            wrong = []
            for letter in letters:
                texts.clear()
                sender = "alice@example.org" if letter.sender is None else letter.sender
                verdict = way.take(letter.raw, letter.to or ours.address, NOW, sender)
                orders = words.read(texts[0], "alice").orders if texts else None
                if verdict != letter.verdict or (letter.orders is not None and orders != letter.orders):
                    wrong.append((letter.what, str(verdict), letter.verdict, orders))
    finally:
        port.register(taking.take)
    assert wrong == [] and len(letters) >= 150


def test_forged_replayed_and_looping_mails_play_nothing_and_are_answered_once_at_most(
    sqlite_database: Database,
) -> None:
    start(sqlite_database)
    with way_in(sqlite_database) as way:
        way.send(NOW)
        ours = asked(way)
        before, count, now = load(sqlite_database, 1), 0, NOW
        for letter in hostile(Writer(5000), ours.address):
            for _ in range(3):  # each is sent three times over
                mails, now = len(way.mails("echo")) + len(way.mails("mail_answer")), now + 2 * MINUTE
                way.take(letter.raw, letter.to or ours.address, now, letter.sender or "mallory@evil.net")
                assert len(way.mails("echo")) + len(way.mails("mail_answer")) <= mails + (_ == 0), letter.what
            count += 1
        way.send(now)
        loop = way.sink.mails("alice@example.org")[-1]  # an answer of ours that a player's program sends back
        for raw in (loop.as_bytes(), loop.as_bytes().replace(b"Message-ID: <", b"Message-ID: <x")):
            way.take(raw, ours.address, now + 2 * MINUTE)
            count += 1
        after = load(sqlite_database, 1)
        assert count >= 30 and (after.number, after.entries) == (before.number, before.entries)
        assert len(way.mails("echo")) <= 10, "not more than ten to a decision"
