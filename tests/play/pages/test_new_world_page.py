"""The turn page of New World over HTTP: cells and rotations, the look ahead, the settler, the order of scoring."""

from __future__ import annotations

import gzip
import html
import random
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask

from app.base.words.i18n import LANGUAGES
from app.base.words.speech import Voice
from app.play.pages.turn import page as turn_page
from app.web.pages import STATIC
from bench.trials.previews import look_at
from engine.new_world import NEW_WORLD
from engine.new_world.orders import gained
from engine.new_world.places import cell_name
from engine.new_world.tile_words import tile_shown
from tests.support.new_world import position, three_completed
from tests.support.seeds import fix_seed
from tests.support.tables import say
from tests.support.turn_driver import Form, TurnDriver, drafted, turn_at

IN_ENGLISH = Voice("en", title=NEW_WORLD)
SCRIPT = (STATIC / "turn.js").read_bytes()
LIMIT_RAW, LIMIT_PACKED = 64 * 1024 - len(SCRIPT), 13 * 1024 - len(gzip.compress(SCRIPT, 6))
"""Of a page; its script counts, too."""


@pytest.fixture
def desk(app: Flask) -> TurnDriver:
    return turn_at(app, "new-world", seats=3)


def lines(desk: TurnDriver) -> list[str]:
    state = desk.game.state
    return [NEW_WORLD.write(state, action) for action in NEW_WORLD.legal(state)]


def offered(page: str, name: str) -> list[str]:
    return list(Form(page).offered.get(name, []))


def text(page: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", page)))


def test_every_cell_and_rotation_is_a_button_that_is_named_as_on_the_map(desk: TurnDriver) -> None:
    """Every legal cell marked, and selectable by labelled controls without a script"""
    page = desk.page()
    places = [line for line in lines(desk) if len(line.split()) == 3]
    assert [value for value in offered(page, "do") if value.startswith("add:")] == [f"add:{line}" for line in places]
    for cell in NEW_WORLD.view(desk.game.state, "red")["cells"]:
        name = cell_name(cell["x"], cell["y"])
        assert f'href="?at=at.{name}"' in page and f'id="cell-{cell["x"]}_{cell["y"]}"' in page
        assert f">{name}</text>" in page and f"<b>{name}</b>" in page
        for rotation in cell["rotations"]:
            assert f'aria-label="{name}, {rotation}°"' in page
    assert "<script>" not in page and page.count('class="wax') == 1


@pytest.mark.quick
def test_a_tile_is_laid_by_touching_a_cell_a_settler_and_one_button(desk: TurnDriver) -> None:
    """The tile lies there, other cells stay lit, the turn control goes through what looks different."""
    desk.place(position(tile="nw-06"))
    page = desk.page()
    best = re.search(r'<ul class="nw-best">\s*<li><a href="([^"]+)"', page)
    assert best is not None
    chosen = text(desk.client.get(f"/t/{desk.token}{html.unescape(best[1])}").text)
    assert "with a settler up to 3 points at once" in chosen, "what the cell has promised"
    page = desk.client.get(f"/t/{desk.token}?at=at.A50").text
    assert "Lay it at" not in page and 'href="?at=at.A53"' in page, "who goes with it is asked"
    assert "nw-turn" not in page, "half a turn of two roads to a farm changes nothing"
    page = desk.client.get(f"/t/{desk.token}?at=at.A53,turn.0,settler.f0").text
    assert "Lay it at A53 with farmer, and send" in text(page) and 'aria-current="true"' in page
    assert desk.send("choose-send", at="at.A53,turn.0").status_code == 422, "something is still asked"
    number = desk.game.number
    assert desk.send("choose-send", at="at.A53,turn.0,settler.f0").status_code == 200
    assert desk.game.number > number and desk.game.state.settlers[0].segment == "f0"


def test_without_a_settler_is_a_choice_of_its_own(desk: TurnDriver) -> None:
    desk.place(position(tile="nw-01"))
    number = desk.game.number
    assert desk.send("choose-send", at="at.A50,turn.0,settler.none").status_code == 200
    assert desk.game.number > number and not desk.game.state.settlers


def test_a_button_shows_what_the_placement_does_before_anything_is_sent(desk: TurnDriver) -> None:
    place = lines(desk)[0]
    number = desk.game.number
    assert desk.send(f"add:{place}").status_code == 303
    page = desk.page()
    assert drafted(page) == [place] and desk.game.number == number
    assert 'id="latest"' in page and "A settler with it?" in page
    wanted = [line for line in lines(desk) if line == place or line.startswith(f"{place} ")]
    assert sorted(offered(page, "line:1")) == sorted(wanted)
    assert 'value="send"' in page and "With this your turn ends" in page


@pytest.mark.quick
def test_the_settler_is_chosen_with_the_draft(desk: TurnDriver) -> None:
    desk.place(position(tile="nw-01"))  # a random one may complete the settler's feature
    place, settled = lines(desk)[:2]
    desk.send(f"add:{place}")
    number = desk.game.number
    desk.send("add", line__1=settled)
    assert drafted(desk.page()) == [settled] and desk.game.number == number
    assert re.search(rf'value="{settled}" checked', desk.page())
    assert "sent. bob has it." in desk.send("send", line__1=settled).text.lower()
    assert desk.game.state.settlers[0].segment == NEW_WORLD.read(position(tile="nw-01"), "red", settled).segment


def test_orders_that_leave_a_settler_out_are_shown_before_they_count(desk: TurnDriver) -> None:
    """A warning when a turn is submitted without a settler although one could be placed"""
    place, number = lines(desk)[0], desk.game.number
    for _ in range(2):
        assert desk.send("send", orders=place, draft="").status_code == 303
        assert desk.game.number == number and drafted(desk.page()) == [place]
    page = desk.page()
    assert "No settler although one could be placed" in text(page) and "required" in page
    desk.send("send", line__1=place)
    assert desk.game.number > number and not desk.game.state.settlers


def test_without_a_settler_left_orders_count_at_once(desk: TurnDriver) -> None:
    desk.place(position(tile="nw-01", supply={"red": 0}))
    number = desk.game.number
    assert "All 5 settlers are on the table" in text(desk.page())
    desk.send("send", orders=lines(desk)[0])
    assert desk.game.number > number


def test_the_order_of_scoring_is_put_together_with_the_placement(
    desk: TurnDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """new_world R9.7; feature by feature, where there are too many orders for a list"""
    desk.place(three_completed())
    desk.send("add:place B54 90")
    desk.send("add", line__1="place B54 90 trader W")
    page = desk.page()
    assert "3 features with settlers are complete; you choose the order of their scoring." in text(page)
    orders = re.findall(r'value="play:(score [^"]*)"', page)
    assert len(orders) == 6 and all(order.startswith("score ") for order in orders)
    said = text(page)
    assert "A C B alice +6 · bob +17" in said and "B C A alice +14 · bob +17" in said
    assert "C farm A53: bob at A53" in said and page.count('class="nw-letter"') >= 3
    monkeypatch.setattr("app.titles.new_world.pages.touching.MANY_ORDERS", 5)
    turn_page._kept.clear()
    page = desk.page()
    assert re.findall(r'value="play:(score [^"]*)"', page) == [], "too many for a list"
    first = re.findall(r'class="chip" href="([^"]+)">(\w)<', page)
    assert [name for _, name in first] == ["A", "B", "C"]
    page = desk.client.get(f"/t/{desk.token}{first[1][0]}").text
    assert "What is scored next?" in text(page) and "score,1.B,2.A" in page
    desk.send(f"add:{orders[3]}")
    page = desk.page()
    assert drafted(page) == ["place B54 90 trader W", orders[3]]
    assert "bob scores 17 points · alice scores 14 points" in text(page)
    number = desk.game.number
    desk.send("send")
    assert desk.game.number == number + 1 and desk.game.state.pending == ()


def test_the_page_tells_scores_supplies_tiles_left_and_that_they_are_a_reconstruction(desk: TurnDriver) -> None:
    said = text(desk.page())
    for wanted in ("Points Settlers left", "94 tiles left", "Tiles left to draw 94", "are a reconstruction"):
        assert wanted in said
    ahead = text(desk.client.get(f"/t/{desk.token}/ahead").text)
    assert "play my only action" in ahead and "lay my only place without settler" in ahead
    left = NEW_WORLD.view(desk.game.state, "red")["left"]
    assert all(f"{n} × {IN_ENGLISH.say(tile_shown(name))}" in said for name, n in left.items())


def test_a_whole_game_stays_small_and_in_words(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    fix_seed(monkeypatch, "07" * 32)
    desk = turn_at(app, "new-world", seats=4)
    chooser = random.Random(3)
    while not desk.game.is_over:
        if desk.game.turn % 24 in (0, 18):
            for language in LANGUAGES:
                desk.speaks(language)
                page = desk.page("")
                packed = len(gzip.compress(page.encode(), 6))
                assert len(page.encode()) <= LIMIT_RAW and packed <= LIMIT_PACKED, (desk.game.turn, language, packed)
                assert "None" not in text(page) and "Undefined" not in page
            desk.send("add:" + next(line for line in lines(desk) if line.startswith("place")))
            assert drafted(desk.page())
        say(desk.server.database, desk.game_id, chooser.choice(lines(desk)), now=datetime.now(UTC))


def test_no_two_choices_have_the_same_words_and_every_figure_is_what_is_scored(app: Flask) -> None:
    """new_world R6, R8, R9: `python -m bench.trials.previews` looks at 10,000"""
    looker = look_at(app, 150, seed=4)
    assert looker.counts["orders of scoring"] and looker.counts["settlers"] > 300 and looker.wrong == []


def test_a_preview_that_leaves_the_bonus_out_would_be_noticed(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_bonus(events: Any) -> dict[str, Any]:
        found = gained(events)
        return {**found, "scores": {seat: n - found["bonus"].get(seat, 0) for seat, n in found["scores"].items()}}

    monkeypatch.setattr("engine.new_world.preview.gained", without_bonus)
    assert look_at(app, 30, seed=4).wrong


def test_a_feature_touched_is_outlined_with_its_owner_and_what_it_misses(desk: TurnDriver) -> None:
    """By a link, on the board or in a list, on the page of a turn and for those who watch"""
    desk.place(
        position(
            "nw-20 1,1 0; nw-01 1,3 0", tile="nw-26", settlers="red 1,1:t0; blue 1,3:f0", seats=("red", "blue", "green")
        )
    )
    game = f"/games/{desk.game_id}"
    for where in (f"/t/{desk.token}", game):
        page = desk.client.get(f"{where}?open=all").text
        assert 'class="nw-outlined"' not in page and 'href="?at=feature.A51"' in page
        listed = re.findall(r'href="(\?at=feature[^"]*)#board"', page)
        assert "?at=feature.A51.t0" in listed
        for href in ("?at=feature.A51", "?at=feature.A51.t0"):
            shown = desk.client.get(where + href).text
            legend = text(shown[shown.index('class="nw-legend') :].partition("</div>")[0])
            assert "town A51 alice · 2 tiles · 1 shield" in legend and "3 points at the end as it stands" in legend
            assert "misses B51" in legend and shown.count('class="nw-outlined"') == 1
            assert shown.count('class="nw-missing"') == 1
            also = re.findall(r"plain A51 \([^)]*\)", legend)
            assert len(also) == len(set(also)) == legend.count("plain A51") == 2, "things alike are told apart"
            settler = (
                '<a class="settler"[^>]* href="[?]at=[^"]*feature.A51.t0" tabindex="-1"><title>alice, trader, A51<'
            )
            assert re.search(settler, shown), "a settler leads to the feature on which it stands"
        # Plains and farms without settlers too, with what they miss; a tile leads to its other features.
        shown = desk.client.get(f"{where}?at=feature.A53").text
        assert 'href="?at=feature.A53.p0#board"' in shown
        shown = desk.client.get(f"{where}?at=feature.A53.p0").text
        assert "plain A53 nobody stands on it · 5 tiles" in text(shown) and shown.count('class="nw-outlined"') == 1
        both = desk.client.get(f"{where}?at=feature.A51.t0,feature.A53.f0").text
        assert both.count('class="nw-outlined"') == 2
        assert 'class="nw-legend' not in desk.client.get(f"{where}?at=feature.Z9,feature.A51.x").text
    beside = desk.client.get(f"/t/{desk.token}?at=at.B51,feature.A51.t0").text
    assert 'href="?at=at.B51#board"' in beside and "town A51" in beside, "what is chosen stays chosen"
