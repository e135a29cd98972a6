"""The doctor: what it finds on a healthy server, and on one with each fault."""

from __future__ import annotations

import errno
import json
import os
import socket
import sqlite3
import ssl
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dkim
import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from flask import Flask
from sqlmodel import col
from werkzeug.serving import make_server

from app.base.links import Links
from app.base.process import env_file
from app.base.process.config import Config
from app.base.process.mail_settings import MailHost, MailIn
from app.base.server import Server
from app.base.stored import facts, fingerprint, process_metrics
from app.base.stored.database import Database, file_of
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.upkeep_tables import Heartbeat, ProcessFigures, ServerFact
from app.computer.tables import ComputerDecision
from app.people import accounts
from app.people.tables import Player
from app.post.inbound import gate
from app.post.inbound.incoming import Incoming
from app.server.commands.doctor import doctor
from app.server.factory import create_app
from app.time import outages
from app.upkeep import schema
from app.upkeep.backups import scheduled
from app.upkeep.doctor import examination, machine, names, sending, web
from app.upkeep.doctor.finding import Finding
from tests.support.name_server import NameServer
from tests.support.sink import Sink
from tests.support.tables import CONFIG, KEYS, NOW, start, write


class Host(Sink):
    """A mail host that signs the mails it gets and delivers those for the server to it, as LMTP would."""

    def __init__(self, key: bytes) -> None:
        super().__init__()
        self.key = key
        self.server: Server | None = None
        self.covers = [b"from", b"to", b"list-unsubscribe", b"list-unsubscribe-post"]
        self.refuses = ""

    def bring(self, mail: Incoming) -> None:
        assert self.server is not None
        with suppress(sa.exc.OperationalError):  # the database is seeded with troubles, too
            gate.take(self.server, mail, datetime.now(UTC))

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: list[str]) -> str:
        envelope.rcpt_tos.append(address)
        return self.refuses or "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        raw = envelope.content
        if self.covers:
            raw = dkim.sign(raw, b"s1", b"games.example", self.key, include_headers=self.covers) + raw
        if self.server is not None:
            mail = Incoming(raw, envelope.mail_from, envelope.rcpt_tos[0])
            threading.Thread(target=self.bring, args=(mail,)).start()
        return "250 taken"


@pytest.fixture
def well(sqlite_url: str, name_server: NameServer, tmp_path: Path) -> Iterator[tuple[Server, Host]]:
    """Run a server where everything is well."""
    key, public = name_server.key()
    name_server.texts |= {
        "games.example": "v=spf1 ip4:192.0.2.1 -all",
        "_dmarc.games.example": "v=DMARC1; p=none",
        "s1._domainkey.games.example": f"v=DKIM1; p={public}",
    }
    with Host(key) as host:
        config = Config(
            tmp_path, sqlite_url, "http://127.0.0.1:1", KEYS, MailHost("127.0.0.1", host.port, "offered"),
            "Post Road <post@games.example>", "en", backups=tmp_path / "backups",
            mail_in=MailIn(lmtp=str(tmp_path / "lmtp"), tags=True, authserv="x.example", resolver=name_server.address),
        )  # fmt: skip
        app: Flask = create_app(config)
        server = make_server("127.0.0.1", 0, app, threaded=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        config = replace(config, base_url=f"http://127.0.0.1:{server.port}")
        database = Database(sqlite_url)
        host.server = Server(config, database, Links(config.base_url, KEYS))
        now = datetime.now(UTC)
        outages.beat(database, "scheduler", "test", now)
        with database.write() as session:
            process_metrics.write_down(session, gate.WAY_IN, now)
            facts.tell(session, scheduled.MADE, "1 0", now)
            facts.tell(session, scheduled.TRIED, "", now)
            accounts.settle(accounts.find_or_add(session, "me@games.example", now=now), role="operator")
        try:
            yield host.server, host
        finally:
            server.shutdown()
            thread.join(60)
            database.close()


def found(server: Server, wait: float = 20, **changes: Any) -> dict[str, Finding]:
    """Return what is not well, by its name; the last of each."""
    server = Server(replace(server.config, **changes), server.database, server.links)
    return {one.check: one for one in examination.look(server, datetime.now(UTC), wait=wait) if one.well is False}


def test_a_server_that_is_well_is_found_well(well: tuple[Server, Host], capsys: Any) -> None:
    server, _ = well
    lines = list(examination.look(server, datetime.now(UTC), wait=20))
    assert [one for one in lines if one.well is False] == []
    seen = {one.check for one in lines if one.well}
    wanted = {"settings", "disk", "database", "migrations", "clock", "scheduler", "outbox", "public address"}
    assert wanted | {"SPF", "DMARC", "mail host", "test mail", "DKIM"} <= seen


def test_each_thing_that_is_wrong_is_named_with_what_to_do(well: tuple[Server, Host], name_server: NameServer) -> None:
    server, host = well
    host.covers = [b"from"]
    name_server.texts["games.example"] = "v=spf1 +all"
    del name_server.texts["_dmarc.games.example"], name_server.texts["s1._domainkey.games.example"]
    later = datetime.now(UTC) - timedelta(hours=2)
    write(server.database, sa.update(Heartbeat).values(first_at=later, last_at=later))
    wrong = found(server, base_url="http://127.0.0.1:9")
    assert {"SPF", "DMARC", "DKIM", "scheduler", "public address"} == set(wrong)
    assert all(one.do for one in wrong.values())

    host.covers, host.server = [], None
    silent = found(server, wait=0.5)
    assert "postroad@mail" in silent["test mail"].do
    away = found(server, mail_host=MailHost("127.0.0.1", 9, "offered"))
    assert "connect" in away["mail host"].why
    without = found(server, mail_in=MailIn(resolver=name_server.address))
    assert not {"settings", "way in for mails", "test mail"} & set(without), "none is a choice, too"


def sql(server: Server, *statements: sa.Executable) -> None:
    with server.database.write() as session:
        for one in statements:
            session.execute(one)


@contextmanager
def changed(server: Server, there: sa.Executable, back: sa.Executable) -> Iterator[dict[str, Any]]:
    """Seed a trouble of the database; the advice, followed, undoes it."""
    sql(server, there)
    yield {}
    sql(server, back)


@contextmanager
def with_mode(path: Path, mode: int) -> Iterator[dict[str, Any]]:
    before = path.stat().st_mode
    path.chmod(mode)
    yield {}
    path.chmod(before)


@contextmanager
def of_another(path: Path) -> Iterator[dict[str, Any]]:
    before = path.stat()
    os.chown(path, 12345, 12345)
    yield {}
    os.chown(path, before.st_uid, before.st_gid)


@contextmanager
def patched(patch: pytest.MonkeyPatch, *what: Any) -> Iterator[dict[str, Any]]:
    with patch.context() as inside:
        inside.setattr(*what)
        yield {}


@contextmanager
def locked(server: Server, patch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    server.database.close()
    with (
        patch.context() as inside,
        closing(sqlite3.connect(str(file_of(server.config.database_url)), isolation_level=None)) as other,
    ):
        inside.setattr("app.base.stored.database.BUSY_MILLISECONDS", 100)
        other.execute("BEGIN IMMEDIATE")
        yield {}
    server.database.close()


@contextmanager
def encrypted(begin: datetime, end: datetime) -> Iterator[tuple[int, ssl.SSLContext]]:
    """Greet whoever comes with a certificate for `localhost` of this life; yield the port, and what trusts it."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    built = x509.CertificateBuilder(name, name, key.public_key(), 1, begin, end)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
    cert = built.add_extension(names, False).sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)
    ours, trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context(cadata=cert.decode())
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        file = Path(folder, "both")
        file.write_bytes(cert + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        ours.load_cert_chain(file)

        def greet() -> None:
            with suppress(OSError), ours.wrap_socket(listener.accept()[0], server_side=True) as one:
                one.recv(1)

        threading.Thread(target=greet, daemon=True).start()
        yield listener.getsockname()[1], trusted


def troubles(
    server: Server, host: Host, names: NameServer, patch: pytest.MonkeyPatch
) -> Iterator[tuple[str, AbstractContextManager[dict[str, Any]], str, str]]:
    """Yield what an operator may meet, what seeds it, the finding, and words of its advice. (Certificates: below.)"""
    data, past = server.config.data, datetime.now(UTC) - timedelta(hours=3)
    beat, role = sa.update(Heartbeat), sa.update(Player)
    now = {"first_at": datetime.now(UTC), "last_at": datetime.now(UTC)}
    of_key = sa.update(ServerFact).where(sa.column("name") == fingerprint.NAME)
    numbers = ("0030", schema.newest(), "9999")
    revision = [sa.text(f"UPDATE alembic_version SET version_num = '{one}'") for one in numbers]
    made = sa.update(ServerFact).where(sa.column("name") == scheduled.MADE)
    owed = sa.update(ComputerDecision)
    figures = sa.update(ProcessFigures)
    with server.database.read() as session:
        heard = session.scalars(sa.select(ProcessFigures.content)).one()
    nothing = nullcontext
    texts = dict(names.texts)

    def record(name: str) -> AbstractContextManager[dict[str, Any]]:
        return patched(patch, names, "texts", {key: text for key, text in texts.items() if key != name})

    def with_figures(**other: Any) -> AbstractContextManager[dict[str, Any]]:
        seeded = figures.values(content={**heard, **other}, at=datetime.now(UTC))
        return changed(server, seeded, figures.values(content=heard))

    def no_disk(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EROFS, "Read-only file system")

    away = {"base_url": "http://127.0.0.1:9"}
    file = data / "settings.env"
    file.write_text("")
    patch.setattr(env_file, "USUAL", file)
    os.utime(file, (0, 0))
    file.chmod(0o600)
    (data / "secret_key").write_text("x" * 20)
    (data / "secret_key").chmod(0o600)
    postgres = "postgresql+psycopg://x@127.0.0.1:9/x"
    yield "no SPF", record("games.example"), "SPF", "One TXT record at games.example"
    yield "no DMARC", record("_dmarc.games.example"), "DMARC", "_dmarc.games.example"
    yield "proxy down", nothing(away), "public address", "the proxy"
    yield "server stopped", nothing(away), "public address", "`serve` runs"
    yield "disk full", patched(patch, machine, "LEAST_FREE", 1 << 60), "disk", "Make room"
    yield "disk read-only", patched(patch, tempfile, "NamedTemporaryFile", no_disk), "disk", "Mount it writable"
    ahead = {"first_at": past, "last_at": datetime.now(UTC) + timedelta(hours=2)}
    yield "clock set back", changed(server, beat.values(ahead), beat.values(now)), "clock", "NTP"
    mars = changed(server, role.values(zone="Mars/Base"), role.values(zone="UTC"))
    yield "unknown zone", mars, "time zones", "tzdata"
    yield "old schema", changed(server, revision[0], revision[1]), "migrations", "db upgrade"
    yield "newer schema", changed(server, revision[2], revision[1]), "migrations", "Upgrade this machine"
    yield "PostgreSQL down", nothing({"database_url": postgres}), "database", "PostgreSQL runs"
    silent = beat.values(first_at=past, last_at=past)
    yield "worker stopped", changed(server, silent, beat.values(now)), "scheduler", "serve --role worker"
    yield "key readable", with_mode(data / "secret_key", 0o644), "files", "chmod o= "
    yield "settings readable", with_mode(file, 0o644), "settings", f"chmod 600 {file}"
    gone = patched(patch, host, "refuses", "550 5.1.1 no such mailbox")
    yield "no such mailbox", gone, "test mail", "give it that mailbox"
    yield "way in stopped", with_figures(roles=[]), "way in", "systemctl restart postroad@mail"
    other_key = changed(server, of_key.values(value="other"), of_key.values(value=fingerprint.of(KEYS[-1])))
    yield "another key", other_key, "key", "secret_key"
    yield "write lock held", locked(server, patch), "writing", "fuser"
    yield "no backups", nothing({"backups": None}), "backups", "postroad setup --yes --backups"
    late = made.values(noted_at=past - timedelta(days=2)), made.values(noted_at=past)
    yield "backups late", changed(server, *late), "backups", "the log says why"
    nobody = role.values(role="player"), role.where(col(Player.address) == "me@games.example").values(role="operator")
    yield "no operator", changed(server, *nobody), "operator", "postroad player role"
    waiting = owed.values(state="waiting", made_at=past), owed.values(state="done")
    yield "computer hung", changed(server, *waiting), "computer", "the server begins another"
    yield "old settings", with_figures(outdated=True), "settings in force", "systemctl restart"
    if os.geteuid() == 0:
        yield "database of another", of_another(data / "postroad.db"), "owner", f"chown --reference={data}"
        yield "key of another", of_another(data / "secret_key"), "owner", f"chown --reference={data}"
        yield "folder of root", patched(patch, machine, "UNIT_USER", "nobody"), "owner", f"chown -R nobody: {data}"


def test_each_of_26_troubles_is_found_and_its_advice_mends_it(
    well: tuple[Server, Host], name_server: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F4"""
    server, host = well
    sql(server, sa.insert(ServerFact).values(name=fingerprint.NAME, value=fingerprint.of(KEYS[-1]), noted_at=NOW))
    game_id = start(server.database)
    decision = {"game_id": game_id, "number": 1, "seat": "red", "state": "done", "made_at": NOW, "due_at": NOW}
    sql(server, sa.insert(ComputerDecision).values(**decision, attempts=0, cpu_seconds=0.0))
    for name, seeded, check, do in troubles(server, host, name_server, monkeypatch):
        with seeded as changes:
            other = Database(changes["database_url"]) if "database_url" in changes else server.database
            wrong = found(Server(server.config, other, server.links), 3, **changes)
            assert check in wrong and do in wrong[check].do, (name, wrong)
    outages.beat(server.database, "scheduler", "test", datetime.now(UTC))
    sql(server, sa.update(OutboxMail).values(state="dropped"))
    sql(server, sa.update(ProcessFigures).values(at=datetime.now(UTC)))
    assert found(server) == {}, "each is mended"


def test_a_certificate_is_judged_by_its_own_life(monkeypatch: pytest.MonkeyPatch) -> None:
    """F16: one of six days, or of Caddy's own authority, is well until a fifth of it is left"""
    now = datetime.now(UTC)
    for life, left, is_well in ((90, 30, True), (90, 10, False), (6, 5, True), (0.5, 0.4, True), (0.5, 0.05, False)):
        with encrypted(now + timedelta(days=left - life), now + timedelta(days=left)) as (port, trusted):
            config = replace(CONFIG, base_url=f"https://localhost:{port}")
            said = next(iter(web.look(config, now, trusted)))
            assert (said.check, said.well) == ("certificate", is_well), (life, left, said)
    for begin, name, do in ((-9, "localhost", "Renew it"), (-1, "127.0.0.1", "made for this name")):
        with encrypted(now + timedelta(days=begin), now + timedelta(days=begin + 5)) as (port, trusted):
            said = next(iter(web.look(replace(CONFIG, base_url=f"https://{name}:{port}"), now, trusted)))
            assert said.well is False and do in said.do, said


def test_an_empty_database_is_said_to_be_empty(well: tuple[Server, Host], tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new.db'}"
    empty = replace(well[0], config=replace(well[0].config, database_url=url), database=Database(url))
    said = [one for one in machine.database(empty, datetime.now(UTC)) if one.well is False]
    empty.database.close()
    assert [one.check for one in said] == ["migrations"] and "an empty database" in said[0].why


def test_reverse_names_have_to_lead_back(well: tuple[Server, Host], name_server: NameServer) -> None:
    config = replace(well[0].config, base_url="https://games.example")
    name_server.records[("games.example", "A")] = ["203.0.113.9"]

    def said() -> bool | None:
        return next(one.well for one in names.look(config) if one.check == "reverse name")

    name_server.records[("games.example", "A")] = ["8.8.4.4"]
    assert said() is False
    name_server.records[("4.4.8.8.in-addr.arpa", "PTR")] = ["out.games.example."]
    assert said() is False
    name_server.records[("out.games.example", "A")] = ["8.8.4.4"]
    assert said() is True


def test_the_sending_address_is_judged_by_the_record_as_a_mail_host_does(
    well: tuple[Server, Host], name_server: NameServer
) -> None:
    config = replace(well[0].config, base_url="https://games.example")
    relay = replace(config, mail_host=MailHost("relay.example", 587, "required"))
    name_server.records |= {
        ("games.example", "A"): ["8.8.4.4"],
        ("relay.example", "A"): ["9.9.9.9"],
        ("games.example", "MX"): ["10 in.games.example."],
        ("in.games.example", "A"): ["8.8.4.4"],
    }
    name_server.texts |= {
        "_spf.relay.example": "v=spf1 ip4:9.9.9.0/24 -all",
        "loop.example": "v=spf1 include:loop.example",
    }
    for record, at_home, at_relay in (
        ("v=spf1 mx -all", True, None),
        ("v=spf1 ip4:8.8.4.0/24 ~all", True, None),
        ("v=spf1 include:_spf.relay.example -all", False, True),
        ("v=spf1 redirect=_spf.relay.example", False, True),
        ("v=spf1 exists:%{ir}.list.example ~all", False, None),
        ("v=spf1 include:loop.example -all", False, False),
    ):
        name_server.texts["games.example"] = record
        told = [next(one for one in names.look(each) if one.check == sending.CHECK) for each in (config, relay)]
        assert [one.well for one in told] == [at_home, at_relay], record
        assert all(one.do for one in told if one.well is False)


def test_the_command_ends_with_1_and_says_the_same_to_programs(tmp_path: Path, sqlite_url: str) -> None:
    settings = {"POSTROAD_DATA": str(tmp_path), "POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_LANGUAGE": "en"}
    runner = CliRunner()
    told = runner.invoke(doctor, ["--json", "--wait", "1"], env=settings)
    assert told.exit_code == 1
    checks = {one["check"]: one for one in json.loads(told.output)["checks"]}
    assert checks["settings"]["well"] is False and checks["migrations"]["well"] is True
    assert checks["mail host"]["well"] is None and checks["scheduler"]["do"]
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as stray:
        stray.execute("CREATE TABLE stray (id INTEGER)")
    told = runner.invoke(doctor, ["--wait", "1"], env=settings)
    assert "NOT WELL  migrations: 1 differences from the models" in told.output
    bad = runner.invoke(doctor, [], env={**settings, "POSTROAD_LANGUAGE": "xx"})
    assert bad.exit_code == 1 and "NOT WELL  settings" in bad.output and "POSTROAD_LANGUAGE" in bad.output


def test_the_records_for_the_zone_are_printed_with_the_key(name_server: NameServer, tmp_path: Path) -> None:
    name_server.records[("play.example", "A")] = ["8.8.4.4"]
    assert name_server.address
    environ = {
        "POSTROAD_DATA": str(tmp_path),
        "POSTROAD_BASE_URL": "https://play.example",
        "POSTROAD_SMTP_URL": "smtp://127.0.0.1:25",
        "POSTROAD_MAIL_FROM": "Post Road <post@games.example>",
        "POSTROAD_RESOLVER": "{}:{}".format(*name_server.address),
    }
    key = tmp_path / "pr.txt"
    key.write_text('pr._domainkey\tIN\tTXT\t( "v=DKIM1; h=sha256; k=rsa; "\n\t"p=' + "A" * 300 + '" )  ; ----- DKIM\n')
    told = CliRunner().invoke(doctor, ["--dns", "--dkim-key", str(key)], env=environ)
    spf, signed, dmarc = told.output.splitlines()
    assert spf == 'games.example. IN TXT "v=spf1 ip4:8.8.4.4 -all"'
    assert signed.startswith('pr._domainkey.games.example. IN TXT "v=DKIM1; h=sha256; k=rsa; p=AAA')
    assert all(len(piece) <= 255 for piece in signed.split('"'))
    assert dmarc == '_dmarc.games.example. IN TXT "v=DMARC1; p=none"'
    relay = CliRunner().invoke(doctor, ["--dns"], env={**environ, "POSTROAD_SMTP_URL": "smtp://mail.relay.example"})
    assert '"v=spf1 a:mail.relay.example -all"' in relay.output and "; DKIM: " in relay.output
    key.write_text("-----BEGIN PUBLIC KEY-----")
    refused = CliRunner().invoke(doctor, ["--dns", "--dkim-key", str(key)], env=environ)
    assert refused.exit_code == 1 and "no key" in refused.output
