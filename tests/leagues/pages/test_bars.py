"""The bars of a club and of an event: who sees which tabs, and the numbers of what needs a hand."""

from __future__ import annotations

import html
import re

from app.base.server import Server
from app.people import accounts
from tests.support.club_pages import club_of, draft, joined, running
from tests.support.people import Enter, PostOffice


def tabs(page: str) -> list[list[tuple[str, str]]]:
    """Return each bar of a page: its tabs with their numbers, if any."""
    found = re.findall(r'<nav class="tabs"[^>]*>(.*?)</nav>', page, re.DOTALL)
    one = re.compile(r"<a [^>]*>([^<]+?)(?: <b>(\d+)</b>)?</a>")
    return [[(html.unescape(name), number) for name, number in one.findall(bar)] for bar in found]


def test_each_page_says_where_one_is_and_what_needs_a_hand(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter, "bob", "carl")
    bob, carl = joined(post, enter, "bob"), joined(post, enter, "carl")
    event = running(alice, bob, carl, round_days="30")
    assert tabs(alice.get("/clubs/vendee/week")) == [[("Week", ""), ("Members", ""), ("Events", ""), ("News", "")]]
    where = draft(alice, server, event)
    club, of_event = tabs(alice.get(where))
    assert club[0] == ("Week", "1")
    assert of_event == [("Table", ""), ("Rounds", ""), ("Players", ""), ("Run it", "1")]
    with server.database.read() as session:
        left = accounts.find(session, "bob@example.org")
    assert left is not None
    for page in ("players", f"withdraw?player={left.id}"):
        assert 'aria-current="page">Players' in alice.get(f"/events/{event}/{page}"), page
    club, of_event = tabs(bob.get(f"/events/{event}"))
    assert [name for name, _ in club] == ["Members", "Events", "News"]
    assert of_event == [("Table", ""), ("Rounds", ""), ("Players", "")]
    assert tabs(enter("dora").get("/clubs/vendee")) == []
