"""A mail that came in, as bytes, and what its headers say. Nothing here fails on a mail, whatever it holds."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from email.utils import getaddresses, parseaddr
from functools import cached_property

MOST_BYTES = 2_000_000
"""A larger mail is not looked into."""
_LONGEST_HEADER = 4000
_MOST_HEADERS = 40
"""So many of one name are read."""
_MESSAGE_ID = re.compile(r"<([^<>\s]{1,250})>")
_BULK = ("bulk", "list", "junk")
_ROBOTS = ("X-Autoreply", "X-Autorespond")
_ADDRESSED = ("Delivered-To", "X-Original-To", "Envelope-To", "To", "Cc")


@dataclass(frozen=True)
class Incoming:
    """One mail. `sender` and `recipient` are those of its envelope: an empty sender is nobody, None is not known."""

    raw: bytes
    sender: str | None = None
    recipient: str | None = None
    whole_size: int | None = None
    """How large it is, where `raw` is only its beginning."""

    @property
    def size(self) -> int:
        """Bytes of all of it."""
        return len(self.raw) if self.whole_size is None else self.whole_size

    @cached_property
    def message(self) -> Message:
        """The mail taken apart, in the way of the standard library that fails on nothing."""
        return message_from_bytes(self.raw[:MOST_BYTES])

    def headers(self, name: str) -> list[str]:
        """The values of the headers of one name, on one line each."""
        found = self.message.get_all(name, [])[:_MOST_HEADERS]
        return [" ".join(str(value)[:_LONGEST_HEADER].split()) for value in found]

    def header(self, name: str) -> str:
        """The first of them; empty where there is none."""
        return next(iter(self.headers(name)), "")

    @cached_property
    def message_id(self) -> str | None:
        """What its Message-ID has between the brackets."""
        found = _MESSAGE_ID.search(self.header("Message-ID"))
        return found[1] if found else None

    @cached_property
    def key(self) -> str:
        """What it is known by when it comes again."""
        return key_of(self.message_id) if self.message_id else hashlib.sha256(self.raw).hexdigest()

    @cached_property
    def envelope_sender(self) -> str | None:
        """Who gets reports about it; empty for nobody, None where neither envelope nor headers say."""
        if self.sender is not None:
            return self.sender
        said = self.header("Return-Path")
        return parseaddr(said)[1] if said else None

    @cached_property
    def author(self) -> str | None:
        """The one address that it is from; None where there is none, or more than one."""
        lines = self.headers("From")
        found = [address for _, address in getaddresses(lines)] if len(lines) == 1 else []
        if len(found) != 1 or found[0].count("@") != 1 or not found[0].isascii():
            return None
        return found[0]

    @cached_property
    def recipients(self) -> list[str]:
        """The addresses that it may have come to, the envelope's first."""
        named = [address for name in _ADDRESSED for _, address in getaddresses(self.headers(name))]
        return [address for address in [self.recipient or "", *named] if address]

    @property
    def is_report(self) -> bool:
        """Whether it is about a mail that was sent, from a program that wants no answer."""
        by_host = any((who or "").lower().startswith("mailer-daemon") for who in (self.envelope_sender, self.author))
        return self.envelope_sender == "" or by_host or self.message.get_content_type() == "multipart/report"

    @property
    def is_automatic(self) -> bool:
        """Whether a program has written it."""
        said = self.header("Auto-Submitted").partition(";")[0].strip().lower()
        return said not in ("", "no")

    @property
    def is_bulk(self) -> bool:
        """Whether it went to many, or a program that knows no better word says that it has written it."""
        bulk = self.header("Precedence").lower() in _BULK or bool(self.header("List-Id"))
        return bulk or any(self.header(name) for name in _ROBOTS)


def key_of(message_id: str) -> str:
    """What a mail with this Message-ID is known by."""
    return hashlib.sha256(message_id.encode("utf-8", "replace")).hexdigest()
