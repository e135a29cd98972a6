"""Answers ahead of time: on their page, when the turn is sealed, and in the mail."""

from __future__ import annotations

import html
import random
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask

from app.play.turn.playing import answered_ahead
from engine.acres.state import Question
from tests.support.acres import acres
from tests.support.tables import say
from tests.support.turn_driver import TurnDriver, besieged, turn_at
from tests.support.twins import acres_twin

PLACES = ["albany", "boston town", "deerfield", "new-york town", "norfolk", "pemaquid", "philadelphia"]


def position(to_decide: str = "british", **zones: Any) -> Any:
    """The French have raiders, a Priest and villages near Deerfield and Pemaquid."""
    usual = {
        "british_hand": ["boston", "militia", "native-americans", "pemaquid", "rangers"],
        "british_reserve": ["regular-infantry"],
        "british_places": PLACES,
        "french_draw": ["coureurs-de-bois", "french-native-americans", "priest"],
        "french_hand": ["montreal", "quebec"],
    }
    return acres(to_decide, **(usual | zones))


@pytest.fixture
def snow(app: Flask) -> TurnDriver:
    desk = turn_at(app, "acres")
    desk.place(position())
    return desk


def asked(page: str) -> dict[str, dict[str, str]]:
    """The lists of a page: for each the values of its answers, in words."""
    found = {}
    for name, options in re.findall(r'<select[^>]* name="ahead:([^"]*)">(.*?)</select>', page, re.S):
        values = re.findall(r'<option value="([^"]*)"( selected)?>([^<]*)', options)
        found[name] = {value: html.unescape(said).strip() + (" *" if given else "") for value, given, said in values}
    return found


def ahead(desk: TurnDriver) -> str:
    """The page to which that of the turn leads."""
    assert f'href="/t/{desk.token}/ahead"' in desk.page()
    return str(desk.client.get(f"/t/{desk.token}/ahead").text)


def keep(desk: TurnDriver, status: int = 303, **fields: str) -> str:
    """Send its form."""
    answer = desk.client.post(f"/t/{desk.token}/ahead", data=fields)
    assert answer.status_code == status
    return str(answer.text)


def kept(desk: TurnDriver) -> tuple[str, ...]:
    return desk.game.seated("british").standing


def test_what_can_come_is_asked_in_words(snow: TurnDriver) -> None:
    """R10.2, R10.9, R10.13, R10.16: the dearest place first, each with the cards that could block there."""
    lists = asked(ahead(snow))
    assert list(lists) == ["raid on deerfield", "raid on pemaquid", "raid", "ambush", "convert"]
    assert lists["raid on pemaquid"] == {
        "": "as for every other place", "allow": "let it happen", "block with any": "block with whatever can",
        "block with native-americans": "block with Native Americans", "block with rangers": "block with Rangers",
        "block with pemaquid": "block with Pemaquid", "ask": "ask me",
    }  # fmt: skip
    assert lists["ambush"]["block with any; lose militia"] == "block with whatever can, else give up Militia"
    assert lists["convert"] == {
        "": "ask me by mail when it comes to it",
        "lose from hand": "hand over that in your hand",
    }
    snow.place(position(french_draw=["quebec"], french_hand=["montreal"]))
    page = snow.client.get(f"/t/{snow.token}/ahead").text
    assert asked(page) == {} and "nothing can be asked of you" in page, "nobody on the other side can raid"


def test_what_is_chosen_is_kept(snow: TurnDriver) -> None:
    keep(snow, **{"ahead:raid": "allow", "ahead:raid on pemaquid": "block with rangers"})
    assert kept(snow) == ("raid on pemaquid: block with rangers", "raid: allow"), "what is about a place comes first"
    page = ahead(snow)
    assert asked(page)["raid on pemaquid"]["block with rangers"].endswith("*")
    assert "raid on pemaquid: block with rangers\nraid: allow</textarea>" in page, "the same in the text form"
    keep(snow, **{"ahead:raid": "", "ahead:ambush": "block with any; lose militia"})
    assert kept(snow) == (
        "raid on pemaquid: block with rangers",
        "ambush: block with any",
        "ambush: lose militia",
    )
    assert "boots" in keep(snow, 422, **{"ahead:raid": "block with boots"}) and len(kept(snow)) == 3


def test_orders_that_say_more_than_the_lists_stay(snow: TurnDriver) -> None:
    lines = "raid on deerfield, pemaquid: allow\nraid: block with rangers\nraid: allow"
    keep(snow, standing=lines)
    lists = asked(ahead(snow))
    assert lists["raid"]["="] == "as your orders say for each *" == lists["raid on deerfield"]["="]
    keep(snow, **dict.fromkeys(("ahead:raid", "ahead:raid on pemaquid"), "="))
    assert "\n".join(kept(snow)) == lines
    keep(snow, **{"ahead:raid on pemaquid": "ask"})
    assert kept(snow)[0] == "raid on pemaquid: ask" and len(kept(snow)) == 4


def test_a_question_that_is_certain_comes_first(snow: TurnDriver) -> None:
    snow.place(besieged())
    page = ahead(snow)
    assert "about to be lost" in page and "give up Rangers" in page
    keep(snow, **{"ahead:siege of halifax": "lose rangers"})
    assert kept(snow) == ("siege of halifax: lose rangers",)
    assert re.search(r'value="lose rangers" checked', ahead(snow))
    keep(snow, **{"ahead:siege of halifax": ""})
    assert kept(snow) == ()


def test_standing_orders_are_kept_and_hidden_from_the_other_seat(snow: TurnDriver) -> None:
    keep(snow, standing="raid: block with any\nambush: ask")
    assert len(kept(snow)) == 2 and "raid: block with any" in ahead(snow)
    refused = keep(snow, 422, standing="raid: dance")
    assert "dance" in refused.partition('role="alert"')[2] and "raid: dance</textarea>" in refused
    snow.send("send", orders="pass\npass\nend")
    page = snow.client.get(f"/t/{snow.token}/ahead").text
    assert snow.game.decides == "french" and "raid: block with any" not in page


def test_places_that_are_worth_the_same_are_asked_together_when_the_turn_is_sent(snow: TurnDriver) -> None:
    snow.place(position(british_places=[*PLACES, "halifax", "kennebec"]))
    link, done = snow.token, snow.send("send", orders="pass\npass\nend").text
    together = next(name for name in asked(done) if ";" in name)
    snow.client.post(f"/t/{link}/ahead", data={f"ahead:{together}": "allow"})
    assert [f"{head}: allow" for head in together.split("; ")] == list(kept(snow))
    apart = asked(snow.client.get(f"/t/{link}/ahead").text)
    assert not [name for name in apart if ";" in name] and all(name in apart for name in together.split("; "))


def test_it_is_asked_when_the_turn_is_sealed_and_by_its_link_until_a_newer_one(snow: TurnDriver) -> None:
    link = snow.token
    done = snow.send("send", orders="pass\npass\nend")
    assert "Sent." in done.text and "raid on pemaquid" in asked(done.text)
    assert re.search(r'<button name="ahead:raid on \w[^"]*" value="allow"[^>]*>Let it happen<', done.text), (
        "by one touch"
    )
    sent = snow.client.post(
        f"/t/{link}/ahead", data={"ahead:raid on pemaquid": "block with any", "ahead:raid": "allow"}
    )
    assert sent.status_code == 303 and kept(snow) == ("raid on pemaquid: block with any", "raid: allow")
    assert "Saved." in (page := snow.client.get(sent.headers["Location"]).text)
    assert asked(page)["raid"]["allow"] == "let it happen *"
    assert f'href="/t/{link}/ahead"' in snow.client.get(f"/t/{link}").text, "and from the ended link"
    snow.place(
        position(
            "french",
            british_hand=["rangers"],
            french_hand=["coureurs-de-bois", "french-native-americans"],
            french_draw=["priest"],
        )
    )
    say(
        snow.server.database,
        snow.game_id,
        "raid pemaquid with coureurs-de-bois, french-native-americans",
        now=datetime.now(UTC),
    )
    assert snow.game.kind == "action" and snow.game.decides == "french", "answered at once, by Rangers"
    snow.place(position())
    assert snow.client.post(f"/t/{snow.token}/ahead", data={"standing": "raid: ask"}).status_code == 303
    old = snow.client.post(f"/t/{link}/ahead", data={"ahead:raid": "allow"})
    assert old.status_code == 410 and kept(snow) == ("raid: ask",)


def test_it_is_the_same_whatever_is_hidden(snow: TurnDriver) -> None:
    def pages(state: Any) -> list[str]:
        snow.place(state)
        shown = [snow.client.get(f"/t/{snow.token}{of}").text for of in ("/ahead", "")]
        return [re.sub(r'(name="decision" value=")\d+|/t/[^"]+|csrf_token" value="[^"]+', "", one) for one in shown]

    for state in (position(), position("french")._replace(question=Question("raid", "british", "pemaquid"))):
        first = pages(state)
        for seed in range(2):
            assert pages(acres_twin(state, "british", random.Random(seed))) == first


def test_the_first_line_that_fits_decides() -> None:
    standing = ["raid on halifax: ask", "raid: allow", "convert: ask"]
    answers = {"raid": "raid: block with any", "raid on boston": "raid on boston: allow", "convert": ""}
    assert answered_ahead(standing, answers) == [
        "raid on boston: allow",
        "raid on halifax: ask",
        "raid: block with any",
    ]
