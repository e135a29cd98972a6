"""Programs that play: declared once, with an owner; in games and events as far as these let them; and by JSON."""

from __future__ import annotations

import json
import re
from html import unescape
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa
from flask import Flask
from sqlmodel import col

from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from tests.support import programs
from tests.support.people import Browser, Enter, PostOffice, make_table
from tests.support.tables import load

JSON = {"Accept": "application/json"}


@pytest.mark.parametrize(("title", "seats"), [("ferry", 2), ("new-world", 3)])
def test_a_program_plays_a_whole_game_without_a_mailbox(app: Flask, server: Server, title: str, seats: int) -> None:
    """A1: a bot from the documents alone, and a second one with the same keys"""
    game, bot = programs.played(app, title, seats, 3, {}, twin=True)
    assert load(server.database, game).is_over
    assert {code for code in bot.seen if "." in code or "_" in code} <= set(programs.SECOND)
    assert bot.seen["calls"] <= 2 * bot.seen["decisions"] + 2 * bot.seen["link_ended"] + 2 * bot.seen["decision.made"]
    with server.database.read() as session:
        assert session.scalar(sa.select(sa.func.count()).where(col(OutboxMail.sent_at).is_not(None))) == 0


def test_a_person_gets_pages_a_program_links_and_says_so_for_good(
    server: Server, enter: Enter, post: PostOffice
) -> None:
    alice, bob = enter("alice"), enter("bob")
    game = make_table(alice, **{"offer.red": "me", "offer.blue": "open", "rated": "yes"})
    bob.get(f"/games/{game}")
    bob.post(f"/games/{game}/join", place="1")
    page = alice.get("/account/feeds")
    assert "waiting.json" not in page
    alice.post("/account/feeds/program", 422, owner="Ada")
    alice.post("/account/feeds/program", 422, owner="Ada", sure="yes")  # rated games have been played
    carol = enter("carol")
    carol.get("/account/feeds")
    carol.post("/account/feeds/program", owner="Ada", sure="yes")
    found = re.search(r'value="([^"]+/waiting\.json)"', carol.get("/account/feeds"))
    assert found
    feed = urlsplit(unescape(found[1])).path
    game = make_table(carol, **{"offer.red": "me", "offer.blue": "open", "rated": "yes"})
    assert "(bot)" in bob.get(f"/games/{game}")
    bob.post(f"/games/{game}/join", place="1")
    assert not load(server.database, game).is_rated, "as with the computer"
    (waits,) = json.loads(carol.get(feed))["waiting"]
    assert waits["game"] == game and waits["link"].startswith("http://post.example.org/t/")
    at = urlsplit(waits["link"]).path
    client = Browser(carol.client.application).client
    said = client.post(at, json={"say": "Good luck!"})
    assert said.json["done"]["code"] == "said" and "Good luck!" in bob.get(f"/games/{game}")
    unsure = client.post(f"{at}/resign", json={}, headers=JSON)
    assert (unsure.status_code, unsure.mimetype) == (422, "application/json"), "A11"
    done = client.post(f"{at}/resign", json={"sure": True}, headers=JSON)
    assert (done.status_code, done.json["done"]["code"]) == (200, "resign"), "A15"
    assert load(server.database, game).is_over
