"""Announcements of a club: previewed, sent once, read by those who may, on a page, by mail, digest and feed."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import sqlalchemy as sa

from app.base.server import Server
from app.people.tables import Player
from app.time.reminding import digest
from app.web.visit import now
from tests.support.club_pages import club_of, joined
from tests.support.people import BASE, Browser, Enter, PostOffice, text_of, trail_lines
from tests.support.tables import write

NEWS = "/clubs/vendee/news"
ATOM = {"a": "http://www.w3.org/2005/Atom"}


def _send(browser: Browser, *, once: str = "", **form: str) -> str:
    """Preview an announcement, then press the button of the next page; return the token of its form."""
    browser.get(NEWS)
    page = browser.post(NEWS, **form)
    found = re.search(r'name="once" value="(\w+)"', browser.page.get_data(as_text=True))
    assert found and "As it goes out" in page
    token = once or found[1]
    assert "It is announced" in browser.post(NEWS, step="send", once=token, **form)
    return token


def _titles(browser: Browser, address: str) -> list[str]:
    browser.get(address)
    root = ElementTree.fromstring(browser.page.get_data())
    return [one.text or "" for one in root.findall("a:entry/a:title", ATOM)]


def test_members_read_an_announcement_by_mail_and_on_the_page(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = club_of(enter, "bob", "carol", "dora")
    bob, carol = joined(post, enter, "bob"), joined(post, enter, "carol")
    write(server.database, sa.update(Player).where(Player.name == "Carol").values(mail_news=False))
    letter = {"subject": "Cup night", "text": "On Friday.\n\nBring tea."}
    token = _send(alice, mails="yes", **letter)
    _send(alice, mails="yes", once=token, **letter)
    _send(alice, is_public="yes", subject="Open day", text="For all")
    mail = post.last("bob@example.org")
    assert mail["Subject"] == "Vendée: Cup night" and f"{BASE}{NEWS}#n1" in text_of(mail) and "tea" in text_of(mail)
    for nobody in (
        "alice",
        "carol",
        "dora",
    ):  # the author, one who wants no news, one who has not answered the invitation
        assert "Vendée: Cup night" not in post.subjects(f"{nobody}@example.org")
    assert post.subjects("bob@example.org").count("Vendée: Cup night") == 1
    assert "Open day" in stranger.get("/clubs/vendee") and "Open day" in stranger.get(NEWS)
    assert "Cup night" not in stranger.get("/clubs/vendee") and "Cup night" not in stranger.get(NEWS)
    assert "Cup night" in carol.get(NEWS) and "Take down" not in carol.get(NEWS)
    assert _titles(stranger, f"{NEWS}.atom") == ["Open day"]
    assert bob.client.get(f"{NEWS}/a-key-of-1.0/news.atom").location == f"{NEWS}.atom", "a member's own feed"
    bob.post(NEWS, 403, step="send", once=token, **letter)
    alice.get(NEWS)
    assert "taken down" in alice.post(f"{NEWS}/down", announcement="1")
    alice.post(f"{NEWS}/down", 404, announcement="1")
    assert "Cup night" not in carol.get(NEWS)
    told = " ".join(trail_lines(alice.get("/clubs/vendee/audit")))
    assert "Alice announced something to the club" in told and "Alice took an announcement down" in told


def test_a_letter_without_words_comes_back_and_news_waits_for_the_digest(
    server: Server, enter: Enter, post: PostOffice
) -> None:
    alice = club_of(enter, "bob")
    joined(post, enter, "bob")
    alice.get(NEWS)
    assert "Write a subject and a text" in alice.post(NEWS, 422, subject="Cup night", text=" ")
    with server.database.write() as session:
        bob = session.scalars(sa.select(Player).where(Player.name == "Bob")).one().id
        digest.settle(session, bob, "8", True, now())
        session.commit()
    _send(alice, mails="yes", subject="Cup night", text="On Friday.")
    assert "Vendée: Cup night" not in post.subjects("bob@example.org"), "it waits"
    with server.database.read() as session:
        morning = session.scalars(sa.select(Player.digest_at).where(Player.id == bob)).one()
    assert morning is not None
    assert digest.send_due(server.database, morning) == 1
    post.sender.send_due(morning)
    mail = text_of(post.last("bob@example.org"))
    assert "Vendée: Cup night" in mail and "On Friday." in mail
