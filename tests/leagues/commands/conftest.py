"""A server with a club, and `postroad league` called on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.games.work import Work
from app.leagues.clubs import club_rights, members
from app.people.accounts import find_or_add
from app.server.cli import main
from app.server.commands.common import open_server
from tests.support import pressed
from tests.support.commands import Run
from tests.support.tables import NOW


@pytest.fixture
def run(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A server with the club Vendée, whose owner is Alice and whose member is Bob."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POSTROAD_DATABASE_URL", sqlite_url)
    for name in ("SMTP_URL", "BASE_URL", "SECRET_KEY", "MAIL_FROM", "DATA", "CONFIG", "LANGUAGE"):
        monkeypatch.delenv(f"POSTROAD_{name}", raising=False)
    with open_server() as server:
        with Work(server.database) as work:
            people = [find_or_add(work.session, f"{name}@example.org", now=NOW) for name in ("alice", "bob")]
            work.session.flush()
            alice, bob = (player.id for player in people)
            work.commit()
        assert alice and bob
        club_rights.make(server.database, alice, slug="vendee", name="Vendée", now=NOW)
        members.invite(server.database, 1, alice, "bob@example.org", now=NOW)
        pressed.answer_invitation(server.database, 1, bob, joins=True, now=NOW)

    def invoke(*words: str, text: str | None = None) -> Result:
        return CliRunner().invoke(main, ["league", *words], input=text)

    return invoke
