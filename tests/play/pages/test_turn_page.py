"""The turn page over HTTP: what it shows, how a draft grows, what is sent, and how a refused one comes back."""

from __future__ import annotations

import gzip
import html
import random
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app.games.work import Work
from app.play.pages.turn import page as turn_page
from app.titles.acres.touches import touches
from app.web.pages import STATIC
from engine.acres.state import Question
from engine.acres.title import ACRES
from engine.kernel.title import Choice
from tests.support.acres import acres
from tests.support.tables import hand, random_line, rows_of_games, say
from tests.support.turn_driver import Form, TurnDriver, besieged, drafted, turn_at

BASE = "http://post.example.org"


@pytest.fixture
def ferry(app: Flask) -> TurnDriver:
    return turn_at(app, "ferry")


@pytest.fixture
def snow(app: Flask) -> TurnDriver:
    """Acres, with the British on turn and enough in hand."""
    desk = turn_at(app, "acres")
    desk.place(acres(british_hand=["boston", "new-haven", "norfolk", "philadelphia", "militia"]))
    return desk


def alert(page: str) -> str:
    found = re.search(r'role="alert"[^>]*>(.*?)</div>', page, re.S)
    assert found
    return html.unescape(re.sub(r"\s+", " ", found[1]))


# -- showing -----------------------------------------------------------------------------------------


def test_opening_the_page_changes_nothing(snow: TurnDriver) -> None:
    snow.send("add:money boston")
    before = rows_of_games(snow.server.database)
    token = snow.token
    for _ in range(50):
        assert snow.client.get(f"/t/{token}").status_code == 200
        snow.client.head(f"/t/{token}")
    assert rows_of_games(snow.server.database) == before


def test_the_page_has_all_that_the_turn_needs(snow: TurnDriver) -> None:
    page = snow.page()
    for said in (
        "Your turn: 2 actions.", "Answer by", "(UTC)", "Since your last turn", "<svg", "Your hand", "2 actions left",
        "Take money", "Not possible now", "There is no siege.", "Seal and send", "On offer", "Your notes",
    ):  # fmt: skip
        assert said in page, said
    assert page.count('class="wax') == 1
    assert 'href="?at=money#board"' in page and 'href="?at=place.halifax#board"' in page


def test_every_legal_line_can_be_chosen(snow: TurnDriver) -> None:
    """By its touches in any order; a selection of all legal lines."""
    game, chooser = snow.game, random.Random(3)
    actions = [item for item in game.title.legal(game.state) if not isinstance(item, Choice)]
    for action in chooser.sample(actions, 6):
        tokens = [part.token for part in touches(action)]
        page = snow.client.get(f"/t/{snow.token}?at={','.join(chooser.sample(tokens, len(tokens)))}").text
        assert f"add:{game.title.write(game.state, action)}" in Form(page).offered["do"]


def test_the_page_is_the_same_whatever_is_hidden(snow: TurnDriver) -> None:
    def page(french_hand: list[str]) -> str:
        state = acres(british_hand=["boston", "militia"], french_hand=french_hand)
        player = state.players["french"]
        cards = sorted(player.hand + player.draw)
        hidden = [card for card in cards if card not in french_hand]
        snow.place(replace_player(state, "french", hand=tuple(sorted(french_hand)), draw=tuple(hidden)))
        return re.sub(r'(name="decision" value=")\d+|/t/[^"]+|csrf_token" value="[^"]+', "", snow.page())

    assert page(["gaspe", "louisbourg"]) == page(["montreal", "quebec"])


def replace_player(state: Any, seat: str, **zones: Any) -> Any:
    player = state.players[seat]._replace(**zones)
    players = {**state.players, seat: player}
    return state._replace(players=players) if hasattr(state, "_replace") else replace(state, players=players)


def test_a_page_stays_small_with_its_script(app: Flask) -> None:
    desk = turn_at(app, "acres")
    desk.speaks("fr")  # the longest words
    chooser = random.Random(5)
    largest = []
    for n in range(160):
        if desk.game.is_over:
            break
        if n % 8 == 0:
            raw = desk.client.get(f"/t/{desk.token}").data
            largest.append((len(raw), len(gzip.compress(raw, 6))))
        say(desk.server.database, desk.game_id, random_line(desk.game, chooser), now=datetime.now(UTC))
    script = (STATIC / "turn.js").read_bytes()
    raw, small = max(raw for raw, _ in largest) + len(script), max(small for _, small in largest)
    small += len(gzip.compress(script, 6))
    assert (raw <= 64 * 1024, small <= 13 * 1024) == (True, True), (raw / 1024, small / 1024)


def test_what_folds_up_is_drawn_when_it_is_asked_for(snow: TurnDriver) -> None:
    closed = snow.page("")
    assert "Still in your deck" in closed and 'href="?open=deck#fold-deck"' in closed and "<details id" not in closed
    opened = re.findall(r'<details id="fold-([^"]+)" open', snow.page("deck"))
    assert opened == ["deck"] and len(snow.page()) > 1.5 * len(closed)
    chosen = snow.client.get(f"/t/{snow.token}?at=place.boston&open=text").text
    assert '<details id="fold-text" open' in chosen
    assert 'href="?at=place.boston&amp;open=deck#fold-deck"' in chosen, "what was touched stays so"


def test_the_page_is_drawn_once_and_anew_when_something_is_said(ferry: TurnDriver) -> None:
    turn_page._kept.clear()
    ferry.page("")
    ferry.page("")
    assert len(turn_page._kept) == 1
    ferry.send("say", with_field="say", say="Good day")
    assert "Good day" in ferry.page("")


def test_what_the_page_brings_along_comes_from_here_and_is_kept(ferry: TurnDriver) -> None:
    page = ferry.client.get(f"/t/{ferry.token}")
    policy = page.headers["Content-Security-Policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy and "script-src 'self'" in policy
    assert re.findall(r"<script src=./static/(\w+)", page.text) == ["turn", "zone"] and "style=" not in page.text
    assert page.text.count("<script") == 2
    assert page.headers["Cache-Control"] == "no-store"
    for address in re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text):
        answer = ferry.client.get(address)
        assert answer.status_code == 200 and "immutable" in answer.headers["Cache-Control"]
        answer.close()
    assert ferry.client.get("/static/../config.py").status_code == 404


def test_the_fonts_are_small_and_free() -> None:
    fonts = Path(turn_page.__file__).parents[3] / "static" / "fonts"
    assert sum(path.stat().st_size for path in fonts.glob("*.woff2")) <= 90 * 1024
    for licence in ("OFL-eb-garamond.txt", "OFL-source-sans-3.txt"):
        assert "SIL OPEN FONT LICENSE" in (fonts / licence).read_text(encoding="utf-8")


# -- the draft ---------------------------------------------------------------------------------------


def test_a_draft_grows_is_previewed_and_taken_back(snow: TurnDriver) -> None:
    before = [row for row in rows_of_games(snow.server.database)[:6]]
    token = snow.token
    answer = snow.send("add:money boston")
    assert answer.status_code == 303 and answer.headers["Location"] == f"/t/{token}#draft"
    page = snow.page()
    assert drafted(page) == ["money boston"] and "money 13" in page and "1 action left" in page
    assert "money boston" not in Form(page).lines
    snow.send("add:money norfolk")
    assert drafted(snow.page()) == ["money boston", "money norfolk"]
    assert Form(snow.page()).sent["end"] == ["1"] and "and end my turn with this" in snow.page()
    snow.send("add", orders="end")
    assert drafted(snow.page()) == ["money boston", "money norfolk", "end"]
    assert "With this your turn ends" in snow.page() and "cannot be taken back" in snow.page()
    snow.send("undo:3")
    snow.send("undo:2")
    assert drafted(snow.page()) == ["money boston"]
    snow.send("clear")
    assert drafted(snow.page()) == [] and "money 10" in snow.page()
    assert rows_of_games(snow.server.database)[:6] == before


def board_text(page: str) -> str:
    return " ".join(html.unescape(page.partition('<pre tabindex="0">')[2].partition("</pre>")[0]).split())


def hint(page: str) -> str:
    return " ".join(re.findall(r'<p class="hint">(Not known yet:[^<]*)</p>', page))


def test_the_last_action_and_the_end_of_a_turn_show_on_the_board(snow: TurnDriver) -> None:
    """R11.1, R3.5: what is taken is there; what will be drawn is shown as unknown."""
    snow.send("add:pass")
    snow.send("add:money boston")
    page = snow.page()
    assert "as it stands after your draft" in page and "money 13" in page and "Money 13" in board_text(page)
    snow.send("add", orders="end")
    page = snow.page()
    assert "money 13" in page and "Not known yet: your next card." in hint(page)


def line_of(desk: TurnDriver, *kinds: str) -> str:
    """The line of the first legal action of these types."""
    title, state = desk.game.title, desk.game.state
    return str(next(title.write(state, item) for item in title.legal(state) if type(item).__name__ in kinds))


def test_a_first_turn_shows_what_it_brings(app: Flask) -> None:
    desk = turn_at(app, "acres")
    state = desk.game.state
    line = line_of(desk, "TakeMoney", "Draft")
    desk.send("add", orders=line)
    left = state.players["british"].money
    after = ACRES.preview(state, ACRES.read(state, "british", line))["view"]["seats"]["british"]["money"]
    assert after != left or line.startswith("draft")
    page = desk.page()
    assert f"money {after}<" in page and f"Money {after}," in board_text(page)


def test_a_siege_that_is_given_up_in_the_draft_is_gone_from_its_board(snow: TurnDriver) -> None:
    """R12, as a free step when the actions are used up"""
    snow.place(besieged())
    assert "Siege of Halifax" in snow.page()
    line = line_of(snow, "Withdraw")
    snow.send("add", orders=line)
    page = snow.page()
    assert "Siege of Halifax" not in page and "Halifax" in board_text(page).partition("French")[2]


def test_what_another_seat_answers_is_told_as_not_known(snow: TurnDriver) -> None:
    """R10.13"""
    state = acres(british_hand=["rangers", "boston"], french_hand=["militia", "quebec"])
    snow.place(state)
    snow.send("add", orders="ambush with rangers")
    page = snow.page()
    assert "Not known yet: the answer (French), and what follows." in hint(page)
    assert "1 card" in page and "cannot be taken back" in page


@pytest.mark.quick
def test_a_draft_is_sent_as_one_turn(snow: TurnDriver) -> None:
    snow.send("add:money boston")
    answer = snow.send("play:money norfolk")
    assert answer.status_code == 200 and "Sent." in answer.text
    assert snow.game.decides == "french" and snow.game.state.players["british"].money == 15
    assert "15 money" not in answer.text and 'alice took 3 coins with <a href="#at-boston">' in answer.text


# -- only what is seen is sent -----------------------------------------------------------------------


def test_what_is_touched_counts_with_its_own_button_alone(snow: TurnDriver) -> None:
    chosen = "money,coins.boston"
    answer = snow.send("send", at=chosen)
    assert answer.status_code == 422 and "Your draft is still empty, so nothing was sent." in alert(answer.text)
    assert "when you add it with the button below it" in alert(answer.text)
    answer = snow.send("choose", at="draft")
    assert answer.status_code == 422 and "Something is still asked here" in alert(answer.text)
    assert drafted(snow.page()) == [] and snow.game.decides == "british"
    snow.send("add", orders="money norfolk", at=chosen)
    assert drafted(snow.page()) == ["money norfolk"], "typed orders bring nothing along"
    snow.send("choose", at=chosen)
    assert drafted(snow.page()) == ["money norfolk", "money boston"]


def test_a_draft_is_sent_without_what_is_touched_beside_it(snow: TurnDriver) -> None:
    snow.send("add:money boston")
    snow.send("send", at="money,coins.norfolk")
    state = snow.game.state
    assert snow.game.decides == "british" and state.players["british"].money == 13 and state.actions_left == 1
    assert "militia" in state.players["british"].hand


def test_a_last_step_is_added_and_sent_with_one_button(snow: TurnDriver) -> None:
    def step(at: str) -> str:
        return str(snow.client.get(f"/t/{snow.token}?at={at}").text)

    assert "Add and send" not in step("pass"), "with two actions left one step is no turn"
    assert ' choosing"' in step("pass") and ' choosing"' not in snow.page(), "no seal beside the button that adds"
    snow.send("add:pass")
    assert "wax later" in step("settle"), "what is asked comes first"
    for at, verb in (("pass", "play:pass"), ("discard", "choose-send")):
        assert Form(step(at)).offered["do"].count(verb) == 1 == Form(step(at)).offered["do"].count("send")
        assert re.search(rf'value="{verb}" class="wax"', step(at)), "the seal adds and sends, and says so"
    answer = snow.send("choose-send", at="discard")
    assert answer.status_code == 422 and "Something is still asked here" in alert(answer.text)
    snow.send("play:money boston", orders="money boston")  # typed and chosen: once
    assert snow.game.state.players["british"].money == 13


def test_what_is_chosen_stays_chosen_when_the_form_comes_back(snow: TurnDriver) -> None:
    answer = snow.send("send", at="settle,place.baltimore", orders="dance")
    assert answer.status_code == 422 and "Which card leads there?" in answer.text


def test_the_seal_says_what_it_sends(snow: TurnDriver) -> None:
    def seal() -> str:
        found = re.search(r'value="send" class="wax[^"]*">(.*?)</button>', snow.page(), re.S)
        assert found
        return " ".join(re.sub("<[^>]*>", "", found[1]).split())

    assert seal().startswith("Seal and send nothing yet")
    snow.send("add:pass")
    snow.send("add", orders="money boston")
    assert seal().startswith("Seal and send pass · money boston")


def test_what_came_of_an_answer_stands_on_the_page_of_the_turn_that_it_began(snow: TurnDriver) -> None:
    """R3.5, R10.9: the French ended their turn in advance, so the answer leads straight to a British turn."""
    state = acres("french", british_hand=["rangers", "boston"])
    snow.place(state._replace(question=Question("raid", "british", "pemaquid"), actions_left=0))
    with Work(snow.server.database) as work:
        work.store.write_seat(snow.game_id, "french", ends_turn=snow.game.turn)
        work.commit()
    snow.send("play:allow")
    assert snow.game.decides == "british" and snow.game.kind == "action"
    since = snow.page().partition('<section id="since"')[2].partition("<details")[0]
    assert 'bob won the raid on <a href="#at-pemaquid">Pemaquid</a>: a village is captured' in since


def test_a_draft_is_kept_for_its_decision_only(ferry: TurnDriver) -> None:
    red = hand(ferry.game, "red")
    ferry.send(f"add:keep {red[0]}")
    say(ferry.server.database, ferry.game_id, "peek", now=datetime.now(UTC))
    assert drafted(ferry.page()) == []


def test_a_step_that_shows_something_says_so_before_it_is_sent(ferry: TurnDriver) -> None:
    red = hand(ferry.game, "red")
    ferry.send(f"add:keep {red[0]}")
    ferry.send("add:peek")
    page = ferry.page()
    assert "cannot be taken back" in page and "touch" not in Form(page).offered
    assert ferry.game.number == 1
    ferry.send("add", orders="end")
    assert drafted(ferry.page()) == [f"keep {red[0]}", "peek", "end"]


def test_an_unfinished_turn_is_told_apart_from_a_finished_one(snow: TurnDriver) -> None:
    snow.send("add:pass")
    page = snow.page()
    assert "Your turn is not complete yet." in page and "Passing leaves an action unused." in page


def test_free_steps_left_the_turn_ends_only_when_asked(ferry: TurnDriver) -> None:
    red = hand(ferry.game, "red")
    ferry.send("add", orders=f"keep {red[0]}\nkeep {red[1]}")
    assert Form(ferry.page()).sent["end"] == ["1"]
    ferry.send("send")
    assert ferry.game.decides == "blue"


# -- what cannot be done -----------------------------------------------------------------------------


def test_a_word_that_is_wrong_is_marked_and_the_form_stays_filled(snow: TurnDriver) -> None:
    snow.send("add:money boston")
    before = rows_of_games(snow.server.database)
    answer = snow.send("send", orders="money bostn\npass")
    assert answer.status_code == 422
    assert "Line 2:" in alert(answer.text) and "<mark>bostn</mark>" in answer.text
    form = Form(answer.text)
    assert form.sent["orders"][0].split("\n") == ["money bostn", "pass"]
    assert form.sent["draft"] == ["money boston"]
    assert rows_of_games(snow.server.database) == before


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 422),
        ({"orders": "settle quebec"}, 422),
        ({"orders": "x" * 1_000_000}, 422),
        ({"orders": "pass\n" * 500}, 422),
        ({"orders": "besiege quebec from boston with norfolk force militia"}, 422),
        ({"orders": "pass", "decision": "99"}, 409),
        ({"orders": "pass", "decision": ""}, 409),
        ({"orders": "pass", "csrf_token": ""}, 400),
        ({"orders": "pass", "csrf_token": "W10.x"}, 400),
        ({"at": "money,coins.quebec"}, 422),
    ],
)
@pytest.mark.parametrize("do", ["send", "add"])
def test_bad_input_comes_back_filled_and_stores_nothing(
    snow: TurnDriver, fields: dict[str, str], status: int, do: str
) -> None:
    before = rows_of_games(snow.server.database)
    answer = snow.send(do, **fields)
    assert answer.status_code == status and alert(answer.text)
    assert Form(answer.text).sent["orders"][0].strip()[:50] == fields.get("orders", "").strip()[:50]
    assert rows_of_games(snow.server.database) == before


def test_a_form_without_a_button_plays_nothing(snow: TurnDriver) -> None:
    """What a script, or a program, sends by itself: nobody has said what is to be done."""
    before = rows_of_games(snow.server.database)
    sent = Form(snow.client.get(f"/t/{snow.token}").text).sent | {"orders": "pass", "draft": ["pass"]}
    answer = snow.client.post(f"/t/{snow.token}", data=sent)
    assert answer.status_code == 422 and "Nothing was added or sent yet" in alert(answer.text)
    assert rows_of_games(snow.server.database) == before


def test_an_error_after_something_was_shown_keeps_what_was_played(ferry: TurnDriver) -> None:
    red = hand(ferry.game, "red")
    answer = ferry.send("send", orders=f"keep {red[0]}\npeek\nkeep rose-9")
    assert answer.status_code == 422
    assert "2 lines were played and stay." in alert(answer.text) and "keep rose-9" in alert(answer.text)
    form = Form(answer.text)
    assert form.sent["orders"] == ["keep rose-9"] and form.sent["decision"] == ["2"]
    answer = ferry.client.post(f"/t/{ferry.token}", data=form.sent | {"orders": f"keep {red[1]}\nend", "do": "send"})
    assert "/sent/" in answer.location and ferry.game.decides == "blue"


# -- once and again ----------------------------------------------------------------------------------


def test_the_same_form_again_gives_the_same_result_and_another_one_is_refused(ferry: TurnDriver) -> None:
    token = ferry.token
    page = Form(ferry.client.get(f"/t/{token}?at=drop").text)
    first, second, third = page.offered["touch"][:3]
    data = page.sent | {"touch": [first, second], "do": "choose-send"}
    once = ferry.client.post(f"/t/{token}", data=data)
    before = rows_of_games(ferry.server.database)
    again = ferry.client.post(f"/t/{token}", data=data)
    assert (once.status_code, again.status_code) == (303, 303)
    assert once.headers["Location"] == again.headers["Location"]
    other = ferry.client.post(f"/t/{token}", data=data | {"touch": [third]})
    assert other.status_code == 409 and "with other orders" in other.text
    assert rows_of_games(ferry.server.database) == before


def test_an_ended_link_shows_who_moved_since_and_mails_the_current_one(snow: TurnDriver) -> None:
    token = snow.token
    snow.send("send", orders="money boston\nmoney norfolk")
    say(snow.server.database, snow.game_id, "pass", now=datetime.now(UTC))
    page = snow.client.get(f"/t/{token}")
    assert page.status_code == 200 and "This link has ended" in page.text and "bob passed." in page.text
    assert "militia" not in page.text.lower().split("on offer")[0].split("hand")[0]
    assert snow.client.post(f"/t/{token}/current").status_code == 202
    answer = snow.client.post(f"/t/{token}", data={"do": "add", "decision": "2", "csrf_token": "x"})
    assert "This link has ended" in answer.text


# -- beside the game ----------------------------------------------------------------------------------


def test_chat_is_for_all_and_notes_are_for_oneself(snow: TurnDriver) -> None:
    assert snow.send("say", with_field="say", say="A fine siege <b>\n").status_code == 303
    snow.send("say", with_field="say", say="A fine siege <b>")  # a double click
    assert snow.send("note", with_field="note", note="go for Louisbourg").status_code == 303
    assert snow.send("say", with_field="say", say="  ").status_code == 422
    assert snow.send("note", with_field="note", note="x" * 20_000).status_code == 422
    assert "go for Louisbourg" in snow.page()
    snow.send("send", orders="money boston\nmoney norfolk")
    page = snow.page()
    assert page.partition('id="chat"')[2].count("A fine siege &lt;b&gt;") == 1 and "go for Louisbourg" not in page
