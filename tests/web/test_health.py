"""`/health`, and the app for any WSGI server; mails over encrypted connections."""

from __future__ import annotations

import os
import signal
import ssl
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from aiosmtpd.smtp import SMTP, AuthResult
from flask import Flask

from app import db, jobs
from app.config import MailHost
from app.house import House
from app.mail.host import Connection, HostDown
from app.models import Heartbeat
from app.services import outages
from tests.support.running import ROOT, Install
from tests.support.sink import Sink, text_of

NOW = datetime.now(UTC)


@pytest.mark.parametrize("place", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)
def test_health_needs_the_newest_migration_and_a_recent_beat(place: Flask, home: House) -> None:
    client = place.test_client()
    assert client.get("/health").status_code == 503, "no scheduler has run yet"
    outages.beat(home.database, "scheduler", "one", NOW - jobs.BEAT_IS_RECENT * 2)
    assert client.get("/health").status_code == 503, "none since two minutes"
    outages.beat(home.database, "scheduler", "one", datetime.now(UTC))
    assert client.get("/health").status_code == 200
    with home.database.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'older'")
        connection.commit()
    assert client.get("/health").status_code == 503
    assert db.newest() != "older"


def test_any_wsgi_server_gets_the_same_app(tmp_path: Path) -> None:
    program = "import wsgi; c = wsgi.app.test_client(); print(c.get('/t/x').status_code, len(wsgi.app.url_map._rules))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(ROOT), "POSTROAD_DATA": str(tmp_path / "var"), "PATH": ""},
    )  # fmt: skip
    status, rules = done.stdout.split()
    assert status == "404" and int(rules) > 30


@pytest.mark.parametrize("after", [0, 0.005, 0.02])
def test_processes_of_any_wsgi_server_beat_also_those_that_are_forked(
    tmp_path: Path, sqlite_url: str, after: float
) -> None:
    """Forked before, while and after the first beat is written: an open transaction of SQLite would never end there."""
    program = f"import os, time, wsgi; time.sleep({after}); os.fork(); time.sleep(60)"
    environ = {"PYTHONPATH": str(ROOT), "POSTROAD_DATA": str(tmp_path / "var"), "PATH": ""}
    server = subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, env=environ | {"POSTROAD_DATABASE_URL": sqlite_url},
        start_new_session=True,
    )  # fmt: skip
    database = db.Database(sqlite_url)
    beaten: list[tuple[str, str]] = []
    end = time.monotonic() + 30
    while len(beaten) < 2 and time.monotonic() < end:
        time.sleep(0.2)
        with database.read() as connection:
            beaten = [tuple(row) for row in connection.execute(sa.select(Heartbeat.job, Heartbeat.owner))]
    os.killpg(server.pid, signal.SIGKILL)
    server.wait(10)
    database.close()
    assert [job for job, _ in beaten] == ["web", "web"] and len(set(beaten)) == 2


# -- encrypted -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    folder = tmp_path_factory.mktemp("tls")
    line = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    files = ["-keyout", str(folder / "key"), "-out", str(folder / "cert")]
    subprocess.run(["openssl", *line.split(), *files], check=True, capture_output=True)
    made = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    made.load_cert_chain(folder / "cert", folder / "key")
    made.cert_file = folder / "cert"  # type: ignore[attr-defined]
    return made


class Encrypted(Sink):
    """A mail host that offers STARTTLS and takes nothing without it, and nothing from strangers."""

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__()
        self.users: list[str] = []

        self._controller.factory = lambda: SMTP(  # type: ignore[method-assign]
            self, tls_context=context, require_starttls=True, authenticator=self.who, auth_required=True
        )

    def who(self, server: object, session: object, envelope: object, mechanism: str, given: object) -> AuthResult:
        """Judge a login."""
        login, password = given.login.decode(), given.password.decode()  # type: ignore[attr-defined]
        self.users.append(login)
        return AuthResult(success=password == "secret")


def hand_over(sink: Sink, tls: str, password: str = "secret") -> None:
    host = MailHost("127.0.0.1", sink.port, tls, "postroad", password)
    connection = Connection(host, "Post Road <post@example.org>", "example.org")
    try:
        connection.hand_over("alice@example.org", b"Subject: x\r\n\r\nready-made\r\n")
    finally:
        connection.close()


def test_starttls_is_used_where_it_is_offered_and_the_password_only_there(context: ssl.SSLContext) -> None:
    with Encrypted(context) as sink:
        hand_over(sink, "offered")
        assert sink.users == ["postroad"] and len(sink.taken) == 1
        with pytest.raises(HostDown):
            hand_over(sink, "offered", "wrong")
        assert len(sink.taken) == 1


def test_where_it_is_required_the_host_must_be_who_it_says(
    context: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Encrypted(context) as sink:
        with pytest.raises(HostDown, match="certificate"):
            hand_over(sink, "required")
        assert not sink.taken and not sink.users
        monkeypatch.setenv("SSL_CERT_FILE", str(context.cert_file))  # type: ignore[attr-defined]
        hand_over(sink, "required")
        assert len(sink.taken) == 1


class EncryptedFromTheStart(Encrypted):
    """A mail host for `smtps://`: nothing is said in the clear."""

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__(context)
        self._controller.ssl_context = context
        self._controller.factory = lambda: SMTP(
            self, authenticator=self.who, auth_required=True, auth_require_tls=False
        )  # type: ignore[method-assign]


# The library takes a connection that is encrypted from the start for one that is not.
@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
def test_a_server_with_smtps_logs_in_and_hands_over_and_trusts_no_other_host(
    context: ssl.SSLContext, tmp_path: Path
) -> None:
    with EncryptedFromTheStart(context) as sink:
        install = Install(tmp_path, SMTP_URL=f"smtps://postroad:secret@127.0.0.1:{sink.port}")
        install.command(
            "game", "new", "acres", "--seat", "british=alice@example.org", "--seat", "french=bob@example.org"
        )
        with install.serving():
            time.sleep(2)
            assert not sink.taken and not sink.users, "the host's certificate is nobody's the server knows"
        install.environ["SSL_CERT_FILE"] = str(context.cert_file)  # type: ignore[attr-defined]
        with install.serving():
            mail = sink.wait(1)[0]
        assert mail["To"].addresses[0].addr_spec == "alice@example.org" and "/t/" in text_of(mail)
        assert sink.users == ["postroad"]
