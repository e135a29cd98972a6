"""The commands, as an operator types them."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.server.cli import main
from tests.support import postgres
from tests.support.sink import Sink, text_of

Run = Callable[[str], Result]


@pytest.fixture
def run(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POSTROAD_DATABASE_URL", sqlite_url)
    for name in ("SMTP_URL", "BASE_URL", "SECRET_KEY", "MAIL_FROM", "DATA", "CONFIG", "LANGUAGE"):
        monkeypatch.delenv(f"POSTROAD_{name}", raising=False)

    def invoke(line: str) -> Result:
        return CliRunner().invoke(main, line.split())

    return invoke


NEW = "game new acres --seat british=alice@example.org --seat french=bob@example.org"


def test_a_game_is_started_and_looked_after(run: Run) -> None:
    assert run(f"{NEW} --option edition=first --pace 36h").output == "1\n"
    assert "the kept state is that of its log" in run("game verify 1").output
    assert "nothing to do" in run("game rebuild 1").output
    assert '"edition": "first"' in run("game record 1").output


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (NEW.replace("acres", "chess"), "There is no title “chess”; there are A Few Acres of Snow (“acres”)"),
        (NEW.replace("alice@example.org", "alice"), "“alice” is not an email address"),
        (NEW.replace("british", "dutch"), "The seats are british and french"),
        (f"{NEW} --option edition=third", "third"),
        (f"{NEW} --option colour=red", "colour"),
        (f"{NEW} --pace soon", "7d"),
        (f"{NEW} --seat french", "SEAT=ADDRESS"),
        ("game verify 7", "There is no game 7"),
        ("player set a@example.org --zone Paris --new", "Europe/Paris"),
        ("player set a@example.org --language de --new", "“en”, “fr”, “es”"),
        ("player role a@example.org king", "king"),
        ("serve --host 0.0.0.0", "POSTROAD_SMTP_URL"),
    ],
)
def test_what_cannot_be_done_is_said_and_stores_nothing(run: Run, line: str, said: str) -> None:
    result = run(line)
    assert result.exit_code != 0 and said in result.output
    assert run(NEW).output == "1\n"  # no row, not even half of one, came from the refused command


def test_a_wrong_setting_stops_every_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTROAD_SMTP_URL", "mail.example.org")
    for line in (NEW, "serve", "db upgrade"):
        result = run(line)
        assert result.exit_code == 1 and "POSTROAD_SMTP_URL is 'mail.example.org'; accepted is smtp://" in result.output


def test_the_first_operator(run: Run) -> None:
    assert run("player role Alice@Example.ORG operator --new").output == "Alice@example.org is operator now.\n"
    assert run("player role alice@example.org player").exit_code == 0
    assert (
        "Alice, fr, Europe/Paris"
        in run("player set alice@example.org --name Alice --language fr --zone Europe/Paris").output
    )


def test_the_database_is_checked(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "as it should be" in run("db check").output
    monkeypatch.setenv("POSTROAD_DATABASE_URL", f"sqlite:///{tmp_path / 'new.db'}")
    assert "There is no database yet" in run("db check").output
    assert run("db upgrade").exit_code == 0 and run("db check").exit_code == 0


def test_a_server_to_look_at(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every title is played by the same services, to its end too."""
    lines = run("demo").output.splitlines()
    finished = [line for line in lines if line.endswith("finished")]
    assert len(lines) == 4 * len(finished) >= 8
    for number in (1, 4, 8):
        assert "the kept state is that of its log" in run(f"game verify {number}").output
    monkeypatch.setenv("POSTROAD_SMTP_URL", "smtp://mail.example.org")
    assert run("demo").exit_code == 1


def test_a_database_that_cannot_be_reached_is_named_without_its_password(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTROAD_DATABASE_URL", "postgresql://me:secret@127.0.0.1:1/none")
    for line in (NEW, "db upgrade"):  # `serve` waits for it (test_database_fails.py)
        result = run(line)
        assert result.exit_code == 1 and "me:***@127.0.0.1" in result.output and "secret" not in result.output


@pytest.mark.postgres
def test_a_database_that_has_not_all_letters_is_refused_with_the_way_to_one(
    run: Run, monkeypatch: pytest.MonkeyPatch, postgres_server: str
) -> None:
    url = postgres.make_database(postgres_server, "template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
    monkeypatch.setenv("POSTROAD_DATABASE_URL", url)
    said = run("player role olga@example.org operator --new").output
    assert "its encoding is SQL_ASCII; createdb --encoding UTF8" in said and said.count("\n") == 1
    postgres.drop_database(postgres_server, url)


def test_operators_are_told_when_a_part_has_ended(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("player role olga@example.org operator --new")
    with Sink() as sink:
        monkeypatch.setenv("POSTROAD_SMTP_URL", sink.url)
        assert run("failed worker").output == "worker: mailed to an operator\n"
        [mail] = sink.mails("olga@example.org")
    assert "“worker” has ended" in str(mail["Subject"]) and "journalctl -u postroad@worker" in text_of(mail)
    refused = run("failed worker")  # the host is gone
    assert refused.exit_code == 0 and "was not taken" in refused.output


def test_what_stands_in_the_way_of_a_start_is_one_sentence(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = run(f"serve --port {taken.getsockname()[1]}")
    assert refused.exit_code == 1 and "another program listens there" in refused.output
    assert refused.output.count("\n") == 1
    assert "POSTROAD_LMTP or POSTROAD_IMAP_URL" in run("serve --role mail").output
