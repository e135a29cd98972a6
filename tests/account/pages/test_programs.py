"""Programs that play: declared once, with an owner; in games and events as far as these let them; and by JSON."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa
from flask import Flask
from sqlmodel import col

from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from app.clocks.pace import DAY, Pace, Stage
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.time import pending
from tests.support import programs
from tests.support.people import Browser, Enter, PostOffice, make_table
from tests.support.tables import hand, load, start

JSON = {"Accept": "application/json"}


@pytest.mark.parametrize(("title", "seats"), [("ferry", 2), ("new-world", 3)])
def test_a_program_plays_a_whole_game_without_a_mailbox(app: Flask, server: Server, title: str, seats: int) -> None:
    """A1: a bot from the documents alone, and a second one with the same keys"""
    game, bot = programs.played(app, title, seats, 3, {}, twin=True)
    assert load(server.database, game).is_over
    assert {code for code in bot.seen if "." in code or "_" in code} <= set(programs.SECOND)
    ended = 2 * bot.seen["link_ended"] + 2 * bot.seen["decision.made"]
    assert bot.seen["calls"] + bot.seen["looks"] <= 2 * bot.seen["decisions"] + ended + len(bot.feeds) + 2
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
    assert waits["held_until"] is None
    with server.database.write() as session:
        number = session.scalar(sa.select(col(Player.id)).where(col(Player.program_of) == "Ada"))
        session.execute(sa.update(Player).where(col(Player.id) == number).values(hold_minutes=10))
    one, other = hand(load(server.database, game), "red")[:2]
    sent = client.post(at, json={"orders": f"drop {one}\ndrop {other}\nend", "decision": waits["decision"]})
    (held,) = json.loads(carol.get(feed))["waiting"]
    assert (sent.status_code, held["held_until"]) == (202, sent.json["held_until"]), "to be passed over"
    assert client.post(f"{at}/recall", headers=JSON).status_code == 200
    assert "A program of Ada plays here." in bob.get(f"/players/{number}"), "for all to read"
    said = client.post(at, json={"say": "Good luck!"})
    assert said.json["done"]["code"] == "said" and "Good luck!" in bob.get(f"/games/{game}")
    unsure = client.post(f"{at}/resign", json={}, headers=JSON)
    assert (unsure.status_code, unsure.mimetype) == (422, "application/json"), "A11"
    done = client.post(f"{at}/resign", json={"sure": True}, headers=JSON)
    assert (done.status_code, done.json["done"]["code"]) == (200, "resign"), "A15"
    assert load(server.database, game).is_over


def test_a_program_claims_a_game_without_a_mailbox(server: Server, post: PostOffice, stranger: Browser) -> None:
    ago = datetime.now(UTC) - timedelta(days=2)
    game = start(server.database, pace=Pace(decision=DAY, stages=(Stage(0, "flagged", ("claim",)),)), now=ago)
    with server.database.write() as session:
        session.execute(sa.update(Player).values(auto_leave=False))
        pending.start_clock(session, game, load(server.database, game).number, ago)
        session.commit()
    sweep_cases(server.database, datetime.now(UTC))
    post.all()  # the late player is told
    late, waits = programs.declared(server, game)
    assert json.loads(stranger.client.get(late).data)["questions"] == []
    (asked,) = json.loads(stranger.client.get(waits).data)["questions"]
    assert (asked["kind"], asked["game"], asked["title"]) == ("claim", game, "ferry")
    link = urlsplit(asked["link"]).path
    unsaid = stranger.client.post(link, json={}, headers=JSON)
    assert (unsaid.status_code, unsaid.json["error"]["code"]) == (422, "answer.none")
    done = stranger.client.post(link, json={"answer": "claim"}, headers=JSON)
    assert (done.status_code, "done" in done.json) == (200, True) and load(server.database, game).is_over
    assert json.loads(stranger.client.get(waits).data)["questions"] == []
