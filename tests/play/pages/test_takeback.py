"""Takebacks over HTTP and by mail: asked on the pages, agreed to by links, told everywhere."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask

from app.base.server import Server
from app.play.turn import starting
from tests.support.people import Browser, Enter, PostOffice, everything, text_of
from tests.support.tables import LINKS, address, hand, link_to, load, say, start

JSON = {"Accept": "application/json"}
TAKEN = "Red: the last move is taken back; everybody has agreed."


def turn(server: Server, game: int) -> str:
    """Return the path of the link of the pending decision."""
    return "/t/" + LINKS.turn_token(link_to(load(server.database, game)))


def asked(page: str) -> str:
    """Return where the form on an ended turn's page asks to take back."""
    found = re.search(r'action="(/t/[^"]+/take-back)"', page)
    assert found
    return found[1]


def test_taken_back_by_links_alone(app: Flask, server: Server, post: PostOffice, stranger: Browser) -> None:
    """Nobody signs in: red asks on the page after sending, blue agrees by mail, red gets a mail and moves again."""
    game = start(server.database)
    red = turn(server, game)
    stranger.get(red)
    page = stranger.post(red, do="send", orders="rob blue", decision="1", draft="")
    assert "Nobody has learned anything new by it." in page
    assert "The others are asked by mail" in stranger.post(asked(page), sure="yes")
    blue = turn(server, game)
    mail = post.last(address("bob"), "proposal")
    assert mail["Subject"] == "alice asks to take a move back, Ferry · #1"
    said = " ".join(text_of(mail).split())
    assert "Red robbed Blue." in said and "As soon as anybody moves, the question is void." in said
    consent = post.link(address("bob"), "proposal")
    before = everything(server)
    page = stranger.get(consent)
    assert "alice asks to take the last move back." in page and "Red robbed Blue." in page
    assert everything(server) == before  # looking changes nothing
    assert "All have agreed, and it is taken back." in stranger.post(consent, answer="agree")
    kept = load(server.database, game)
    assert (kept.decides, kept.number, kept.state.actions) == ("red", 3, 2)
    page = stranger.get(blue)
    assert "The move before it has been taken back; now it is for alice to decide." in page and TAKEN in page
    assert app.test_client().get(blue, headers=JSON).get_json()["since"][-1]["happened"] == [TAKEN]
    mail = post.last(address("alice"), "t")
    assert TAKEN in text_of(mail) and post.link(address("alice"), "t") == turn(server, game)
    assert TAKEN in stranger.get(turn(server, game))
    assert "already" in stranger.get(consent, 410) and "already" in stranger.post(consent, 410, answer="agree")
    stranger.get(turn(server, game))
    stranger.post(turn(server, game), do="send", orders="rob blue", decision="3", draft="")
    assert load(server.database, game).decides == "blue"
    starting.verify(server.database, game)


@pytest.mark.quick
def test_taken_back_on_the_page_of_the_game(server: Server, enter: Enter, post: PostOffice) -> None:
    game = start(server.database, seats=3)
    alice, bob = enter("alice"), enter("bob")
    assert "back" not in alice.get(f"/games/{game}").partition('id="board"')[0]
    say(server.database, game, "rob blue")
    assert "Take your last move back" in alice.get(f"/games/{game}")
    assert "Take your last move back" not in bob.get(f"/games/{game}")
    page = alice.post(f"/games/{game}/propose", kind="takeback")
    assert "The others are asked by mail." in page and "Take your last move back" not in page
    page = bob.get(f"/games/{game}")
    assert "alice asks to take the last move back." in page
    bob.get(post.link(address("bob"), "proposal"))
    assert "It happens when all the others agree too." in bob.post(bob.page.request.path, answer="agree")
    assert load(server.database, game).number == 2
    carol = enter("carol")
    carol.post(post.link(address("carol"), "proposal"), answer="agree")
    assert load(server.database, game).decides == "red"
    page = alice.get(f"/games/{game}")
    assert TAKEN in page and "Take your last move back" not in page and "Take your turn" in page


@pytest.mark.parametrize(("line", "reason"), [
    ("peek", "You may know something now that you did not know before"),
    ("keep {0}", "bob may know something now that was hidden before"),
])  # fmt: skip
def test_the_pages_say_why_a_move_cannot_be_taken_back(
    server: Server, enter: Enter, stranger: Browser, line: str, reason: str
) -> None:
    game = start(server.database)
    link = turn(server, game)
    say(server.database, game, line.format(*hand(load(server.database, game), "red")))
    now = turn(server, game)
    for page in (enter("alice").get(f"/games/{game}"), stranger.get(f"{now}/propose")):
        assert "cannot be taken back." in page and reason in page and "take-back" not in page
    assert reason in stranger.post(f"{link}/take-back", 422, sure="yes")


@pytest.mark.parametrize(("language", "asks", "done"), [
    ("fr", "demande à reprendre son dernier coup", "le dernier coup est repris"),
    ("es", "pide retirar su última jugada", "Red: se retira la última jugada; todos han aceptado."),
    ("it", "chiede di ritirare la sua ultima mossa", "Red: l’ultima mossa è ritirata; tutti hanno accettato."),
])  # fmt: skip
def test_in_the_readers_language(
    app: Flask, server: Server, post: PostOffice, language: str, asks: str, done: str
) -> None:
    game = start(server.database, language=language)
    reader, red = Browser(app, language), turn(server, game)
    reader.get(red)
    page = reader.post(red, do="send", orders="rob blue", decision="1", draft="")
    reader.post(asked(page), sure="yes")
    link = post.link(address("bob"), "proposal")
    assert asks in text_of(post.last(address("bob"), "proposal")) and asks in reader.get(link)
    reader.post(link, answer="agree")
    assert done in text_of(post.last(address("alice"), "t")) and done in reader.get(turn(server, game))


def test_declined_and_void(server: Server, enter: Enter, post: PostOffice, stranger: Browser) -> None:
    game = start(server.database)
    alice = enter("alice")
    say(server.database, game, "rob blue")
    alice.get(f"/games/{game}")
    alice.post(f"/games/{game}/propose", kind="takeback")
    consent = post.link(address("bob"), "proposal")
    say(server.database, game, f"yield {hand(load(server.database, game), 'blue')[0]}")
    assert "The game has gone on since, so nothing is taken back." in stranger.get(consent, 410)
    assert "so nothing is taken back" in stranger.post(consent, 410, answer="agree")
    assert "bob has decided something since." in alice.get(f"/games/{game}")
    say(server.database, game, "rob blue")
    alice.get(f"/games/{game}")
    alice.post(f"/games/{game}/propose", kind="takeback")
    stranger.post(post.link(address("bob"), "proposal"), answer="decline")
    mail = text_of(post.last(address("alice")))
    assert "bob does not agree that you take your last move back" in " ".join(mail.split())
    assert "Another player has declined." in alice.get(f"/games/{game}")
    assert load(server.database, game).decides == "blue"


def test_a_move_drops_the_question_that_is_still_in_the_outbox(server: Server, enter: Enter, post: PostOffice) -> None:
    game = start(server.database)
    say(server.database, game, "rob blue")
    alice = enter("alice")
    alice.get(f"/games/{game}")
    alice.post(f"/games/{game}/propose", kind="takeback")
    say(server.database, game, f"yield {hand(load(server.database, game), 'blue')[0]}")
    assert not [s for s in post.subjects(address("bob")) if "take a move back" in s]


@pytest.mark.parametrize("kind", ["takeback", "cancel", "agreed"])
def test_the_page_of_the_turn_says_that_somebody_asks(
    server: Server, enter: Enter, stranger: Browser, kind: str
) -> None:
    """With only a link to the page of the game: the link of the turn gives no right to answer there."""
    said = {
        "takeback": "alice asks to take the last move back.",
        "cancel": "alice asks to cancel the game, without a result.",
        "agreed": "alice proposes to end the game with an agreed result.",
    }[kind]
    alice = enter("alice")
    game = start(server.database)
    say(server.database, game, "rob blue")
    blue = turn(server, game)
    assert said not in stranger.get(blue)
    alice.get(f"/games/{game}")
    alice.post(f"/games/{game}/propose", kind=kind)
    page = stranger.get(blue)
    assert said in page and "Answer on the page of the game" in page
    assert "/proposal/" not in page and "Agree or decline" not in stranger.get(f"/games/{game}")
    if kind == "takeback":
        say(server.database, game, f"yield {hand(load(server.database, game), 'blue')[0]}")
        say(server.database, game, "rob blue")
        assert said not in stranger.get(turn(server, game)), "void after a move"
    else:
        alice.post(f"/games/{game}/withdraw")
        assert said not in stranger.get(blue)


def test_who_has_agreed_is_not_asked_on_the_page_of_the_turn(server: Server, enter: Enter, post: PostOffice) -> None:
    game = start(server.database, seats=3)
    alice, bob = enter("alice"), enter("bob")
    say(server.database, game, "rob blue")
    alice.get(f"/games/{game}")
    alice.post(f"/games/{game}/propose", kind="takeback")
    assert "asks to take the last move back" in bob.get(turn(server, game))
    bob.get(post.link(address("bob"), "proposal"))
    bob.post(bob.page.request.path, answer="agree")
    assert "asks to take the last move back" not in bob.get(turn(server, game)), "carol has not answered yet"
    assert load(server.database, game).decides == "blue"


def test_links_that_are_no_right_to_ask(server: Server, stranger: Browser) -> None:
    """A changed link, the other seat's, one of an earlier decision; asking does not work by GET."""
    game = start(server.database)
    first = turn(server, game)
    say(server.database, game, f"keep {hand(load(server.database, game), 'red')[0]}")
    second = turn(server, game)
    say(server.database, game, "rob blue")
    before = everything(server)
    nothing = "There is nothing that you could take back now."
    assert nothing in stranger.post(f"{first}/take-back", 422, sure="yes")
    assert nothing in stranger.post(f"{turn(server, game)}/take-back", 422, sure="yes")
    stranger.post(f"{second[:-2]}/take-back", 404, sure="yes")
    stranger.get(f"{second}/take-back", 405)
    assert everything(server) == before or _only_counts(before, everything(server))
    stranger.post(f"{second}/take-back", sure="yes")


def _only_counts(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether nothing but the counts of attempts, and when its player was last here, has changed."""
    return {name for name in after if after[name] != before[name]} <= {"rate_count", "player"}
