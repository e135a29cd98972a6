"""Playing the computer by pages: with and without an account, with and without a script."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from flask import Flask

from app.base.server import Server
from app.computer.thinking import Thinker
from app.play.turn import starting as games
from engine.kernel.search import levels_of, see, think
from tests.support.people import Browser, Enter, PostOffice
from tests.support.tables import load

SECOND = timedelta(seconds=1)
JSON = {"Accept": "application/json"}


def work(server: Server) -> None:
    Thinker(server.database, server.config, "test").work_off(datetime.now(UTC))


def visit(browser: Browser, path: str) -> str:
    """Open a page, wherever it leads."""
    response = browser.client.get(path, headers=browser.headers, follow_redirects=True)
    return browser._look(response, 200)


def place(browser: Browser) -> str:
    return browser.page.request.path


def begin(browser: Browser, title: str = "ferry", **form: str) -> str:
    """Start a game; the path of the seat."""
    browser.get(f"/computer/{title}")
    browser.post(f"/computer/{title}", **{"level": "beginner", **form})
    return place(browser)


def line_of(server: Server, seat: str) -> str:
    game = load(server.database, 1)
    level = levels_of(game.title)[0]
    return game.title.write(game.state, think(game.title, see(level.mind, game.state, seat), level, b"person").action)


def send(browser: Browser, server: Server, seat: str) -> str:
    """Answer the decision of the page that is open, by its form."""
    number = str(load(server.database, 1).number)
    return browser.post(place(browser), orders=line_of(server, seat), decision=number, do="send")


@pytest.mark.parametrize("title", ["ferry"])
def test_a_whole_game_without_account_and_script(app: Flask, server: Server, stranger: Browser, title: str) -> None:
    path = begin(stranger, title)
    seat = next(one.seat for one in load(server.database, 1).seats if one.is_guest)
    for _ in range(400):
        game = load(server.database, 1)
        if game.is_over:
            break
        if game.decides == seat:
            visit(stranger, path)
            send(stranger, server, seat)
        else:
            page = visit(stranger, path)  # whichever link of the game: it is the seat
            assert "is thinking" in page and "Mail me the current link" not in page
            work(server)
    games.verify(server.database, 1)
    assert load(server.database, 1).is_over
    over = visit(stranger, path)
    assert ("You won" in over or "You lost" in over) and "Play again" in over
    work(server)
    looked = stranger.get("/games/1/look-back")
    assert "The decisions that changed most" in looked and looked.count("from ") >= 3
    assert "<code>" not in looked and looked.count("<figcaption>") >= 3, "N17: no raw orders"
    assert looked.count("replay?turn=") % 2 == 0 and "<title>Turn 1</title><rect" in looked, "the curve and its table"
    assert "<svg" in looked and "as a table" in looked and "<q>I " in looked


def test_the_page_of_a_turn_says_that_the_computer_thinks_and_leads_on(server: Server, enter: Enter) -> None:
    ann = enter("ann")
    path = begin(ann)
    assert "Computer (beginner)" in ann.get(path)
    while load(server.database, 1).decides == "red":
        page = send(ann, server, "red")
        if load(server.database, 1).decides == "red":
            visit(ann, "/games/1/turn")
    found, sent = re.search(r'href="(/waits/[^"]+)" data-waits', page), ann.page.request.path
    assert found and "Computer (beginner) is thinking." in page and "waits.js" in page
    waits = found[1]
    asked = ann.client.get(waits, headers=JSON)
    assert asked.status_code == 204
    ann.get(waits, 303)  # without the script: back to the page that waits
    work(server)
    address = ann.client.get(waits, headers=JSON).json["address"]
    assert "<form" in ann.get(address) and load(server.database, 1).decides == "red"
    assert "<form" in visit(ann, sent) and "is thinking" not in visit(ann, sent), (
        "T11: the page after sending, loaded again"
    )
    while load(server.database, 1).decides == "red":
        visit(ann, "/games/1/turn")
        send(ann, server, "red")
    work(server)
    assert ann.client.get(waits, headers=JSON).status_code == 204  # for the next decision, and for no later one


def test_a_link_without_a_player_allows_what_the_seat_may(server: Server, stranger: Browser) -> None:
    path = begin(stranger)
    stranger.get(f"{path}/resign")
    assert "You have resigned." in stranger.post(f"{path}/resign", sure="yes")
    assert load(server.database, 1).is_over


def test_it_answers_proposals_at_once(server: Server, stranger: Browser) -> None:
    path = begin(stranger)
    stranger.get(f"{path}/propose")
    assert "rather play on" in stranger.post(f"{path}/propose", kind="agreed", winner="red")
    stranger.get(f"{path}/propose")
    assert "has agreed" in stranger.post(f"{path}/propose", kind="cancel")


def test_several_computers_have_a_level_each(server: Server, stranger: Browser) -> None:
    page = stranger.get("/computer/ferry?players=4")
    assert page.count('name="other"') == 2 and "Computer 3" in page
    stranger.post("/computer/ferry?players=4", level="beginner", seats="4", other=["", "strong"])
    held = [one.computer for one in load(server.database, 1).seats]
    assert sorted(held) == ["", "beginner", "beginner 2", "strong 3"]


def test_a_whole_game_by_mail_alone(app: Flask, server: Server, post: PostOffice, enter: Enter) -> None:
    """A mail asks for each turn, but not while the person may still be at the page."""
    ann = enter("ann")
    begin(ann)
    with time_machine.travel(datetime.now(UTC), tick=False) as clock:
        for _ in range(100):
            game = load(server.database, 1)
            if game.is_over:
                break
            clock.shift(timedelta(minutes=6))
            if game.decides == "red":
                browser = Browser(app)
                visit(browser, post.link("ann", "t"))
                send(browser, server, "red")
            else:
                work(server)
                assert post.sender.send_due(datetime.now(UTC)) <= load(server.database, 1).is_over
    assert load(server.database, 1).is_over
    assert not [mail for mail in post.all() if "ann@" not in str(mail["To"])]


def test_it_is_offered_where_people_look_for_a_game(server: Server, stranger: Browser, enter: Enter) -> None:
    assert "/computer" in stranger.get("/") and "/computer" in stranger.get("/tables")
    steps = 60
    while stranger.client.get(f"/learn/acres/{steps}").status_code == 404:
        steps -= 1
    assert "/computer/acres" in stranger.get(f"/learn/acres/{steps}")
    assert "/computer/new-world" in stranger.get("/computer")
    assert "Imagines hands you may hold" in stranger.get("/computer/acres")


def test_nothing_is_offered_where_nothing_thinks(app: Flask, server: Server, stranger: Browser) -> None:
    object.__setattr__(server.config, "thinkers", 0)
    assert "/computer" not in stranger.get("/") + stranger.get("/tables")
    stranger.get("/computer", 404)
    stranger.get("/computer/ferry", 404)


def test_its_games_are_in_no_list_of_others(server: Server, stranger: Browser, enter: Enter) -> None:
    begin(enter("ann"), "new-world")
    listed = stranger.get("/") + stranger.get("/watch") + stranger.get("/archive")
    assert "/games/1" not in listed
    assert "Computer (beginner)" in enter("ann").get("/games")


def test_a_game_of_people_is_looked_back_on_when_they_ask(server: Server, enter: Enter, stranger: Browser) -> None:
    ann = enter("ann")
    stranger.get("/games/1/look-back", 404)
    path = begin(ann)
    stranger.get("/games/1/look-back", 404)  # it is running
    ann.get(f"{path}/resign")
    ann.post(f"{path}/resign", sure="yes")
    assert "is looking back" in stranger.get("/games/1/look-back")
    assert "Look back" in stranger.get("/games/1")
