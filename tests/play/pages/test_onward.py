"""Where to go after a turn, and from an expired link: this game, my games, the next game that waits."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from flask import Flask

from app.base.server import Server
from app.play.turn import starting
from tests.support.people import BOTH, Browser, Enter
from tests.support.tables import address, link_to, load, say, start
from tests.support.turn_driver import Form


def link(server: Server, game: int) -> str:
    return f"/t/{server.links.turn_token(link_to(load(server.database, game)))}"


def orders(server: Server, game: int) -> str:
    """Return a whole turn of the seat on turn."""
    now = load(server.database, game)
    if now.title.id == "ferry":
        cards = now.state.sides[now.decides].hand
        return f"drop {cards[0]}\ndrop {cards[1]}\nend"
    if now.title.id == "acres":
        return "pass"  # the first turn of a game has one action
    return str(now.title.write(now.state, now.title.legal(now.state)[-1]))


def take_turn(browser: Browser, server: Server, game: int) -> str:
    """Send the turn by the form of its page; return the answer."""
    path = link(server, game)
    data = Form(browser.client.get(path, headers=browser.headers).text).sent
    data |= {"orders": orders(server, game), "do": "send"}
    answer = browser.client.post(path, data=data, headers=browser.headers, follow_redirects=True)
    assert answer.status_code == 200, answer.text
    return unescape(answer.text)


def others(server: Server, *names: str, **kwargs: Any) -> int:
    """A game of Ferry in which the first of these is on turn."""
    seats = list(zip(("red", "blue", "green"), map(address, names), strict=False))
    return starting.new_game(server.database, "ferry", seats, **kwargs)


@BOTH
@pytest.mark.parametrize("title", ["ferry", "acres", "new-world"])
def test_after_a_turn_whoever_is_signed_in_goes_on_to_the_next_game(title: str, server: Server, enter: Enter) -> None:
    now = datetime.now(UTC)
    slow = start(server.database, seats=3, pace=timedelta(days=9), now=now)
    this = start(server.database, title, seats=2, pace=timedelta(days=3), now=now)
    urgent = others(server, "alice", "carol", now=now - timedelta(days=1))
    theirs = others(server, "bob", "alice", now=now)
    alice = enter("alice")
    page = take_turn(alice, server, this)
    main = page[page.index("<main") :]
    assert "Sent." in main and "against carol" in main and "1 more game waits after it" in main
    assert main.index(link(server, urgent)) < main.index(f'href="/games/{this}"') < main.index('href="/games"')
    assert link(server, slow) not in page and str(theirs) not in [
        one.partition('"')[0] for one in page.split("/games/")
    ]
    assert 'href="/account"' in page and main.count('class="wax"') == 1 and main.count(" autofocus") == 1
    assert "Answer by" in main and "<caption>Points" in main
    page = take_turn(alice, server, urgent)
    assert link(server, slow) in page and "more game" not in page
    assert "No other game waits for you." in take_turn(alice, server, slow)


def test_thirty_waiting_turns_are_passed_one_after_another_by_links_alone(server: Server, stranger: Browser) -> None:
    """Nobody signs in: the answer to each sealed turn leads to the player's next decision, the most urgent first."""
    now = datetime.now(UTC)
    games = [start(server.database, now=now, pace=timedelta(days=40 - n)) for n in range(30)]
    theirs = others(server, "bob", "carol", now=now)
    path, passed = link(server, games[-1]), []
    while path:
        data = Form(stranger.get(path)).sent
        game = next(one for one in games if link(server, one) == path)
        data |= {"orders": orders(server, game), "do": "send"}
        page = stranger.client.post(path, data=data, headers=stranger.headers, follow_redirects=True).text
        passed.append(game)
        found = re.search(r'<a class="wax" href="(/t/[^"]+)"', page)
        path = found[1] if found else ""
    assert passed == games[::-1] and link(server, theirs) not in page
    assert "The board" in page and "This game" in page


def test_only_the_post_that_seals_leads_on_by_a_mailed_link(server: Server, stranger: Browser) -> None:
    """N15: what follows it is a page of its own, which a browser may load again, until something else has happened.
    Sending the form again, and the link after its decision, lead to no other game; a held turn no longer waits for its
    player.
    """
    now = datetime.now(UTC)
    this, following = start(server.database, now=now), start(server.database, seats=3, now=now)
    held, path = others(server, "alice", "carol", now=now - timedelta(days=1)), link(server, this)
    with server.database.write() as session:
        session.connection().exec_driver_sql("UPDATE player SET hold_minutes = 15")
        session.commit()
    sealed = take_turn(stranger, server, held)
    assert "goes out at" in sealed and link(server, this) in sealed
    with server.database.write() as session:
        session.connection().exec_driver_sql("UPDATE player SET hold_minutes = 0")
        session.commit()
    data = Form(stranger.get(path)).sent | {"orders": orders(server, this), "do": "send"}
    first = stranger.client.post(path, data=data, headers=stranger.headers, follow_redirects=True)
    assert link(server, following) in first.text and link(server, held) not in first.text
    sent = first.request.path
    assert "Sent." in stranger.get(sent) and link(server, following) in stranger.get(sent)
    stranger.get(sent.replace(path, link(server, following)), 404)
    again = stranger.client.post(path, data=data, headers=stranger.headers, follow_redirects=True)
    for page in (again.text, stranger.get(path), stranger.get(link(server, held))):
        assert link(server, following) not in page and f"/games/{following}" not in page
    say(server.database, this, orders(server, this), now=now)
    stranger.get(sent, 303)
    assert stranger.page.location == path


def test_somebody_else_who_is_signed_in_gets_no_link_of_the_player(server: Server, enter: Enter) -> None:
    now = datetime.now(UTC)
    this, following = start(server.database, now=now), start(server.database, now=now)
    mine = others(server, "bob", "carol", now=now)
    bob, path = enter("bob"), link(server, this)
    asked = bob.get(path)
    assert "This link belongs to alice; you are signed in as bob." in asked and "red-hand" not in asked, "N16"
    assert 'id="decide"' not in asked and 'id="decide"' in bob.post(f"{path}/open")
    page = take_turn(bob, server, this)
    assert link(server, following) not in page and link(server, mine) not in page and "/account" not in page


def test_a_link_that_has_ended_leads_on_for_its_player_and_tells_nobody_else(
    server: Server, enter: Enter, stranger: Browser
) -> None:
    now = datetime.now(UTC)
    this, following = start(server.database, now=now), start(server.database, seats=3, now=now)
    old = link(server, this)
    say(server.database, this, orders(server, this), now=now)
    page = stranger.get(old)
    assert f'href="/games/{this}"' in page and 'href="/games"' in page
    assert f"/games/{following}" not in page and "waits for you" not in page
    assert link(server, following) in enter("alice").get(old)
    assert link(server, following) not in enter("bob").get(old)


def test_games_without_a_deadline_wait_last(server: Server, enter: Enter) -> None:
    now = datetime.now(UTC)
    this = start(server.database, now=now)
    paused, timed = start(server.database, now=now), start(server.database, seats=3, now=now)
    alice = enter("alice")  # whose mails are delivered with it, which starts the clocks
    with server.database.write() as session:
        session.connection().exec_driver_sql(f"UPDATE game SET deadline_at = NULL WHERE id = {paused}")
        session.commit()
    page = take_turn(alice, server, this)
    assert link(server, timed) in page and link(server, paused) not in page


@pytest.mark.parametrize("language", ["fr", "es", "it"])
def test_the_way_on_is_said_in_the_language_of_the_player(
    app: Flask, server: Server, enter: Enter, language: str
) -> None:
    now = datetime.now(UTC)
    this, _ = start(server.database, now=now, language=language), start(server.database, seats=3, now=now)
    page = take_turn(enter("alice"), server, this)
    assert "Next:" not in page and "This game" not in page and "Ferry" in page
