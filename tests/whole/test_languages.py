"""One full turn and more, by mail and by page, in each language: no English is left.

Everything a reader sees is compared with the catalogue and with the printed names: text, labels, titles, both parts of
every mail. Orders are the same words in all languages; they appear in `code` and in fields.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask

from app.base.server import Server
from app.base.words.speech import Voice
from app.play.agreed import results
from app.titles.registry import TITLES
from tests.support.english import FOREIGN, english_in, pieces_of_mail, pieces_of_page, plain
from tests.support.forms import Page
from tests.support.often import often
from tests.support.people import PostOffice
from tests.support.seeds import fix_seed
from tests.support.tables import CAST, address, link_to, load, random_line, say, start

SEATS = {"acres": 2, "new-world": 3}


@pytest.fixture(autouse=True)
def same_chance_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    fix_seed(monkeypatch, "05" * 32)


class Reader:
    """Reads all that a turn brings."""

    def __init__(self, app: Flask, post: PostOffice, title: str, language: str) -> None:
        self.server: Server = app.extensions["postroad"]
        self.client = app.test_client()
        self.post, self.title, self.language = post, title, language
        self.headers = {"Accept-Language": language}
        seats = SEATS[title]
        self.game_id = start(self.server.database, title, seats=seats, language=language, now=datetime.now(UTC))
        self.chooser = random.Random(17)
        self.pieces: list[str] = []
        self.mails_read = 0

    def read(self, answer: Any, status: int = 200) -> Page:
        self.pieces += pieces_of_page(answer, self.language, status)
        return Page(answer.text)

    def read_mails(self) -> None:
        mails = self.post.all()
        for mail in mails[self.mails_read :]:
            self.pieces += pieces_of_mail(mail, self.language)
        self.mails_read = len(mails)

    def get(self, path: str, status: int = 200) -> Page:
        return self.read(self.client.get(path, headers=self.headers), status)

    def send(self, path: str, status: int, **values: Any) -> Page:
        """Fill in the form of the page; what follows is read too."""
        form = Page(self.client.get(path).text).form("orders")
        sent: dict[str, list[str]] = {}
        for name, value in form.fill(**values):
            sent.setdefault(name, []).append(value)
        answer = self.client.post(path, data=sent, headers=self.headers)
        if answer.status_code == 303:
            assert status == 200
            return self.get(answer.headers["Location"].partition("#")[0])
        return self.read(answer, status)

    @property
    def path(self) -> str:
        game = load(self.server.database, self.game_id)
        return f"/t/{self.server.links.turn_token(link_to(game))}"

    def turn(self, mistakes: bool = True) -> None:
        """The mail, the page, mistakes, the draft, the seal, the link that has ended."""
        self.read_mails()
        path = self.path
        page = self.get(path)
        game = load(self.server.database, self.game_id)
        line = random_line(game, self.chooser)
        if mistakes:
            self.send(path, 422, orders="dance with atlantis", do="send")
            self.send(path, 409, orders=line, decision="77", do="send")
            self.send(path, 400, orders=line, csrf_token="", do="send")
        if "add" in page.form("orders").offers("do"):
            self.send(path, 200, orders=line, do="add")
            self.send(path, 200, do="send")
        else:
            self.send(path, 200, orders=line, do="send")
        if load(self.server.database, self.game_id).number > game.number:
            self.get(path)


@pytest.mark.parametrize("language", FOREIGN)
@pytest.mark.parametrize("title", SEATS)
def test_turns_by_mail_and_page_have_no_english_left(app: Flask, post: PostOffice, title: str, language: str) -> None:
    reader = Reader(app, post, title, language)
    for n in range(often(12)):
        if load(reader.server.database, reader.game_id).is_over:
            break
        if n % 2:
            for _ in range(4):  # so that turns of many kinds are reported
                game = load(reader.server.database, reader.game_id)
                if not game.is_over:
                    say(
                        reader.server.database, reader.game_id, random_line(game, reader.chooser), now=datetime.now(UTC)
                    )
        else:
            reader.turn(mistakes=not n)
    reader.get(f"/games/{reader.game_id}")
    reader.get(f"{reader.path[:-3]}xyz", 404)
    game = load(reader.server.database, reader.game_id)
    for seated in game.seats[1:]:  # and how it ends
        if not load(reader.server.database, reader.game_id).is_over:
            results.resign(reader.server.database, game.id, seated.player_id or 0, now=datetime.now(UTC))
    reader.read_mails()
    reader.get(f"/games/{reader.game_id}")
    assert load(reader.server.database, reader.game_id).is_over and len(reader.pieces) > 500
    assert sorted(english_in(reader.pieces, title, language))[:20] == []
    voice, said = Voice(language), " ".join(reader.pieces)
    assert voice.gettext("Seal and send") in said and plain(voice.gettext("Since your last turn")) in said


@pytest.mark.parametrize("title", SEATS)
def test_the_same_in_english_is_found(app: Flask, post: PostOffice, title: str) -> None:
    """The test above can see: the English pages are full of what it looks for."""
    reader = Reader(app, post, title, "en")
    reader.turn()
    for language in FOREIGN:
        found = english_in(reader.pieces, title, language)
        assert len(found) > 40
        assert any("Since your last turn" in one for one in found)


@pytest.mark.parametrize("language", ["en", *FOREIGN])
def test_cards_and_places_have_their_printed_names(app: Flask, post: PostOffice, language: str) -> None:
    reader = Reader(app, post, "acres", language)
    reader.turn()
    voice, said = Voice(language, "UTC", TITLES["acres"]), " ".join(reader.pieces)
    for kind, key in (("place", "quebec"), ("place", "new-york"), ("seat", "british"), ("card", "regular-infantry")):
        assert voice.name(kind, key) in said, (kind, key)
    assert {address(who).partition("@")[0] for who in CAST[:2]} <= set(said.replace(",", " ").split())
