"""What Acres shows in its own way; escaping is checked wherever strings are joined."""

from __future__ import annotations

import pytest
from flask import Flask
from markupsafe import Markup

from app.base.links import Links
from app.base.words.i18n import LANGUAGES
from app.base.words.speech import Voice
from app.play.pages.turn.log import _items
from app.play.pages.turn.page import Impossible
from app.titles.acres.pages.parts import AcresParts
from app.web.reader import templates
from app.web.wording import PageVoice
from engine.acres.data import PLACES
from engine.acres.title import ACRES
from engine.kernel.title import Choice
from tests.support.acres import acres
from tests.support.tables import KEYS


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_action_is_said_in_words(lang: str) -> None:
    state = acres(british_hand=["boston", "new-haven", "norfolk", "philadelphia", "militia"])
    parts, view = AcresParts(ACRES, lang), ACRES.view(state, "british")
    actions = [item for item in ACRES.legal(state) if not isinstance(item, Choice)]
    assert len(actions) > 10
    for action in actions:
        said = parts.option(ACRES.action_to_json(action), ACRES.write(state, action), view, "british")
        assert said and "<code>" not in said and "%(" not in said


def test_what_is_not_of_the_title_is_escaped(app: Flask) -> None:
    parts, view = AcresParts(ACRES, "en"), ACRES.view(acres(), "british")
    with app.app_context():
        template = templates("en").get_template("play/turn/impossible.html")
        impossible = [Impossible(["<kind>"], "A <reason> & more", "R<1>")]
        said = template.render(parts=parts, impossible=impossible, voice=Voice("en", "UTC", ACRES))
    shown = parts.option({"is": "Unknown"}, 'end "<now>"', view, "british")
    assert isinstance(shown, Markup)
    assert "&lt;kind&gt;" in said and "A &lt;reason&gt; &amp; more" in said and "R&lt;1&gt;" in said
    assert "<now>" not in shown and "&lt;now&gt;" in shown


@pytest.mark.parametrize("lang", LANGUAGES)
def test_names_of_places_in_the_log_light_them_on_the_map(lang: str) -> None:
    parts, name = AcresParts(ACRES, lang), Voice(lang, "UTC", ACRES).name
    for place in PLACES:
        said = f"<b>{name('place', place)}</b>, {name('place', place)}."
        linked = f'<a href="#at-{place}">{name("place", place)}</a>'
        assert parts.linked(said, {"british": "ann"}) == f"<b>{linked}</b>, {linked}."
    taken = name("place", "halifax")
    assert parts.linked(f"{taken}, {taken}burg", {"british": taken}) == f"{taken}, {taken}burg"


def test_sentences_of_the_log_are_escaped_each_in_an_item_of_its_own() -> None:
    assert _items([]) == ""
    assert _items(["<b> & c", "d"], ' class="new"', "!") == (
        '<li class="new">&lt;b&gt; &amp; c!</li>\n<li class="new">d!</li>\n'
    )


def test_names_are_ready_for_a_page_and_values_fill_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    words = PageVoice("acres", "en")
    monkeypatch.setattr(Voice, "name", lambda self, kind, key: f"<{key}>")
    assert words.name("card", "boston") == "&lt;boston&gt;"
    assert words.gettext("money %(n)s", n=3) == "money 3"
    assert words.ngettext("%(num)s way", "%(num)s ways", 2) == "2 ways"


def test_a_listing_can_be_changed_without_changing_the_next_one() -> None:
    state = acres(british_hand=["boston", "new-haven", "norfolk", "philadelphia", "militia"])
    first = ACRES.legal(state)
    kept = list(first)
    first.clear()
    assert ACRES.legal(state) == kept
    reasons = [name for name, _ in ACRES.impossible(state)]
    other = acres(british_hand=["militia"])
    assert [name for name, _ in ACRES.impossible(other)] != reasons
    assert [name for name, _ in ACRES.impossible(state)] == reasons


def test_links_are_read_whether_they_are_short_or_long() -> None:
    links = Links("http://localhost", KEYS[:1])
    for length in (1, 40, 200, 260):
        payload = ["x" * length, 7, None]
        assert links.read("form", links.sign("form", payload)) == payload
