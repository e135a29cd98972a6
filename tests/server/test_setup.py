"""`postroad setup`: each wrong answer gets one sentence and writes nothing; right ones make a server."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import AuthResult, LoginPassword
from click.testing import CliRunner, Result

from app.base.process import env_file
from app.base.process.config import load
from app.base.stored.database import Database
from app.leagues.clubs import club_rights
from app.server.commands.setup import setup
from app.server.setting_up import answers
from app.server.setting_up.answers import slug_of
from tests.support.name_server import NameServer
from tests.support.sink import Sink

OLD = "# ours\nPOSTROAD_SEEDS=2048\nPOSTROAD_RESOLVER={resolver}\n"


@pytest.fixture(scope="module")
def host() -> Iterator[Sink]:
    with Sink() as sink:
        yield sink


class Place:
    """A folder with a file of settings that names a name server; `setup` runs in this process."""

    def __init__(self, folder: Path, host: Sink, names: NameServer) -> None:
        self.file, self.data, self.host = folder / "postroad.env", folder / "data", host
        assert names.address
        self.old = OLD.format(resolver=f"{names.address[0]}:{names.address[1]}")
        self.file.write_text(self.old)
        self.right = {
            "address": "https://games.example", "data": str(self.data), "mail-host": f"127.0.0.1:{host.port}",
            "mail-user": "none", "mail-password": "none", "mail-from": "Post Road <games@games.example>",
            "mail-in": "none", "backups": "none", "language": "fr", "operator": "me@games.example", "club": "none",
            "user": "root" if os.geteuid() == 0 else "x", "file": str(self.file),
        }  # fmt: skip

    def run(self, *more: str, typed: str = "", **changed: str | None) -> Result:
        given = self.right | {name.replace("_", "-"): value for name, value in changed.items()}
        secret = ""
        if given["mail-password"] not in ("none", None):
            given["mail-password"], secret = "-", f"{given['mail-password']}\n"
        if (way := re.fullmatch(r"(\w+://[^/@:]+):([^/@]+)(@.*)", given["mail-in"] or "")) and way[1].startswith(
            "imap"
        ):
            given["mail-in"], secret = way[1] + way[3], f"{secret}{way[2]}\n"
        words = [part for name, value in given.items() if value is not None for part in (f"--{name}", value)]
        return CliRunner().invoke(setup, [*words, *more], input=secret + typed)


@pytest.fixture
def place(tmp_path: Path, host: Sink, name_server: NameServer) -> Place:
    name_server.records[("games.example", "A")] = ["192.0.2.1"]
    return Place(tmp_path, host, name_server)


NOT_ADDRESSES = (
    "games.example", "ftp://games.example", "https://", "https:///x", "http:/games.example", "https://games.example/club",
    "https://games.example/a/b/", "https://games.example?x=1", "https://games.example#x", "https://games.example:0",
    "https://games.example:99999", "https://games.example:abc", "https://me@games.example", "https://me:pw@games.example",
    "https://[::1", "mailto:me@games.example", "//games.example", "https:// games.example", "https://unknown.example",
    "http://unknown.example", "https://games example", "", " https://games.example", "none", "javascript:alert(1)",
    "https://games.example\nx", "file:///etc", "localhost", "8000", "https://games..example", "https://.", "\x7f",
)  # fmt: skip
NOT_FOLDERS = (
    "data", "./data", "../data", "~", "~/data", "/", "", " /srv", "C:\\data", "/srv/../etc", "/etc/passwd",
    "/etc/passwd/x", "/proc/x\ny", "file:///srv", "$HOME/data", "//../", "/dev/null", "/dev/null/data", ".", "..",
)  # fmt: skip
NOT_HOSTS = (
    "", " ", "none", "mail example", "mail.example:", "mail.example:0", "mail.example:99999", "mail.example:123456",
    "mail.example:smtp", "me@mail.example", "mail.example/x", "http://mail.example", "imap://mail.example", "smtp://",
    "smtps://", "smtp:///x", "smtp://mail.example/x", "smtp://mail.example?tls=maybe", "smtp://mail.example?x=1",
    "smtp://user@mail.example", "smtp://:pw@mail.example", "smtp://mail.example:0", "smtp://mail.example:99999",
    "smtp://[::1", "mail.example;25", "mail.example,other.example", "[::1", "[mail]", "mail.example:25:25",
    "mail.example?tls=required", "mail.example#1", "mäil.example", "\tmail.example", "mail.example\n", "<mail.example>",
    "smtp:mail.example", "SMTP//mail.example", "mail.example:-1", "mail.example:2 5", "*",
)  # fmt: skip
NOT_SENDERS = (
    "", "Post Road", "games", "games@", "@games.example", "games@@games.example", "a b@games.example",
    "Post Road <games>", "Post Road <>", "Post Road <games@>", "<@games.example>", "games@games..example",
    ".games@games.example", "games.@games.example", "games@games.example\nBcc: x@games.example", "gämes@games.example",
    "games@.example", "games@games.example.", "none", "Post Road", "games@games example", " games@games.example",
    "x" * 65 + "@games.example", "Post\x00Road <games@games.example>", "<games@games.example", "games(at)games.example",
)  # fmt: skip
NOT_WAYS_IN = (
    "", "yes", "2424", ":2424", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:lmtp",
    "0.0.0.0:2424", "192.0.2.1:2424", "games.example:24", "lmtp://127.0.0.1:2424", "run/lmtp", "/" + "x" * 120,
    "imap://", "imaps://imap.example", "imaps://me@imap.example", "imaps://:pw@imap.example", "imaps://me:pw@",
    "imaps://me:pw@imap.example:0", "imaps://me:pw@imap.example:99999", "imaps://me:pw@imap.example/INBOX?x=1",
    "imaps://me:pw@imap.example/INBOX#x", "pop3://me:pw@pop.example", "imap://me:pw@[::1", "imaps://me:pw@127.0.0.1:1",
    "imap://me:pw@127.0.0.1:1", "imap://me:p%40w@localhost:1/INBOX", "127.0.0.1:2424\n", "plus", "localhost",
)  # fmt: skip
NOT_PLACES = ("", "8000", ":8000", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "web.sock", "192.0.2.1:80", "none")
NOT_LANGUAGES = ("", "de", "EN", "english", "fr_FR", "en-GB", "none", "fr,en", " fr", "0", "español", "e")
NOT_PEOPLE = (
    "", "me", "me@", "@games.example", "Me <me@games.example>", "me@games..example", "a b@games.example", "none",
    "me@games.example, you@games.example", "mé@games.example", "me@games.example\n", "me;you@games.example",
    "me@.example", ".@games.example", "x" * 65 + "@games.example", '"me"@games.example', "me@games.example.",
    "me@@games.example", "operator", "me at games.example",
)  # fmt: skip
NOT_CLUBS = ("", " ", "!!!", "日本", "x" * 61, "-", "club\nof", " Harbour", "…", "Клуб", "\x1b[1m", "a\tb")
ALONE = (("mail-user", "me"), ("mail-password", "secret"))
WRONG = [
    *(("address", one) for one in NOT_ADDRESSES), *(("data", one) for one in NOT_FOLDERS),
    *(("backups", one) for one in NOT_FOLDERS), *(("mail-host", one) for one in NOT_HOSTS),
    *(("mail-from", one) for one in NOT_SENDERS), *(("mail-in", one) for one in NOT_WAYS_IN),
    *(("language", one) for one in NOT_LANGUAGES), *(("operator", one) for one in NOT_PEOPLE),
    *(("club", one) for one in NOT_CLUBS), *(("listen", one) for one in NOT_PLACES), *ALONE,
]  # fmt: skip


def test_there_are_two_hundred_wrong_answers_of_each_kind() -> None:
    assert len(WRONG) >= 200
    assert {name for name, _ in WRONG} == {question.name for question in answers.QUESTIONS}


def one_sentence(refused: Result, *, without: str = "pw@") -> str:
    assert refused.exit_code == 1 and isinstance(refused.exception, SystemExit), refused.output
    [line] = refused.output.splitlines()
    assert line.startswith("Error: ") and line.endswith(".") and without not in line, line
    return line


def test_each_wrong_answer_gets_one_sentence_and_writes_nothing(place: Place) -> None:
    before = len(place.host.taken)
    for name, value in WRONG:
        said = one_sentence(place.run("--yes", **{name: value}))
        assert f"--{name}" in said or "POSTROAD_" in said, (name, value, said)
        assert place.file.read_text() == place.old and os.listdir(place.file.parent) == [place.file.name], (name, value)
    wrong_clubs = len(place.host.taken) - before
    assert wrong_clubs == len(NOT_CLUBS), "no mail but to an operator whose address is well"


def test_what_does_not_answer_is_found_before_anything_is_written(place: Place) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        shut = taken.getsockname()[1]
        assert "cannot be reached" in one_sentence(place.run("--yes", mail_host=f"127.0.0.1:{shut}"))
        assert "cannot be used" in one_sentence(place.run("--yes", mail_in=f"127.0.0.1:{shut}"))
    login = place.run("--yes", mail_user="me", mail_password="se cr@t")
    assert "--mail-user" in one_sentence(login, without="se cr@t")
    place.host.answer = "554 5.7.1 not from there"
    try:
        assert "554 5.7.1" in one_sentence(place.run("--yes"))
    finally:
        place.host.answer = None
    assert place.file.read_text() == place.old and not place.data.exists()
    gone = place.run("--yes", file=str(place.data / "no" / "file"))
    assert "cannot be written" in one_sentence(gone)
    place.file.write_text("POSTROAD_DATA='x")
    assert "line 1" in one_sentence(place.run("--yes"))


def test_a_wrong_answer_is_asked_again_and_right_ones_make_a_server_that_can_be_changed(place: Place) -> None:
    asked = {name: None for name in place.right if name not in ("user", "file")}
    typed = [
        *("games.example", "https://games.example", str(place.data), f"127.0.0.1:{place.host.port}", "", ""),
        *("games", "Post Road <post@games.example>", "", "", "de", "fr", "me@games.example", "!", "Harbour Gamers"),
    ]
    sent = len(place.host.taken)
    made = place.run(typed="".join(f"{line}\n" for line in typed), **asked)
    assert made.exit_code == 0, made.output
    assert len(place.host.taken) == sent + 1 and place.host.taken[-1][0] == "me@games.example"
    assert "POSTROAD_LANGUAGE is 'de'" in made.output and "--club has to be a name" in made.output
    assert place.file.stat().st_mode & 0o777 == 0o600 and place.data.stat().st_mode & 0o777 == 0o700
    text = place.file.read_text()
    assert text.startswith(place.old) and 'POSTROAD_MAIL_FROM="Post Road <post@games.example>"' in text
    config = load(env_file.parse(text), place.data)
    database = Database(config.database_url)
    with database.read() as session:
        assert club_rights.find(session, "harbour-gamers").name == "Harbour Gamers"
    database.close()
    assert (slug_of("New"), slug_of("Café des Jeux")) == ("club-new", "cafe-des-jeux")
    shell = ["sh", "-c", f'. {place.file}; printf %s "$POSTROAD_MAIL_FROM"']
    assert subprocess.run(shell, capture_output=True, text=True, check=True).stdout == config.mail_from
    changed = place.run("--yes", "--untried", **{**asked, "language": "es"})
    assert changed.exit_code == 0, changed.output
    assert place.file.read_text() == text.replace("POSTROAD_LANGUAGE=fr", "POSTROAD_LANGUAGE=es")


class Provider(Sink):
    """A mail host of a provider: with a login, for senders of its domain alone, without a mailbox `gone`."""

    def __init__(self) -> None:
        def right(*said: Any) -> AuthResult:
            return AuthResult(success=said[4] == LoginPassword(b"games", b"p:@/"), handled=False)

        super().__init__(auth_require_tls=False, authenticator=right)

    async def handle_MAIL(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:
        envelope.mail_from = address
        if not session.authenticated:
            return "530 5.7.0 log in first"
        return "250 OK" if address.endswith("@games.example") else "553 5.7.1 not owned by user"

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:
        envelope.rcpt_tos.append(address)
        return "550 5.1.1 no such mailbox" if address.startswith("gone@") else "250 OK"


def test_fifteen_wrong_answers_are_corrected_without_another_being_typed_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F2, F15: also of what shows only at a later question; one at a time, all in one conversation, and after Ctrl+C"""
    with Provider() as host, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        shut = taken.getsockname()[1]
        right = {
            "address": "https://games.example", "data": str(place.data), "mail-host": f"127.0.0.1:{host.port}",
            "mail-user": "games", "mail-password": "p:@/", "mail-from": "Post Road <post@games.example>",
            "mail-in": "none", "backups": "", "language": "", "operator": "me@games.example", "club": "Harbour Gamers",
        }  # fmt: skip
        slips = {
            "address": ("games.example", "https://unknown.example", "https://games.example/play"),
            "data": ("var", "/etc/passwd"),
            "mail-host": (f"127.0.0.1:{shut}", "mail example", "127.0.0.1:0"), "mail-user": ("none",),
            "mail-password": ("wrong",), "mail-from": ("x@else.example", "games"), "mail-in": (f"127.0.0.1:{shut}",),
            "language": ("de",), "operator": ("me", "gone@games.example"), "club": ("!!!",),
        }  # fmt: skip
        assert sum(map(len, slips.values())) >= 15

        def typed(wrong: dict[str, tuple[str, ...]]) -> str:
            lines = []
            for name, value in right.items():
                for slip in wrong.get(name, ()):
                    lines += {"mail-password": [slip, ""], "mail-user": [slip, "p:@/"]}.get(name, [slip])
                lines.append(value)
            return "".join(f"{line}\n" for line in lines)

        asked = {name: None for name in right}
        for wrong in [*({name: (slip,)} for name, all in slips.items() for slip in all), slips]:
            place.file.write_text(place.old)
            with monkeypatch.context() as quickly:
                if wrong is not slips:  # what runs after the conversation runs once
                    quickly.setattr("app.server.commands.setup._postroad", lambda *words, **options: None)
                made = place.run(typed=typed(wrong), **asked)
            assert made.exit_code == 0 and made.output.count("  --") + made.output.count("  POSTROAD_") == sum(
                map(len, wrong.values())
            ), (wrong, made.output)
            read = env_file.parse(place.file.read_text())
            assert read["POSTROAD_SMTP_URL"].startswith("smtp://games:p%3A%40%2F@127.0.0.1"), wrong
            assert read["POSTROAD_BACKUPS"] == str(place.data / "backups"), wrong
        place.file.write_text(place.old)
        address, data, named, *login, sender = [*right.values()][:6]
        first = [address, data, f"127.1:{host.port}", *login, named, sender]  # not this machine by its name
        stopped = place.run(typed="".join(f"{value}\n" for value in first), **asked)
        assert f"--mail-host: 127.1:{host.port} cannot be reached: the host offers no encryption" in stopped.output
        assert stopped.exit_code == 1 and place.file.read_text() == place.old and "kept in" in stopped.output
        gone_on = place.run(typed="\n" * 9 + "me@games.example\n\n", **asked)
        assert gone_on.exit_code == 0, gone_on.output
        assert env_file.parse(place.file.read_text()) == read
        assert sorted(os.listdir(place.file.parent)) == ["data", place.file.name], "nothing typed is left behind"


def test_a_container_gets_backups_and_an_operator(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """F1: what its environment says does not make it a server that is set up"""
    monkeypatch.setenv("POSTROAD_BASE_URL", "https://games.example")
    monkeypatch.setenv("POSTROAD_ENV_FILE", str(place.file))
    monkeypatch.setenv("POSTROAD_SMTP_URL_FILE", str(place.file.with_name("smtp")))
    asked = {"operator": None, "backups": None, "address": None, "mail-host": None}
    assert "SMTP_URL_FILE" in one_sentence(place.run("--yes", **asked))
    place.file.with_name("smtp").write_text(f"smtp://127.0.0.1:{place.host.port}")
    assert "--operator is missing" in one_sentence(place.run("--yes", **asked))
    made = place.run("--yes", **(asked | {"operator": "me@games.example"}))
    assert made.exit_code == 0 and f"POSTROAD_BACKUPS={place.data}/backups\n" in place.file.read_text(), made.output
    assert "docker compose up" in made.output.splitlines()[-1] and "SMTP_URL" not in place.file.read_text()
    assert place.run("--yes", "--untried", **asked).exit_code == 0, "again: nothing is asked for"


def test_passwords_are_no_arguments_and_are_never_shown(place: Place) -> None:
    for words in (("--mail-password", "s3cret"), ("--mail-in", "imaps://me:s3cret@imap.example")):
        said = one_sentence(CliRunner().invoke(setup, ["--yes", "--file", str(place.file), *words]), without="s3cret")
        assert words[0] in said and "line of input" in said
    assert place.run("--yes", "--untried").exit_code == 0
    place.file.write_text(f"{place.file.read_text()}POSTROAD_IMAP_URL=imaps://me:s3cret@imap.example\n")
    asked = {name: None for name in place.right if name not in ("user", "file")}
    shown = place.run("--untried", typed="\n" * 6 + "imaps://you@imap.example\nn3w\n" + "\n" * 5, **asked)
    assert "s3cret" not in shown.output and "n3w" not in shown.output and "as before" in shown.output
    assert "imaps://you:n3w@imap.example" in place.file.read_text(), shown.output


def test_a_password_with_any_sign_arrives() -> None:
    said = {"mail-host": "mail.example:587", "mail-user": "a@b", "mail-password": "p:/@#?%$`\"'\\ é"}
    made = answers.settings_of(said, {})
    host = answers._mail_host_of(made)
    assert host is not None and (host.user, host.password, host.tls) == ("a@b", said["mail-password"], "required")
    assert env_file.parse(env_file.changed("", {"X": made["SMTP_URL"]})) == {"X": made["SMTP_URL"]}
