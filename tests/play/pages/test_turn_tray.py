"""The turn page with something touched (`?at=`): what it shows, and what its buttons add and send."""

from __future__ import annotations

import html
import random
import re
from typing import Any

import pytest
from flask import Flask

from engine.acres.state import Question
from tests.support.acres import acres
from tests.support.tables import rows_of_games
from tests.support.turn_driver import Form, TurnDriver, drafted, turn_at
from tests.support.twins import acres_twin

HAND = ["boston", "new-haven", "norfolk", "philadelphia", "militia"]


@pytest.fixture
def snow(app: Flask) -> TurnDriver:
    desk = turn_at(app, "acres")
    desk.place(acres(british_hand=HAND))
    return desk


def tray(desk: TurnDriver, at: str) -> str:
    """The tray of the page with a selection, as text."""
    answer = desk.client.get(f"/t/{desk.token}?at={at}")
    assert answer.status_code == 200
    found = re.search(r'<section id="tray".*?</section>', answer.text, re.S)
    return html.unescape(re.sub(r"<[^>]*>|\s+", " ", found[0])) if found else ""


def test_a_selection_asks_what_follows_and_then_says_the_step(snow: TurnDriver) -> None:
    assert tray(snow, "") == ""
    assert "Which place?" in tray(snow, "settle")
    assert "2 points" in (place := tray(snow, "place.baltimore")) and "Which card leads there?" in place
    assert "Its card comes to you with the place:" in place and "Lost" not in place, "nobody has had it"
    assert "About what is chosen" not in place and "About what is chosen" in tray(snow, "place.baltimore,from.norfolk")
    step = " ".join(tray(snow, "place.baltimore,from.norfolk,with.boston").split())
    assert "Settle a location Baltimore: from Norfolk with Boston, settler Philadelphia" in step
    assert "settle baltimore from norfolk with boston settler philadelphia" in step
    assert "Points 17 to 19" in step


def test_the_map_shows_what_a_chosen_card_joins(snow: TurnDriver) -> None:
    def curves(at: str) -> int:
        return snow.client.get(f"/t/{snow.token}?at={at}").text.count('class="curve')

    assert curves("") == 0 and curves("card.boston") == 5 and curves("place.baltimore,from.norfolk") == 1
    assert curves("place.baltimore") == 2, "from Norfolk and from Philadelphia"


def test_a_touch_on_the_map_answers_the_open_question(snow: TurnDriver) -> None:
    """The card of a place is touched there: an answer in a role, an item of a free choice, or a card that blocks."""

    def leads(page: str, place: str) -> str:
        found = re.search(rf'id="at-{place}" href="([^"]*)"', page)
        return html.unescape(found[1]).removesuffix("#board") if found else ""

    def page(at: str) -> str:
        return snow.client.get(f"/t/{snow.token}{at}").text

    asked = page("?at=place.baltimore")
    assert leads(asked, "norfolk") == "?at=place.baltimore,from.norfolk" and "can be chosen" in asked
    assert "Which card carries?" in page(leads(asked, "norfolk"))
    assert leads(asked, "albany") == "?at=place.albany", "no answer: looked at by itself"
    assert leads(page("?at=discard"), "norfolk") == "?at=discard,away.norfolk"
    assert leads(page(""), "norfolk") == "?at=place.norfolk"
    snow.place(acres("french", british_hand=HAND)._replace(question=Question("raid", "british", "norfolk")))
    raided = leads(page(""), "norfolk")
    assert raided == "?at=by.norfolk" and "Send this answer" in page(raided)


def test_looking_changes_nothing_and_nonsense_is_left_out(snow: TurnDriver) -> None:
    before = rows_of_games(snow.server.database)
    for at in ("settle", "card.boston,discard", "%00", "a" * 5000, "," * 5000, "settle&at=card.boston", "é.<b>,.,..,="):
        assert snow.client.get(f"/t/{snow.token}?at={at}").status_code in (200, 400)
    assert "hat does not fit here" in (odd := tray(snow, "hat,place.quebec"))
    assert "place.quebec" not in odd and "Québec" in odd, "what it is and why nothing can be done there is said instead"
    page = snow.client.get(f"/t/{snow.token}?at=place.quebec").text
    assert '<details class="why-not" open>' in page, "nothing can be done there: the reasons are what was asked for"
    assert re.search(r'id="at-quebec"[^>]*aria-current="true"', page) and 'class="aim ' in page
    assert "&lt;b&gt;x does not fit" in snow.client.get(f"/t/{snow.token}?at=<b>x").text
    assert rows_of_games(snow.server.database) == before


def test_its_buttons_add_and_send(snow: TurnDriver) -> None:
    page = snow.client.get(f"/t/{snow.token}?at=place.baltimore,from.norfolk,with.boston").text
    line = "settle baltimore from norfolk with boston settler philadelphia"
    assert f'value="add:{line}"' in page
    snow.send(f"add:{line}")
    assert drafted(snow.page()) == [line]
    sent = snow.send("choose-send", at="discard", touch=["away.militia", "away.new-haven"], end="1", ends="1")
    assert sent.status_code in (200, 303) and snow.game.decides == "french"


def test_a_step_that_asks_says_what_comes_of_each_answer(snow: TurnDriver) -> None:
    """R10.9, R10.13: the points of a raid as if nobody blocked."""
    snow.place(
        acres(
            british_hand=["boston", "native-americans", "rangers"],
            british_places=["boston", "pemaquid"],
            french_hand=["militia", "native-americans", "quebec"],
        )
    )
    raid = " ".join(tray(snow, "raid").split())
    assert "If bob lets it happen you 6 → 10 · bob 29 → 23 If bob blocks nothing is won" in raid
    assert "In either case Money 10 to 9 · Cards in hand 3 to 1" in raid and "Not known yet" not in raid
    ambush = " ".join(tray(snow, "ambush,card.rangers").split())
    assert "If bob blocks no card is lost Otherwise bob gives up a card In either case" in ambush


def test_what_is_no_answer_leaves_the_answers_where_they_are(snow: TurnDriver) -> None:
    snow.place(acres("french", british_hand=HAND)._replace(question=Question("raid", "british", "norfolk")))
    told = tray(snow, "card.militia")
    assert "Let it happen" in told and told.index("Let it happen") < told.index("Militia cannot block this raid")


def test_a_free_choice_is_ticked(snow: TurnDriver) -> None:
    page = snow.client.get(f"/t/{snow.token}?at=discard").text
    assert Form(page).offered["touch"] == [f"away.{card}" for card in sorted(HAND)]
    assert snow.send("choose", at="discard", touch=["away.militia", "away.boston"]).status_code == 303
    assert drafted(snow.page()) == ["discard boston, militia"]
    refused = snow.send("choose", at="discard", touch=["away.militia"])
    assert refused.status_code == 422 and "cannot be chosen together" in refused.text
    empty = snow.send("choose", at="draft")
    assert empty.status_code == 422 and "Something is still asked here" in empty.text


def test_boxes_alone_say_which_items_are_chosen(snow: TurnDriver) -> None:
    """Too many are ticked, then others: nothing beside the boxes still says what was ticked before."""
    snow.place(acres(british_hand=HAND, british_money=2))
    first, second, third, fourth, fifth = (f"away.{card}" for card in HAND)
    touched = snow.client.get(f"/t/{snow.token}?at=discard,card.militia").text
    assert touched.count('class="chip"') == 1 and Form(touched).sent["touch"] == ["away.militia"]
    refused = snow.send("choose", at="discard", touch=[first, second, third, fourth])
    assert refused.status_code == 422 and refused.text.count('class="chip"') == 1
    back = Form(refused.text).sent
    assert back["at"] == ["discard"] and back["touch"] == [first, second, third]
    assert snow.send("choose", at=back["at"], touch=[fifth, second]).status_code == 303
    assert drafted(snow.page()) == ["discard militia, new-haven"]


def test_a_title_without_words_of_its_own_has_kinds_and_lines(app: Flask) -> None:
    ferry = turn_at(app, "ferry")
    page = ferry.client.get(f"/t/{ferry.token}?at=keep").text
    lines = [line for line in Form(page).lines if line.startswith("keep")]
    assert lines and all(f'value="add:{line}"' in page for line in lines)


def test_a_selection_is_the_same_whatever_is_hidden(snow: TurnDriver) -> None:
    """Every touch that is offered at first, over a position and its twins."""

    def pages(state: Any) -> list[str]:
        snow.place(state)
        token = snow.token
        shown = []
        for at in (
            "settle",
            "card.boston",
            "place.halifax",
            "merchant,card.boston",
            "discard,card.militia",
            "raid",
            "draft",
        ):
            page = snow.client.get(f"/t/{token}?at={at}").text
            shown.append(re.sub(r'(name="decision" value=")\d+|/t/[^"]+|csrf_token" value="[^"]+', "", page))
        return shown

    state = acres(british_hand=HAND, french_hand=["gaspe", "louisbourg"])
    first = pages(state)
    for seed in range(3):
        assert pages(acres_twin(state, "british", random.Random(seed))) == first
