"""The mails of people and tables, for a reviewer to read, and in every language."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.base.links import Links
from app.base.process.config import Config
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.i18n import LANGUAGES
from app.games.work import Work
from app.lobby import invitations, open_games
from app.lobby.open_games import Chair
from app.people import signin
from app.people.accounts import find_or_add
from app.people.tables import Player
from app.play.agreed import results
from app.play.tables import Invitation, Proposal
from app.post.letters import writing
from app.post.letters.writing import write_mail
from app.post.out.sender import Sender
from app.time import paces
from tests.support.people import text_of
from tests.support.tables import KEYS, NOW, address, say, start

OF_ACCOUNTS = ["sign_in", "old_address", "new_address"]
KINDS = [kind for kind, one in writing._KINDS.items() if one.write.__module__ == "app.lobby.mails"] + OF_ACCOUNTS
BASE = "https://post.example.org"
SNAPSHOT = Path(__file__).parent / "snapshots" / "table_mails.txt"
TOKEN = re.compile(rf"({BASE}/(?:sign-in|address|invitation|proposal|unsubscribe)/)[\w.-]+")


@pytest.fixture
def server(sqlite_database: Database) -> Server:
    config = Config(Path("/nowhere"), sqlite_database.url, BASE, KEYS, None, "Post Road <post@example.org>", "en")
    return Server(config, sqlite_database, Links(BASE, KEYS))


@pytest.fixture(autouse=True)
def at_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links that sign in run out by the clock; these mails are of a written date."""
    import time_machine

    with time_machine.travel(NOW, tick=False):
        yield


def _player(database: Database, who: str, language: str) -> int:
    with Work(database) as work:
        player = find_or_add(work.session, address(who), now=NOW, language=language)
        player.language = language
        work.session.add(player)
        work.commit()
        assert player.id is not None
        return player.id


def send_all(server: Server, language: str) -> list[EmailMessage]:
    """One mail at least of each kind, by doing what causes them."""
    database = server.database
    sender = Sender(server)
    alice, bob, carol = (_player(database, who, language) for who in ("alice", "bob", "carol"))
    signin.request_link(database, address("alice"), language=language, then="/games", now=NOW)
    signin.ask_change(database, alice, "alice@new.example", now=NOW)
    options = {"edition": "first", "reserve_limit": 3}
    seats = [Chair("british", "me"), Chair("french", "mail", address("bob"))]
    table = open_games.create(
        database,
        alice,
        open_games.TableDraft(title_id="acres", chairs=seats, options=options, pace=paces.read_days("5"), drawn=False),
        now=NOW,
    )
    sender.send_due(NOW)
    with database.read() as session:
        invitation = session.scalar(sa.select(Invitation.id))
    with Work(database) as work:
        invitations.decline(work, invitation, bob, now=NOW)
    open_games.offer_again(database, alice, table, 1, "mail", address("carol"), now=NOW)
    sender.send_due(NOW)
    with Work(database) as work:
        open_games.cancel(work, alice, table, NOW)
    seats = [Chair("red", "me"), Chair("blue", "open"), Chair("green", "link")]
    table = open_games.create(
        database,
        alice,
        open_games.TableDraft(title_id="ferry", chairs=seats, options={}, pace=paces.read_days("1"), drawn=False),
        now=NOW,
    )
    with database.read() as session:
        private = session.scalar(sa.select(sa.func.max(Invitation.id)))
    with Work(database) as work:
        invitations.accept(work, private, None, sits=carol, now=NOW)
    open_games.join(database, table, 1, bob, now=NOW)
    sender.send_due(NOW)
    for kind, winners in (("cancel", []), ("agreed", ["blue"]), ("agreed", []), ("takeback", [])):
        if kind == "takeback":
            say(database, table, "rob blue", now=NOW)
        results.propose(database, table, alice, kind, winners, now=NOW)
        sender.send_due(NOW)
        with database.read() as session:
            proposal = session.scalar(sa.select(sa.func.max(Proposal.id)))
        results.answer(database, proposal, "blue", bob, False, now=NOW)
    results.propose(database, table, alice, "cancel", now=NOW)
    for seat, player in (("blue", bob), ("green", carol)):
        results.answer(database, proposal + 1, seat, player, True, now=NOW)
    sender.send_due(NOW)
    asked = sa.select(OutboxMail.message).where(OutboxMail.state == "kept", OutboxMail.kind.in_(KINDS))
    with database.read() as session:
        raw = session.scalars(asked.order_by(OutboxMail.id)).all()
        kinds = set(session.scalars(sa.select(OutboxMail.kind).where(OutboxMail.state == "kept")))
    assert set(KINDS) <= kinds
    return [message_from_bytes(each, policy=policy.default) for each in raw]  # type: ignore[misc]


def test_the_mails_read_as_they_should(server: Server) -> None:
    """The text parts. To renew them after a wanted change, delete the snapshot and run twice."""
    shown = ""
    for mail in send_all(server, "en"):
        text = re.sub(
            rf"({BASE}/(?:sign-in|address|invitation|proposal|unsubscribe)/)[\w.-]+", r"\1TOKEN", text_of(mail)
        )
        text = re.sub(r"\b[0-9a-f]{64}\b", "COMMITMENT", text)
        assert all(len(line) <= 72 or line.startswith(BASE) for line in text.splitlines())
        shown += f"Subject: {mail['Subject']}\nTo: {mail['To']}\n\n{text}\n{'=' * 72}\n"
    if not SNAPSHOT.exists():
        SNAPSHOT.write_text(shown, encoding="utf-8")
        pytest.fail("the snapshot was written; read it")
    assert shown == SNAPSHOT.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_mails_are_in_the_reader_s_language(server: Server, language: str) -> None:
    for mail in send_all(server, language):
        html = mail.get_body(("html",)).get_content()
        assert f'<html lang="{language}">' in html and "%(" not in html + text_of(mail)
        if language != "en":
            assert " the " not in text_of(mail) + mail["Subject"]
        unsubscribe = mail["List-Unsubscribe"]
        assert (unsubscribe is None) == any(word in text_of(mail) for word in ("/address/", "/proposal/"))


def test_what_is_no_longer_true_is_not_mailed(server: Server) -> None:
    """A cancelled table invites nobody, a used link is not sent, a settled proposal asks nobody."""
    database = server.database
    alice = _player(database, "alice", "en")
    seats = [Chair("red", "me"), Chair("blue", "mail", address("bob"))]
    table = open_games.create(
        database,
        alice,
        open_games.TableDraft(title_id="ferry", chairs=seats, options={}, pace=paces.read_days("1"), drawn=False),
        now=NOW,
    )
    with Work(database) as work:
        open_games.cancel(work, alice, table, NOW)
    game = start(database)
    results.propose(database, game, alice, "cancel", now=NOW)
    results.withdraw(database, game, alice, now=NOW)
    signin.ask_change(database, alice, "one@new.example", now=NOW)
    signin.ask_change(database, alice, "two@new.example", now=NOW)
    while Sender(server).send_due(NOW):
        pass
    with database.read() as session:
        states = {(row.kind, row.address): row.state for row in session.scalars(sa.select(OutboxMail))}
    assert states["invitation", address("bob")] == "dropped"
    assert states["proposal", address("bob")] == "dropped"
    assert states["new_address", "one@new.example"] == "dropped"
    assert states["new_address", "two@new.example"] == "kept"


def test_every_kind_of_mail_of_a_person_who_has_gone_is_dropped(server: Server) -> None:
    from app.post.letters.writing import QueuedMail

    details = {"token": "x", "invitation": 99, "guest": 99, "proposal": 99, "answer": "accepted", "seat": "red"}
    details |= {"kind": "cancel"}
    with server.database.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(Player)) == 0
        for kind in KINDS:
            mail = QueuedMail(1, kind, "x@example.org", 7, 8, "red", None, details, NOW, 1)
            assert write_mail(session, server.links, mail, NOW) is None
