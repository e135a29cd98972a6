"""My games, the page of a game, resigning, proposals, rematch, chat and notes."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event

from app.base.server import Server
from app.clocks.pace import simple
from app.play.fairness.proof import committed
from app.play.turn import starting
from app.time import pending
from app.titles.registry import TITLES
from engine.kernel import records
from tests.support.people import BOTH, Browser, Enter, PostOffice, everything, text_of
from tests.support.tables import CAST, NOW, address, load, say, start

FORMS = (
    "say",
    "note",
    "propose",
    "withdraw",
    "rematch",
    "join",
    "<any(leave, cancel):act>",
    "offer",
)


def statements(server: Server, ask: Callable[[], Any]) -> list[str]:
    """Return what a request sends to the database, without the beginning of its transaction."""
    said: list[str] = []

    def note(session: Any, cursor: Any, statement: str, *rest: Any) -> None:
        said.append(statement)

    event.listen(server.database.engine, "before_cursor_execute", note)
    try:
        ask()
    finally:
        event.remove(server.database.engine, "before_cursor_execute", note)
    return [one for one in said if not one.startswith(("PRAGMA query_only", "BEGIN", "SET TRANSACTION"))]


# -- my games -----------------------------------------------------------------------------------------


@pytest.mark.quick
def test_my_games_are_one_row_each_the_urgent_first(server: Server, enter: Enter) -> None:
    slow = start(server.database, seats=3, pace=timedelta(days=9))
    urgent = start(server.database, seats=2, pace=timedelta(days=2))
    theirs = start(server.database, seats=2)
    say(server.database, theirs, "drop " + _card(server, theirs) + "\ndrop " + _card(server, theirs, 1) + "\nend")
    others = starting.new_game(server.database, "ferry", [("red", "x@example.org"), ("blue", "y@example.org")], now=NOW)
    alice = enter("alice")
    page = alice.get("/games")
    at = [page.index(f'href="/games/{way}"') for way in (f"{urgent}/turn", f"{slow}/turn", theirs)]
    assert alice.get(f"/games/{urgent}/turn", 303) and alice.page.headers["Location"].startswith("/t/")
    assert alice.get(f"/games/{theirs}/turn", 303) and alice.page.headers["Location"] == f"/games/{theirs}"
    assert at == sorted(at) and f'href="/games/{others}"' not in page
    assert page.count('<li class="new">') == 2
    assert "<small>Red dropped " in enter("bob").get("/games"), "the news"
    assert "<b>bob and carol</b>" in page and "Play the most urgent" in page and "Others are on turn" in page


def test_an_overdue_game_is_listed_as_such_for_everybody_in_it(server: Server, enter: Enter) -> None:
    early = datetime.now(UTC) - timedelta(days=8)
    late = start(server.database, seats=2, now=early)
    start(server.database, seats=2, now=datetime.now(UTC))
    with server.database.write() as session:  # its mail was accepted then
        pending.start_clock(session, late, 1, early)
        session.commit()
    for who in ("alice", "bob"):
        assert enter(who).get("/games").count('<span class="when late">overdue</span>') == 1


def _card(server: Server, game: int, n: int = 0) -> str:
    state = load(server.database, game).state
    return str(state.sides[state.on_turn].hand[n])


@BOTH
def test_my_games_cost_two_statements_and_no_write(server: Server, enter: Enter) -> None:
    for _ in range(12):
        start(server.database, seats=4)
    alice = enter("alice")
    before = everything(server)
    said = statements(server, lambda: alice.get("/games"))
    assert len(said) <= 2 and all(one.lstrip().startswith("SELECT") for one in said)
    assert everything(server) == before


def test_games_that_ended_are_kept_on_their_own_page(server: Server, enter: Enter) -> None:
    numbers = []
    for _ in range(52):
        numbers.append(start(server.database))
    alice = enter("alice")
    for number in numbers:
        _end(server, number)
    page = alice.get("/games/past")
    assert page.count('href="/games/5') >= 3 and "Older games" in page and "You lost." in page
    assert page.count("<li>") == 50 + page.partition("<main")[0].count("<li>")
    assert f'href="/games/{numbers[0]}"' in alice.get("/games/past?before=3")
    alice.get("/games/past?before=²")


def _end(server: Server, game: int, seat: str = "red") -> None:
    from app.play.agreed import results

    player = load(server.database, game).seated(seat).player_id
    assert player
    results.resign(server.database, game, player, now=NOW)


# -- the page of a game -------------------------------------------------------------------------------


@pytest.mark.parametrize("title", ["ferry", "acres", "new-world"])
def test_everybody_may_watch_a_game_and_only_players_see_more(
    title: str, server: Server, enter: Enter, stranger: Browser
) -> None:
    game = start(server.database, title)
    alice, carol = enter("alice"), enter("carol")
    for spectator in (stranger.get(f"/games/{game}"), carol.get(f"/games/{game}")):
        assert "/t/" not in spectator and "chat" not in spectator.partition("<main")[2].lower()
        assert f"/games/{game}/record.json" in spectator and "Resign" not in spectator
    assert "An unrated game." in carol.get(f"/games/{game}")
    with server.database.write() as session:
        session.connection().exec_driver_sql("UPDATE game SET is_rated = true")
        session.commit()
    page = alice.get(f"/games/{game}")
    assert "Rated: the game counts for the ratings of casual play." in page
    assert "Take your turn" in page and 'id="notes"' in page and "Resign" in page
    link = page.partition('href="/t/')[2].partition('"')[0]
    assert "orders" in alice.get(f"/t/{link}")


@pytest.mark.parametrize("title", ["ferry", "acres"])
def test_spectators_see_nothing_hidden(title: str, server: Server, stranger: Browser) -> None:
    """Two games that differ in hidden cards only look the same."""
    pages = []
    for _ in range(2):
        game = start(server.database, title)
        page = stranger.get(f"/games/{game}").replace(f"/games/{game}", "").replace(f"Game {game}", "")
        pages.append(page.replace(committed(load(server.database, game).seed), ""))  # all may see it; it tells nothing
    states = [load(server.database, game).state for game in (1, 2)]
    assert states[0] != states[1] and pages[0] == pages[1]
    if title == "acres":  # open cards of both sides are shown to everybody who waits or watches
        table = pages[0].partition('<section id="others"')[2].partition("</table>")[0]
        assert all(word in table for word in ("British", "alice", "French", "bob", "Money", "Captured towns"))
        assert (
            pages[0].count("In hand and deck together") == 2 and pages[0].count("Location cards on offer") == 4
        )  # and in the text


def test_a_long_log_has_pages(server: Server, stranger: Browser) -> None:
    game = start(server.database, options={"turns": 40})
    for _ in range(25):
        state = load(server.database, game).state
        hand = state.sides[state.on_turn].hand
        say(server.database, game, f"drop {hand[0]}\ndrop {hand[1]}\nend")
    page = stranger.get(f"/games/{game}")
    assert "Earlier" in page and "To the newest" not in page
    until = page.partition("?until=")[2].partition("#")[0]
    earlier = stranger.get(f"/games/{game}?until={until}")
    assert "To the newest" in earlier and earlier != page
    stranger.get(f"/games/{game}?until=-5")
    stranger.get("/games/99999999999999", 404)
    stranger.get("/games/77", 404)


# -- ends ---------------------------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize("title", ["acres", "ferry"])
def test_resigning_takes_a_confirmation_and_ends_the_game(
    title: str, server: Server, enter: Enter, post: PostOffice
) -> None:
    game = start(server.database, title)
    bob = enter("bob")
    before = everything(server)
    bob.get(f"/games/{game}/resign", 303)
    link = bob.page.location
    assert "cannot be taken back" in bob.get(link) and everything(server) == before
    assert "You have resigned." in bob.post(link, sure="yes")
    assert load(server.database, game).is_over
    for who, said in (("alice", "You won."), ("bob", "You lost.")):
        assert post.subjects(address(who))[-1].startswith(said)
    assert "The game is over." in bob.post(link, 422, sure="yes")
    assert _verified(bob, game)["reason"] == "resignation"


def _verified(browser: Browser, game: int) -> dict[str, Any]:
    """Return the result of the record that everybody can load, if the rules confirm it."""
    record = records.load(browser.client.get(f"/games/{game}/record.json").get_data(), TITLES)
    records.verify(record)
    assert record.result is not None
    return dict(record.result)


def test_a_game_of_many_goes_on_after_one_resigned(server: Server, enter: Enter, post: PostOffice) -> None:
    game = start(server.database, "new-world", seats=4)
    post.all()
    bob = enter("bob")
    bob.resign(game)
    link = bob.page.request.path
    now = load(server.database, game)
    assert not now.is_over and now.decides != "blue"
    assert "out of this game" in bob.get(link)
    assert "/resign" not in bob.get(f"/games/{game}")
    assert post.link("alice@example.org", "t")  # the current link, for the number of the decision has changed


def test_only_players_resign_and_propose(server: Server, enter: Enter, stranger: Browser) -> None:
    game = start(server.database)
    carol = enter("carol")
    carol.get("/account")
    before = everything(server, but="rate_count")
    assert "You do not play in this game." in carol.get(f"/games/{game}/resign", 422)
    carol.post(f"/games/{game}/rematch", 422)
    carol.post(f"/games/{game}/note", 422, note="x")
    stranger.get(f"/games/{game}/resign", 303)
    assert str(stranger.page.location).endswith(f"/sign-in?then=/games/{game}/resign")
    assert everything(server, but="rate_count") == before


def test_all_other_seats_agree_to_cancel(server: Server, enter: Enter, post: PostOffice, stranger: Browser) -> None:
    game = start(server.database, seats=4)
    alice = enter("alice")
    alice.get(f"/games/{game}")
    assert "The others are asked by mail." in alice.post(f"/games/{game}/propose", kind="cancel")
    assert "Another proposal waits" in alice.post(f"/games/{game}/propose", 422, kind="cancel")
    links = [post.link(address(who), "proposal") for who in CAST[1:4]]
    before = everything(server)
    for link in links:
        stranger.get(link)
    assert everything(server) == before
    assert "when all the others agree" in stranger.post(links[0], answer="agree")
    assert "answered this proposal already" in stranger.get(links[0], 410)
    stranger.post(links[1], answer="agree")
    assert not load(server.database, game).is_over
    assert "All have agreed" in stranger.post(links[2], answer="agree")
    assert load(server.database, game).status == "cancelled"
    assert "This game was cancelled" in stranger.get(f"/games/{game}")
    for who in CAST[:4]:
        assert "is cancelled" in post.subjects(address(who))[-1]
    assert "cancelled" in alice.get("/games")


@pytest.mark.parametrize("title", ["acres", "ferry", "new-world"])
def test_a_result_is_agreed(title: str, server: Server, enter: Enter, post: PostOffice, stranger: Browser) -> None:
    game = start(server.database, title)
    winner = load(server.database, game).seats[1].seat
    alice = enter("alice")
    alice.get(f"/games/{game}")
    alice.post(f"/games/{game}/propose", kind="agreed", winner=[winner])
    assert "won by" in text_of(post.last("bob@example.org", "proposal"))
    stranger.post(post.link("bob@example.org", "proposal"), answer="agree")
    result = _verified(stranger, game)
    assert result["reason"] == "agreed" and winner in (result.get("winner"), *result.get("winners", ()))


def test_one_who_declines_settles_it(server: Server, enter: Enter, post: PostOffice, stranger: Browser) -> None:
    game = start(server.database, seats=3)
    alice = enter("alice")
    alice.get(f"/games/{game}")
    alice.post(f"/games/{game}/propose", kind="agreed")
    bob, carol = post.link("bob@example.org", "proposal"), post.link("carol@example.org", "proposal")
    stranger.post(bob, 422, answer="perhaps")
    asked = enter("bob")
    asked.get(f"/games/{game}")
    asked.post(f"/games/{game}/extend", 422, days="x")  # a form of another room shows this page again
    assert "the game goes on" in stranger.post(bob, answer="decline")
    assert "has been declined" in stranger.post(carol, 410, answer="agree")
    assert "bob does not agree" in post.subjects("alice@example.org")[-1]
    alice.post(f"/games/{game}/propose", kind="cancel")
    carol = post.link("carol@example.org", "proposal")
    alice.post(f"/games/{game}/withdraw")
    stranger.get(carol, 410)
    assert not load(server.database, game).is_over


def test_a_proposal_ends_with_the_game(server: Server, enter: Enter, post: PostOffice, stranger: Browser) -> None:
    game = start(server.database, seats=2)
    alice = enter("alice")
    alice.get(f"/games/{game}")
    alice.post(f"/games/{game}/propose", kind="cancel")
    link = post.link("bob@example.org", "proposal")
    _end(server, game, "blue")
    stranger.post(link, 410, answer="agree")
    assert load(server.database, game).status == "over"


def test_a_rematch_swaps_the_sides(server: Server, enter: Enter) -> None:
    game = start(server.database, "acres", options={"edition": "first"}, pace=timedelta(days=3))
    _end(server, game, "french")
    bob = enter("bob")
    assert "Rematch" in bob.get(f"/games/{game}")
    bob.post(f"/games/{game}/rematch")
    new = int(bob.page.request.path.rpartition("/")[2])
    assert new != game and "First edition" in bob.get(f"/games/{new}")
    alice = enter("alice")
    alice.get(f"/games/{game}")
    alice.post(f"/games/{game}/rematch")
    assert alice.page.request.path == f"/games/{new}", "the same table, where she takes her seat"
    now = load(server.database, new)
    assert [seated.name for seated in now.seats] == ["bob", "alice"] and now.status == "running"
    assert now.pace == simple(timedelta(days=3)) and now.options["edition"] == "first"


# -- chat and notes -----------------------------------------------------------------------------------


@pytest.mark.quick
@BOTH
def test_chat_is_for_all_seats_and_notes_for_one(server: Server, enter: Enter, stranger: Browser) -> None:
    game = start(server.database)
    alice, bob = enter("alice"), enter("bob")
    alice.get(f"/games/{game}")
    alice.post(f"/games/{game}/say", say="Good luck <b>Bob</b>\n\nfrom me")
    assert "Your notes are kept." in alice.post(f"/games/{game}/note", note="He likes raids.")
    page = bob.get(f"/games/{game}")
    assert "Good luck <b>Bob</b>" in page and "&lt;b&gt;" in bob.page.get_data(as_text=True)
    assert "He likes raids." not in page and "He likes raids." in alice.get(f"/games/{game}")
    for page in (stranger.get(f"/games/{game}"), enter("carol").get(f"/games/{game}")):
        assert "Good luck" not in page and "raids" not in page
    _end(server, game)
    bob.post(f"/games/{game}/say", say="Thank you.")
    assert "Thank you." in alice.get(f"/games/{game}")


def test_talk_that_is_too_long_comes_back(server: Server, enter: Enter) -> None:
    game = start(server.database)
    alice = enter("alice")
    alice.get(f"/games/{game}")
    page = alice.post(f"/games/{game}/say", 422, say="x" * 2001)
    assert "2001 characters" in page and "x" * 2001 in page
    assert "nothing to say" in alice.post(f"/games/{game}/say", 422, say=" \n ")
    assert "characters" in alice.post(f"/games/{game}/note", 422, note="y" * 10_001)
    assert everything(server)["chat_message"] == [] and everything(server)["note"] == []


# -- what holds for all pages -------------------------------------------------------------------------


def test_every_get_changes_nothing(app: Flask, server: Server, enter: Enter, post: PostOffice) -> None:
    """All addresses of people, tables and games, with real links, by a stranger and by two who are signed in."""
    running, over = start(server.database, seats=3), start(server.database)
    _end(server, over)
    alice = enter("alice")
    alice.get("/games/new/ferry")
    seats = {"offer.red": "me", "offer.blue": "mail", "address.blue": "bob@example.org", "offer.green": "link"}
    alice.post("/games/new/ferry", days="7", **seats)
    table = int(alice.page.request.path.rpartition("/")[2])
    join = alice.get(f"/games/{table}").partition("/join/")[2].partition("<")[0]
    alice.post(f"/games/{running}/propose", kind="cancel")
    alice.get("/account")
    alice.post("/account/address", address="new@example.org")
    stranger = Browser(app)
    stranger.get("/sign-in")
    stranger.post("/sign-in", address="alice@example.org")
    tokens = {
        "/sign-in/": post.link("alice@example.org", "sign-in").removeprefix("/sign-in/"),
        "/address/": post.link("new@example.org", "address").removeprefix("/address/"),
        "/invitation/": post.link("bob@example.org", "invitation").removeprefix("/invitation/"),
        "/proposal/": post.link("bob@example.org", "proposal").removeprefix("/proposal/"),
        "/join/": join,
    }
    asked = 0
    bob = enter("bob")
    before = everything(server)
    for rule in app.url_map.iter_rules():
        module = rule.endpoint.partition(".")[0]
        if module not in ("home", "people", "tables", "game") or "GET" not in (rule.methods or ()):
            continue
        token = next((value for start_of, value in tokens.items() if rule.rule.startswith(start_of)), "")
        for number in (running, over, table, 999):
            path = rule.rule.replace("<token>", token).replace("<number:game_id>", str(number))
            path = path.replace("<title_id>", "acres")
            assert "<" not in path
            for browser in (stranger, alice, bob):
                answer = browser.client.get(path)
                assert answer.status_code < 500, path
                asked += 1
                if token:
                    assert answer.status_code == 200, path
            assert everything(server) == before, path
    assert asked > 150


def test_every_form_needs_its_token_and_comes_back(app: Flask, server: Server, enter: Enter) -> None:
    """All addresses that a cookie opens; those that a mailed link opens are listed."""
    game = start(server.database)
    alice = enter("alice")
    by_link = {"/invitation/<token>", "/proposal/<token>", "/address/<token>", "/zone/<token>", "/name/<token>"}
    by_link |= {"/at-once/seat/<token>"}
    paths = {
        rule.rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.partition(".")[0] in ("home", "people", "tables", "game") and "POST" in (rule.methods or ())
    }
    assert by_link < paths and {f"/games/<number:game_id>/{name}" for name in FORMS} < paths
    alice.get("/account")
    join = server.links.sign("join", [1])
    for path in sorted(paths - by_link):
        filled = re.sub(r"<any\((\w+)[^>]*>", r"\1", path).replace("<number:game_id>", str(game))
        filled = filled.replace("<title_id>", "ferry").replace("<token>", join)
        before = everything(server)
        for token in ("", "wrong"):
            answer = alice.client.post(
                filled, data={"csrf_token": token, "say": "I typed this", "name": "I typed this"}
            )
            assert answer.status_code in (400, 409, 410), (path, answer.status_code)
            if path.endswith(("/say", "/account")):
                assert "I typed this" in answer.get_data(as_text=True)
        assert everything(server) == before, path
