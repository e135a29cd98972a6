"""Mails from a mailbox of Debian's dovecot: taken once, marked as seen after they were stored, not before."""

from __future__ import annotations

import imaplib
import threading
import time
from dataclasses import replace

import pytest

from app.base.server import Server
from app.base.stored.database import Database
from app.post.inbound import gate, imap
from app.post.inbound.incoming import MOST_BYTES
from tests.support import dovecot
from tests.support.inbound import TRUSTED, report, way_in, written
from tests.support.tables import NOW, start


def look_once(server: Server) -> int:
    assert server.config.mail_in.imap is not None
    with imap.opened(server.config.mail_in.imap) as box:
        return imap.look(server, box, lambda: NOW)


@pytest.mark.dovecot
def test_mails_are_taken_out_of_a_mailbox(sqlite_database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    start(sqlite_database)
    with dovecot.mailbox() as box, way_in(sqlite_database) as way:
        way.send(NOW)
        way.server = Server(
            replace(way.server.config, mail_in=replace(TRUSTED, imap=box)), way.database, way.server.links
        )
        reply, bounce = way.reply_address(), way.bounce_address()
        first = written(1)
        first["Delivered-To"], first["To"], first["Date"] = reply, reply, NOW
        large = written(3, text="x" * MOST_BYTES)
        returned = b"Return-Path: <>\r\nDelivered-To: " + bounce.encode() + b"\r\n" + report(2, bounce)
        with imaplib.IMAP4(box.host, box.port) as client:
            login = f"\0{box.user}\0{box.password}".encode()
            client.authenticate("PLAIN", lambda _: login)
            for raw in (first.as_bytes(), returned, large.as_bytes()):
                client.append("INBOX", "", "", raw)

            take = gate.take
            monkeypatch.setattr(gate, "take", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):  # the database is away, say: nothing is marked
                look_once(way.server)
            client.select("INBOX", readonly=True)
            assert client.search(None, "UNSEEN")[1] == [b"1 2 3"]
            monkeypatch.setattr(gate, "take", take)

            assert look_once(way.server) == 3
            assert look_once(way.server) == 0
            client.select("INBOX", readonly=True)
            assert client.search(None, "SEEN")[1] == [b"1 2 3"]
            assert [row.verdict for row in way.rows()] == ["reply", "bounce", "too_large"]

            stop = threading.Event()
            watching = threading.Thread(target=imap.watch, args=(way.server, stop, lambda: NOW))
            watching.start()
            client.append("INBOX", "", "", written(4, Delivered_To=reply).as_bytes())
            end = time.monotonic() + 60
            while len(way.rows()) < 4 and time.monotonic() < end:
                time.sleep(0.05)
            stop.set()
            watching.join(60)
            assert not watching.is_alive() and len(way.rows()) == 4
