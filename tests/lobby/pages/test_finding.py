"""The lobby: the search is in the address, notes, the required reliability of guests, private tables."""

from __future__ import annotations

import re

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.games.tables import Game, GameSeat, GameStatus
from app.games.work import Work
from app.lobby import open_games
from app.people.tables import Player
from app.time.tables import ClockNote
from tests.support.people import BASE, BOTH, Browser, Enter, PostOffice, make_table, text_of
from tests.support.tables import NOW


def listed(page: str) -> set[int]:
    """The tables that a page of the lobby names."""
    return {int(n) for n in re.findall(r'<h2><a href="/games/(\d+)"', page)}


@BOTH
def test_the_lobby_is_searched_by_its_address(enter: Enter, stranger: Browser) -> None:
    alice = enter("alice")
    acres = make_table(alice, "acres", offer__british="me", offer__french="open", option__edition="first")
    said = alice.page.text
    assert "The table is made." in said and "on their way" not in said, "N14: nobody is invited"
    rated = make_table(alice, "acres", offer__british="me", offer__french="open", rated="on", pace="day")
    three = make_table(alice, offer__red="me", offer__blue="open", offer__green="open", note="a <b>calm</b> \t game")
    page = stranger.get("/tables")
    assert listed(page) == {acres, rated, three}
    assert "<q>a <b>calm</b> game</q>" in page and b"&lt;b&gt;calm" in stranger.page.data
    for query, found in {
        "title=acres": {acres, rated},
        "title=acres&edition=first": {acres},
        "title=acres&edition=second": {rated},
        "pace=day": {rated},
        "pace=week": {acres, three},
        "players=3": {three},
        "rated=yes": {rated},
        "rated=no&title=acres": {acres},
        "rated=yes&players=3": set(),
        "title=chess&pace=x&players=²&rated=maybe": {acres, rated, three},
    }.items():
        page = stranger.get(f"/tables?{query}")
        assert listed(page) == found, query
    page = stranger.get("/tables?title=acres&edition=first&pace=week")
    assert '<option value="first" selected>' in page and '<option value="week" selected>' in page
    assert "No table like that" in stranger.get("/tables?rated=yes&players=3")


def test_a_long_note_comes_back_and_a_private_table_is_not_rated(enter: Enter) -> None:
    alice = enter("alice")
    seats = {"offer__red": "me", "offer__blue": "link"}
    alice.get("/games/new/ferry")
    page = alice.post("/games/new/ferry", 422, days="7", note="n" * 81, **seats)
    assert "81 characters; the limit is 80" in page and 'aria-invalid="true"' in page
    page = alice.post("/games/new/ferry", 422, days="7", private="on", rated="on", **seats)
    assert "A private game cannot be rated" in page


def test_the_invitation_says_note_and_rating(enter: Enter, post: PostOffice, stranger: Browser) -> None:
    alice = enter("alice")
    seats = {"offer__red": "me", "offer__blue": "mail", "address__blue": "bob@example.org"}
    make_table(alice, **seats, note="first game ever", rated="on")
    said = text_of(post.last("bob@example.org", "invitation"))
    assert "“first game ever”" in said and "Rated: it counts" in said
    page = stranger.get(post.link("bob@example.org", "invitation"))
    assert "<q>first game ever</q>" in page and "Rated: it counts" in page


def test_an_open_seat_asks_for_games_in_time(server: Server, enter: Enter) -> None:
    alice, bob = enter("alice"), enter("bob")
    table = make_table(alice, offer__red="me", offer__blue="open", least="90")
    assert "at least 90 of 100 games without a time-out" in bob.get(f"/games/{table}")
    with server.database.write() as session:
        player = session.scalar(sa.select(Player.id).where(Player.name == "bob"))
        for n in range(5):
            game = Game(title="ferry", options={}, pace={}, status=GameStatus.OVER, created_at=NOW, ended_at=NOW)
            session.add(game)
            session.flush()
            session.add(GameSeat(game_id=game.id, seat="red", place=0, player_id=player))
            if n == 0:
                late = {"game_id": game.id, "player_id": player, "kind": "timeout", "cause": "pace", "at": NOW}
                session.add(ClockNote(**late, entry=1, number=1, details={}))
        session.commit()
    refused = bob.post(f"/games/{table}/join", 422, place="1")
    assert "wants 90 of 100 games without a time-out, and you have 80" in refused
    assert "Of the last 5 finished games 4 were" in bob.get(f"/players/{player}")
    carol = enter("carol")  # nothing is known about a new player
    carol.get(f"/games/{table}")
    assert "the game has begun" in carol.post(f"/games/{table}/join", place="1")


def test_as_many_seats_as_play_and_no_colours_where_sides_are_drawn(enter: Enter) -> None:
    alice = enter("alice")
    page = alice.get("/games/new/new-world")
    assert page.count('<select id="offer.') == 2
    page = alice.get("/games/new/new-world?players=4&sides=drawn")
    assert page.count('<select id="offer.') == 4 and "Player 4" in page and ">Red<" not in page
    page = alice.post("/games/new/new-world?players=4&sides=drawn", 422, days="0", sides="drawn", offer__red="me")
    assert page.count('<select id="offer.') == 4 and "Player 4" in page


@pytest.mark.parametrize("called_off", [False, True])
def test_of_a_private_game_the_list_of_chance_tells_no_title(
    called_off: bool, server: Server, enter: Enter, stranger: Browser
) -> None:
    alice, bob = enter("alice"), enter("bob")
    table = make_table(alice, offer__red="me", offer__blue="link", private="on")
    if called_off:
        with server.database.read() as session:
            host = session.scalar(sa.select(Player.id).where(Player.name == "alice"))
        with Work(server.database) as work:
            open_games.cancel(work, host or 0, table, NOW)
    for reader in (alice, bob, stranger):
        page = reader.get("/chance").partition("Every number")[2]
        assert "private" in page and "Ferry" not in page and "alice" not in page
        assert ("called off" if called_off else "waits for players") in page
    assert "seed" in alice.get(f"/games/{table}/proof").lower()
    bob.get(f"/games/{table}/proof", 403)
    asked = stranger.client.get(f"/games/{table}/proof", headers=stranger.headers)
    assert "Ferry" not in asked.get_data(as_text=True) and (
        asked.status_code == 401 or asked.location.startswith(("/sign-in", f"{BASE}/sign-in"))
    )
