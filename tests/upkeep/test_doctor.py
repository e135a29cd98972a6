"""The doctor: what it finds on a healthy server, and on one with each fault."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dkim
import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from flask import Flask
from werkzeug.serving import make_server

from app.base.links import Links
from app.base.process.config import Config
from app.base.process.mail_settings import MailHost, MailIn
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.upkeep_tables import Heartbeat
from app.post.inbound import gate
from app.post.inbound.incoming import Incoming
from app.server.commands.doctor import doctor
from app.server.factory import create_app
from app.time import outages
from app.upkeep.doctor import examination, machine, names, sending
from app.upkeep.doctor.finding import Finding
from tests.support.name_server import NameServer
from tests.support.sink import Sink
from tests.support.tables import KEYS


class Host(Sink):
    """A mail host that signs the mails it gets and delivers those for the server to it, as LMTP would."""

    def __init__(self, key: bytes) -> None:
        super().__init__()
        self.key = key
        self.server: Server | None = None
        self.covers = [b"from", b"to", b"list-unsubscribe", b"list-unsubscribe-post"]

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        raw = envelope.content
        if self.covers:
            raw = dkim.sign(raw, b"s1", b"games.example", self.key, include_headers=self.covers) + raw
        if self.server is not None:
            mail = Incoming(raw, envelope.mail_from, envelope.rcpt_tos[0])
            threading.Thread(target=gate.take, args=(self.server, mail, datetime.now(UTC))).start()
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
            "Post Road <post@games.example>", "en",
            mail_in=MailIn(lmtp=str(tmp_path / "lmtp"), tags=True, authserv="x.example", resolver=name_server.address),
        )  # fmt: skip
        app: Flask = create_app(config)
        server = make_server("127.0.0.1", 0, app, threaded=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        config = replace(config, base_url=f"http://127.0.0.1:{server.port}")
        database = Database(sqlite_url)
        host.server = Server(config, database, Links(config.base_url, KEYS))
        outages.beat(database, "scheduler", "test", datetime.now(UTC))
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
    with server.database.write() as session:
        session.execute(sa.update(Heartbeat).values(first_at=later, last_at=later))
        session.commit()
    wrong = found(server, base_url="http://127.0.0.1:9")
    assert {"SPF", "DMARC", "DKIM", "scheduler", "public address"} == set(wrong)
    assert all(one.do for one in wrong.values())

    host.covers, host.server = [], None
    silent = found(server, wait=0.5)
    assert "mail serve" in silent["test mail"].do
    away = found(server, mail_host=MailHost("127.0.0.1", 9, "offered"))
    assert "connect" in away["mail host"].why
    without = found(server, mail_in=MailIn(resolver=name_server.address))
    assert not {"settings", "way in for mails", "test mail"} & set(without), "none is a choice, too"


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
