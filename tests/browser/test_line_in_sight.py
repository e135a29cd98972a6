"""By touch on a phone, without ever scrolling: the line and the next thing to touch are in sight after each act."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser, expect

from app.base.process.config import load as load_config
from app.server.factory import create_app
from bench.trials.in_sight import Thumb, thumb
from engine.acres.state import Question, State
from tests.support.acres import acres, siege
from tests.support.new_world import play, three_completed
from tests.support.often import often
from tests.support.served import served
from tests.support.tables import KEYS
from tests.support.turn_driver import turn_at

pytestmark = pytest.mark.browser
HELD = {"british_hand": ["boston", "militia", "rangers"], "british_places": ["boston", "pemaquid"]}


def asked(kind: str) -> State:
    """Return a position in which the British are asked something in a turn of the French."""
    if kind == "siege-loss":
        sieges = {"british": siege("louisbourg", -1, ["militia", "regular-infantry"])}
        return acres("french", british_hand=["boston"], sieges=sieges)._replace(due=("british",))
    place = "pemaquid" if kind == "raid" else ""
    return acres("french", **HELD)._replace(question=Question(kind, "british", place))


@pytest.fixture
def app(tmp_path: Path, sqlite_url: str) -> Flask:
    environ = {
        "POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": "http://127.0.0.1", "POSTROAD_SECRET_KEY": KEYS[0],
    }  # fmt: skip
    return create_app(load_config(environ, tmp_path))


@pytest.fixture
def acres_thumb(app: Flask, browser: Browser) -> Iterator[Thumb]:
    with served(app) as base:
        yield thumb(turn_at(app, "acres"), base, browser, 3)


@pytest.mark.parametrize("title", ["acres", "new-world"])
@pytest.mark.parametrize("scripts", [True, False])
def test_nobody_scrolls_for_what_is_asked(app: Flask, browser: Browser, title: str, scripts: bool) -> None:
    with served(app) as base:
        player = thumb(turn_at(app, title), base, browser, 5, scripts)
        for _ in range(often(5 if scripts else 4)):
            if not player.desk.game.is_over:
                player.decide()
    assert player.kinds.total() >= 4


def test_what_was_drawn_is_said_and_marked(acres_thumb: Thumb) -> None:
    """Home Support: three taps, no scrolling; the page comes back with the news."""
    at = acres_thumb
    at.desk.place(acres(british_hand=["boston", "home-support", "norfolk"]))
    page = at.page
    page.goto(f"{at.base}/t/{at.desk.token}")
    page.locator("#hand a").filter(has_text="Home Support").tap()
    page.locator("#tray .offers a").filter(has_text="Home Support").last.tap()
    page.get_by_role("button", name="Play it now").tap()
    page.get_by_text("Played: Home Support; drew").wait_for()
    assert page.locator("#line").inner_text().endswith("2 actions left.") and page.title().startswith("Played: ")
    assert page.locator("#hand .card.fresh").count() == 3
    at.in_sight()
    assert page.evaluate("scrollY") == 0


@pytest.mark.parametrize("kind", ["raid", "ambush", "siege-loss"])
def test_another_player_is_answered_by_one_tap(acres_thumb: Thumb, kind: str) -> None:
    """Opened by its mail, the page has the question and its answers in sight, and nothing else to press."""
    at = acres_thumb
    at.desk.place(asked(kind))
    number, page = at.desk.game.number, at.page
    page.goto(f"{at.base}/t/{at.desk.token}")
    assert page.locator("#line").inner_text().endswith("?")
    assert all(one["y"] <= 740 for one in at.in_sight())  # type: ignore[operator]
    assert not page.locator(".stays .wax").is_visible()
    page.locator("#tray .answers button").first.tap()
    expect(page).to_have_title(re.compile("^Sent|^Your turn|^The siege"))
    assert at.desk.game.number > number


def test_many_answers_leave_the_board_in_sight(acres_thumb: Thumb) -> None:
    """T15: the sheet keeps to the lower half, and the place that is raided stands above it."""
    at = acres_thumb
    hand = ["native-americans", "rangers", "pemaquid", "militia", "fortification"]
    raided = acres("french", british_hand=hand, british_places=["boston", "pemaquid"])
    at.desk.place(raided._replace(question=Question("raid", "british", "pemaquid")))
    page = at.page
    page.goto(f"{at.base}/t/{at.desk.token}")
    assert page.locator("#tray .answers li").count() == 5
    at.in_sight()
    tray, place = page.locator("#tray").bounding_box(), page.locator("#at-pemaquid").bounding_box()
    assert tray and place and tray["y"] >= 740 / 2
    head = page.locator(".brand").bounding_box()
    assert head and head["y"] + head["height"] <= place["y"] and place["y"] + place["height"] <= tray["y"]


def test_an_order_of_scoring_is_one_tap(app: Flask, browser: Browser) -> None:
    with served(app) as base:
        at = thumb(turn_at(app, "new-world"), base, browser, 1)
        at.desk.place(play(three_completed(), "place 2,4 90 settle t1"))
        number, page = at.desk.game.number, at.page
        page.goto(f"{base}/t/{at.desk.token}")
        at.in_sight()
        expect(page.locator("#line")).to_contain_text("scored")
        page.locator("#tray .answers button").first.tap()
        expect(page.locator("#line")).to_contain_text("Sent.")
        assert at.desk.game.number > number and page.locator("#line").inner_text().startswith("Sent.")
