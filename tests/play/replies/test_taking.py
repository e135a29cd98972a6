"""Answers by mail: what is played, held, drafted or refused, and what the reply says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from email.utils import parseaddr
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.speech import Voice
from app.games.store import GameStore
from app.people.tables import Player
from app.play.replies import mails
from app.play.turn import chat_and_notes, holding
from tests.support import pressed
from tests.support.databases import ON_SQLITE
from tests.support.inbound import way_in
from tests.support.replies import MINUTE, Correspondence
from tests.support.tables import LINKS, NOW, hand, link_to, load, start, write


@pytest.fixture
def post(database: Database) -> Iterator[Correspondence]:
    """A game of Alice and Bob whose first mail has gone out, on both databases."""
    start(database)
    with way_in(database) as way:
        yield Correspondence(way)


def drafted(post: Correspondence) -> tuple[str, ...]:
    game = load(post.database, 1)
    with post.database.read() as session:
        return chat_and_notes.beside(session, 1, str(game.decides), game.number).draft


def wish(post: Correspondence, **values: Any) -> None:
    write(post.database, sa.update(Player).values(**values))


def test_a_turn_by_mail_alone(post: Correspondence) -> None:
    """What shows nothing is played at once, the rest waits for a yes; each mail says so, and what comes next."""
    one, other = hand(load(post.database, 1), "red")[:2]
    assert post.says("alice", f"{'drop ' + one}\n\nCheers,\nAlice\n-- \nAlice A.") == "reply"
    assert load(post.database, 1).number == 2 and post.last("alice")["Subject"] == "Played: Ferry #1, turn 1"
    assert f"Understood: drop {one}" in post.words("alice") and "Your turn is still open." in post.words("alice")
    post.says("alice", f"drop {other}\nEnd.\nchat: your turn")
    assert "waits for your “yes”" in post.words("alice") and load(post.database, 1).number == 2
    post.says("alice", "Yes!")
    game = load(post.database, 1)
    assert game.decides == "blue" and "Now bob decides." in post.words("alice")
    assert "your turn" in post.words("bob") and "Your turn, by" in post.last("bob")["Subject"]
    with post.database.read() as session:
        made = {row.number: row.answered_by for row in session.scalars(sa.select(OutboxMail)) if row.seat == "red"}
        assert [line.text for line in chat_and_notes.chat(session, 1)] == ["your turn"] and "mail" in made.values()
    post.says("bob", "rob red\nyes")  # at once, where it is said at once
    assert load(post.database, 1).decides == "red" and "Now alice decides." in post.words("bob")


def test_a_reply_that_begins_a_turn_asks_for_it(post: Correspondence) -> None:
    """As when the answer to a question ends the turn of another."""
    with post.database.read() as session:
        game = GameStore(session).load(1)
        assert mails._next(session, game, "red", Voice("en", title=game.title), "played") == "It is your turn."


@ON_SQLITE
def test_a_line_that_cannot_be_read_plays_nothing(post: Correspondence) -> None:
    one, other = hand(load(post.database, 1), "red")[:2]
    post.says("alice", f"drop {one}\ndrip {other}\nend\nyes")
    assert load(post.database, 1).number == 1 and drafted(post) == ()
    words = post.words("alice")
    assert f"Line 2, “drip {other}”" in words and "in question" not in words  # the reason has named it
    assert f"Not played: drop {one} drip {other} end" in words
    post.says("alice", f"drop {one}\npeek\ndrop gold-99\nyes")  # judged when what it follows is known
    words = post.words("alice")
    assert "Your orders were played." in words and "Line 3" in words and "Not played: drop gold-99" in words
    for text, said in {
        "": "This is how to answer by mail",
        "resign": "“resign” cannot be done by mail",
        "leave 7": "“leave 7” cannot be done by mail",
        "revoke": "Nothing is held",
        "oui": "No orders of yours are waiting",
    }.items():
        post.says("alice", text)
        assert said in post.words("alice"), text
        assert LINKS.turn(link_to(load(post.database, 1))) in post.words("alice")
        assert load(post.database, 1).number == 2 and drafted(post) == (), text


@ON_SQLITE
def test_drafts_are_previewed_and_sent(post: Correspondence) -> None:
    one, other = hand(load(post.database, 1), "red")[:2]
    post.says("alice", f"drop {one}\ndrop {other}\npreview")
    assert drafted(post) == (f"drop {one}", f"drop {other}") and load(post.database, 1).number == 1
    assert "Red: 1 card in hand." in post.words("alice")  # the position after the draft
    post.says("alice", "undo")
    assert "Nothing is held" in post.words("alice") and drafted(post) == (f"drop {one}", f"drop {other}")
    post.says("alice", f"drop {one}\npreview")
    assert drafted(post) == (f"drop {one}",) and "Red: 2 cards in hand." in post.words("alice")
    post.says("alice", "yes")
    assert load(post.database, 1).number == 2 and hand(load(post.database, 1), "red")[0] == other


@ON_SQLITE
def test_a_held_turn_is_taken_back_by_mail(post: Correspondence) -> None:
    wish(post, hold_minutes=10)
    one, other = hand(load(post.database, 1), "red")[:2]
    turn = (f"drop {one}", f"drop {other}", "end")
    post.says("alice", "\n".join(turn))
    assert "Your turn is sealed. Until" in post.words("alice") and "20:12 (UTC)" in post.words("alice")
    post.says("alice", f"drop {one}")
    assert "Your turn is sealed already" in post.words("alice")
    post.says("alice", "preview")
    assert "Your turn is sealed. Until" in post.words("alice")
    post.says("alice", "revoke")
    assert "is taken back" in post.words("alice") and drafted(post) == turn
    post.says("alice", "yes")
    assert "Your turn is sealed" in post.words("alice") and load(post.database, 1).number == 1
    assert holding.play_due(post.database, post.now + 10 * MINUTE) == 1 and load(post.database, 1).decides == "blue"
    post.says("alice", "revoke")
    assert "answers nothing that still waits" in post.words("alice")


@ON_SQLITE
def test_where_nothing_proves_the_sender_orders_are_a_draft(post: Correspondence) -> None:
    one, other = hand(load(post.database, 1), "red")[:2]
    turn = (f"drop {one}", f"drop {other}", "end")
    assert post.says("alice", "\n".join([*turn, "yes", "chat: hello"]), proof="") == "unproven"
    game = load(post.database, 1)
    assert game.number == 1 and drafted(post) == turn and LINKS.turn(link_to(game)) in post.words("alice")
    post.says("alice", f"drop {other}", proof="")
    assert drafted(post) == turn and "so nothing was done" in post.words("alice")
    for text in ("undo", "revoke", "yes", "preview"):
        post.says("alice", text, proof="")
        assert drafted(post) == turn and load(post.database, 1).number == 1, text
    wish(post, hold_minutes=10)
    pressed.seal(post.database, link_to(game), "\n".join(turn), now=post.now)
    for text in ("revoke", "\n".join(turn), "yes"):
        post.says("alice", text, proof="")
        with post.database.read() as session:
            assert holding.held(session, load(post.database, 1), link_to(game)) is not None, text


def test_words_of_four_languages_and_mails_in_the_readers_own(post: Correspondence) -> None:
    one, other = hand(load(post.database, 1), "red")[:2]
    wish(post, language="fr")
    for help_, end in (("aide", "Fin du tour"), ("ayuda", "fin del turno"), ("aiuto", "fine")):
        post.says("alice", help_)
        assert "Voici comment répondre" in post.words("alice")
        post.says("alice", f"drop {one}\ndrop {other}\n{end}\naperçu")
        assert drafted(post) == (f"drop {one}", f"drop {other}", "end"), end
    post.says("alice", "Sí")
    assert load(post.database, 1).decides == "blue" and "C’est maintenant à bob de décider." in post.words("alice")


def test_what_was_answered_before_is_not_owed(post: Correspondence) -> None:
    one, other = hand(load(post.database, 1), "red")[:2]
    first = parseaddr(str(post.last("alice")["Reply-To"]))[1]
    post.says("alice", f"drop {one}")
    assert post.says("alice", f"drop {other}", to=first) == "not_owed"
    assert load(post.database, 1).number == 2 and "it answers a mail of before" in post.words("alice")
    assert LINKS.turn(link_to(load(post.database, 1))) in post.words("alice")  # where the turn goes on
    assert post.now == NOW + timedelta(minutes=4)
