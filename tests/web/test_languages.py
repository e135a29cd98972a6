"""The language of a page: chosen at its foot, or that of the person whose link was opened."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from flask import Flask

from app.base.server import Server
from app.base.words.i18n import LANGUAGES
from app.people.tables import Player
from tests.support.people import PostOffice, sign_in
from tests.support.tables import link_to, load, say, start

ENGLISH = {"Accept-Language": "en-GB"}


def lang_of(page: str) -> str:
    found = re.search(r'<html lang="(\w+)"', page)
    assert found
    return found[1]


def test_every_page_can_be_had_in_another_language_also_signed_out(app: Flask) -> None:
    client = app.test_client()
    for path in ("/", "/rules/acres?lang=es", "/archive?page=2", "/nothing/here", "/sign-in"):
        page = client.get(path, headers=ENGLISH).text
        assert re.findall(r'<button name="to" value="(\w+)"', page) == list(LANGUAGES), path
        back = re.search(r'name="back" value="([^"]*)"', page)
        assert back and back[1] == path.partition("?lang")[0]
    answer = client.get("/language?to=it&back=/archive", headers=ENGLISH)
    assert (answer.status_code, answer.location) == (303, "/archive")
    assert lang_of(client.get("/archive", headers=ENGLISH).text) == "it"
    assert lang_of(client.get("/rules/acres?lang=fr", headers=ENGLISH).text) == "fr", "the address counts more"
    assert client.get("/language?to=xx").status_code == 404
    assert client.get("/language?to=fr&back=//elsewhere.example").location == "/"


def test_an_address_that_leads_nowhere_shows_ways_that_do(app: Flask) -> None:
    answer = app.test_client().get("/nothing/here", headers={"Accept-Language": "fr"})
    assert answer.status_code == 404 and lang_of(answer.text) == "fr"
    for way in ("/sign-in", "/tables", "/rules", "/archive", "/"):
        assert f'href="{way}"' in answer.text
        assert app.test_client().get(way).status_code == 200, way


def test_the_account_counts_until_another_language_is_chosen_in_this_browser(app: Flask, post: PostOffice) -> None:
    alice = sign_in(app, post, "alice@example.org", "en")
    alice.get("/account")
    alice.post("/account", name="Alice", language="fr", zone="Europe/Paris", turns="on")
    assert lang_of(alice.get("/archive")) == "fr"
    alice.client.get("/language?to=es&back=/")
    assert lang_of(alice.get("/archive")) == "es"
    alice.get("/account")
    alice.post("/account", name="Alice", language="it", zone="Europe/Paris", turns="on")
    assert lang_of(alice.get("/archive")) == "it", "saving the account makes it count again"


@pytest.mark.parametrize("language", ["es"])
def test_whoever_comes_by_a_link_reads_on_in_its_language(app: Flask, server: Server, language: str) -> None:
    """A link that ended, the mails that it stops, and all that follows; but an own choice counts more."""
    game_id = start(server.database, "ferry", language=language, now=datetime.now(UTC))
    game = load(server.database, game_id)
    token = server.links.turn_token(link_to(game))
    say(server.database, game_id, game.title.write(game.state, game.title.legal(game.state)[0]), now=datetime.now(UTC))
    with server.database.read() as session:
        player = session.get_one(Player, game.seated(game.decides or "").player_id)
    stop = server.links.unsubscribe(player.id, "news").removeprefix(server.links.base_url)
    client = app.test_client()
    for path in (f"/t/{token}", stop, "/archive"):
        assert lang_of(client.get(path, headers=ENGLISH, follow_redirects=True).text) == language, path
    stopped = client.post(stop, headers=ENGLISH).text
    assert lang_of(stopped) == language
    client.get("/language?to=fr&back=/")
    for path in (f"/t/{token}", stop, "/archive"):
        assert lang_of(client.get(path, headers=ENGLISH, follow_redirects=True).text) == "fr", path
