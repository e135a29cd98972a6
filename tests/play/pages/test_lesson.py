"""The first games that teach, played to their ends over HTTP: by touches and buttons as the pages show them."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from flask import Flask

from app.base.server import Server
from app.base.words.i18n import LANGUAGES, catalogue
from app.base.words.speech import Voice
from app.play.pages.lessons.lesson_course import course
from engine.acres.data import PLACES
from tests.support.people import Browser, everything

TITLES = ("acres", "new-world")


def fields(page: str, form: str) -> dict[str, Any]:
    """Return the hidden fields of a form, its own boxes and those that belong to it."""
    inside = page[page.index(f'id="{form}"') :]
    inside = inside[: inside.index("</form>")]
    found = re.findall(r'<input[^>]*type="hidden" name="([^"]+)" value="([^"]*)"', inside)
    return {name: html.unescape(value) for name, value in found}


def shown(page: str) -> str:
    """Return where “Show me” leads."""
    found = re.search(r'id="show-me"[^>]*><a href="(/learn/[^"]+\?at=[^"]+)"', page)
    return html.unescape(found[1]).partition("#")[0] if found else ""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("title_id", TITLES)
def test_a_first_game_is_played_to_its_end_and_leaves_nothing_behind(
    title_id: str, language: str, app: Flask, server: Server
) -> None:
    """What to do and why at each step, chosen as on every turn page; no account, no row"""
    taught = course(title_id)
    assert taught is not None
    before, browser = everything(server), Browser(app, language)
    address, said = f"/learn/{title_id}/1", set()
    for _ in range(2 * len(taught.steps)):
        page = browser.get(address)
        if 'id="lesson"' not in page:
            break
        assert f'<html lang="{language}">' in page and "%(" not in page and "{" not in page.split("<style")[0][:2000]
        said.add(re.search(r'<h1 id="line"[^>]*>(.+?)</h1>', page, re.DOTALL)[1])  # type: ignore[index]
        sent = fields(page, "decide")
        way = shown(page)
        if not way:
            answer = browser.client.post(page_of(page), data=sent | {"do": "send"})
        else:
            chosen = browser.get(way)
            line = re.search(r'name="do" value="(add:[^"]+)"[^>]*class="ink"', chosen)
            at = re.search(r"at=(.+)", way)
            assert at
            do = html.unescape(line[1]) if line else "choose"
            answer = browser.client.post(page_of(page), data=sent | {"at": at[1], "do": do})
        assert answer.status_code == 303, answer.text
        address = answer.location
    assert address == f"/learn/{title_id}/{len(taught.steps) + 1}" and f'href="/games/new/{title_id}"' in page
    assert len(said) >= sum(bool(step.asked) for step in taught.steps), "what to do, at each step"
    assert everything(server) == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_of_a_lesson_types_a_place_or_a_cell(language: str) -> None:
    """N2: they are drawn from the position, so that no language can be wrong about them."""
    voice = Voice(language)
    places = [voice.name("place", place) for place in PLACES]
    for title_id in TITLES:
        taught = course(title_id)
        assert taught is not None
        for turn in taught.lesson.turns:
            for msgid in (turn.told, *(act.says for act in turn.acts)):
                said = catalogue(language).gettext(msgid)
                assert said and not re.search(r"\b[A-Z]\d+\b", said), said
                assert not [place for place in places if re.search(rf"(?<!{{){re.escape(place)}\b", said)], said


def page_of(page: str) -> str:
    found = re.search(r'<form method="post" action="(/learn/[^"]+)"', page)
    assert found
    return found[1]


def test_another_move_comes_back_kindly_and_undo_leads_back(app: Flask) -> None:
    browser = Browser(app)
    browser.get("/learn/acres/1")
    page = browser.post("/learn/acres/1", 422, do="add:money boston")
    assert "This first game goes another way" in page and 'id="lesson"' in page
    assert "This first game goes another way" in browser.post(
        "/learn/new-world/1", 422, do="choose-send", at="at.A51,turn.90,settler.none"
    )
    assert "R" in browser.post("/learn/acres/1", 422, do="add:settle boston")
    answer = browser.client.post("/learn/acres/4", data={"do": "undo:1", "csrf_token": browser.token})
    assert (answer.status_code, answer.location) == (303, "/learn/acres/3")
    early = browser.post("/learn/acres/4", 422, do="send")
    assert "still to be done" in early
    for nowhere in ("/learn/ferry/1", "/learn/chess/1", "/learn/acres/0", "/learn/acres/99"):
        browser.get(nowhere, 404)


def test_a_turn_of_new_world_is_sent_with_one_button(app: Flask) -> None:
    browser = Browser(app)
    browser.get("/learn/new-world/1")
    form = {"do": "choose-send", "at": "at.A54,turn.90,settler.t0"}
    assert browser.client.post("/learn/new-world/1", data=form).status_code == 400, "no form without its token"
    answer = browser.client.post("/learn/new-world/1", data={**form, "csrf_token": browser.token})
    assert (answer.status_code, answer.location) == (303, "/learn/new-world/3")
