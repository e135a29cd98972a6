"""The rules as pages: every number that a refusal or a hint can show is an anchor, the same in all languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from app.base.words.i18n import LANGUAGES
from app.play.pages.lessons.rules import text_of
from app.titles.rule_texts import RulesText, anchors, cited

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"acres": "acres", "new-world": "new_world"}
"""Titles with rules by number, and the folder of each in `engine` and in `app/titles`."""
NUMBER = re.compile(r"R\d+(\.\d+)?")


def numbers_in_code(folder: str) -> Iterator[tuple[str, str]]:
    """Yield every string of a title's code that is a number of a rule, and where it is."""
    for top in (ROOT / "engine", ROOT / "app" / "titles"):
        for file in (top / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and NUMBER.fullmatch(node.value):
                    yield node.value, f"{file.relative_to(ROOT)}:{node.lineno}"


def text(title_id: str, lang: str) -> RulesText:
    found = text_of(title_id, lang)
    assert found is not None and found.lang == lang, "no text in this language"
    return found


@pytest.mark.parametrize("title_id", FOLDERS)
def test_no_number_without_a_target(title_id: str) -> None:
    cited_somewhere = list(numbers_in_code(FOLDERS[title_id]))
    assert len(cited_somewhere) > 10
    assert [one for one in cited_somewhere if one[0] not in anchors(title_id)] == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("title_id", FOLDERS)
def test_a_language_has_the_same_rules_marks_and_ways_as_english(app: Flask, title_id: str, lang: str) -> None:
    here, english = text(title_id, lang), text(title_id, "en")
    assert [one[:2] for one in here.contents] == [one[:2] for one in english.contents]
    assert here.anchors == english.anchors >= anchors(title_id)
    for mark in (r'class="edition edition-(\w+)"', r'class="drawn"', "<td>"):
        assert re.findall(mark, here.body) == re.findall(mark, english.body)
    page = app.test_client().get(f"/rules/{title_id}?lang={lang}").text
    ids = set(re.findall(r' id="([^"]+)"', page))
    for way in set(re.findall(r'href="(#[^"]+|/rules[^"]*)"', page)):
        if way.startswith("#"):
            assert way[1:] in ids, way
        else:
            assert app.test_client().get(way).status_code == 200, way


def test_numbers_in_a_sentence_lead_to_the_rules() -> None:
    assert cited("acres", "fr", "<b> (R4.1), R99.1") == (
        '&lt;b&gt; (<a href="/rules/acres?lang=fr#R4.1">R4.1</a>), R99.1'
    )
    assert cited("ferry", "en", "R1.1") == "R1.1"


def test_the_reference_shows_each_card_as_it_looks_in_a_hand(app: Flask) -> None:
    """Drawn symbols with their words, and where it leads by which transport."""
    page = app.test_client().get("/rules/acres/reference?lang=en").text
    boston = page[page.index("<b>Boston</b>") :].partition("</li>")[0]
    assert 'href="#ay-ship"' in boston and "ship, settler, strength 1, 3 coins" in boston
    assert re.search(r'<svg aria-label="ship">.*Halifax.*Port Royal', boston)
    drawn = set(re.findall(r'href="#(ay-\w+)"', page))
    assert len(drawn) >= 7 and all(f'<symbol id="{one}"' in page for one in drawn)
