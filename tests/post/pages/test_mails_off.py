"""Players without mails about their turns are told that their clocks run on, and turn them on again with one button."""

from __future__ import annotations

import re
from html import unescape

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.server import Server
from app.base.words.i18n import LANGUAGES, catalogue
from app.games.tables import GameSeat
from app.people.tables import Player
from tests.support.people import BASE, BOTH, Browser, Enter, PostOffice, everything
from tests.support.tables import LINKS, address, link_to, load, start, write

ALICE, BOB = 1, 2
RUNS_ON = "You get no mails when it is your turn, and your clocks run on."
STOPPED = "Your clocks run on all the same: without these mails you have to look for your turns yourself."
SIGNED_IN = (
    "/", "/games", "/games/1", "/games/1/replay", "/games/1/proof", "/games/new", "/tables", "/clubs", "/archive",
    "/players/1", "/account", "/account/time", "/account/feeds", "/account/webhooks", "/account/people",
    "/account/data",
)  # fmt: skip


def turn(server: Server, game: int) -> str:
    """Return the path of the link of the pending decision."""
    return "/t/" + LINKS.turn_token(link_to(load(server.database, game)))


def one_click(app: Flask, server: Server, player: int = ALICE, group: str = "turns") -> str:
    """Unsubscribe as a mail program does (RFC 8058); return the answer's text."""
    path = server.links.unsubscribe(player, group).removeprefix(BASE)
    answer = app.test_client().post(path, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    return unescape(answer.text)


def again(page: str) -> str:
    """Return where the note on a page leads."""
    found = re.search(r'class="no-mails"[^>]*>[^<]*<a href="(/mails-again/[^"]+)"', page)
    assert found, page
    return found[1]


@BOTH
def test_each_page_of_the_player_says_that_the_clocks_run_on(app: Flask, server: Server, enter: Enter) -> None:
    """Signed in, and by link; not on pages of the other player or a stranger; gone when the mails are on again."""
    start(server.database)
    alice, bob, stranger = enter("alice"), enter("bob"), Browser(app)
    link = turn(server, 1)
    assert RUNS_ON not in alice.get("/games") + stranger.get(link)
    assert STOPPED in one_click(app, server)
    for path in SIGNED_IN:
        assert RUNS_ON in alice.get(path), path
    for path in ("/", "/games", "/games/1", "/account"):
        assert RUNS_ON not in bob.get(path) + (stranger.get(path) if path in ("/", "/tables") else ""), path
    page = stranger.get(link)
    assert RUNS_ON in page and again(page) == again(alice.get("/games"))
    stranger.get(again(page))
    assert "From now on a mail comes again when it is your turn." in stranger.post(again(page), sure="yes")
    assert RUNS_ON not in alice.get("/games") + alice.get("/games/1") + stranger.get(link)


def test_the_pages_after_a_move_say_it_to_who_moved(app: Flask, server: Server, stranger: Browser) -> None:
    start(server.database)
    link = turn(server, 1)
    one_click(app, server)
    stranger.get(link)
    assert RUNS_ON in stranger.post(link, do="send", orders="rob blue", decision="1", draft="")
    assert RUNS_ON in stranger.get(link), "the link has ended"
    assert RUNS_ON not in stranger.get(turn(server, 1)), "bob gets his mails"
    write(server.database, sa.update(GameSeat).where(GameSeat.seat == "red").values(player_id=BOB))
    assert RUNS_ON not in stranger.get(link), "whoever had the seat before has no clock in it"


def test_a_form_that_comes_back_says_it_too(app: Flask, server: Server, stranger: Browser) -> None:
    start(server.database)
    one_click(app, server)
    stranger.get(turn(server, 1))
    assert RUNS_ON in stranger.post(turn(server, 1), 422, do="send", orders="keep nothing", decision="1", draft="")


def test_the_settings_say_it_before_and_after(server: Server, enter: Enter) -> None:
    alice = enter("alice")
    start(server.database)
    assert "Your clocks run on, whichever mails you want." in alice.get("/account")
    settings = {"name": "Alice", "language": "en", "zone": "Europe/Paris"}
    assert RUNS_ON in alice.post("/account", **settings, reminders="on", news="on")
    assert RUNS_ON not in alice.post("/account", **settings, turns="on")


def test_other_mails_stop_without_a_word_about_clocks(app: Flask, server: Server, enter: Enter) -> None:
    start(server.database)
    alice = enter("alice")
    for group in ("reminders", "news"):
        path = server.links.unsubscribe(ALICE, group).removeprefix(BASE)
        assert "clocks" not in Browser(app).get(path) + one_click(app, server, group=group)
    assert RUNS_ON not in alice.get("/games")


def test_opening_the_links_changes_nothing_and_each_does_its_own_thing_only(
    app: Flask, server: Server, stranger: Browser
) -> None:
    start(server.database)
    one_click(app, server)
    stop = server.links.unsubscribe(ALICE, "turns").removeprefix(BASE)
    begin = server.links.turns_again(ALICE).removeprefix(BASE)
    before = everything(server)
    assert STOPPED in stranger.get(stop) and "when it is your turn" in stranger.get(begin)
    for path in (
        begin.replace("/mails-again/", "/unsubscribe/"), stop.replace("/unsubscribe/", "/mails-again/"), f"{begin}x",
        "/mails-again/x", server.links.turns_again(999).removeprefix(BASE),
    ):  # fmt: skip
        stranger.post(path, 404, sure="yes", do="stop")
    assert everything(server) == before
    write(server.database, sa.update(Player).values(erased_at=sa.func.current_timestamp()))
    stranger.post(begin, 404, sure="yes")


def test_mails_come_again_from_the_next_turn_on(
    app: Flask, server: Server, post: PostOffice, stranger: Browser
) -> None:
    start(server.database)
    one_click(app, server)
    assert not post.subjects(address("alice"))
    begin = again(stranger.get(turn(server, 1)))
    stranger.get(begin)
    stranger.post(begin, sure="yes")
    assert not post.subjects(address("alice"))
    start(server.database)
    assert len(post.subjects(address("alice"))) == 1


@pytest.mark.parametrize("language", [lang for lang in LANGUAGES if lang != "en"])
def test_it_is_said_in_the_player_s_language(app: Flask, server: Server, enter: Enter, language: str) -> None:
    """Pages of the player in the player's language, answers without a sign-in in the browser's."""
    start(server.database)
    alice, browser = enter("alice"), Browser(app, language)
    write(server.database, sa.update(Player).values(language=language))
    one_click(app, server)
    said = catalogue(language).gettext
    assert said(RUNS_ON) in alice.get("/games") and said(RUNS_ON) in browser.get(turn(server, 1))
    assert said(STOPPED) in browser.get(server.links.unsubscribe(ALICE, "turns"))
    assert said("Mails about your turns") in browser.get(server.links.turns_again(ALICE))
    assert said("Your clocks run on, whichever mails you want.") in alice.get("/account")
    assert said(RUNS_ON) != RUNS_ON and said(STOPPED) != STOPPED


def test_who_stops_mails_about_turns_is_told_which_and_offered_one_a_day(app: Flask, server: Server) -> None:
    start(server.database)
    path = server.links.unsubscribe(ALICE, "turns").removeprefix(BASE)
    browser = app.test_client()
    asked = unescape(browser.get(path).text)
    assert "These mails stop: that it is your turn" in asked and 'value="digest"' in asked
    assert f'href="{path}"' in one_click(app, server)
    assert "Each day at 8:00 one mail" in browser.post(path, data={"do": "digest"}).text
    with server.database.read() as session:
        alice = session.get_one(Player, ALICE)
        assert (alice.digest_hours, alice.digest_instead, alice.mail_turns) == ("8", True, True) and alice.digest_at
    one_click(app, server, group="digest")
    with server.database.read() as session:
        alice = session.get_one(Player, ALICE)
        assert (alice.digest_hours, alice.digest_at, alice.mail_turns) == ("", None, True)
