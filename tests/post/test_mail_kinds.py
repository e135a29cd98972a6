"""A kind of mail as it is declared: its group goes into the row, and its function is checked by mypy."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import MailGroup, OutboxMail
from app.base.stored.outbox import Outbox, PlannedMail
from app.post.out.mail_leases import take
from tests.support.running import ROOT
from tests.support.tables import NOW

DECLARED = """
from sqlmodel import Session
from app.base.links import Links
from app.base.stored.mail_tables import MailGroup
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, mail

@mail("sample", words="a sample", {more})
def _sample({arguments}) -> {gives}:
    return None
"""
ARGUMENTS, GIVES = "session: Session, links: Links, mail: QueuedMail", "WrittenMail | None"


def refused(folder: Path, arguments: str = ARGUMENTS, gives: str = GIVES, more: str = "group=MailGroup.NEWS") -> str:
    """What mypy says of a kind of mail; empty when it has nothing to say."""
    text = DECLARED.format(arguments=arguments, gives=gives, more=more)
    # A file of its own: mypy takes one of the same size and second for the same.
    sample = folder / f"sample_{sha256(text.encode()).hexdigest()[:8]}.py"
    sample.write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(sample)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


def test_a_function_that_cannot_write_a_mail_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path) == ""
    assert "[arg-type]" in refused(tmp_path, "links: Links, session: Session, mail: QueuedMail")
    assert "[arg-type]" in refused(tmp_path, gives="str | None")
    assert "[arg-type]" in refused(tmp_path, more='group="news"')


@pytest.mark.parametrize("kind", ["turn", "sign_in", "reminder", "announcement"])
def test_a_mail_of_a_process_without_groups_gets_its_group_when_it_is_taken_in_hand(
    kind: str, database: Database
) -> None:
    groups = {"turn": "turn", "sign_in": "asked", "reminder": "clock", "announcement": "news"}
    with database.write() as session:
        Outbox(session).add([PlannedMail("one", kind, "a@example.org", details={"announcement": 1})], NOW)
        assert session.scalar(sa.select(OutboxMail.mail_group)) == groups[kind]
        session.execute(sa.update(OutboxMail).values(mail_group=None))
        session.commit()
    with database.write() as session:
        assert [mail.kind for mail in take(session, "me", NOW, 1)] == [kind]
        assert session.scalar(sa.select(OutboxMail.mail_group)) is MailGroup(groups[kind])
