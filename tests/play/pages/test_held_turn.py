"""A held turn over HTTP: its page, its JSON, and that nobody else can detect it."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.server import Server
from app.people.tables import Player
from app.play.pages.turn import page as turn_page
from app.play.pages.turn.ends import usual_hold
from app.play.turn.holding import play_due
from tests.support.acres import acres
from tests.support.people import Browser, Enter
from tests.support.tables import link_to, load, start, write
from tests.support.turn_driver import Form
from tests.support.twins import acres_twin, set_state

JSON = {"Accept": "application/json"}


def wish(server: Server, minutes: int | None, *, seat: int = 1) -> None:
    write(server.database, sa.update(Player).where(Player.id == seat).values(hold_minutes=minutes))


def path_of(server: Server, game: int) -> str:
    return f"/t/{server.links.turn_token(link_to(load(server.database, game)))}"


def test_a_sealed_turn_is_taken_back_on_its_page(server: Server, enter: Enter, stranger: Browser) -> None:
    """The player requests it on the account page; a person with only the mailed link cancels it or sends it."""
    game, other = start(server.database, now=datetime.now(UTC)), start(server.database, now=datetime.now(UTC))
    alice = enter("alice")
    alice.get("/account")
    alice.post("/account", name="alice", language="en", zone="UTC", turns="1", shows="hand", hold="5")
    assert '<option value="5" selected>after 5 minutes' in alice.get("/account")
    path = path_of(server, game)
    cards = load(server.database, game).state.sides["red"].hand
    data = Form(stranger.get(path)).sent | {"orders": f"drop {cards[0]}\ndrop {cards[1]}\nend", "do": "send"}
    answer = stranger.client.post(path, data=data, headers=stranger.headers, follow_redirects=True)
    said = unescape(answer.text)
    assert answer.status_code == 200 and "Your turn goes out at" in said and "(UTC)" in said
    assert f'href="{path_of(server, other)}"' in said, "the sealing leads on to the next game"
    again = stranger.get(path)
    assert "Take it back" in again and cards[0] in again and path_of(server, other) not in again
    changed = stranger.client.post(path, data=data | {"orders": "peek"}, headers=stranger.headers)
    assert changed.status_code == 409 and "Take it back first" in changed.text
    back = stranger.client.post(f"{path}/recall", headers=stranger.headers)
    assert back.status_code == 303 and back.location.endswith("#draft")
    assert f"drop {cards[1]}" in stranger.get(path) and "Take it back" not in stranger.get(path)
    data = Form(stranger.get(path)).sent | {"do": "send"}
    stranger.client.post(path, data=data, headers=stranger.headers)
    assert "Sent." in stranger.post(f"{path}/send-now")
    assert load(server.database, game).decides == "blue"


@pytest.mark.parametrize(
    ("title", "minutes", "waits"),
    [("acres", None, True), ("new-world", None, True), ("new-world", 0, False), ("acres", 5, True)],
)
def test_who_never_said_how_long_has_a_minute(
    server: Server, enter: Enter, title: str, minutes: int | None, waits: bool
) -> None:
    """N12: in every title. A program, and a page at a table with nobody but the computer, send at once."""
    game = start(server.database, title, now=datetime.now(UTC))
    wish(server, minutes)
    alice, path = enter("alice"), path_of(server, game)
    chosen = "" if minutes is None else str(minutes)
    assert f'<option value="{chosen}" selected>' in alice.get("/account")
    assert '<option value="">after 1 minute' in alice.get("/account").replace(" selected", "")
    now = load(server.database, game)
    line = "pass" if title == "acres" else str(now.title.write(now.state, now.title.legal(now.state)[-1]))
    page = alice.post(path, **Form(alice.get(path)).sent | {"orders": line, "do": "send"})
    assert ("Take it back" in page, "The account page lets you choose" in page) == (waits, waits and minutes is None)
    assert (load(server.database, game).number == now.number) == waits


def test_the_usual_minute_is_for_hands_and_for_tables_with_people(app: Flask, server: Server) -> None:
    game = start(server.database, "new-world", now=datetime.now(UTC))
    wish(server, None)
    now = load(server.database, game)
    line = str(now.title.write(now.state, now.title.legal(now.state)[-1]))
    sent = app.test_client().post(path_of(server, game), json={"orders": line, "decision": 1}, headers=JSON)
    assert sent.status_code == 200
    alone = replace(now, seats=(now.seats[0], replace(now.seats[1], player_id=None, held_by="easy")))
    assert (usual_hold(now, "red"), usual_hold(alone, "red")) == (1, 0)


def test_programs_are_told_until_when_and_nothing_that_comes_of_it(app: Flask, server: Server) -> None:
    game = start(server.database, now=datetime.now(UTC))
    wish(server, 10)
    path, client = path_of(server, game), app.test_client()
    body = {"orders": "peek", "decision": 1}
    held = client.post(path, json=body, headers=JSON)
    assert held.status_code == 202
    assert set(held.json) == {"game", "title", "seat", "decision", "held_until", "held"}
    assert held.json["held"] == ["peek"]
    assert client.get(path, headers=JSON).json["held_until"] == held.json["held_until"]
    assert client.post(path, json=body, headers=JSON).json == held.json
    no = client.post(path, json=body | {"orders": "rob blue"}, headers=JSON)
    assert no.status_code == 409 and no.json["error"]["code"] == "decision.held"
    assert client.post(f"{path}/recall", headers=JSON).json["decision"] == 1
    assert "held_until" not in client.get(path, headers=JSON).json
    assert client.post(f"{path}/recall", headers=JSON).json["error"]["code"] == "hold.none"
    client.post(path, json=body, headers=JSON)
    sent = client.post(f"{path}/send-now", headers=JSON)
    assert sent.status_code == 200 and sent.json["decision"] == 2 and sent.json["next"]
    assert client.post(f"{path}/recall", headers=JSON).status_code == 410


def without_secrets(text: str) -> str:
    return re.sub(r'(name="csrf_token" value="|nonce[-=]"?)[^"]+', r"\1", text)


def everything_shown(server: Server, game: int, browsers: dict[str, Any], feeds: list[str]) -> list[Any]:
    """Return all that the seat, signed in and by its last links, and a stranger get."""
    turn_page._kept.clear()
    place, seen = f"/games/{game}", []
    for path in (place, f"{place}/replay", f"{place}/record.json", f"{place}/proof", "/games", "/tables", "/", *feeds):
        for client in browsers.values():
            for headers in ({}, JSON):
                answer = client.get(path, headers=headers)
                seen.append((path, answer.status_code, without_secrets(answer.get_data(as_text=True))))
    with server.database.read() as session:
        for table in ("game", "game_seat", "log_entry", "decision_made", "outbox_mail", "webhook_call"):
            wanted = "kind, seat, number, due_at" if table == "outbox_mail" else "*"
            seen.append(session.execute(sa.text(f"SELECT {wanted} FROM {table} ORDER BY id")).fetchall())
    return seen


def test_a_held_turn_is_unsent_for_everybody_else(app: Flask, server: Server, enter: Enter) -> None:
    """No byte of what the other seat and strangers get differs while it is held or after it was taken back; and two
    states that differ in what the holding seat cannot know look the same to it.
    """
    game = start(server.database, "acres", now=datetime.now(UTC))
    wish(server, 10)
    state = acres(to_decide="british", british_hand=["boston", "new-york", "norfolk"], british_money=9)
    set_state(server.database, game, state)
    bob = enter("bob")
    feeds = [
        one.removeprefix(server.config.base_url)
        for one in re.findall(r'readonly value="([^"]+)"', bob.get("/account/feeds"))
    ]
    watching = {"bob": bob.client, "stranger": app.test_client()}
    path, client = path_of(server, game), app.test_client()
    before = everything_shown(server, game, watching, feeds)
    body = {"orders": "money boston\npass\nend", "decision": 1}
    own = []
    for twin in (state, acres_twin(state, "british", random.Random(3))):
        set_state(server.database, game, twin)
        turn_page._kept.clear()
        assert client.post(path, json=body, headers=JSON).status_code == 202
        assert everything_shown(server, game, watching, feeds) == before
        shown = [client.get(path, headers=headers).get_data(as_text=True) for headers in (JSON, {})]
        own.append([re.sub(r"\d\d:\d\d(:\d\dZ)?", "", without_secrets(one)) for one in shown])
        client.post(f"{path}/recall", headers=JSON)
        assert everything_shown(server, game, watching, feeds) == before
    assert own[0] == own[1]
    assert play_due(server.database, datetime.now(UTC) + timedelta(days=9)) == 0
