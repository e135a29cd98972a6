"""The settings of mail: where it goes out, how it comes in, and how it is recognised."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import parseaddr
from ipaddress import ip_address
from re import fullmatch, search
from urllib.parse import parse_qs, unquote, urlsplit

from app.base.process.settings import BadSetting, Unaccepted, matching, may_be_missing, switch, values_of
from app.base.words.addresses import ascii_domain
from app.base.words.numbers import whole

LONGEST_LOCAL_PART = 28
"""Length of the sender's local part, which stays below 64 characters with a tag (RFC 5321, 4.5.3.1.1)."""


@dataclass(frozen=True, slots=True)
class MailHost:
    """The mail host. `tls` is `always` (smtps), `required` or `offered` (STARTTLS)."""

    host: str
    port: int
    tls: str
    user: str | None = None
    password: str | None = None

    @property
    def route(self) -> str:
        """Name and port, which identify the route to this host."""
        return f"{self.host}:{self.port}"

    def __repr__(self) -> str:
        return f"MailHost({self.host}:{self.port}, tls={self.tls})"  # never the password


def read_host(value: str) -> MailHost:
    """Read the address of a mail host. Raises Unaccepted."""
    bad = Unaccepted("smtp://HOST:PORT or smtps://USER:PASSWORD@HOST, smtp:// also with ?tls=required")
    try:
        parts = urlsplit(value)
        query = parse_qs(parts.query, strict_parsing=bool(parts.query))
        port, host = parts.port, ascii_domain(parts.hostname or "")
    except ValueError:
        raise bad from None
    if parts.scheme not in ("smtp", "smtps") or not host or parts.path not in ("", "/") or port == 0:
        raise bad
    tls = query.pop("tls", ["offered"])
    if query or tls not in (["required"], ["offered"]) or bool(parts.username) != bool(parts.password):
        raise bad
    return MailHost(
        host=host,
        port=port or (465 if parts.scheme == "smtps" else 25),
        tls="always" if parts.scheme == "smtps" else tls[0],
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
    )


# -- the way in ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ImapBox:
    """A mailbox to poll. `encrypted`: from the start; else STARTTLS, unless it is on this machine."""

    host: str
    port: int
    encrypted: bool
    user: str
    password: str = field(repr=False)
    folder: str = "INBOX"


def lmtp_port(place: str) -> int | None:
    """Return the port if `mail serve` listens on one; None for a socket."""
    host, port = place_of(place)
    return port if host in ("127.0.0.1", "localhost") or (host == "0.0.0.0" and is_in_container()) else None


def is_in_container() -> bool:
    """Whether only ports that the machine publishes are reached from outside; the Containerfile says so."""
    return bool(os.environ.get("container"))  # noqa: SIM112  the name that podman gives it


def place_of(text: str) -> tuple[str, int | None]:
    """Return host and port of a place where a process listens; a path, and None, for a socket. Raises Unaccepted."""
    host, _, port = text.rpartition(":")
    number = whole(port, least=1, most=65535)
    if text.startswith("/") and len(text) < 100:
        return text, None
    if number is None or not fullmatch(r"[\w.-]+|\[[0-9a-fA-F:]+\]", host):
        raise Unaccepted("HOST:PORT such as 127.0.0.1:8000, or the path of a socket such as /run/postroad/web")
    return host.strip("[]"), number


def read_place(text: str) -> str:
    """Return a place where a process can listen. Raises Unaccepted."""
    place_of(text)
    return text


def _lmtp(value: str) -> str:
    no = Unaccepted("the path of a socket such as /run/postroad/lmtp, or 127.0.0.1:PORT (in a container 0.0.0.0:PORT)")
    try:
        if not value.startswith("/") and lmtp_port(value) is None:
            raise no
        return read_place(value)
    except Unaccepted:
        raise no from None


def _imap(value: str) -> ImapBox:
    bad = Unaccepted("imaps://USER:PASSWORD@HOST/FOLDER")
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        raise bad from None
    if parts.scheme not in ("imap", "imaps") or not (parts.hostname and parts.username and parts.password):
        raise bad
    if port == 0 or parts.query or parts.fragment:
        raise bad
    encrypted = parts.scheme == "imaps"
    folder = unquote(parts.path.strip("/")) or "INBOX"
    user, password = unquote(parts.username), unquote(parts.password)
    return ImapBox(parts.hostname, port or (993 if encrypted else 143), encrypted, user, password, folder)


def _resolver(value: str) -> tuple[str, int]:
    host, _, port = value.rpartition(":") if search(r"(\]|^[\d.]+):\d+$", value) else (value, "", "53")
    number = whole(port, least=1, most=65535)
    try:
        address = str(ip_address(host.strip("[]")))
    except ValueError:
        number = None
    if number is None:
        raise Unaccepted("an address such as 192.0.2.53 or 192.0.2.53:5353")
    return address, number


_authserv = matching(r"[\w.-]{1,255}", "the name of your mail host, such as mail.example.org")


@dataclass(frozen=True, slots=True)
class MailIn:
    """How mails come in."""

    imap: ImapBox | None = may_be_missing("IMAP_URL", _imap, None)
    """mailbox to read: `imaps://USER:PASSWORD@HOST/FOLDER`"""
    lmtp: str | None = may_be_missing("LMTP", _lmtp, None)
    """where `mail serve` listens: `127.0.0.1:PORT` (in a container `0.0.0.0:PORT`), or the path of a socket, which a
    mail host has to reach (group, chroot)"""
    tags: bool = may_be_missing("MAIL_TAGS", switch("plus", "none"), False, "`plus` with a way in, else `none`")
    """`none` for hosts without addresses like `games+TAG@HOST`: bounces are then known by the mail that they return,
    replies are not read"""
    authserv: str | None = may_be_missing("MAIL_AUTHSERV", lambda value: _authserv(value).lower(), None)
    """the mail host's name in `Authentication-Results`"""
    resolver: tuple[str, int] | None = may_be_missing("RESOLVER", _resolver, None, "the machine's")
    """name server for the doctor and DKIM, such as `192.0.2.53`"""

    @property
    def is_open(self) -> bool:
        """Whether there is a way in."""
        return self.lmtp is not None or self.imap is not None


def mail_in(given: Mapping[str, str], mail_from: str) -> MailIn:
    """Return how mails come in by the settings. Raises BadSetting if one is wrong."""
    read = MailIn(**values_of(MailIn, given))
    if read.is_open and not given.get("MAIL_TAGS"):
        read = replace(read, tags=True)
    local = parseaddr(mail_from)[1].rpartition("@")[0]
    if read.tags and (len(local) > LONGEST_LOCAL_PART or "+" in local):
        accepted = f"at most {LONGEST_LOCAL_PART} characters without + before the @ with tags"
        raise BadSetting("MAIL_FROM", mail_from, accepted)
    return read
