"""My games with small boards, points and groups; the boards as pictures of their own."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.server import Server
from app.base.words.speech import Voice
from app.people.tables import Player
from app.play.lists import scores
from app.play.pages.past import pictures as small_boards
from app.play.turn import chat_and_notes
from app.titles.acres.ground import SPOTS
from app.titles.boards import small_svg
from app.titles.pages import PlainPages
from app.titles.registry import PAGES
from engine.acres import ACRES
from tests.support import pressed
from tests.support.acres import acres
from tests.support.people import BOTH, Enter
from tests.support.tables import link_to, load, played, possible, say, start, write
from tests.support.turn_driver import Form
from tests.support.twins import acres_twin, set_state


@BOTH
def test_my_games_show_boards_points_and_what_is_to_be_done(
    app: Flask, server: Server, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points are computed once after each move, and a sealed turn no longer waits, for its own player alone."""
    now = datetime.now(UTC)  # a turn whose time is over is not held
    monkeypatch.setitem(PAGES._loaded, "ferry", PlainPages())
    games = [start(server.database, title, now=now) for title in ("acres", "new-world", "ferry")]
    alice, bob = enter("alice"), enter("bob")
    page = alice.get("/games")
    assert "3 games wait for you" in page and page.count('width="40"') == 2
    assert re.search(r'class="score">\d+ : \d+<', page) and "Others are on turn" in bob.get("/games")
    addresses = re.findall(r'<img src="([^"]+)" alt="" width="40" height="40" loading="lazy">', page)
    assert len(addresses) == 2
    for address in addresses:
        answer = app.test_client().get(address.replace("&amp;", "&"))
        assert (
            answer.mimetype == "image/svg+xml"
            and answer.text.startswith("<svg")
            and "immutable" in answer.headers["Cache-Control"]
        )
        assert "immutable" not in str(app.test_client().get(address.partition("?")[0]).headers)
    assert app.test_client().get(f"/games/{games[2]}/small.svg").status_code == 404, "nothing draws it"
    chat_and_notes.say_as_player(server.database, games[0], 2, "Are you there?", now=datetime.now(UTC))
    unread = '<i class="mark">'
    assert alice.get("/games").count(unread) == 3 and unread not in bob.get("/games"), "N7: the menu, too"
    assert alice.get("/rules").count(unread) == 2 and unread not in bob.get("/rules")
    assert '<form id="read"' not in bob.get(f"/games/{games[0]}")
    turn = f"/t/{server.links.turn_token(link_to(load(server.database, games[0])))}"
    head = alice.get(turn).partition('id="board"')[0]
    assert "<q>Are you there?</q>" in head and unread in head.partition("</summary>")[0]
    assert '<form id="read"' in alice.get(f"/games/{games[0]}") and unread in alice.get("/games"), (
        "looking changes nothing"
    )
    newest = Form(alice.get(f"/games/{games[0]}"), "newest").sent["newest"][0]
    chat_and_notes.say_as_player(server.database, games[0], 2, "Really?", now=datetime.now(UTC))
    bob.post(f"/games/{games[0]}/read", newest=int(newest) + 1)
    assert unread in alice.post(f"/games/{games[0]}/read", newest=newest), "what came meanwhile is new"
    page = alice.post(f"/games/{games[0]}/read", newest=int(newest) + 1)
    assert unread not in page and "Really?" in page and unread not in alice.get("/games") + alice.get("/rules")
    assert "“Really?”" not in alice.get(turn)
    chat_and_notes.say_as_player(server.database, games[0], 2, "Hello?", now=datetime.now(UTC))
    known = dict(scores._kept._values)
    theirs = bob.get("/games")
    write(server.database, sa.update(Player).values(hold_minutes=15))
    game = load(server.database, games[1])
    line = game.title.write(game.state, possible(game.title, game.state)[0])
    pressed.seal(server.database, link_to(game), line, now=datetime.now(UTC))
    page = alice.get("/games")
    assert unread in page
    assert "2 games wait for you" in page and "Your turn goes out at" in page
    assert bob.get("/games") == theirs and dict(scores._kept._values) == known
    say(server.database, games[0], "pass", datetime.now(UTC))
    assert unread not in alice.get("/games"), "it is answered"
    assert alice.get("/games").count("at=2") == 1 and len(scores._kept) == len(known) + 1


def test_a_small_board_cuts_no_name() -> None:
    """Every place in the middle once: names that are not entirely on the board are left out."""
    state, shown = acres("british"), 0
    for place in SPOTS:
        drawn = small_svg("acres", ACRES.view(state, None), Voice("en", title=ACRES), changed=[place])
        left, top, wide, high = (float(n) for n in re.findall(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', drawn)[0])
        for x, y in re.findall(r'<text x="([\d.]+)" y="([\d.]+)">', drawn):
            shown += 1
            assert left <= float(x) <= left + wide and top + 8 <= float(y) <= top + high
        ground, *places = drawn.split('<g class="place">')
        assert "<text" not in ground and len(places) > 2, "as large as on the map: its style asks for the place"
    assert shown > 2 * len(SPOTS)
    wide = small_svg("acres", ACRES.view(state, None), Voice("en", title=ACRES), changed=["boston"], box=(344, 172))
    assert ' 344 172">' in wide and "Deerfield" in wide


def test_a_small_board_shows_what_is_newest_and_nothing_hidden(server: Server, app: Flask) -> None:
    game = played(server, "acres", moves=30)
    path = f"/games/{game}/small.svg?lang=fr"
    drawn = app.test_client().get(path).text
    assert 'viewBox="' in drawn and "am-glow" in drawn and len(drawn) < 25_000
    assert "@media (max-width: 150px)" in drawn, "names that nobody could read are left out"
    small_boards._small.clear()
    seat = load(server.database, game).decides or ""
    twin = acres_twin(load(server.database, game).state, seat, random.Random(4))
    set_state(server.database, game, twin)
    assert app.test_client().get(path).text == drawn
