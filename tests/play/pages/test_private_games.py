"""Private games: only its players can see one, at any address, and no list names it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.server import Server
from app.base.stored.database import Database
from app.games.tables import Game
from app.people.tables import Player, PlayerRole, Webhook, WebhookDelivery
from app.play.agreed import results
from app.post.webhooks.payloads import DueDelivery, written
from tests.support.people import BOTH, Browser, Enter, make_table
from tests.support.tables import load, say, start, write

JSON = {"Accept": "application/json"}


def hide(database: Database, game_id: int) -> int:
    write(database, sa.update(Game).where(Game.id == game_id).values(is_private=True))
    return game_id


def addresses(app: Flask, game: int) -> list[str]:
    """Return all pages about a game."""
    values: dict[str, Any] = {"game_id": game, "entry": 1, "turn": 1, "branch_id": 1, "kind": "svg"}
    rules = [rule for rule in app.url_map.iter_rules() if "game_id" in rule.arguments and "GET" in (rule.methods or ())]
    urls = app.url_map.bind("post.example.org")
    return [urls.build(rule.endpoint, {name: values[name] for name in rule.arguments}) for rule in rules]


@BOTH
def test_every_address_of_a_private_game_is_closed_to_others(
    app: Flask, server: Server, enter: Enter, stranger: Browser
) -> None:
    game = hide(server.database, start(server.database, "acres", now=datetime.now(UTC)))
    shown = start(server.database, "acres", seats=2, now=datetime.now(UTC))
    say(server.database, game, "pass", datetime.now(UTC))
    bob, carol = enter("bob"), enter("carol")
    everywhere = addresses(app, game)
    assert len(everywhere) >= 10
    for path in everywhere:
        asked = stranger.client.get(path, headers=stranger.headers)
        assert (asked.status_code == 303 and "/sign-in" in asked.location) or path.endswith(".json"), path
        assert asked.json["error"]["code"] == "game.private" if path.endswith(".json") else True
        for answer in (carol.client.get(path, headers=carol.headers), app.test_client().get(path, headers=JSON)):
            assert answer.status_code == 403, path
            assert not re.search("alice|bob|Acres|acres", answer.text.replace(path, "")), path
        assert carol.client.post(path, headers=carol.headers).status_code in (400, 403, 405)
    assert "A private game" in bob.get(f"/games/{game}") and "A private game" not in bob.get(f"/games/{shown}")
    his = bob.client.get(f"/games/{game}/record.json")
    assert his.status_code == 200 and his.headers["Cache-Control"] == "no-store", "A8: only what all may see is kept"
    write(
        server.database,
        sa.update(Player).where(Player.address_key == "carol@example.org").values(role=PlayerRole.OPERATOR),
    )
    assert "A private game" in carol.get(f"/games/{game}"), "operators rule on it"


def test_no_list_names_it(server: Server, enter: Enter, stranger: Browser) -> None:
    game = hide(server.database, start(server.database, now=datetime.now(UTC)))
    alice = enter("alice")
    player = load(server.database, game).seats[0].player_id or 0
    pages = ("/", "/tables", "/archive", f"/players/{player}", f"/archive?player={player}")
    for ended in (False, True):
        if ended:
            results.resign(server.database, game, player, now=datetime.now(UTC))
        for path in pages:
            page = stranger.client.get(path, headers=stranger.headers).text
            assert f'/games/{game}"' not in page and "alice" not in re.sub("[a-z]+@example", "", page), path
        assert f"/games/{game}" in alice.get("/games")


def test_a_private_table_has_no_open_seats_and_its_rematch_is_private(
    server: Server, enter: Enter, stranger: Browser
) -> None:
    alice, bob = enter("alice"), enter("bob")
    seats = {"offer.red": "me", "private": "1"}
    alice.get("/games/new/ferry")
    alice.post("/games/new/ferry", 422, days="7", **seats, **{"offer.blue": "open"})
    assert "A private game has no open seats" in alice.page.text
    game = make_table(alice, **seats, **{"offer.blue": "link"})
    link = re.search(r"http://post\.example\.org(/join/[^\"<]+)", alice.get(f"/games/{game}"))
    assert link and "no open seats" in alice.post(f"/games/{game}/offer", 422, place="1", how="open")
    bob.get(f"/games/{game}", 403)
    bob.get(link[1])
    bob.post(link[1])
    assert not load(server.database, game).is_over and "A private game" in bob.get(f"/games/{game}")
    results.resign(server.database, game, load(server.database, game).seats[0].player_id or 0, now=datetime.now(UTC))
    bob.post(f"/games/{game}/rematch")
    new = int(bob.page.request.path.rpartition("/")[2])
    assert new != game and "alice" in bob.get(f"/games/{new}")
    assert stranger.client.get(f"/games/{new}").status_code == 303
    open_to_all = make_table(alice, **{"offer.red": "me", "offer.blue": "open"})
    assert f"/games/{open_to_all}" in stranger.client.get("/tables").text
    hide(server.database, open_to_all)
    assert f"/games/{open_to_all}" not in stranger.client.get("/tables").text, "even if one had come to be"


@pytest.mark.parametrize("kind", ["discord", "slack", "json"])
def test_a_channel_is_told_neither_names_nor_the_title(server: Server, kind: str) -> None:
    game = hide(server.database, start(server.database))
    now = datetime.now(UTC)
    about = {"event": "turn", "seat": "red"}
    call = WebhookDelivery(id=1, webhook_id=1, call_key="k", game_id=game, number=1, payload=about, made_at=now)
    hook = Webhook(id=1, kind=kind, url="http://e.org", secret="s", is_on=True)
    owed = DueDelivery(call, hook, Player(language="en", zone="UTC"))
    with server.database.read() as session:
        found = written(session, "http://post.example.org", owed, now)
    assert found is not None
    said = json.loads(found[0])
    if kind == "json":  # the player's own program
        assert said["opponents"] == ["bob"]
    else:
        assert "private game" in str(said) and "bob" not in str(said) and "Ferry" not in str(said)
