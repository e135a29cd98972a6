"""The words of the turn page: all of them in every language, for every kind of action of each title."""

from __future__ import annotations

import html
import random
import re
from datetime import UTC, datetime

import pytest
from flask import Flask, g

from app.base.words import i18n
from app.base.words.speech import Voice
from app.titles.pages import parts_of
from engine.acres.rules import KINDS
from engine.acres.title import ACRES
from tests.support.acres import acres
from tests.support.tables import random_line, say
from tests.support.turn_driver import besieged, drafted, turn_at


@pytest.mark.parametrize("language", ["fr", "es", "it"])
def test_a_turn_in_another_language_has_no_english_left(app: Flask, language: str) -> None:
    snow = turn_at(app, "acres")
    snow.place(acres(british_hand=["boston", "new-haven", "norfolk", "philadelphia", "militia"]))
    catalogue = i18n.read_catalogue(language)
    english = [
        message.id
        for message in catalogue
        if isinstance(message.id, str) and len(message.id) > 14 and message.string not in ("", message.id)
        if not re.search(r"[{%]", message.id)
    ]
    assert len(english) > 100
    snow.speaks(language)
    first = snow.page()
    refused = snow.send("send", orders="money bostn").text
    snow.send("add:money boston")
    drafting = snow.page()
    done = snow.send("send", orders="pass").text
    answers = snow.page()
    snow.place(besieged())
    for page in (first, refused, drafting, done, answers, snow.page()):
        assert f'<html lang="{language}">' in page
        text = html.unescape(page)
        assert [said for said in english if said in text] == []
    assert Voice(language).gettext("Seal and send") in html.unescape(first)


def test_everything_that_can_be_done_in_acres_is_said_in_words(app: Flask) -> None:
    """A random game; no option falls back to its line, no name is left out, in any language."""
    desk = turn_at(app, "acres")
    chooser = random.Random(11)
    for n in range(120):
        if desk.game.is_over:
            break
        if n % 4 == 0:
            desk.speaks(i18n.LANGUAGES[n // 4 % 4])
            page = desk.page()
            assert not re.search(r'type="radio" name="pick[^>]*> <span><code>', page)
            assert "None</b>" not in page and "undefined" not in page.lower()
        say(desk.server.database, desk.game_id, random_line(desk.game, chooser), now=datetime.now(UTC))


def test_new_world_can_be_played_on_the_page_too(app: Flask) -> None:
    desk = turn_at(app, "new-world", seats=3)
    for _ in range(4):
        number, line = (
            desk.game.number,
            desk.game.title.write(desk.game.state, desk.game.title.legal(desk.game.state)[0]),
        )
        desk.send("add", orders=line)
        assert drafted(desk.page()) == [line]
        assert desk.send("send").status_code == 200 and desk.game.number > number


def test_every_kind_of_action_of_acres_has_a_name_and_a_rule(app: Flask) -> None:
    with app.test_request_context():
        g.voice = Voice("en", "UTC", ACRES)
        parts = parts_of("acres")
        for kind in KINDS:
            assert parts.kind_name(kind.name).strip() != kind.name
            assert re.search(r"R\d", parts.kind_rule(kind.name))
