"""The first page, and a newcomer who plays both sides through the mailbox."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from sqlmodel import select

from app.base.process.config import load as load_config
from app.base.server import Server
from app.people.tables import Player
from app.server.factory import create_app
from tests.support.people import Browser, PostOffice, everything
from tests.support.tables import KEYS, link_to, load, say, start


@pytest.fixture
def local(app: Flask) -> Browser:
    """A browser on the server's own machine."""
    browser = Browser(app)
    browser.client.environ_base["SERVER_NAME"] = "127.0.0.1"
    browser.headers["Host"] = "localhost:8000"
    return browser


@pytest.mark.quick
@pytest.mark.parametrize("title", ["acres", "new-world"])
def test_a_newcomer_plays_both_sides_through_the_mailbox(title: str, local: Browser, post: PostOffice) -> None:
    assert "Start a game at once" in local.get("/")
    addresses = ["alice@example.org", "bob@example.org", "", "", ""]
    page = local.post("/start", title=title, address=addresses)
    assert "The game has begun" in page and "alice@example.org" in page
    movers = []
    for _ in range(3):
        post.all()
        newest = re.search(r'href="(/mailbox/\d+)"', local.get("/mailbox"))
        assert newest
        mail = local.get(newest[1])
        link = re.search(r'href="http://[^"/]+(/t/[^"]+)"', mail)
        assert link
        movers.append("alice" if "alice@example.org" in mail else "bob")
        for _ in range(9):
            asked = local.client.get(link[1], headers={"Accept": "application/json"}).json
            said = {"orders": asked["legal"][0], "decision": asked["decision"]}
            answer = local.client.post(link[1], json=said, headers={"Accept": "application/json"}).json
            if not answer["next"]:
                break
            link = re.search(r"()(/t/\S+)", answer["next"])
            assert link
            link = re.match(r"(.*)", link[2])
            assert link
    assert set(movers) == {"alice", "bob"}


def test_a_wrong_start_comes_back_filled(local: Browser, server: Server) -> None:
    local.get("/")
    before = everything(server)
    page = local.post("/start", 422, title="acres", address=["alice@example.org", "bob@example.org", "c@example.org"])
    assert "for 2 to 2 players" in page and "c@example.org" in page
    local.post("/start", 422, title="acres", address=["alice@example.org", "ALICE@example.org"])
    local.post("/start", 422, title="acres", address=["alice@example.org", "bob"])
    local.post("/start", 422, title="chess", address=["alice@example.org", "bob@example.org"])
    assert everything(server) == before


def test_elsewhere_nobody_starts_a_game_without_signing_in(
    app: Flask, stranger: Browser, sqlite_url: str, tmp_path: Path
) -> None:
    stranger.headers["Host"] = "post.example.org"
    page = stranger.get("/")
    assert "/start" not in page and "Mail me a link and play" in page and "Start a game" in page
    stranger.post("/start", 404, title="acres", address=["alice@example.org", "bob@example.org"])
    stranger.get("/start/1", 404)
    environ = {"POSTROAD_SECRET_KEY": KEYS[0], "POSTROAD_SMTP_URL": "smtp://mail.example.org"}
    with_host = create_app(load_config(environ | {"POSTROAD_DATABASE_URL": sqlite_url}, tmp_path))
    browser = Browser(with_host)
    browser.client.environ_base["SERVER_NAME"] = "127.0.0.1"
    browser.headers["Host"] = "localhost"
    assert "/start" not in browser.get("/")


@pytest.mark.parametrize("language", ["en", "fr", "es", "it"])
def test_the_first_page_speaks_the_browser_s_language(language: str, app: Flask) -> None:
    page = Browser(app, language).get("/")
    assert f'<html lang="{language}">' in page
    assert ("A mail tells you" in page) == (language == "en")


def test_the_first_page_shows_a_board_in_play_the_games_and_what_to_do(app: Flask, server: Server) -> None:
    """A game to watch with its players, both titles with their rules, seats that are free; the first
    action before all of it"""
    page = Browser(app).get("/")
    assert page.index("after six turns") < page.index("How it goes") < page.index("No public game is being played")
    game_id = start(server.database, "new-world", now=datetime.now(UTC))
    assert Browser(app).get("/").index("How it goes") < Browser(app).get("/").index(f'href="/games/{game_id}"'), "empty"
    for _ in range(2):
        game = load(server.database, game_id)
        line = game.title.write(game.state, game.title.legal(game.state)[0])
        say(server.database, game_id, line, now=datetime.now(UTC))
    page = Browser(app).get("/")
    assert page.index('<form method="post"') < page.index(f'href="/games/{game_id}"') < page.index("How it goes")
    for title in ("acres", "new-world"):
        assert f'href="/rules/{title}?lang=en"' in page and f'href="/games/new/{title}"' in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids)), "several boards on one page do not disturb each other"


def test_the_zone_of_the_browser_is_told_once_and_offered_where_it_is_another(app: Flask, server: Server) -> None:
    """By the turn link of a player who never signs in; no page changes anything before its script or reader does."""
    game_id = start(server.database, "acres", now=datetime.now(UTC))
    link = server.links.turn_token(link_to(load(server.database, game_id)))
    browser = Browser(app)
    page = browser.get(f"/t/{link}")
    address = re.search(r'action="(/zone/[^"]+)" id="zone-asked" class="no-mails" hidden', page)
    assert address and "UTC" in page
    before = everything(server)
    browser.client.get(address[1])
    by_itself = browser.client.post(address[1], data={"zone": "Mars/Olympus", "guessed": "yes"})
    assert (by_itself.status_code, by_itself.data) == (204, b"")
    assert everything(server) == before
    before = everything(server, but_seen=True)
    for unknown in ("Mars/Olympus", "localtime", "right/UTC", ""):
        refused = browser.client.post(address[1], data={"zone": unknown, "then": f"/t/{link}"})
        assert refused.status_code == 422 and "is not a time zone" in refused.text
        assert f'href="/t/{link}"' in refused.text, "the way back"
    assert everything(server, but_seen=True) == before, "a refused form is a sign of life, and nothing else"

    def tell(zone: str, **also: str) -> list[tuple[str, bool | None]]:
        answer = browser.client.post(address[1], data={"zone": zone, "then": f"/t/{link}", **also})
        assert (answer.status_code, answer.location) == (303, f"/t/{link}")
        with server.database.read() as session:
            return [one for one in session.exec(select(Player.zone, Player.zone_chosen)).all() if one[1] is not None]

    assert tell("Asia/Calcutta", guessed="yes") == [("Asia/Kolkata", False)]
    assert 'data-guessed="Asia/Kolkata"' in browser.get(f"/t/{link}") and "(IST)" in browser.get(f"/t/{link}")
    assert tell("Europe/Paris", guessed="yes") == [("Asia/Kolkata", False)], "once"
    assert tell("America/Bogota") == [("America/Bogota", True)]
    assert 'id="zone-asked"' not in browser.get(f"/t/{link}")
    assert browser.client.post("/zone/invented", data={"zone": "Europe/Paris"}).status_code == 404


def test_the_confirming_page_of_a_sign_in_speaks_the_language_of_its_link(
    app: Flask, stranger: Browser, post: PostOffice
) -> None:
    italian = Browser(app, "it")
    italian.get("/sign-in")
    italian.post("/sign-in", address="dario@example.org", then="/games")
    assert '<html lang="it">' in stranger.get(post.link("dario@example.org", "sign-in"))
