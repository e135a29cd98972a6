"""The settings of incoming mail: how it arrives, and how it is recognised."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parseaddr
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from app.base.numbers import whole

LONGEST_LOCAL_PART = 28
"""Length of the sender's local part, which stays below 64 characters with a tag (RFC 5321, 4.5.3.1.1)."""


class UnfitSetting(Exception):
    """A setting that cannot be used: its name, the value that may be shown, and what is accepted."""


@dataclass(frozen=True, slots=True)
class ImapBox:
    """A mailbox to poll. `encrypted`: from the start; else STARTTLS, unless it is on this machine."""

    host: str
    port: int
    encrypted: bool
    user: str
    password: str = field(repr=False)
    folder: str = "INBOX"


@dataclass(frozen=True, slots=True)
class MailIn:
    """How mails come in."""

    lmtp: str | None = None
    """Where `mail serve` listens: the path of a socket, or `127.0.0.1:PORT`."""
    imap: ImapBox | None = None
    tags: bool = False
    """Whether senders and reply addresses carry a tag after a plus sign."""
    authserv: str | None = None
    """The name that the operator's own host puts into `Authentication-Results`."""
    resolver: tuple[str, int] | None = None
    """Where names are looked up; None: as the machine does."""

    @property
    def is_open(self) -> bool:
        """Whether there is a way in."""
        return self.lmtp is not None or self.imap is not None


def read(given: Mapping[str, str], mail_from: str) -> MailIn:
    """Read the settings of incoming mail; raises UnfitSetting if one is wrong."""
    lmtp = _lmtp(given["LMTP"]) if given.get("LMTP") else None
    imap = _imap(given["IMAP_URL"]) if given.get("IMAP_URL") else None
    said = given.get("MAIL_TAGS") or ("plus" if lmtp or imap else "none")
    if said not in ("plus", "none"):
        raise UnfitSetting("MAIL_TAGS", said, "plus or none")
    local = parseaddr(mail_from)[1].rpartition("@")[0]
    if said == "plus" and (len(local) > LONGEST_LOCAL_PART or "+" in local):
        raise UnfitSetting(
            "MAIL_FROM", mail_from, f"at most {LONGEST_LOCAL_PART} characters without + before the @ with tags"
        )
    authserv = given.get("MAIL_AUTHSERV")
    if authserv is not None and not re.fullmatch(r"[\w.-]{1,255}", authserv):
        raise UnfitSetting("MAIL_AUTHSERV", authserv, "the name of your mail host, such as mail.example.org")
    resolver = _resolver(given["RESOLVER"]) if given.get("RESOLVER") else None
    return MailIn(lmtp, imap, said == "plus", authserv.lower() if authserv else None, resolver)


def lmtp_port(place: str) -> int | None:
    """Return the port on this machine if `mail serve` listens on one; None for a socket."""
    host, colon, port = place.rpartition(":")
    if place.startswith("/") or not colon or host not in ("127.0.0.1", "localhost"):
        return None
    return whole(port, least=1, most=65535)


def _lmtp(value: str) -> str:
    if not (value.startswith("/") and len(value) < 100) and lmtp_port(value) is None:
        raise UnfitSetting("LMTP", value, "the path of a socket such as /run/postroad/lmtp, or 127.0.0.1:PORT")
    return value


def _imap(value: str) -> ImapBox:
    bad = UnfitSetting(
        "IMAP_URL", re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", value), "imaps://USER:PASSWORD@HOST/FOLDER"
    )
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
    host, _, port = value.rpartition(":") if re.search(r"(\]|^[\d.]+):\d+$", value) else (value, "", "53")
    number = whole(port, least=1, most=65535)
    try:
        address = str(ip_address(host.strip("[]")))
    except ValueError:
        number = None
    if number is None:
        raise UnfitSetting("RESOLVER", value, "an address such as 192.0.2.53 or 192.0.2.53:5353")
    return address, number
