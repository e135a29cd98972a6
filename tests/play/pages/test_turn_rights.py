"""Resigning, proposing and a rematch by a turn link: a second page asks, its form does it, and old links do nothing."""

from __future__ import annotations

import pytest
from flask import Flask

from app.base.server import Server
from tests.support.people import Browser, PostOffice, everything
from tests.support.tables import LINKS, address, hand, link_to, load, say, start


def turn(server: Server, game: int) -> str:
    """The path of the link of the decision that is owed."""
    return "/t/" + LINKS.turn_token(link_to(load(server.database, game)))


def test_a_player_who_has_the_link_alone_proposes_resigns_and_takes_a_rematch(
    server: Server, post: PostOffice, stranger: Browser
) -> None:
    game = start(server.database)
    path = turn(server, game)
    page = stranger.get(path)
    assert f'href="{path}/resign"' in page and f'href="{path}/propose"' in page and f"{path}/rematch" not in page
    before = everything(server)
    assert "cannot be taken back" in stranger.get(f"{path}/resign") and "cancel" in stranger.get(f"{path}/propose")
    assert "not over yet" in stranger.get(f"{path}/rematch")
    assert everything(server) == before, "looking changes nothing"
    assert "Choose one of what is offered" in stranger.post(f"{path}/propose", 422, kind="takeback")
    assert "The others are asked by mail" in stranger.post(f"{path}/propose", kind="cancel")
    assert "alice" in stranger.get(post.link(address("bob"), "proposal"))
    assert "has to be settled first" in stranger.get(f"{path}/propose")
    assert "You have resigned" in stranger.post(f"{path}/resign", sure="yes")
    assert load(server.database, game).is_over
    assert f'href="{path}/rematch"' in stranger.get(path)
    assert "the sides swapped" in stranger.get(f"{path}/rematch")
    assert "The others are invited by mail" in stranger.post(f"{path}/rematch", sure="yes")
    assert "To the rematch" in stranger.get(f"{path}/rematch")
    assert post.last(address("bob"), "invitation")


def test_only_the_newest_link_of_the_player_who_sits_there_allows_it(
    app: Flask, server: Server, stranger: Browser
) -> None:
    """The link that was answered last still does, while the others decide; earlier ones do nothing."""
    game = start(server.database)
    first = turn(server, game)
    for n in range(2):
        cards = hand(load(server.database, game), load(server.database, game).decides or "")
        say(server.database, game, f"drop {cards[0]}\ndrop {cards[1]}\nend")
        if not n:
            assert "cannot be taken back" in stranger.get(f"{first}/resign"), "bob decides, and it is alice's newest"
            assert f"{first}/resign" in stranger.get(first)
    for what in ("resign", "propose", "rematch"):
        assert "too old" in stranger.get(f"{first}/{what}", 410)
        assert "too old" in stranger.post(f"{first}/{what}", 410, kind="cancel")
    assert f"{first}/resign" not in stranger.get(first)
    assert not load(server.database, game).is_over
    assert "too old" not in stranger.get(f"{turn(server, game)}/resign")
    assert app.test_client().get(f"{first[:-3]}abc/resign").status_code == 404


@pytest.mark.parametrize("language", ["fr", "es", "it"])
def test_the_pages_speak_the_language_of_the_player(server: Server, stranger: Browser, language: str) -> None:
    game = start(server.database, language=language)
    for what in ("resign", "propose"):
        page = stranger.get(f"{turn(server, game)}/{what}")
        assert f'lang="{language}"' in page and "Ending the game" not in page and "Resign game" not in page
