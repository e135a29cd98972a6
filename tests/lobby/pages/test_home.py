"""The first page, and a newcomer who plays both sides through the mailbox."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask

from app.base.config import load
from app.base.house import House
from app.factory import create_app
from tests.support.people import Browser, PostOffice, everything
from tests.support.tables import KEYS


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


def test_a_wrong_start_comes_back_filled(local: Browser, house: House) -> None:
    local.get("/")
    before = everything(house)
    page = local.post("/start", 422, title="acres", address=["alice@example.org", "bob@example.org", "c@example.org"])
    assert "for 2 to 2 players" in page and "c@example.org" in page
    local.post("/start", 422, title="acres", address=["alice@example.org", "ALICE@example.org"])
    local.post("/start", 422, title="acres", address=["alice@example.org", "bob"])
    local.post("/start", 422, title="chess", address=["alice@example.org", "bob@example.org"])
    assert everything(house) == before


def test_elsewhere_nobody_starts_a_game_without_signing_in(app: Flask, stranger: Browser, tmp_path: Path) -> None:
    stranger.headers["Host"] = "post.example.org"
    page = stranger.get("/")
    assert "/start" not in page and "Mail me the link" in page and "Start a game" in page
    stranger.post("/start", 404, title="acres", address=["alice@example.org", "bob@example.org"])
    stranger.get("/start/1", 404)
    with_host = create_app(
        load({"POSTROAD_SECRET_KEY": KEYS[0], "POSTROAD_SMTP_URL": "smtp://mail.example.org"}, tmp_path)
    )
    browser = Browser(with_host)
    browser.client.environ_base["SERVER_NAME"] = "127.0.0.1"
    browser.headers["Host"] = "localhost"
    assert "/start" not in browser.get("/")


@pytest.mark.parametrize("language", ["en", "fr", "es", "it"])
def test_the_first_page_speaks_the_browser_s_language(language: str, app: Flask) -> None:
    page = Browser(app, language).get("/")
    assert f'<html lang="{language}">' in page
    assert ("A mail tells you" in page) == (language == "en")
