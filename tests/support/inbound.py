"""Incoming mails: a server that accepts them, what people and programs write to it, and an LMTP client."""

from __future__ import annotations

import re
import smtplib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.base.process.mail_settings import MailIn
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import InboundMail, OutboxMail
from app.post.inbound import gate
from app.post.inbound.incoming import Incoming
from app.post.out.sender import Sender
from tests.support.post_storm import IMPATIENT, server_at
from tests.support.sink import Sink

TRUSTED = MailIn(tags=True, authserv="mail.example.org")
PROVEN = "mail.example.org; dkim=pass header.d=example.org"


@dataclass
class WayIn:
    """A server whose mails go to a sink, and the answers it receives."""

    database: Database
    sink: Sink
    mail_in: MailIn = TRUSTED
    said: list[Any] = field(default_factory=list)
    written: dict[bytes, datetime] = field(default_factory=dict)

    def __post_init__(self) -> None:
        server = server_at(self.database, self.sink.port)
        self.server = Server(replace(server.config, mail_in=self.mail_in), self.database, server.links)
        self.sender = Sender(self.server, IMPATIENT)

    def send(self, now: datetime) -> None:
        """Send everything that is due."""
        self.sender.send_all(now)

    def bounce_address(self, number: int = -1) -> str:
        return self.sink.senders[number]

    def reply_address(self, number: int = -1) -> str:
        return parseaddr(str(self.sink.mails()[number]["Reply-To"]))[1]

    def take(self, raw: bytes | EmailMessage, to: str, now: datetime, sender: str = "alice@example.org") -> Any:
        """Hand a mail in, with the address and the date that mail programs write (no two are written in the same
        second); return how it was classified."""
        raw = raw.as_bytes() if isinstance(raw, EmailMessage) else raw
        raw = addressed(raw, to, self.written.setdefault(raw, now + timedelta(seconds=len(self.written))))
        verdict = gate.take(self.server, Incoming(raw, sender, to), now)
        self.said.append(verdict)
        return verdict

    def rows(self, model: Any = InboundMail) -> list[Any]:
        with self.database.read() as session:
            return list(session.scalars(sa.select(model).order_by(model.id)))

    def mails(self, kind: str) -> list[OutboxMail]:
        """Return the rows of one kind of mail."""
        return [mail for mail in self.rows(OutboxMail) if mail.kind == kind]


@contextmanager
def way_in(database: Database, mail_in: MailIn = TRUSTED) -> Iterator[WayIn]:
    """Yield a server with a mail host, until the end of the block."""
    with Sink() as sink:
        way = WayIn(database, sink, mail_in)
        try:
            yield way
        finally:
            way.sender.close()


def written(
    number: int, text: str = "pass\n", author: str = "Alice <alice@example.org>", proof: str = PROVEN, **headers: str
) -> EmailMessage:
    """Return a mail a person writes: with the headers of a mail program, and those that the operator's host adds above
    them.
    """
    mail = EmailMessage()
    if proof:
        mail["Authentication-Results"] = proof
    mail["From"], mail["Subject"] = author, "Re: It is your turn"
    mail["Message-ID"] = f"<{number}@mail.example.com>"
    for name, value in headers.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(text)
    return mail


def addressed(raw: bytes, to: str, at: datetime) -> bytes:
    """Return a mail with To and Date, if it has none."""
    head = re.split(rb"\r?\n\r?\n", raw, maxsplit=1)[0].lower()
    end = b"\r\n" if b"\r\n" in head else b"\n"
    for name, value in (("To", to), ("Date", format_datetime(at))):
        if not re.search(rf"(?m)^{name}:".encode().lower(), head):
            raw = f"{name}: {value}".encode() + end + raw
    return raw


def report(
    number: int, to: str, status: str = "5.1.1", words: str = "smtp; 550 5.1.1 no such user", action: str = "failed",
    returned: bytes = b"",
) -> bytes:  # fmt: skip
    """Return a mail host's report about a mail that it could not deliver (RFC 3464)."""
    lines = [
        f"Message-ID: <report{number}@mx.example.net>", "From: Mail Delivery <MAILER-DAEMON@mx.example.net>",
        f"To: <{to}>", "Subject: Undelivered Mail Returned to Sender", "Auto-Submitted: auto-replied",
        "MIME-Version: 1.0", 'Content-Type: multipart/report; report-type=delivery-status; boundary="=b"', "",
        "--=b", "Content-Type: text/plain", "", "I could not hand on your mail.", "",
        "--=b", "Content-Type: message/delivery-status", "", "Reporting-MTA: dns; mx.example.net", "",
        "Final-Recipient: rfc822; alice@example.org", f"Action: {action}", f"Status: {status}",
        f"Diagnostic-Code: {words}", "", "--=b", "Content-Type: text/rfc822-headers", "",
    ]  # fmt: skip
    headers = returned.partition(b"\r\n\r\n")[0]
    return "\r\n".join(lines).encode() + b"\r\n" + headers + b"\r\n\r\n--=b--\r\n"


class Lmtp(smtplib.LMTP):
    """The mail host's end of a socket."""

    def hand(self, sender: str, recipients: list[str], raw: bytes) -> list[tuple[int, bytes]]:
        """Hand a mail in; return every answer: to each recipient, and to the mail."""
        raw = addressed(raw, recipients[0], datetime.now(UTC))
        self.ehlo_or_helo_if_needed()
        self.mail(sender)
        said = [self.rcpt(to) for to in recipients]
        return [*said, self.data(raw)]


def listening(place: str, seconds: float = 20) -> Lmtp:
    """Return a connection to the listener at a place, as soon as there is one."""
    end = time.monotonic() + seconds
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as asking:
                asking.connect(place)
            return Lmtp(place)
        except OSError:
            assert time.monotonic() < end, "nobody listens"
            time.sleep(0.02)


@contextmanager
def serving(way: WayIn, folder: Path) -> Iterator[str]:
    """Run the LMTP server of an installation in a thread; yield where it listens."""
    import asyncio

    from app.post.inbound import lmtp

    place, stop, ready = str(folder / "lmtp"), threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(lmtp.serve(way.server, place, stop, lambda _: ready.set())))
    thread.start()
    assert ready.wait(10)
    try:
        yield place
    finally:
        stop.set()
        thread.join(10)
