"""My data, erasing an account, block and mute: by browser and mail, as people do it."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from flask import Flask

from app.base.server import Server
from app.play.turn import chat_and_notes, starting
from tests.support.people import BASE, Browser, Enter, PostOffice, everything, text_of
from tests.support.tables import address, load, start


def me(server: Server, browser: Browser, game_id: int, seat: str) -> int:
    return load(server.database, game_id).seated(seat).player_id or 0


def test_the_file_comes_by_a_button_for_who_is_signed_in(server: Server, enter: Enter, stranger: Browser) -> None:
    game_id = start(server.database)
    alice = enter("alice")
    assert "Everything as one file" in alice.get("/account/data")
    token = alice.token
    response = alice.client.post("/account/data", data={"csrf_token": token}, headers=alice.headers)
    assert response.status_code == 200 and response.mimetype == "application/zip"
    assert "attachment" in response.headers["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(response.data)) as archive:
        assert archive.namelist() == ["my-data.json", f"games/{game_id}.json"]
    alice.token = "none"
    alice.post("/account/data", 400)
    stranger.get("/account/data", 303)
    stranger.post("/account/data", 303, follow=False)


def test_an_account_is_erased_by_the_mailed_link_and_a_tick(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    game_id = start(server.database)
    start(server.database, title="acres")
    alice, bob = enter("alice"), enter("bob")
    page = alice.get("/account/data")
    assert "2 running games are resigned." in page and f'href="/games/{game_id}"' in page
    assert "alice@example.org" in alice.post("/account/erase")
    link = post.link("alice@example.org", "erase")
    assert "does it when you confirm there" in " ".join(text_of(post.last("alice@example.org", "erase")).split())
    before = everything(server)
    for _ in range(5):
        assert "Erase the account of alice?" in stranger.get(link)
    assert "Tick that you want this" in stranger.post(link, 422)
    assert everything(server) == before
    assert "Your account is erased" in alice.post(link, sure="on")
    stranger.get(link, 410)
    stranger.post(link, 410, sure="on")
    alice.get("/account", 303)
    page = bob.get(f"/games/{game_id}")
    assert "a former player" in page and "alice" not in page
    assert "alice" not in bob.get("/games")
    again = enter("alice")
    assert "You have no games yet." in again.get("/games")


def test_a_link_that_erases_runs_out_and_serves_nothing_else(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = enter("alice")
    alice.get("/account/data")
    alice.post("/account/erase")
    link = post.link("alice@example.org", "erase")
    before = everything(server)
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=7), tick=False):
        assert "too old" in stranger.get(link, 410)
        stranger.post(link, 410, sure="on")
    stranger.get(link + "x", 410)
    stranger.get("/unsubscribe/" + link.rpartition("/")[2], 404)
    unsubscribing = server.links.unsubscribe(1, "turns").removeprefix(BASE).replace("/unsubscribe/", "/erase/")
    stranger.post(unsubscribing, 410, sure="on")
    assert everything(server) == before


@pytest.mark.quick
def test_people_are_blocked_and_muted_from_a_list(server: Server, enter: Enter) -> None:
    game_id = start(server.database)
    alice, bob = enter("alice"), enter("bob")
    bob_id = me(server, bob, game_id, "blue")
    chat_and_notes.say_as_player(server.database, game_id, bob_id, "what a fine day", now=datetime.now(UTC))
    assert "folded away" not in alice.get(f"/games/{game_id}")
    assert "bob" in alice.get("/account/people")
    page = alice.post("/account/people", player=bob_id, block="on", mute="on")
    assert "Saved." in page and page.count(" checked") == 2
    assert "folded away" in alice.get(f"/games/{game_id}")
    assert "folded away" not in bob.get(f"/games/{game_id}")
    bob.get("/games/new/ferry")
    page = bob.post("/games/new/ferry", days="3", offer__red="me", offer__blue="mail", address__blue=address("alice"))
    assert "alice is invited" in page and "block" not in page.lower()
    assert "you are invited" not in alice.get("/games")
    for wrong in ("", "0", "x", "99999999999", "1e3"):
        alice.get("/account/people")
        alice.post("/account/people", 422, player=wrong, block="on")


def test_a_muted_seat_is_folded_away_on_the_turn_page_at_once(server: Server, enter: Enter, post: PostOffice) -> None:
    """The cached page from before the mute is not shown again."""
    game_id = starting.new_game(
        server.database, "ferry", [("red", address("alice")), ("blue", address("bob"))], now=datetime.now(UTC)
    )
    game = load(server.database, game_id)
    seat, other = game.decides or "", "blue" if game.decides == "red" else "red"
    them = game.seated(other).player_id or 0
    chat_and_notes.say_as_player(server.database, game_id, them, "what a fine day", now=datetime.now(UTC))
    who = game.seated(seat).name
    reader = enter(who)
    link = post.link(address(who), "t")
    for _ in range(2):
        page = reader.get(link)
        assert "what a fine day" in page and "folded away" not in page
    reader.get("/account/people")
    reader.post("/account/people", player=game.seated(other).player_id, mute="on")
    assert "folded away" in reader.get(link)
    reader.get("/account/people")
    reader.post("/account/people", player=game.seated(other).player_id)
    assert "folded away" not in reader.get(link)


@pytest.mark.parametrize("language", ["en", "fr", "es", "it"])
def test_pages_and_the_mail_are_in_the_reader_s_language(language: str, app: Flask, enter: Enter) -> None:
    alice = enter("alice", language=language)
    page = alice.get("/account/data")
    assert f'<html lang="{language}">' in page
    assert ("Everything as one file" in page) == (language == "en")
    assert ("Block and mute" in alice.get("/account/people")) == (language == "en")
