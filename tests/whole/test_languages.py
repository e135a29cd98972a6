"""One full turn and more, by mail and by page, in each language: what is read has no English left in it.

Everything a reader sees is compared with the catalogue and with the printed names: text, labels, titles, both parts of
every mail. Orders are the same words in all languages; they stand in `code` and in fields.
"""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app.base import i18n
from app.base.house import House
from app.base.speech import Voice
from app.play import results
from app.titles.registry import TITLES
from tests.play.test_turns import random_line
from tests.support.forms import Page
from tests.support.people import PostOffice, text_of
from tests.support.tables import CAST, address, link_to, load, say, start

ROOT = Path(__file__).resolve().parents[2]
NAMES = {title: ROOT / "engine" / title.replace("-", "_") / "data" / "names.csv" for title in ("acres", "new-world")}
SEATS = {"acres": 2, "new-world": 3}
FOREIGN = ("fr", "es", "it")
UNSEEN = {"code", "textarea", "style", "script", "option"}
SAID_ASIDE = ("aria-label", "title", "alt", "placeholder")
LONG = 14
"""A sentence of so many letters is looked for inside others; a shorter one must be all that is said."""


class Seen(HTMLParser):
    """What can be read or heard of a page, piece by piece, and its language."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.language = ""
        self._within: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "html":
            self.language = given.get("lang") or ""
        self.pieces += [plain(given[name] or "") for name in SAID_ASIDE if given.get(name)]
        if tag in UNSEEN:
            self._within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._within:
            self._within.remove(tag)

    def handle_data(self, data: str) -> None:
        if not self._within and data.strip():
            self.pieces.append(plain(data))


def plain(text: str) -> str:
    return " ".join(text.split())


@cache
def sentences(language: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """English that is said otherwise in this language: whole sentences and labels, and long pieces of them."""
    whole, parts = set(), set()
    translations = []
    for message in i18n.read_catalogue(language):
        if not message.id:
            continue
        english = (message.id,) if isinstance(message.id, str) else tuple(message.id)
        said = (message.string,) if isinstance(message.string, str) else tuple(message.string)
        translations += [plain(one) for one in said]
        for one in english:
            for piece in re.split(r"\{\w+\}|%\(\w+\)s|%%", one):
                piece = plain(piece)
                if not any(piece.lower() in plain(other).lower() for other in said):
                    whole |= {piece} if piece == plain(one) and len(piece) > 2 else set()  # cells have letters too
                    parts |= {piece} if len(piece) >= LONG else set()
    everything = "\n".join(translations)
    return (
        frozenset(whole - set(translations)),
        tuple(sorted(part for part in parts if part not in everything)),
    )


@cache
def names(title: str, language: str) -> re.Pattern[str]:
    """The English names that are printed otherwise in this language."""
    with NAMES[title].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    printed = "\n".join(row[language] or row["en"] for row in rows)
    english = {row["en"] for row in rows if row[language] and row["en"] not in printed and row["en"][0].isupper()}
    assert len(english) > 5
    return re.compile(r"\b(" + "|".join(sorted(map(re.escape, english), key=len, reverse=True)) + r")\b")


def english_in(pieces: Iterable[str], title: str, language: str) -> set[str]:
    whole, parts = sentences(language)
    found = set()
    for piece in pieces:
        found |= {piece} & whole
        found |= {f"{part} … in: {piece}" for part in parts if part in piece}
        found |= {f"{name} … in: {piece}" for name in names(title, language).findall(piece)}
    return found


def pieces_of_mail(mail: Any, language: str) -> list[str]:
    """Subject, text and HTML."""
    html = Seen(mail.get_body(("html",)).get_content())
    assert html.language == language
    text = "\n".join(line for line in text_of(mail).splitlines() if not line.startswith("http"))
    paragraphs = [plain(paragraph) for paragraph in re.split(r"\n\s*\n", text)]
    lines = [plain(line) for line in text.splitlines() if line.strip()]
    return [plain(mail["Subject"]), *paragraphs, *lines, *html.pieces]


def pieces_of_page(answer: Any, language: str, status: int = 200) -> list[str]:
    assert answer.status_code == status, answer.text
    seen = Seen(answer.text)
    assert seen.language == language
    return seen.pieces


@pytest.fixture(autouse=True)
def same_chance_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.play.starting.new_seed", lambda: "05" * 32)


class Reader:
    """Reads all that a turn brings."""

    def __init__(self, place: Flask, post: PostOffice, title: str, language: str) -> None:
        self.house: House = place.extensions["postroad"]
        self.client = place.test_client()
        self.post, self.title, self.language = post, title, language
        self.headers = {"Accept-Language": language}
        seats = SEATS[title]
        self.game_id = start(self.house.database, title, seats=seats, language=language, now=datetime.now(UTC))
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
        game = load(self.house.database, self.game_id)
        return f"/t/{self.house.links.turn_token(link_to(game))}"

    def turn(self) -> None:
        """The mail, the page, a mistake, the draft, the seal, the link that has ended."""
        self.read_mails()
        path = self.path
        page = self.get(path)
        game = load(self.house.database, self.game_id)
        line = random_line(game, self.chooser)
        self.send(path, 422, orders="dance with atlantis", do="send")
        self.send(path, 409, orders=line, decision="77", do="send")
        self.send(path, 400, orders=line, csrf_token="", do="send")
        if "add" in page.form("orders").offers("do"):
            self.send(path, 200, orders=line, do="add")
            self.send(path, 200, do="send")
        else:
            self.send(path, 200, orders=line, do="send")
        if load(self.house.database, self.game_id).number > game.number:
            self.get(path)


@pytest.mark.parametrize("language", FOREIGN)
@pytest.mark.parametrize("title", SEATS)
def test_turns_by_mail_and_page_have_no_english_left(place: Flask, post: PostOffice, title: str, language: str) -> None:
    reader = Reader(place, post, title, language)
    for n in range(16):
        if load(reader.house.database, reader.game_id).is_over:
            break
        if n % 2:
            for _ in range(4):  # so that turns of many kinds are told of
                game = load(reader.house.database, reader.game_id)
                if not game.is_over:
                    say(reader.house.database, reader.game_id, random_line(game, reader.chooser), now=datetime.now(UTC))
        else:
            reader.turn()
    reader.get(f"/games/{reader.game_id}")
    reader.get(f"{reader.path[:-3]}xyz", 404)
    game = load(reader.house.database, reader.game_id)
    for seated in game.seats[1:]:  # and how it ends
        if not load(reader.house.database, reader.game_id).is_over:
            results.resign(reader.house.database, game.id, seated.player_id or 0, now=datetime.now(UTC))
    reader.read_mails()
    reader.get(f"/games/{reader.game_id}")
    assert load(reader.house.database, reader.game_id).is_over and len(reader.pieces) > 500
    assert sorted(english_in(reader.pieces, title, language))[:20] == []
    voice, said = Voice(language), " ".join(reader.pieces)
    assert voice.gettext("Seal and send") in said and plain(voice.gettext("Since your last turn")) in said


@pytest.mark.parametrize("title", SEATS)
def test_the_same_in_english_is_found(place: Flask, post: PostOffice, title: str) -> None:
    """The test above can see: the English pages are full of what it looks for."""
    reader = Reader(place, post, title, "en")
    reader.turn()
    for language in FOREIGN:
        found = english_in(reader.pieces, title, language)
        assert len(found) > 40
        assert any("Post Road: your turn" in one or "your turn in" in one for one in found)


@pytest.mark.parametrize("language", ["en", *FOREIGN])
def test_cards_and_places_have_their_printed_names(place: Flask, post: PostOffice, language: str) -> None:
    reader = Reader(place, post, "acres", language)
    reader.turn()
    voice, said = Voice(language, "UTC", TITLES["acres"]), " ".join(reader.pieces)
    for kind, key in (("place", "quebec"), ("place", "new-york"), ("seat", "british"), ("card", "regular-infantry")):
        assert voice.name(kind, key) in said, (kind, key)
    assert {address(who).partition("@")[0] for who in CAST[:2]} <= set(said.replace(",", " ").split())
