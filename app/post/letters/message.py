"""A mail as bytes for the wire: two equivalent parts, and the headers that mail programs rely on."""

from __future__ import annotations

import re
import textwrap
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.charset import QP, Charset
from email.header import Header
from email.headerregistry import Address
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.policy import Compat32
from email.utils import format_datetime, parseaddr
from functools import lru_cache

LINE = 76
"""Characters of a line of the mail, including the header's name (RFC 5322, 2.1.1, recommends 78)."""
LONGEST_WORD = 900
"""A line of a mail has at most 998 characters."""
BREAK = "\r\n"

_UTF8 = Charset("utf-8")
_UTF8.body_encoding = QP


class _WirePolicy(Compat32):
    """Headers go out as given: already encoded and split. The standard library's newer interface would parse each of
    them, which takes longer than everything else that a mail needs."""

    def fold(self, name: str, value: str) -> str:
        return f"{name}: {value}{BREAK}"

    def fold_binary(self, name: str, value: str) -> bytes:
        return self.fold(name, value).encode("ascii")


_POLICY = _WirePolicy(linesep=BREAK)


@dataclass(frozen=True, slots=True)
class MailBody:
    """The content of a mail."""

    text: str
    html: str
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    """PNG by the names under which the HTML part shows them (`cid:NAME`)."""


@dataclass(frozen=True, slots=True)
class WrittenMail:
    """A mail with everything read. `thread` is shared by all mails about one thing; `unsubscribe` is an address to POST
    to."""

    to: str
    to_name: str
    subject: str
    body: Callable[[], MailBody]
    """Renders the templates and the pictures: after the transaction, since it takes long."""
    thread: str | None = None
    unsubscribe: str | None = None
    reply_to: tuple[str, str] | None = None
    """Name and address of the recipient of answers."""
    link: str = ""
    """The page that it is about."""
    gist: str = ""
    """What it says besides its subject, in one line, if possible."""


def message_bytes(written: WrittenMail, *, sender: str, host: str, mail_id: str, at: datetime) -> bytes:
    """Return the mail for the wire. `mail_id` is unique on this server and makes the Message-ID; ValueError for headers
    that contain a line break."""
    body = written.body()
    # No line of quoted-printable text contains this (RFC 2045, 6.7, note).
    message = MIMEMultipart("alternative", boundary=f"=_{mail_id}", policy=_POLICY)
    message["From"] = _address("From", *parseaddr(sender))
    message["To"] = _address("To", written.to_name, written.to)
    if written.reply_to:
        message["Reply-To"] = _address("Reply-To", *written.reply_to)
    message["Subject"] = _subject(one_line(written.subject))
    message["Date"] = format_datetime(at)
    message["Message-ID"] = _token(f"<{mail_id}@{host}>")
    if written.thread:
        message["In-Reply-To"] = message["References"] = _token(f"<{written.thread}@{host}>")
        message["List-Id"] = _token(f"<{written.thread}.{host}>")
    if written.unsubscribe:
        message["List-Unsubscribe"] = _token(f"<{written.unsubscribe}>")
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message.attach(_part(body.text, "plain"))
    message.attach(_with_pictures(body, mail_id, host) if body.pictures else _part(body.html, "html"))
    return message.as_bytes()


def _with_pictures(body: MailBody, mail_id: str, host: str) -> MIMEMultipart:
    """Return the HTML with its pictures. A Content-ID belongs to one mail alone (RFC 2045, 7): some programs show the
    picture that they have under it."""
    related = MIMEMultipart("related", boundary=f"=_r_{mail_id}", policy=_POLICY, type="text/html")
    related.attach(_part(re.sub(r'(?<=src=")cid:[\w-]+(?=")', rf"\g<0>.{mail_id}@{host}", body.html), "html"))
    for name, png in body.pictures.items():
        part = MIMENonMultipart("image", "png", policy=_POLICY, name=f"{name}.png")
        part["Content-ID"] = _token(f"<{name}.{mail_id}@{host}>")
        part["Content-Disposition"] = f'inline; filename="{name}.png"'
        part["Content-Transfer-Encoding"] = "base64"
        part.set_payload(BREAK.join(textwrap.wrap(b64encode(png).decode(), LINE)))
        related.attach(part)
    return related


def _part(text: str, kind: str) -> MIMENonMultipart:
    part = MIMENonMultipart("text", kind, policy=_POLICY, charset="utf-8")
    part.set_payload(text, _UTF8)
    return part


def one_line(text: str) -> str:
    """Return the text without line breaks and doubled spaces; no-break spaces stay."""
    return re.sub(r"[ \t\r\n]+", " ", text).strip(" ")


def _token(value: str) -> str:
    """Return a value that mail programs compare letter by letter: never encoded, never split."""
    if not value.isascii() or len(value.split()) != 1:
        raise ValueError(f"this cannot stand in a header of a mail: {value!r}")
    return value


def _subject(text: str) -> str:
    name = "Subject: "
    if not _reads_as_it_is(text):
        return _encoded("Subject", text)
    # The standard library would begin some of them on the second line, which reads as a leading space. A fold only goes
    # before a blank (RFC 5322, 2.2.3), so a word stays whole, however long.
    lines = textwrap.wrap(
        text, LINE, initial_indent=name, subsequent_indent=" ", break_long_words=False, break_on_hyphens=False
    )
    return BREAK.join(lines).removeprefix(name)


def _reads_as_it_is(text: str) -> bool:
    """Return whether a header can hold the text as it is: ASCII in lines that no host splits (RFC 5322, 2.1.1), and
    nothing that a mail program would decode (RFC 2047)."""
    return text.isascii() and text.isprintable() and "=?" not in text and max(map(len, text.split(" "))) < LONGEST_WORD


def _encoded(header: str, text: str) -> str:
    """Return words of RFC 2047."""
    return Header(text, "utf-8", LINE, header).encode(linesep=BREAK)


@lru_cache(maxsize=2000)
def _address(header: str, name: str, address: str) -> str:
    """Return name and address; ValueError if they are invalid."""
    whole = str(Address(display_name=name, addr_spec=address))
    if not address.isascii():
        raise ValueError(f"this is no address that every mail host takes: {address!r}")
    if _reads_as_it_is(name) and len(header) + 2 + len(whole) <= LINE:
        return whole
    return f"{_encoded(header, name)}{BREAK} <{address}>" if name else whole
