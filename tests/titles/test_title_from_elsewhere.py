"""A title from an external package (Ferry, `tests/ferry`): found, translated, mailed, played, proven."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import urllib.request
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from postroad_ferry.engine.mind import LEVELS

from app.base.stored.database import Database
from app.base.words import catalogues, i18n
from app.base.words.i18n import LANGUAGES, catalogue
from app.base.words.speech import Voice
from app.people.tables import Player
from app.titles import boards, registry, style
from app.titles.pages import pages_of
from app.titles.parts import PlainParts
from app.titles.registry import TITLES, Registry
from engine.kernel import records
from engine.kernel.random_play import RandomChance
from tests.support.ferry import FERRY, INSTALLED, SOURCE
from tests.support.running import ROOT, Install, get, post
from tests.support.sink import Sink, link_in, text_of
from tests.support.tables import address

SEATS = dict(zip(FERRY.seats, ("alice", "bob", "carol", "dora"), strict=True))


# -- the registry -----------------------------------------------------------------------------------------


def test_a_title_is_found_by_its_entry_point() -> None:
    assert list(TITLES) == ["acres", "ferry", "new-world"] and TITLES["ferry"] is FERRY
    assert str(INSTALLED) in str(pages_of("ferry").folder)
    assert all(title.id == name for name, title in TITLES.items())


def found(monkeypatch: pytest.MonkeyPatch, *values: str) -> Registry[Any]:
    """Return a registry in which packages provide these under the name `ferry`."""
    points = [EntryPoint("ferry", value, "postroad.titles") for value in values]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    return Registry("postroad.titles")


def test_two_packages_cannot_bring_the_same_title(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = found(monkeypatch, "postroad_ferry.engine.title:FERRY", "other:FERRY")
    with pytest.raises(RuntimeError, match=r"two packages bring ferry for postroad\.titles: .*, other:FERRY"):
        list(twice)
    assert found(monkeypatch, *["postroad_ferry.engine.title:FERRY"] * 2)["ferry"] is FERRY


def test_without_any_title_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="not installed"):
        len(found(monkeypatch))


def test_a_title_without_pages_is_shown_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.titles.pages.PAGES", {})
    plain = pages_of("ferry").parts(FERRY, "fr")
    assert type(plain) is PlainParts and plain.kind_name("keep") == "Keep" and plain.mine({}, "red") == ""
    assert boards.board_svg("chess", {}, Voice()) == "" and style.sheet_of("chess").startswith("/* The boards of all")


def test_its_board_is_drawn_with_classes_only() -> None:
    """What authors copy from: classes in the drawing, colours in a sheet beside it."""
    state = FERRY.apply(None, FERRY.open(3, FERRY.seats[:3], RandomChance(random.Random(1)))[0])
    view = FERRY.view(state, "red")
    drawn = boards.board_svg("ferry", view, Voice("fr", title=FERRY))
    assert drawn.count('class="card down"') == 9 and "style=" not in drawn and "<title>" in drawn
    assert boards.board_svg("ferry", FERRY.view(state, None), Voice("fr", title=FERRY)) == drawn, "hands lie face down"
    assert "svg.ferry .card" in style.sheet_of("ferry")


# -- words ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_its_words_come_from_its_own_catalogue(language: str) -> None:
    folder = SOURCE / "postroad_ferry" / "translations"
    found = catalogues.extract(SOURCE, ("postroad_ferry",))
    brought = i18n.read_catalogue(language, folder)
    assert catalogues.untranslated(brought) == []
    assert catalogues.written(catalogues.merged(language, found, folder)) == i18n.po_path(language, folder).read_bytes()
    ours = {message.id for message in i18n.read_catalogue(language) if message.id}
    assert TITLES["ferry"] and ours.isdisjoint(message.id for message in brought if message.id)
    for message in brought:
        if isinstance(message.id, str) and message.id:
            assert catalogue(language).gettext(message.id) == message.string != message.id
    for level in LEVELS:  # T8: what the computer is called, and how it plays
        assert catalogue(language).gettext(level.label) != level.label
        assert catalogue(language).gettext(level.says) != level.says
    assert catalogue(language).ngettext("%(num)s card in hand", "%(num)s cards in hand", 2).startswith("%(num)s cart")


# -- a whole game -----------------------------------------------------------------------------------------


def page_of(link: str) -> str:
    """Return a page as a browser gets it."""
    request = urllib.request.Request(link, headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.read().decode())


def record_of(install: Install, game: str) -> bytes:
    """Return the record of a game as anybody can load it."""
    with urllib.request.urlopen(f"{install.base_url}/games/{game}/record.json", timeout=60) as answer:
        return bytes(answer.read())


def speak(install: Install, languages: dict[str, str]) -> None:
    """Set the languages of players."""
    database = Database(install.environ["POSTROAD_DATABASE_URL"])
    with database.write() as connection:
        for who, language in languages.items():
            of_player = sa.update(Player).where(Player.address == address(who))
            connection.execute(of_player.values(language=language))
        connection.commit()
    database.close()


def test_it_is_played_by_mail_in_four_languages_to_its_proven_end(tmp_path: Path, sqlite_url: str) -> None:
    chooser = random.Random(7)
    with Sink() as sink:
        install = Install(tmp_path, SMTP_URL=sink.url, DATABASE_URL=sqlite_url)
        install.environ["PYTHONPATH"] += os.pathsep + str(INSTALLED)
        with install.serving():
            seats = [part for seat, who in SEATS.items() for part in ("--seat", f"{seat}={address(who)}")]
            game = install.command("game", "new", "ferry", "--option", "turns=2", *seats)
            speak(install, dict(zip(SEATS.values(), LANGUAGES, strict=True)))
            pages: dict[str, str] = {}
            read = 0
            while not json.loads(record_of(install, game)).get("result"):
                mail = sink.wait(read + 1)[read]
                read += 1
                link: str | None = link_in(mail)
                while link and (asked := get(link))["status"] == 200:
                    pages.setdefault(asked["seat"], page_of(link))
                    answered = post(link, chooser.choice(asked["legal"]), asked["decision"])
                    assert answered["status"] == 200, answered
                    link = answered["next"]
            rules, sheet, replay, record = (
                page_of(f"{install.base_url}/{path}")
                for path in (
                    "rules/ferry",
                    "static/boards/ferry.css",
                    f"games/{game}/replay",
                    f"games/{game}/record.json",
                )
            )
            told = "".join(map(text_of, sink.wait(1, address("bob"))))
    for (seat, page), language in zip(
        sorted(pages.items(), key=lambda one: FERRY.seats.index(one[0])), LANGUAGES, strict=True
    ):
        assert f">{catalogue(language).gettext('The cards you hold')}</h2>" in page, seat
    assert "an oak blocks a robber" in rules and ".board" in sheet and "red" in replay.lower()
    assert " a gardé " in told or " a défaussé " in told or " a pioché " in told
    file = tmp_path / "game.json"
    file.write_text(record, encoding="utf-8")
    root = re.findall(r"\b[0-9a-f]{64}\b", told)[0]  # as it was mailed
    install.command("record", "verify", str(file))
    install.command("record", "prove", "--root", root, str(file))
    program = [sys.executable, str(ROOT / "app" / "static" / "prove.py"), str(file), root]
    said = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    assert f" outcomes of seed 1 of {root}; end " in said
    assert records.verify(records.load(record, TITLES)).turns == 8
