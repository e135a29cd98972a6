"""What Acres shows in its own way; escaping is checked wherever strings are joined."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from markupsafe import Markup

from app.base.i18n import LANGUAGES
from app.base.links import Links
from app.base.speech import Voice
from app.play.pages.turn.form import FilledTurn
from app.play.pages.turn.kinds import Chooser, Impossible, Kind, ListedWay, kinds_of
from app.play.pages.turn.log import _items
from app.titles.acres.pages.parts import AcresParts
from app.titles.contract import Section
from app.web.reader import templates
from app.web.wording import PageVoice
from engine.acres.data import PLACES
from engine.acres.title import ACRES
from tests.support.acres import acres
from tests.support.tables import KEYS


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_action_is_said_in_words(lang: str) -> None:
    state = acres(british_hand=["boston", "new-haven", "norfolk", "philadelphia", "militia"])
    voice, parts, view = Voice(lang, "UTC", ACRES), AcresParts(ACRES, lang), ACRES.view(state, "british")
    kinds, _ = kinds_of(ACRES, state, "british", voice)
    assert sum(len(kind.options) for kind in kinds) > 10
    for kind in kinds:
        for one in kind.options:
            said = parts.option(one.data, one.line, view, "british")
            assert said and "<code>" not in said and "%(" not in said


def test_a_choice_is_drawn_alike_and_marked_where_it_was_picked(app: Flask) -> None:
    state = acres(british_hand=["boston", "new-haven", "norfolk", "philadelphia", "militia"])
    voice, parts, view = Voice("en", "UTC", ACRES), AcresParts(ACRES, "en"), ACRES.view(state, "british")
    kind = next(kind for kind in kinds_of(ACRES, state, "british", voice)[0] if len(kind.options) > 1)
    line = kind.options[0].line

    def drawn(picked: str) -> str:
        section = Section(kind.name, {f"{kind.name}/{kind.options[0].data['place']}": picked}, "Add")
        return parts.options(kind.name, kind.options, section, view, "british")

    with app.app_context():
        first, picked, again = drawn(""), drawn(line), drawn("")
    assert first == again and "checked" not in first
    assert picked.count(" checked") == 1 and picked.replace(" checked", "").replace(" open", "") == first


def test_what_is_not_of_the_title_is_escaped(app: Flask) -> None:
    voice = Voice("en", "UTC", ACRES)
    view = ACRES.view(acres(), "british")
    chooser = Chooser(AcresParts(ACRES, "en"), FilledTurn(), view, "british", voice, own_turn=True)
    odd = Kind("end", [ListedWay(ACRES, 'end "<now>"', ACRES.legal(acres())[0])])
    with app.app_context():
        choosing: Any = templates("en").get_template("play/turn/kinds.html").module
        said = choosing.impossible(chooser, [Impossible(["<kind>"], "A <reason> & more", "R<1>")], None)
        shown = choosing.kinds(chooser, [odd])
    assert isinstance(said, Markup) and isinstance(shown, Markup)
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
