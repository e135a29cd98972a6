"""`/health`, and the app for any WSGI server; mails over encrypted connections."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from aiosmtpd.smtp import SMTP, AuthResult
from flask import Flask

from app.base.process.config import load
from app.base.process.mail_settings import MailHost
from app.base.server import Server
from app.base.stored import database as db
from app.base.stored.columns import moment
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.upkeep_tables import Heartbeat
from app.play.turn import starting
from app.post.out.sender import Sender
from app.post.route import mail_route
from app.post.route.host import Connection, NotTaken
from app.server.factory import create_app
from app.time import outages
from app.upkeep import health, schema
from app.upkeep.pages import HealthChecks
from tests.support import fresh, postgres
from tests.support.running import ROOT, Install, free_port
from tests.support.sink import Sink, text_of
from tests.support.tables import KEYS, write

NOW = datetime.now(UTC)
DAY = timedelta(days=1)


BOTH = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.mark.parametrize("app", BOTH, indirect=True)
def test_health_needs_the_newest_migration_and_a_recent_beat(app: Flask, server: Server) -> None:
    client = app.test_client()
    assert client.get("/health").status_code == 503, "no scheduler has run yet"
    outages.beat(server.database, "scheduler", "one", NOW - health.BEAT_IS_RECENT * 2)
    assert client.get("/health").status_code == 503, "none since two minutes"
    outages.beat(server.database, "scheduler", "one", datetime.now(UTC))
    assert client.get("/health").status_code == 200
    with server.database.write() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")
        session.commit()
    assert client.get("/health").status_code == 503
    with server.database.write() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        session.commit()
    said = client.get("/health")
    assert said.status_code == 200, "a newer version runs beside this one"
    assert said.json and (said.json["database"], said.json["newest"]) == ("9999", schema.newest())


NO_POST = {
    "last_hand_over": None, "oldest_due": None, "oldest_due_seconds": None, "waiting": None, "tried_in_vain": None,
    "given_up": None, "pauses": [],
}  # fmt: skip
COUNTED = {"waiting": 0, "tried_in_vain": 0, "given_up": 0}


@pytest.fixture
def sending(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Flask, Server, int]]:
    """Return a server whose mail host is to be at a port, on either kind of database."""
    url, port = request.getfixturevalue(f"{request.param}_url"), free_port()
    host = f"smtp://127.0.0.1:{port}"
    environ = {"POSTROAD_DATABASE_URL": url, "POSTROAD_SECRET_KEY": KEYS[0], "POSTROAD_SMTP_URL": host}
    app = create_app(load(environ, tmp_path))
    yield app, app.extensions["postroad"], port
    app.extensions["postroad"].database.close()


def looked(app: Flask, status: int) -> Any:
    """Return what `/health` says, with its status."""
    response = app.test_client().get("/health")
    assert response.status_code == status, response.get_data(as_text=True)
    assert response.json["well"] == (status == 200)
    return response.json


def set_back(server: Server, **ago: timedelta) -> None:
    """Move events into the past: the last beat of a job, and when mails were due."""
    with server.database.write() as session:
        for job, before in ago.items():
            moved = {"first_at": datetime.now(UTC) - before, "last_at": datetime.now(UTC) - before}
            session.execute(sa.update(Heartbeat).where(Heartbeat.job == job).values(**moved))
        session.commit()


@pytest.mark.parametrize("sending", BOTH, indirect=True)
def test_a_mail_host_that_is_down_for_a_day_shows_and_its_return_too(sending: tuple[Flask, Server, int]) -> None:
    """For a quarter of an hour it is a restart of the host; then 503, until mails go out again."""
    app, server, port = sending
    for job in ("scheduler", "mail"):
        outages.beat(server.database, job, "one", datetime.now(UTC))
    first = looked(app, 200)
    assert first["mail"]["last_hand_over"] is None and first["mail"]["oldest_due"] is None and first["down"] == []
    starting.new_game(
        server.database, "ferry", [("red", "a@example.org"), ("blue", "b@example.org")], now=datetime.now(UTC)
    )
    sender, stop = Sender(server), threading.Event()
    set_back(server, mail=timedelta(minutes=14))
    sender.send_due(datetime.now(UTC))
    said = looked(app, 200)["mail"]
    assert said["oldest_due"] is not None and (said["waiting"], said["given_up"]) == (1, 0)
    assert [pause["stage"] for pause in said["pauses"]] == ["connect"] and "127.0.0.1" not in str(said)
    for away in (timedelta(minutes=16), timedelta(days=1)):
        set_back(server, mail=away)
        assert looked(app, 503)["down"] == ["mail"]
    with Sink(port):
        thread = threading.Thread(target=sender.run, args=(stop,))
        thread.start()
        end = time.monotonic() + 60
        while app.test_client().get("/health").status_code != 200 and time.monotonic() < end:
            time.sleep(0.05)
        stop.set()
        thread.join()
        after = looked(app, 200)["mail"]
    assert (after["waiting"], after["pauses"]) == (0, [])
    assert after["oldest_due"] is None and after["last_hand_over"][:10] == f"{datetime.now(UTC):%Y-%m-%d}"


@pytest.mark.parametrize("sending", BOTH, indirect=True)
def test_a_host_that_is_not_used_any_more_is_nobody_s_pause(sending: tuple[Flask, Server, int]) -> None:
    """The operator has switched to another host, because the old one was down: nothing waits for the old one."""
    app, server, _ = sending
    now = datetime.now(UTC)
    for job in ("scheduler", "mail"):
        outages.beat(server.database, job, "one", now)
    mail_route.know(server.database, "old.example.org:587")
    old = now - 2 * DAY
    assert mail_route.pause(server.database, "old.example.org:587", "connect", "no route to host", old, old)
    with server.database.read() as session:
        assert outages.is_down(session, old + timedelta(minutes=10))
        assert not outages.is_down(session, now)
    assert looked(app, 200)["mail"]["pauses"] == []


@pytest.mark.parametrize("sending", BOTH, indirect=True)
def test_mails_that_were_given_up_are_counted(sending: tuple[Flask, Server, int]) -> None:
    app, server, _ = sending
    outages.beat(server.database, "scheduler", "one", datetime.now(UTC))
    starting.new_game(
        server.database, "ferry", [("red", "a@example.org"), ("blue", "b@example.org")], now=datetime.now(UTC)
    )
    write(server.database, sa.update(OutboxMail).values(state="failed"))
    said = looked(app, 200)["mail"]
    assert (said["given_up"], said["waiting"]) == (1, 0)


@pytest.mark.parametrize("sending", BOTH, indirect=True)
def test_a_mail_that_nobody_takes_shows(sending: tuple[Flask, Server, int]) -> None:
    """The host answers, and the process that sends is gone or hangs.

    Mails that wait for their next attempt are not due.
    """
    app, server, _ = sending
    outages.beat(server.database, "scheduler", "one", datetime.now(UTC))
    starting.new_game(
        server.database, "ferry", [("red", "a@example.org"), ("blue", "b@example.org")], now=datetime.now(UTC)
    )
    for minutes, status in ((14, 200), (16, 503), (-5, 200)):
        with server.database.write() as session:
            at = datetime.now(UTC) - timedelta(minutes=minutes)
            session.execute(sa.update(OutboxMail).values(due_at=at))
            session.commit()
        said = looked(app, status)["mail"]["oldest_due_seconds"]
        assert said is None if minutes < 0 else 0 <= said - minutes * 60 < 30


@pytest.mark.parametrize("app", BOTH, indirect=True)
def test_without_a_mail_host_mail_is_never_down(app: Flask, server: Server) -> None:
    outages.beat(server.database, "scheduler", "one", datetime.now(UTC))
    outages.beat(server.database, "mail", "one", datetime.now(UTC) - timedelta(days=3))
    now = datetime.now(UTC)
    starting.new_game(
        server.database, "ferry", [("red", "a@example.org"), ("blue", "b@example.org")], now=now - 3 * DAY
    )
    assert looked(app, 200)["mail"]["oldest_due_seconds"] > 250_000
    Sender(server).send_due(now)
    said = looked(app, 200)["mail"]
    assert said == NO_POST | {"last_hand_over": moment(now)} | COUNTED


@pytest.mark.postgres
def test_a_database_that_has_gone_is_503_at_once(
    postgres_server: str, postgres_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app(load({"POSTROAD_DATABASE_URL": postgres_url, "POSTROAD_SECRET_KEY": KEYS[0]}, tmp_path))
    outages.beat(app.extensions["postroad"].database, "scheduler", "one", datetime.now(UTC))
    looked(app, 200)
    postgres.drop_database(postgres_server, postgres_url)
    begun = time.monotonic()
    assert looked(app, 503) | {"newest": ""} == {
        "well": False, "down": ["database"], "set_aside": 0, "database": None, "newest": "", "scheduler": None,
        "titles_missing": {},
        "mail": NO_POST,
    }  # fmt: skip
    assert time.monotonic() - begun < 10
    assert "Traceback" not in caplog.text and "does not exist" in caplog.text
    assert app.test_client().get("/health/live").json == {"alive": True}
    app.extensions["postroad"].database.close()


def test_a_file_that_is_no_database_any_more_is_503(app: Flask, server: Server, tmp_path: Path) -> None:
    outages.beat(server.database, "scheduler", "one", datetime.now(UTC))
    looked(app, 200)
    server.database.close()
    for left in tmp_path.glob("postroad.db*"):
        left.write_bytes(b"spilt coffee " * 1000)
    assert looked(app, 503)["down"] == ["database"]
    assert app.test_client().get("/health/live").status_code == 200


def test_a_database_that_takes_connections_and_says_nothing_is_503_within_seconds(tmp_path: Path) -> None:
    """And the second check does not hang in a separate thread next to the first one."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"postgresql://postroad@127.0.0.1:{deaf.getsockname()[1]}/postroad"
        app = create_app(load({"POSTROAD_DATABASE_URL": url, "POSTROAD_SECRET_KEY": KEYS[0]}, tmp_path))
        looks, server = HealthChecks(), app.extensions["postroad"]
        for _ in range(3):
            begun = time.monotonic()
            assert looks.look(server, NOW, seconds=0.3) == health.NO_DATABASE
            assert 0.2 < time.monotonic() - begun < 10
            assert [thread.name for thread in threading.enumerate()].count("health") == 1
        assert app.test_client().get("/health/live").status_code == 200
        accepted, _ = deaf.accept()
        accepted.close()
        begun = time.monotonic()
        while "health" in [thread.name for thread in threading.enumerate()] and time.monotonic() - begun < 60:
            time.sleep(0.02)
    assert "health" not in [thread.name for thread in threading.enumerate()]
    server.database.close()


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
    server = fresh.start(
        [sys.executable, "-c", program], cwd=tmp_path, env=environ | {"POSTROAD_DATABASE_URL": sqlite_url},
        start_new_session=True,
    )  # fmt: skip
    database = db.Database(sqlite_url)
    beaten: set[tuple[str, str]] = set()
    end = time.monotonic() + 60
    while len(beaten) < 2 and time.monotonic() < end:
        time.sleep(0.2)
        with database.read() as session:  # an owner is host, process, and a number of the beat
            rows = session.execute(sa.select(Heartbeat.job, Heartbeat.owner)).all()
        beaten = {(job, owner.split(":")[1]) for job, owner in rows}
    os.killpg(server.pid, signal.SIGKILL)
    server.wait(60)
    database.close()
    assert [job for job, _ in beaten] == ["web", "web"]


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
        """Check a login."""
        login, password = given.login.decode(), given.password.decode()  # type: ignore[attr-defined]
        self.users.append(login)
        return AuthResult(success=password in ("secret", "pässwörd€"), handled=False)


def hand_over(sink: Sink, tls: str, password: str = "secret", name: str = "127.0.0.1") -> None:
    host = MailHost(name, sink.port, tls, "postroad", password)
    connection = Connection(host, "Post Road <post@example.org>", "example.org")
    try:
        connection.hand_over("alice@example.org", b"Subject: x\r\n\r\nready-made\r\n")
    finally:
        connection.close()


def test_starttls_is_used_where_it_is_offered_and_the_password_only_there(context: ssl.SSLContext) -> None:
    with Encrypted(context) as sink:
        hand_over(sink, "offered")
        assert sink.users == ["postroad"] and len(sink.taken) == 1
        with pytest.raises(NotTaken, match=r"535 5\.7\.8") as refused:
            hand_over(sink, "offered", "wrong")
        assert refused.value.stage == "login"
        assert len(sink.taken) == 1


def test_where_it_is_required_the_host_must_be_who_it_says(
    context: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Encrypted(context) as sink:
        with pytest.raises(NotTaken, match="certificate"):
            hand_over(sink, "required")
        assert not sink.taken and not sink.users
        monkeypatch.setenv("SSL_CERT_FILE", str(context.cert_file))  # type: ignore[attr-defined]
        hand_over(sink, "required")
        assert len(sink.taken) == 1


def test_elsewhere_a_password_goes_to_a_proven_host_alone(
    context: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where encryption is only offered; a mail without a login may go to any."""
    looked_up = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda name, *more, **named: looked_up("127.0.0.1", *more, **named))
    with Encrypted(context) as sink:
        with pytest.raises(NotTaken, match="certificate"):
            hand_over(sink, "offered", name="mail.example.org")
        with pytest.raises(NotTaken, match=r"530 .*[Aa]uthentication"):
            hand_over(sink, "offered", "", name="mail.example.org")
        assert not sink.users


def test_a_login_beyond_ascii_goes_as_utf_8(context: ssl.SSLContext) -> None:
    with Encrypted(context) as sink:
        hand_over(sink, "offered", "pässwörd€")
        assert sink.users == ["postroad"] and len(sink.taken) == 1


class EncryptedFromTheStart(Encrypted):
    """A mail host for `smtps://`: nothing is sent in the clear."""

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__(context)
        self._controller.ssl_context = context
        self._controller.factory = lambda: SMTP(
            self, authenticator=self.who, auth_required=True, auth_require_tls=False
        )  # type: ignore[method-assign]


# The library mistakes a connection that is encrypted from the start for one that is not.
@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
def test_a_server_with_smtps_logs_in_and_hands_over_and_trusts_no_other_host(
    context: ssl.SSLContext, tmp_path: Path, sqlite_url: str
) -> None:
    with EncryptedFromTheStart(context) as sink:
        settings = {"SMTP_URL": f"smtps://postroad:secret@127.0.0.1:{sink.port}", "DATABASE_URL": sqlite_url}
        install = Install(tmp_path, **settings)
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
