"""The process that takes mails is killed between storing one and acknowledging it: one mail, one row, one move."""

from __future__ import annotations

import random
import smtplib
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.base.stored.database import Database
from tests.support import fresh
from tests.support.inbound import addressed, listening, serving, way_in, written
from tests.support.running import ROOT, Install
from tests.support.tables import KEYS, NOW, load, random_line, start

DIES_BEFORE_THE_ANSWER = """
import os
from app.post.inbound import gate

take = gate.take

def taken_and_gone(*given):
    take(*given)
    os.kill(os.getpid(), 9)

gate.take = taken_and_gone
from app.server.cli import main
main(["mail", "serve"], prog_name="postroad")
"""


def test_a_mail_that_is_brought_again_after_a_kill_is_one(sqlite_url: str, tmp_path: Path) -> None:
    database, place = Database(sqlite_url), str(tmp_path / "lmtp")
    start(database, "new-world")
    line = random_line(load(database, 1), random.Random(1))
    with way_in(database) as way:
        way.send(NOW)
        to = way.reply_address()
    install = Install(
        tmp_path, DATABASE_URL=sqlite_url, LMTP=place, MAIL_FROM="post@example.org", SECRET_KEY=KEYS[0],
        MAIL_AUTHSERV="mail.example.org",
    )  # fmt: skip
    raw = addressed(written(1, f"{line}\nyes\n").as_bytes(), to, datetime.now(UTC))

    program = [sys.executable, "-c", DIES_BEFORE_THE_ANSWER]
    first = fresh.start(program, env=install.environ, cwd=ROOT, start_new_session=True)
    with listening(place) as host, pytest.raises(smtplib.SMTPServerDisconnected):
        host.hand("alice@example.org", [to], raw)
    assert first.wait(60) == -9 and (tmp_path / "lmtp").is_socket()
    with way_in(database) as way, serving(way, tmp_path), listening(place) as host:
        assert host.hand("alice@example.org", [to], raw)[-1][0] == 250
        assert [row.verdict for row in way.rows()] == ["reply"]
        assert len(way.mails("echo")) == 1
        assert load(database, 1).number == 2 and load(database, 1).decides == "blue"
    database.close()
