"""The turn page in a real browser: by mouse, by keyboard alone, without scripts, and checked by axe-core."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from app.titles.acres.ground import SPOTS
from bench.trials.taught import phone, walk
from tests.support.served import Table, overflow, violations

pytestmark = pytest.mark.browser


def chip(page: Page, name: str) -> Locator:
    """The button of a kind of action."""
    return page.locator("#kinds a").filter(has_text=name).first


@pytest.mark.parametrize("scripts", [True, False])
def test_an_ordinary_turn_takes_few_taps(table: Table, scripts: bool) -> None:
    """Two actions, by place and by kind: at most 6 taps and, with the script, one form and the page it leads to; 8 taps
    without."""
    page = table.open("phone", scripts=scripts)
    taps, loads = 0, []
    page.on("request", lambda request: loads.append(request.url) if request.is_navigation_request() else None)

    def tap(target: Locator) -> None:
        nonlocal taps
        target.click()
        taps += 1

    place = page.locator("#at-baltimore")
    assert place.bounding_box()["y"] < 740 - 100, "the first decision is seen without scrolling"  # type: ignore[index]
    tap(place)
    tap(page.get_by_role("link", name="Philadelphia 2 ways"))
    tap(page.locator("#tray button").first)
    page.locator("ol.draft li").wait_for(state="attached")
    tap(chip(page, "Take money"))
    tap(page.locator("#tray button").first)
    page.locator("ol.draft li >> nth=1").wait_for(state="attached")
    assert len(page.locator("ol.draft code").all_text_contents()) == 2
    before = len(loads)
    tap(page.get_by_role("button", name="Seal and send"))
    page.get_by_role("heading", name="Sent.").wait_for()
    assert table.desk.game.decides == "french"
    assert taps <= (6 if scripts else 8) and (not scripts or (before == 0 and len(loads) == 2))
    page.locator("ul.log").get_by_role("link", name="Baltimore", exact=True).first.click()
    expect(place).to_be_in_viewport(ratio=1)  # a name in the log leads to its place
    ring = "place => getComputedStyle(place.querySelector('.hit')).stroke"
    assert place.evaluate(ring) != "none" and page.locator("#at-albany").evaluate(ring) == "none"
    table.check()


@pytest.mark.parametrize("scripts", [True, False])
def test_two_actions_with_one_card_each_take_five_taps(table: Table, scripts: bool) -> None:
    """A kind and its card, twice, and the seal."""
    page = table.open("phone", scripts=scripts)
    taps = 0
    for n, card in enumerate(("boston", "norfolk")):
        chip(page, "Take money").click()
        page.get_by_role("button", name=f"money {card}").click()
        page.locator(f"ol.draft li >> nth={n}").wait_for(state="attached")
        taps += 2
    page.get_by_role("button", name="Seal and send").click()
    page.get_by_role("heading", name="Sent.").wait_for()
    assert taps + 1 == 5 and table.desk.game.decides == "french"
    table.check()


def test_a_turn_by_mouse(table: Table) -> None:
    """The script inserts what the server draws; the back button undoes a touch."""
    page = table.open()
    chip(page, "Discard").click()
    page.get_by_role("checkbox", name="Militia").check()
    page.locator("#tray .step").filter(has_text="Militia").wait_for()
    assert (
        page.url.endswith("?at=discard,away.militia")
        and page.evaluate("document.activeElement.value") == "away.militia"
    )
    expect(page.locator("#told")).to_contain_text("Militia")
    shown = page.locator("#tray").inner_text()
    page.reload()
    assert page.locator("#tray").inner_text() == shown
    page.go_back()
    page.locator("#tray .step").wait_for(state="detached")
    page.locator("#orders").fill("pass")
    page.get_by_role("checkbox", name="Militia").check()
    page.locator("#tray .step").wait_for()
    expect(page.locator("#orders"), "what is typed stays while one chooses").to_have_value("pass")
    page.locator("#orders").fill("")
    page.locator("#tray .ink").click()
    page.locator("ol.draft").wait_for()
    expect(page.locator("ol.draft code")).to_have_text("discard militia")
    page.locator("#orders").fill("dance")
    page.get_by_role("button", name="Check and add").click()
    page.locator("#complaint").wait_for()
    page.locator("#orders").fill("pass")
    page.get_by_role("button", name="Seal and send").click()
    page.get_by_role("heading", name="Sent.").wait_for()
    assert table.desk.game.decides == "french"
    assert [said for said in table.seen.console if "422" not in said] == []


def test_a_turn_by_keyboard_alone(table: Table) -> None:
    """With the keys of the script; Tab reaches everything, too."""
    page = table.open()
    keys = page.keyboard

    def tab_to(wanted: str, within: int = 160) -> None:
        for _ in range(within):
            keys.press("Tab")
            if page.evaluate("document.activeElement.innerText || document.activeElement.value || ''").startswith(
                wanted
            ):
                shown = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                assert shown != "none", f"no focus to be seen on {wanted}"
                return
        raise AssertionError(f"{wanted} cannot be reached")

    keys.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    keys.press("Enter")
    tab_to("Pass")
    keys.press("Enter")
    page.locator("#tray .step").wait_for()
    tab_to("Add to draft")
    keys.press("Enter")
    page.locator("ol.draft").wait_for()
    page.evaluate("document.activeElement.blur()")
    keys.press("?")
    expect(page.locator("#keys")).to_contain_text("Take money")
    keys.press("Escape")
    keys.press("t")
    page.locator("#tray").wait_for()
    keys.press("Escape")
    page.locator("#tray").wait_for(state="detached")
    keys.press("p")
    page.locator("#tray .step").wait_for()
    keys.press("Enter")
    page.locator("ol.draft li >> nth=1").wait_for()
    keys.press("/")
    assert page.evaluate("document.activeElement.id") == "orders"
    keys.press("Control+Enter")
    page.get_by_role("heading", name="Sent.").wait_for()
    assert table.desk.game.decides == "french"
    table.check()


@pytest.mark.parametrize("width", [1280, 320])
def test_the_first_stop_of_a_keyboard_is_above_all_else(table: Table, width: int) -> None:
    """WCAG 2.4.7, also enlarged to 400 %."""
    page = table.open("phone")
    page.set_viewport_size({"width": width, "height": 720})
    page.keyboard.press("Tab")
    assert page.evaluate(
        "() => { const stop = document.querySelector('.skip:focus'), at = stop.getBoundingClientRect();"
        " return document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2) === stop }"
    )


def test_a_turn_without_scripts_on_a_phone(table: Table) -> None:
    page = table.open("phone", scripts=False)
    page.locator("#orders").fill("money bostn\npass")
    page.get_by_role("button", name="Seal and send").click()
    expect(page.locator("mark")).to_have_text("bostn")
    expect(page.locator("#orders")).to_have_value("money bostn\npass")
    page.locator("#orders").fill("money boston\npass")
    page.get_by_role("button", name="Seal and send").click()
    page.get_by_role("heading", name="Sent.").wait_for()
    assert table.desk.game.decides == "french"


def test_nothing_hidden_is_added_or_sent(table: Table) -> None:
    """A choice that was not added is not sent by the seal, which is absent while nothing would be sent."""
    page = table.open("phone", scripts=False)
    page.goto(f"{table.address}?at=money,coins.boston")
    seal = page.locator("#decide .wax")
    assert not seal.is_visible() and page.locator("#tray .ink").is_visible()
    page.locator("#orders").fill(" ")
    seal.click()
    expect(page.locator("#complaint")).to_contain_text("Your draft is still empty, so nothing was sent.")
    assert table.desk.game.decides == "british" and table.desk.game.state.actions_left == 2
    expect(page.locator("#tray")).to_contain_text("money boston")


@pytest.mark.parametrize("language", ["fr", "es", "it"])
def test_longer_words_do_not_stick_out(table: Table, language: str) -> None:
    table.desk.speaks(language)
    page = table.open("phone")
    assert page.locator("html").get_attribute("lang") == language
    page.goto(f"{page.url}?open=all")
    assert overflow(page) == 0 and violations(page) == []
    table.check()


def test_the_map_stays_beside_the_form_on_a_wide_screen(table: Table) -> None:
    page = table.open()
    page.evaluate("window.scrollTo(0, 900)")
    page.wait_for_timeout(300)
    board = page.locator("section.board").bounding_box()
    form = page.locator("#send").bounding_box()
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


def test_what_is_touched_is_as_high_as_a_thumb(table: Table) -> None:
    """44 pixels for every section, button and box of a turn; in the menu the space around the word counts."""
    page = table.open("phone", scripts=True)
    touch = page.context.new_cdp_session(page)
    touch.send(
        "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    )
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    low = page.evaluate(
        """() => [...document.querySelectorAll('main :is(summary, button, input, .kinds a, .card > a)')]
            .filter(one => one.checkVisibility() && one.tabIndex >= 0)
            .map(one => [one.textContent || one.name, (one.closest('label') || one).getBoundingClientRect().height])
            .filter(([, height]) => height < 44)"""
    )
    assert page.evaluate("matchMedia('(pointer: coarse)').matches") and low == []
    around = "getComputedStyle(document.querySelector('.menu > summary'), '::after').height"
    assert float(page.evaluate(around).removesuffix("px")) >= 44


@pytest.mark.parametrize(("language", "scripts"), [("en", True), ("fr", False)])
@pytest.mark.parametrize("title_id", ["acres", "new-world"])
def test_a_lesson_is_done_by_a_thumb_as_its_lines_say(
    table: Table, title_id: str, language: str, scripts: bool
) -> None:
    """N1, N2: on a small phone, without scrolling; the line stays in sight. All phones and languages: the trial."""
    page = phone(table.browser, (360, 640), language, scripts)
    done = walk(page, table.base, title_id, scripts)
    assert done.steps == {"acres": 18, "new-world": 6}[title_id]
    assert [*done.blocked, *done.missing, *done.unseen] == []


def test_with_a_step_in_the_draft_the_whole_page_shows_one_position(table: Table) -> None:
    """Hand, points and belongings of both sides are those after the draft, and the page says so, as when loaded."""
    page = table.open("phone")
    shown = ("#board-head", "#mine", "#others", "#now")
    before = page.locator("#others").inner_text()
    assert "after your draft" not in page.locator("main").inner_text()
    chip(page, "Take money").click()
    page.get_by_role("button", name="money boston").click()
    page.locator("ol.draft li").wait_for(state="attached")
    expect(page.locator("#others")).to_contain_text("As it stands after your draft")
    assert page.locator("#others").inner_text() != before
    after = [page.locator(part).text_content() for part in shown]
    page.reload()
    assert [page.locator(part).text_content() for part in shown] == after
    table.check()
