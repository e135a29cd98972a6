"""An incoming mail, as bytes, and what its headers say. Nothing here fails on a mail, whatever it contains."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import getaddresses, parseaddr
from functools import cached_property
from itertools import islice

from app.base.words.addresses import ascii_domain

MOST_BYTES = 2_000_000
"""A larger mail is not examined."""
_LONGEST_HEADER = 4000
MOST_PARTS = 40
_MOST_HEADERS = 40
"""How many headers of one name are read."""
_MESSAGE_ID = re.compile(r"<([^<>\s]{1,250})>")
_BULK = ("bulk", "list", "junk")
_NOT = ("", "no", "none", "false", "0")
_BY_A_PROGRAM = re.compile(
    r"auto-submitted|x-.*(auto-?(repl|respon(d|se$)|generat|submit|answer)|generated-message-source|machine-?generated"
    r"|vacation).*"
)
"""The many headers by which programs say that they have written a mail (RFC 3834 defines the first)."""
_SAY_RESPONDER = ("Precedence", "X-Precedence", "Preference", "Delivered-To", "X-POST-MessageClass")
_RESPONDER = re.compile(r"(?:\d+; *)?auto[-_ ]?(?:reply|respon\w+|answer\w*|generated)", re.IGNORECASE)
_SUPPRESSED = "X-Auto-Response-Suppress"
_ANSWER_OF_A_PERSON = re.compile(r"(?!auto)\w{1,5} ?(?:[\[(]\d+[])])? ?[:：]", re.IGNORECASE)
"""How an answer's subject begins when a mail program has set it: `Re:`, `AW:`, `Antw:`, `回复：`."""
_REPLY_TO_A_DATE = re.compile(r"text/calendar\b.*\bmethod *= *\"?(reply|counter)\b", re.IGNORECASE)
_ADDRESSED = ("Delivered-To", "X-Original-To", "Envelope-To", "To", "Cc")


@dataclass(frozen=True)
class Incoming:
    """One mail. `sender` and `recipient` are from its envelope: an empty sender is nobody, None is unknown."""

    raw: bytes
    sender: str | None = None
    recipient: str | None = None
    whole_size: int | None = None
    """Its full size, if `raw` is only its beginning."""

    @property
    def size(self) -> int:
        """Its full size in bytes."""
        return len(self.raw) if self.whole_size is None else self.whole_size

    @cached_property
    def message(self) -> Message:
        """The parsed mail; of one whose parts lie in each other too deeply only its headers."""
        try:
            return message_from_bytes(self.raw[:MOST_BYTES])
        except RecursionError:
            return BytesHeaderParser().parsebytes(self.raw[:MOST_BYTES])

    def headers(self, name: str) -> list[str]:
        """Return the values of the headers of one name, on one line each."""
        # Not by `get_all`, which loses what is not ASCII; people write their addresses in UTF-8 (RFC 6532).
        found = [value for own, value in self.message.raw_items() if own.lower() == name.lower()][:_MOST_HEADERS]
        return [" ".join(_as_utf8(value[:_LONGEST_HEADER]).split()) for value in found]

    def header(self, name: str) -> str:
        """Return the first of them; empty if there is none."""
        return next(iter(self.headers(name)), "")

    @cached_property
    def message_id(self) -> str | None:
        """Its Message-ID without the brackets."""
        found = _MESSAGE_ID.search(self.header("Message-ID"))
        return found[1] if found else None

    @cached_property
    def answered_ids(self) -> list[str]:
        """The Message-IDs of the mails that it answers without the brackets, the nearest first."""
        lines = [*self.headers("In-Reply-To"), *self.headers("References")]
        return [found for line in lines for found in reversed(_MESSAGE_ID.findall(line))]

    @cached_property
    def subject(self) -> str:
        """Its subject as it is shown."""
        return _as_shown(self.header("Subject"))

    @property
    def author_name(self) -> str:
        """The name of its sender, as it is shown."""
        return _as_shown(parseaddr(self.header("From"))[0])

    @property
    def answered_subject(self) -> str:
        """The subject of the mail that it answers, as far as its own subject says."""
        return _ANSWER_OF_A_PERSON.sub("", self.subject, 1).strip()

    @cached_property
    def parts(self) -> list[Message]:
        """Its parts, and those within them, in order; at most a sensible number."""
        return list(islice(self.message.walk(), MOST_PARTS))

    @cached_property
    def key(self) -> str:
        """The key that recognises it when it comes again."""
        return key_of(self.message_id) if self.message_id else hashlib.sha256(self.raw).hexdigest()

    @cached_property
    def signed_key(self) -> str:
        """The key of what its author signs: the same whatever a copy has above it, or another Message-ID."""
        body = b"".join(re.split(rb"\r?\n\r?\n", self.raw, maxsplit=1)[-1].split())
        return hashlib.sha256(repr((self.header("From"), self.header("Date"), body)).encode()).hexdigest()

    @cached_property
    def envelope_sender(self) -> str | None:
        """Who gets reports about it; empty for nobody, None if neither envelope nor headers say."""
        if self.sender is not None:
            return self.sender
        said = self.header("Return-Path")
        return parseaddr(said)[1] if said else None

    @cached_property
    def author(self) -> str | None:
        """The one address that it is from, in ASCII; None if there is none, or more than one."""
        lines = self.headers("From")
        found = [address for _, address in getaddresses(lines)] if len(lines) == 1 else []
        if len(found) != 1 or found[0].count("@") != 1:
            return None
        local, _, domain = found[0].partition("@")
        try:
            address = f"{local}@{ascii_domain(domain)}"
        except ValueError:
            return None
        return address if address.isascii() else None

    @cached_property
    def recipients(self) -> list[str]:
        """The addresses that it may have been sent to, the envelope's first."""
        named = [address for name in _ADDRESSED for _, address in getaddresses(self.headers(name))]
        return [address for address in [self.recipient or "", *named] if address]

    @property
    def is_report(self) -> bool:
        """Whether it reports on a mail that was sent, from a program that wants no answer."""
        by_host = any((who or "").lower().startswith("mailer-daemon") for who in (self.envelope_sender, self.author))
        return self.envelope_sender == "" or by_host or self.message.get_content_type() == "multipart/report"

    @property
    def is_automatic(self) -> bool:
        """Whether a program has written it."""
        marks = (name for name in self.message if _BY_A_PROGRAM.fullmatch(name.lower()))
        if any(_word(self.header(name)) not in _NOT for name in marks):
            return True
        if any(_RESPONDER.fullmatch(self.header(name)) for name in _SAY_RESPONDER):
            return True
        # It asks others for silence and stands on mails of people, too, behind some lists and programs; but an answer
        # that a person writes says what it answers, in its subject and beside it.
        if _word(self.header(_SUPPRESSED)) not in _NOT and not self._answers_like_a_person:
            return True
        return any(_REPLY_TO_A_DATE.match(" ".join(str(part.get("Content-Type", "")).split())) for part in self.parts)

    @property
    def _answers_like_a_person(self) -> bool:
        return bool(self.answered_ids) and _ANSWER_OF_A_PERSON.match(self.subject) is not None

    @property
    def is_bulk(self) -> bool:
        """Whether it went to many. Mail programs of sales departments add List-Unsubscribe to what a person writes."""
        lists = {name.lower() for name in self.message if name.lower().startswith("list-")}
        if self._answers_like_a_person:
            lists -= {"list-unsubscribe", "list-unsubscribe-post"}
        return bool(lists) or any(_word(self.header(name)) in _BULK for name in ("Precedence", "X-Precedence"))


def _as_utf8(value: str) -> str:
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _as_shown(value: str) -> str:
    try:
        return " ".join(str(make_header(decode_header(value))).split())
    except (LookupError, ValueError):
        return value


def _word(value: str) -> str:
    """Return the first word of a header without its parameters."""
    return value.partition(";")[0].strip().lower()


def key_of(message_id: str) -> str:
    """Return the key of a mail with this Message-ID."""
    return hashlib.sha256(message_id.encode("utf-8", "replace")).hexdigest()
