"""The turn page in a real browser: by mouse, by keyboard alone, without scripts, and as axe-core judges it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator

from app.titles.acres.ground import SPOTS
from tests.support.served import SIZES, Table, overflow, violations
from tests.support.turn_driver import besieged

pytestmark = pytest.mark.browser


def test_a_turn_by_mouse(table: Table) -> None:
    page = table.open()
    page.get_by_text("Take money", exact=False).first.click()
    page.get_by_label("Boston coins 3").check()
    page.locator("details[open] button:has-text('Add to draft')").first.click()
    page.wait_for_url("**#draft")
    assert page.locator("ol.draft code").inner_text() == "money boston"
    page.get_by_text("Discard cards").click()
    page.get_by_role("checkbox", name="Militia").check()
    page.locator("details[open] button:has-text('Add and send')").click()
    page.get_by_role("heading", name="Your orders are on their way").wait_for()
    assert "Militia discarded" in page.locator("main").inner_text()
    assert table.desk.game.decides == "french"
    table.check()


def test_a_turn_by_keyboard_alone(table: Table) -> None:
    page = table.open()

    def tab_to(wanted: str, within: int = 120) -> None:
        for _ in range(within):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.innerText || document.activeElement.value || ''").startswith(
                wanted
            ):
                shown = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                assert shown != "none", f"no focus to be seen on {wanted}"
                return
        raise AssertionError(f"{wanted} cannot be reached")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    tab_to("Pass")
    page.keyboard.press("Enter")
    tab_to("Add to draft")
    page.keyboard.press("Enter")
    page.locator("ol.draft").wait_for()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "orders":
            break
    page.keyboard.type("pass")
    tab_to("Seal and send")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Your orders are on their way").wait_for()
    assert table.desk.game.decides == "french"
    table.check()


def test_a_turn_without_scripts_on_a_phone(table: Table) -> None:
    page = table.open("phone", scripts=False)
    page.locator("#orders").fill("money bostn\npass")
    page.get_by_role("button", name="Seal and send").click()
    assert page.locator("mark").inner_text() == "bostn"
    assert page.locator("#orders").input_value() == "money bostn\npass"
    page.locator("#orders").fill("money boston\npass")
    page.get_by_role("button", name="Seal and send").click()
    page.get_by_role("heading", name="Your orders are on their way").wait_for()
    assert table.desk.game.decides == "french"


def test_nothing_hidden_is_added_or_sent(table: Table) -> None:
    """Touch in one section, which is closed; then the button of another, the seal, and Enter on a choice."""
    page = table.open("phone", scripts=False)
    seal = page.get_by_role("button", name="Seal and send")

    def section(name: str) -> Locator:
        return page.locator(f"details.kind[aria-label='{name}']")

    money, draft = section("Take money"), section("Draft an empire card")

    def choose_and_close() -> None:
        money.locator("summary").click()
        money.get_by_label("Boston").check()
        money.locator("summary").click()
        assert not money.get_by_label("Boston").is_visible()

    choose_and_close()
    draft.locator("summary").click()
    draft.get_by_role("button", name="Add to draft").click()
    assert "Nothing is chosen under “Draft an empire card” yet" in page.locator("#complaint").inner_text()
    assert page.locator("ol.draft").count() == 0
    page.goto(table.address)
    choose_and_close()
    assert "nothing yet" in seal.inner_text()
    page.locator("[name=end]").check()  # as it is by default; the seal leaves out what would not be sent
    assert seal.inner_text().split("\n")[-1] == "nothing yet"
    seal.click()
    assert "Your draft is still empty, so nothing was sent." in page.locator("#complaint").inner_text()
    assert table.desk.game.decides == "british" and table.desk.game.state.actions_left == 2
    money.get_by_label("Boston").press("Enter")
    assert "press the button below what you have chosen" in page.locator("#complaint").inner_text()
    assert money.get_by_label("Boston").is_checked() and page.locator("ol.draft").count() == 0
    draft.locator("summary").click()
    draft.locator("input").first.check()
    draft.get_by_role("button", name="Add to draft").click()
    page.locator("ol.draft").wait_for()
    assert page.locator("ol.draft code").all_inner_texts() == [page.locator(".drafted").inner_text()]
    page.locator("#orders").fill("pass")
    assert seal.inner_text().endswith("what is typed above")


@pytest.mark.parametrize("size", list(SIZES))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_sticks_out(table: Table, size: str, scheme: str) -> None:
    page = table.open(size, scheme)

    def judge(what: str) -> None:
        page.wait_for_load_state("networkidle")
        assert violations(page) == [], what
        assert overflow(page) == 0, what

    judge("the turn, closed")
    for summary in page.locator("summary").all():
        summary.click(force=True)
    judge("the turn, all opened")
    page.goto(table.address)
    page.locator("#orders").fill("pass\nraid québec")
    page.get_by_role("button", name="Seal and send").click()
    judge("the turn, refused")
    page.locator("#orders").fill("pass\npass")
    page.get_by_role("button", name="Check and add").click()
    judge("the turn, drafted")
    ended = page.url
    page.get_by_role("button", name="Seal and send").click()
    judge("the farewell")
    page.goto(ended)
    judge("the ended link")
    table.desk.place(besieged())
    page.goto(table.address)
    judge("a siege and a foreseen question")
    bad = [said for said in table.seen.console if "422" not in said]
    assert bad == []


@pytest.mark.parametrize("language", ["fr", "es", "it"])
def test_longer_words_do_not_stick_out(table: Table, language: str) -> None:
    table.desk.speaks(language)
    page = table.open("phone")
    assert page.locator("html").get_attribute("lang") == language
    for summary in page.locator("summary").all():
        summary.click(force=True)
    assert overflow(page) == 0 and violations(page) == []
    table.check()


def test_the_map_stays_beside_the_form_on_a_wide_screen(table: Table) -> None:
    page = table.open()
    page.evaluate("window.scrollTo(0, 900)")
    page.wait_for_timeout(300)
    board = page.locator("section.board").bounding_box()
    form = page.locator("form.decide").bounding_box()
    assert board and form and -5 <= board["y"] < 850 and board["x"] + board["width"] <= form["x"]


def test_the_map_is_read_on_a_phone(table: Table) -> None:
    """Names at 13 pixels, each as wide as the drawing base says, in all languages of a name."""
    page = table.open("phone", scripts=True)
    page.evaluate("document.fonts.ready")
    shown = page.locator("svg.acres").bounding_box()
    assert shown is not None and (round(shown["x"]), round(shown["width"]), round(shown["height"])) == (0, 360, 552)
    measured = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.acres .place')].map(place => {
            const parts = place.querySelectorAll('text, .shield, .sign, .hollow');
            const boxes = [...parts].map(one => one.getBBox());
            const left = Math.min(...boxes.map(box => box.x)), right = Math.max(...boxes.map(box => box.x + box.width));
            return [place.id.slice(3), [left, right, getComputedStyle(place.querySelector('text')).fontSize]];
        }))"""
    )
    for place, spot in SPOTS.items():
        left, right, size = measured[place]
        box = spot["label"]
        assert size == "13px"
        assert box["x"] - 1.5 <= left and right <= box["x"] + box["w"] + 1.5, place
