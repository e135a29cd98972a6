"""The turn page of New World in a real browser: from the map to the seal, by finger, by keyboard, without scripts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from app.base.process.config import load as load_config
from app.server.factory import create_app
from engine.new_world import NEW_WORLD
from tests.support.seeds import fix_seed
from tests.support.served import SIZES, Table, overflow, served, violations
from tests.support.tables import KEYS, say
from tests.support.turn_driver import turn_at

pytestmark = pytest.mark.browser
OPEN_ALL = "document.querySelectorAll('details:not(.menu)').forEach(one => one.open = true)"


@pytest.fixture
def table(tmp_path: Path, sqlite_url: str, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    """A served game of New World for three, always with the same draws."""
    environ = {
        "POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": "http://127.0.0.1", "POSTROAD_SECRET_KEY": KEYS[0],
    }  # fmt: skip
    fix_seed(monkeypatch, "05" * 32)
    app = create_app(load_config(environ, tmp_path))
    with served(app) as base:
        yield Table(turn_at(app, "new-world", seats=3), base, browser)
        for context in browser.contexts:
            context.close()


def play_on(table: Table, turns: int) -> None:
    """Play this many turns at random."""
    chooser = random.Random(2)
    for _ in range(turns):
        game = table.desk.game
        line = NEW_WORLD.write(game.state, chooser.choice(NEW_WORLD.legal(game.state)))
        say(table.desk.server.database, game.id, line, now=datetime.now(UTC))


def sent(page: Page) -> None:
    page.get_by_role("heading", name="Sent.").wait_for()


def test_three_taps_on_a_phone_without_scripts(table: Table) -> None:
    """A cell, the settler for it, one button; the first decision is visible without scrolling."""
    page = table.open("phone", scripts=False)
    first = page.locator(".nw-best a").first
    assert first.bounding_box()["y"] + 44 <= SIZES["phone"]["height"]
    cell = page.locator(".board .cell use:first-child").first.bounding_box()
    assert min(cell["width"], cell["height"]) >= 44
    first.click()
    page.wait_for_url("**at=at.*")
    laid = page.locator(".board .new").last.bounding_box()
    assert 0 <= laid["x"] <= SIZES["phone"]["width"] and 0 <= laid["y"] <= SIZES["phone"]["height"]
    page.locator(".nw-rows a").first.click()
    page.wait_for_url("**settler.*")
    page.locator(".nw-lay .wax").click()
    sent(page)
    assert table.desk.game.turn == 2 and table.desk.game.state.scores["red"] > 0, "the best cell closes a town"
    table.check()


def test_three_taps_on_a_phone_with_the_script_load_nothing_again(table: Table) -> None:
    """Choosing and comparing cells keeps the page and the board in view"""
    page = table.open("phone")
    page.evaluate("window.same = true")
    for best in (0, 1):
        before = page.url
        page.locator(".nw-best a, .board .cell use:first-child").nth(best).click()
        page.wait_for_function("before => location.href !== before", arg=before)  # in one go with the parts
        laid, board = (page.locator(one).last.bounding_box() for one in (".board .new", ".picture"))
        assert board["x"] <= laid["x"] and laid["x"] + laid["width"] <= board["x"] + board["width"] + 1
        assert board["y"] <= laid["y"] and laid["y"] + laid["height"] <= board["y"] + board["height"] + 1
    page.locator(".nw-rows a").first.click()
    page.wait_for_url("**settler.*")
    assert page.evaluate("window.same"), "nothing was loaded again"
    page.locator(".nw-lay .wax").click()
    sent(page)
    assert table.desk.game.turn == 2
    table.check()


def test_a_turn_by_keyboard_alone(table: Table) -> None:
    page = table.open()

    def tab_to(wanted: str) -> None:
        for _ in range(80):
            page.keyboard.press("Tab")
            said = page.evaluate(
                "(document.activeElement.ariaLabel || document.activeElement.labels?.[0]?.innerText"
                " || document.activeElement.innerText || '').trim()"
            )
            if said.startswith(wanted):
                assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
                return
        raise AssertionError(f"{wanted} cannot be reached")

    tab_to("all ")
    page.keyboard.press("Enter")
    page.locator(".cells").wait_for()
    tab_to("A54, ")
    page.keyboard.press("Enter")
    page.locator(".settle input").first.focus()
    page.keyboard.press("ArrowUp")
    assert page.locator(".settle label:has(input:checked)").inner_text().startswith("No settler")
    tab_to("Seal and send")
    page.keyboard.press("Enter")
    sent(page)
    assert page.evaluate("document.activeElement.innerText") == "This game", "the way on has the focus"
    assert violations(page) == []
    assert table.desk.game.state.settlers == () and table.desk.game.turn == 2
    table.check()


@pytest.mark.parametrize("language", ["fr", "es", "it"])
def test_longer_words_do_not_stick_out(table: Table, language: str) -> None:
    play_on(table, 24)
    table.desk.speaks(language)
    page = table.open("phone")
    page.goto(f"{page.url}?open=all")
    page.evaluate(OPEN_ALL)
    assert overflow(page) == 0 and violations(page) == []
    page.locator(".cells button").nth(1).click()
    page.locator(".settle").wait_for()
    assert overflow(page) == 0 and violations(page) == []
    table.check()


def test_a_wide_map_begins_at_the_latest_tile_and_can_be_pushed(table: Table) -> None:
    """Readable at 360 px; the map scrolls around the last moves; the whole one is in sight above the sheet. At any size
    of text the head of an open sheet is one line and says how many tiles are left."""
    play_on(table, 75)
    page = table.open("phone")
    page.locator(".sizes label", has_text="large").click()
    page.locator(".recent a").click()
    page.wait_for_timeout(800)
    seen, tile = page.locator(".picture").bounding_box(), page.locator("#latest").bounding_box()
    assert seen["x"] <= tile["x"] <= seen["x"] + seen["width"] and 0 <= tile["y"] <= SIZES["phone"]["height"]
    cell = page.locator(".board .cell use:first-child").first.bounding_box()
    assert cell["width"] >= 24, "a finger finds the cell"
    page.locator(".sizes label", has_text="whole").click()
    page.evaluate("scrollTo(0, 0)")
    cells = [one.bounding_box() for one in page.locator(".board .cell").all()]
    head, sheet = page.locator(".brand").bounding_box(), page.locator("#tray").bounding_box()
    assert all(head["y"] + head["height"] <= one["y"] and one["y"] + one["height"] <= sheet["y"] for one in cells)
    page.get_by_role("button", name="larger text").click()
    page.locator(".nw-best a").first.click()
    page.locator(".nw-tray .close").wait_for()
    assert page.locator(".brand").bounding_box()["height"] < 50
    assert page.locator("#now").evaluate("one => one.scrollWidth <= one.clientWidth"), "the tally is whole"
