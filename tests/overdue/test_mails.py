"""The mails about late seats and mails that did not arrive, for a reviewer to read, and in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.base.links import Links
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.i18n import LANGUAGES
from app.clocks.pace import DAY
from app.overdue import rulings
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.post.letters import writing
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, write_mail
from tests.support.overdue import DUE, HOUR, PACE, begin, case_of, fail_mail, flagged, operator, player, with_stages
from tests.support.tables import KEYS, start

KINDS = [kind for kind, one in writing._KINDS.items() if one.write.__module__ == "app.overdue.mails"]
BASE = "https://post.example.org"
SNAPSHOT = Path(__file__).parent / "snapshots" / "case_mails.txt"
TOKEN = re.compile(rf"({BASE}/(?:t|claim|leave|unsubscribe|away)/)[\w./-]+")


def letters(database: Database, language: str) -> list[WrittenMail]:
    """Every mail about cases, each written while it is true."""
    links, seen, found = Links(BASE, KEYS), set(), []

    def write() -> None:
        with database.read() as session:
            for row in session.execute(sa.select(OutboxMail.__table__).order_by(OutboxMail.id)).all():  # type: ignore[attr-defined]
                if row.kind in KINDS and row.id not in seen:
                    seen.add(row.id)
                    mail = QueuedMail(
                        row.id, row.kind, row.address, row.player_id, row.game_id, row.seat, row.number, row.details,
                        row.made_at, 0,
                    )  # fmt: skip
                    letter = write_mail(session, links, mail, row.made_at)
                    assert letter is not None, row.kind
                    found.append(letter)

    def speak() -> None:
        with database.write() as session:
            session.execute(sa.update(Player).values(language=language))
            session.commit()

    olga = operator(database)
    stages = with_stages(
        (0, "warned", ["remind"]), (DAY, "grace", ["orders", "forfeit_turn"]), (2 * DAY, "flagged", ["claim"]),
        (3 * DAY, "flagged", ["organiser"]),
    )  # fmt: skip
    game_id = begin(database, stages)
    speak()
    for days in range(4):
        sweep_cases(database, DUE + days * 24 * HOUR)
        write()
    rulings.rule(database, case_of(database, game_id).id, olga, "extend", "Ill", days="3", now=DUE + 73 * HOUR)
    write()
    three, case = flagged(database, 3, "new-world")
    speak()
    write()
    rulings.claim(database, case.id, "green", player(database, three, "green"), now=DUE + HOUR)
    write()
    for ruling in ("again", "forfeit", "void"):
        unreachable = start(database, pace=PACE)
        fail_mail(database, unreachable, DUE)
        sweep_cases(database, DUE)
        write()
        rulings.rule(database, case_of(database, unreachable).id, olga, ruling, "No answer", now=DUE + HOUR)
        write()
    return found


def test_the_mails_read_as_they_should(sqlite_database: Database) -> None:
    """The text parts. To renew them after a wanted change, delete the snapshot and run twice."""
    shown = ""
    for letter in letters(sqlite_database, "en"):
        text = re.sub(r"\b[0-9a-f]{64}\b", "COMMITMENT", TOKEN.sub(r"\1TOKEN", letter.body().text))
        text = re.sub(r"(alice drew) [^.]+\.", r"\1 TILE.", text)
        # The parts of every mail that asks for a decision are shown with the others.
        text = re.sub(r"(?:You can answer|The position)\n.*(?=-- \n)", "[...]\n\n", text, flags=re.DOTALL)
        assert all(len(line) <= 72 or line.startswith(BASE) for line in text.splitlines())
        shown += f"Subject: {letter.subject}\nTo: {letter.to}\n\n{text}\n{'=' * 72}\n"
    if not SNAPSHOT.exists():
        SNAPSHOT.write_text(shown, encoding="utf-8")
        pytest.fail("the snapshot was written; read it")
    assert shown == SNAPSHOT.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_mails_are_in_the_reader_s_language(sqlite_database: Database, language: str) -> None:
    for letter in letters(sqlite_database, language):
        assert f'<html lang="{language}">' in letter.body().html and "%(" not in letter.body().html + letter.body().text
        if language != "en":
            for english in (" the ", " is late", "operator ", "claim ", "deadline"):
                assert english not in letter.body().text, letter.body().text
