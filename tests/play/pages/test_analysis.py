"""An analysis: lines of all sides from a position, branches, unknowns, assumed results of chance."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from flask import Flask

from app.base.server import Server
from app.base.words.refusals import NotAccepted
from app.play.past import analysis
from app.play.tables import AnalysisBranch
from app.titles.pages import parts_of
from app.titles.registry import TITLES
from engine.acres import ACRES
from engine.kernel.title import Choice
from tests.support import acres_games
from tests.support.acres import acres
from tests.support.forms import Page
from tests.support.people import BOTH, Browser, Enter, everything
from tests.support.tables import NOW, load, played, start, write
from tests.support.twins import set_state

NEW_WORLD = TITLES["new-world"]


def lines(page: str) -> list[str]:
    """Return the lines tried out so far."""
    part = page.partition('id="lines"')[2].partition("</section>")[0]
    return [unescape(re.sub("<[^>]*>", "", one)) for one in re.findall(r"<code>(.*?)</code>", part)]


def board(page: str) -> str:
    found = re.search(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def snow(server: Server) -> int:
    """A game of Acres with the British on turn."""
    game_id = start(server.database, "acres")
    hand = ["boston", "new-haven", "norfolk", "philadelphia", "militia"]
    set_state(server.database, game_id, acres(british_hand=hand, british_money=6, french_hand=["quebec", "gaspe"]))
    return game_id


def begun(browser: Browser, game_id: int, entry: int = 1) -> str:
    """Start a new branch; return its address."""
    browser.get(f"/games/{game_id}/replay/{entry}")
    browser.post(f"/games/{game_id}/replay/{entry}/plan")
    return browser.page.request.path


# -- the analysis ---------------------------------------------------------------------------------------


@pytest.mark.quick
def test_own_steps_are_tried_and_the_game_stays(server: Server, enter: Enter, snow: int) -> None:
    alice = enter("alice")
    address = begun(alice, snow)
    before = load(server.database, snow)
    page = alice.post(address, do="add", orders="money boston")
    assert lines(page) == ["money boston"] and "took 3 coins with Boston" in page
    assert "money 9" in page
    after = load(server.database, snow)
    assert (after.state, after.number, after.entries) == (before.state, before.number, before.entries)


def test_what_draws_is_where_a_branch_ends(enter: Enter, snow: int) -> None:
    alice = enter("alice")
    address = begun(alice, snow)
    page = alice.post(address, do="add", orders="money boston\nmoney norfolk\nend")
    assert lines(page) == ["money boston", "money norfolk", "end"] and "money 11" in page
    assert "From here on it depends on what you cannot know." in page and 'name="orders"' not in page
    page = alice.post(address, 422, do="add", orders="discard militia")
    assert "Line 1: From here on it depends" in page and lines(page) == ["money boston", "money norfolk", "end"]
    page = alice.post(address, do="undo:3")
    assert lines(page) == ["money boston", "money norfolk"] and 'name="orders"' in page
    page = alice.post(address, do="undo:2")
    assert lines(page) == ["money boston"] and 'name="orders"' in page


def test_the_other_side_may_do_what_it_might_be_able_to(server: Server, enter: Enter, snow: int) -> None:
    """Bob waits for Alice and tries out what she might do, then his own turn; he cannot know her hand."""
    bob = enter("bob")
    address = begun(bob, snow)
    state = load(server.database, snow).state
    hidden = state.players["british"]
    drawn = next(
        card for card in hidden.draw if card not in hidden.hand and card in ("baltimore", "new-york", "st-marys")
    )
    page = bob.post(address, do="add", orders=f"money {drawn}")
    assert lines(page) == [f"money {drawn}"], "a card of the deck counts as held"
    page = bob.post(address, do="add", orders="money boston")
    own = state.players["french"].hand
    page = bob.post(address, do="add", orders=f"discard {own[0]}")
    assert lines(page)[-3:] == ["money boston", "end", f"discard {own[0]}"], "as in a record, `end` need not be said"
    assert "What could you do?" in page


def test_a_line_that_cannot_be_played_comes_back_with_its_reason(enter: Enter, snow: int) -> None:
    alice = enter("alice")
    address = begun(alice, snow)
    page = alice.post(address, 422, do="add", orders="money boston\nmoney boson")
    assert "Line 2:" in page and "<mark>boson</mark>" in page and lines(page) == []
    assert "money boston\nmoney boson" in page.replace("\r", "")
    page = alice.post(address, 422, do="add", orders="settle halifax from boston with militia")
    assert "Halifax" in page and 'role="alert"' in page
    assert "There is nothing to add yet" in alice.post(address, 422, do="add", orders="")
    assert "the limit is" in alice.post(address, 422, do="add", orders="pass\n" * 200)


def test_steps_are_chosen_with_controls(enter: Enter, snow: int) -> None:
    alice = enter("alice")
    address = begun(alice, snow)
    first = alice.get(address)
    assert f'href="{address}?at=money#tray"' in first
    form = Page(alice.get(f"{address}?at=money")).form("orders")
    assert "add:money boston" in form.offers("do")
    page = alice.post(address, do="add:money boston", at="pass")
    assert lines(page) == ["money boston"]
    form = Page(alice.get(f"{address}?at=discard")).form("orders")
    assert "away.militia" in form.offers("touch")  # any card can be discarded
    assert "Something is still asked here" in alice.post(address, 422, do="choose", at="discard")
    page = alice.post(address, do="choose", at="discard", touch=["away.militia"])
    assert lines(page)[1:] and "militia" in lines(page)[1]


def test_any_step_of_a_line_can_be_looked_at(enter: Enter, snow: int) -> None:
    alice = enter("alice")
    address = begun(alice, snow)
    start_board = board(alice.get(address))
    alice.post(address, do="add", orders="money boston")
    pages = [alice.get(f"{address}?step={n}") for n in range(2)]
    assert board(pages[0]) == start_board != board(pages[1])
    assert 'name="orders"' not in pages[0] and 'name="orders"' in pages[1]
    assert board(alice.get(f"{address}?step=nonsense")) == board(pages[1])


def test_what_chance_gives_is_supposed(server: Server, enter: Enter) -> None:
    """New World hides nothing: all seats can be tried out, and the tile drawn is one of those left."""
    game_id = start(server.database, "new-world", seats=3)
    alice = enter("alice")
    address = begun(alice, game_id)
    for n in range(4):
        form = Page(alice.get(address)).form("orders")
        first = next(do for do in form.offers("do") if do.startswith("add:"))
        page = alice.post(address, do=first)
        assert len(lines(page)) == n + 1 and "What comes next?" in page
        offered = Page(page).form("suppose").offers("suppose")
        left = NEW_WORLD.view(load(server.database, game_id).state, None)["left"]
        assert set(offered) <= set(left)
        assert "There is nothing to add" in alice.post(address, 422, do="add", orders="")
        assert "First suppose what is drawn here." in alice.post(address, 422, do="add", orders="place 1,1 0")
        page = alice.post(address, do="add", suppose=offered[n])
        words = parts_of("new-world").drawn(offered[n])
        assert f"supposing that {words} comes" in page and "nw-" not in words
    assert {"Red", "Blue", "Green"} <= {one for one in re.findall(r'side-\w+">(\w+)</b> <code>', page)}
    first = next(do for do in Page(page).form("orders").offers("do") if do.startswith("add:"))
    assert "cannot come here" in alice.post(address, 422, do="add", orders=f"{first[4:]}\nsuppose nonsense")
    alice.post(address, do="undo:2")
    assert len(lines(alice.get(address))) == 1


def test_a_supposition_where_nothing_is_drawn_is_refused(enter: Enter, snow: int) -> None:
    alice = enter("alice")
    address = begun(alice, snow)
    page = alice.post(address, 422, do="add", orders="money boston\nsuppose militia")
    assert "there is nothing to suppose" in page


@pytest.mark.parametrize("seed", range(4))
def test_random_lines_go_on_without_a_stop(server: Server, seed: int) -> None:
    """Every line leads to a position, a named end, or a refusal; good lines stay good."""
    chooser = random.Random(seed)
    for title in ("acres", "new-world"):
        game_id = played(server, title, moves=10 + seed * 7, seed=seed)
        game = load(server.database, game_id)
        for seated in game.seats:
            state = game.title.imagined(game.state, seated.seat)
            said: list[str] = []
            for _ in range(12):
                course = analysis.try_out(game.title, state, said)
                assert course.refused is None and course.first() == said
                if course.asks:
                    said.append(f"suppose {chooser.choice(course.asks)}")
                    continue
                if course.unknown or game.title.decision(course.state) is None:
                    break
                item = chooser.choice(game.title.legal(course.state))
                action = item.smallest()[0] if isinstance(item, Choice) else item
                said.append(game.title.write(course.state, action))


def test_an_answer_that_leaves_no_choice_is_given_first() -> None:
    """As the server gives it in the game, so that a player who tries something out is asked what has to be decided."""
    forced = 0

    def look(state: Any, action: Any) -> None:
        nonlocal forced
        for seat in ACRES.seats:
            imagined = ACRES.imagined(state, seat)
            forced += ACRES.forced(imagined) is not None
            course = analysis.try_out(ACRES, imagined, [])
            assert course.refused is None and (course.unknown or ACRES.forced(course.state) is None)

    for seed in range(3):
        acres_games.random_game(seed, look=look)
    assert forced > 10


# -- branches -----------------------------------------------------------------------------------------


@BOTH
def test_branches_are_copied_from_any_step_and_deleted(server: Server, enter: Enter, snow: int) -> None:
    alice = enter("alice")
    address = begun(alice, snow)
    alice.post(address, do="add", orders="money boston\nmoney norfolk")
    page = alice.post(address, do="copy:1")
    copied = alice.page.request.path
    assert copied != address and lines(page) == ["money boston"] and "<h1>Line 2" in page
    alice.post(copied, do="add", orders="discard militia")
    assert lines(alice.get(address)) == ["money boston", "money norfolk"]
    page = alice.get(f"/games/{snow}/replay/1")
    assert "Line 1" in page and "Line 2" in page
    page = alice.post(copied, do="delete")
    assert "The branch is deleted." in page and "Line 2</a>" not in page
    alice.get(copied, 404)


def test_branches_and_their_lines_are_bounded(server: Server, enter: Enter, snow: int) -> None:
    alice, bob = enter("alice"), enter("bob")
    addresses = [begun(alice, snow) for _ in range(analysis.MOST_BRANCHES)]
    alice.get(f"/games/{snow}/replay/1")
    page = alice.post(f"/games/{snow}/replay/1/plan", 422)
    assert "delete one first" in page
    assert "delete one first" in alice.post(addresses[0], 422, do="copy")
    begun(bob, snow)
    player = load(server.database, snow).seated("british").player_id or 0
    branch = AnalysisBranch(id=int(addresses[0].rpartition("/")[2]), entry=1, name="n0")
    with pytest.raises(NotAccepted, match=r"plan\.too_long"):
        analysis.keep_lines(server.database, snow, player, branch, ["pass"] * (analysis.MOST_LINES + 1), now=NOW)


def test_two_windows_do_not_overwrite_each_other(server: Server, enter: Enter, snow: int) -> None:
    alice = enter("alice")
    address = begun(alice, snow)
    player = load(server.database, snow).seated("british").player_id or 0
    branch = AnalysisBranch(id=int(address.rpartition("/")[2]), entry=1, name="Mine")
    analysis.keep_lines(server.database, snow, player, branch, ["money boston"], now=NOW)
    analysis.keep_lines(server.database, snow, player, branch, ["money boston"], now=NOW)  # a double click
    with pytest.raises(NotAccepted, match=r"plan\.changed"):
        analysis.keep_lines(server.database, snow, player, branch, ["money norfolk"], now=NOW)
    assert lines(alice.get(address)) == ["money boston"]


def test_a_branch_is_its_seats_alone(app: Flask, server: Server, enter: Enter, stranger: Browser, snow: int) -> None:
    alice, bob, carol = enter("alice"), enter("bob"), enter("carol")
    address = begun(alice, snow)
    alice.post(address, do="add", orders="money boston")
    other = begun(bob, snow)
    before = everything(server)
    for do in ("add", "undo:1", "copy:1", "delete"):
        bob.post(address, 404, do=do, orders="pass")
    assert "You do not play in this game." in carol.get(address, 403)
    assert "You do not play in this game." in carol.post(address, 403, do="delete")
    assert stranger.client.get(address).status_code == 303
    assert stranger.client.post(address, data={"do": "delete"}).status_code == 303
    bob.get(address, 404)
    for browser in (bob, carol, stranger):
        assert address not in browser.get(f"/games/{snow}/replay/1")
    assert address not in bob.get(other)
    assert everything(server) == before


def test_every_form_needs_its_token(server: Server, enter: Enter, snow: int) -> None:
    alice = enter("alice")
    address = begun(alice, snow)
    before = everything(server)
    for token in ("", "wrong"):
        for do in ("add", "copy", "delete"):
            alice.token = token
            page = alice.post(address, 400, do=do, orders="money boston")
            assert "This form has expired" in page and "money boston" in page
        alice.token = token
        alice.post(f"/games/{snow}/replay/1/plan", 400)
    assert everything(server) == before


@pytest.mark.parametrize(
    ("lang", "said"), [("fr", "Tes variantes"), ("es", "Tus variantes"), ("it", "Le tue varianti")]
)
def test_the_page_speaks_four_languages(
    server: Server, enter: Callable[..., Browser], snow: int, lang: str, said: str
) -> None:
    from sqlalchemy import update

    from app.people.tables import Player

    alice = enter("alice")
    address = begun(alice, snow)
    write(server.database, update(Player).values(language=lang))
    page = alice.get(address)
    assert said in page
    for word in ("Branch off", "Analysis", "What could", "nothing here is sent"):
        assert word not in page


def test_a_planned_state_is_imagined(server: Server, snow: int) -> None:
    """The page's positions come from `Title.imagined`: the other side holds what is unseen."""
    state = load(server.database, snow).state
    imagined = ACRES.imagined(state, "british")
    assert analysis.try_out(ACRES, imagined, []).state == imagined != state
