"""What must hold for every answer and mail of a server, whatever was sent; violations are complaints."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email.message import EmailMessage
from html import unescape
from html.parser import HTMLParser
from typing import Any

import sqlalchemy as sa
from werkzeug.test import TestResponse

from app.base.stored.database import Database
from tests.support.people import BASE

MARK = "zqb"
MARKER = "zqb<i>zqb\"zqb'zqb&zqb."
"""Text that would change a page if it were not escaped."""
CONTROL = "zqb\x07zqb\x1b[2Jzqb\x0bzqb\x7fzqb."
BREAK = "zqb\r\nX-Zqb: 1\r\n\r\nzqb."
"""Text that would add a header, or a line to a calendar."""
SUM = "{{7*91827}}{7*91827}${7*91827}"
MARKED = (MARKER, CONTROL, BREAK, SUM, f"javascript:{MARKER}", f"Zqb {MARKER}")
_RAW, _QUOTES = re.compile(r"zqb<i>"), re.compile(r"zqb[\"']zqb")
_CONTROL = re.compile(r"zqb[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SCRIPT = re.compile(r"""(href|src|action)\s*=\s*["']?\s*javascript:""", re.IGNORECASE)
_TAG = re.compile(r"<(script|style|head)\b.*?</\1>|<[^>]*>", re.DOTALL)
_WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE|WITH\b.*\b(INSERT|UPDATE|DELETE))\b", re.IGNORECASE | re.DOTALL)
MARKUP = ("text/html", "image/svg+xml", "application/atom+xml", "application/xml", "application/xhtml+xml")
_TEXTS = ("text/", "image/svg", "application/json", "application/atom", "application/x")


class Writes:
    """The statements that change something, as a database receives them."""

    def __init__(self, database: Database) -> None:
        self.seen: list[str] = []
        sa.event.listen(database.engine, "before_cursor_execute", self._note)

    def _note(self, connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if _WRITES.match(statement):
            self.seen.append(statement)

    def taken(self) -> list[str]:
        """Return those since the last call."""
        seen, self.seen = self.seen, []
        return seen


class Noted(logging.Handler):
    """Logged tracebacks."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            where = record.exc_info[1].__traceback__
            while where is not None and where.tb_next is not None:
                where = where.tb_next
            at = f"{where.tb_frame.f_code.co_filename}:{where.tb_lineno}" if where is not None else ""
            self.seen.append(f"{record.getMessage()}: {record.exc_info[1]!r} at {at}")

    def taken(self) -> list[str]:
        """Return those since the last call."""
        seen, self.seen = self.seen, []
        return seen


class _Names(HTMLParser):
    """Whether the input has become the name of an attribute: it was in one, and broke out of its quotes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.marked = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.marked |= any(MARK in name for name, _ in attrs)


@contextmanager
def noting() -> Iterator[Noted]:
    """Record what any logger reports with a traceback."""
    noted = Noted()
    logging.getLogger().addHandler(noted)
    try:
        yield noted
    finally:
        logging.getLogger().removeHandler(noted)


def of_answer(answer: TestResponse, *, wants: str = "GET") -> Iterator[str]:
    """Yield what is wrong with an answer to a request of this method."""
    text = answer.get_data().decode(errors="replace") if answer.mimetype.startswith(_TEXTS) else ""
    if answer.status_code >= 500:
        yield f"status {answer.status_code}"
    if "Traceback (most recent call last)" in text:
        yield "a traceback in the answer"
    yield from of_headers(list(answer.headers.items()))
    yield from _of_text(text, answer.mimetype)
    if answer.status_code >= 400 and wants != "HEAD":
        yield from _of_refusal(text, answer.mimetype)


def of_headers(headers: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield what is wrong with the headers of an answer or a mail."""
    for name, value in headers:
        if name.lower() == "x-zqb":
            yield "a header that was sent as a value"
        if (_RAW.search(value) and name.lower() not in ("subject", "to")) or re.search(
            r"[\x00-\x08\x0a-\x1f\x7f]", value
        ):
            yield f"raw in the header {name}: {value[:100]!r}"
        if name.lower() == "location" and not re.match(rf"/(?![/\\])|{re.escape(BASE)}(/|$)", value):
            yield f"leads away: {value[:100]!r}"


def _of_text(text: str, mimetype: str) -> Iterator[str]:
    if MARK not in text and "642789" not in text:
        return
    if found := _CONTROL.search(text):
        yield f"a control character: {_around(text, found.start())}"
    if "642789" in text:
        yield f"worked out: {_around(text, text.index('642789'))}"
    if mimetype in MARKUP:
        if found := _RAW.search(text):
            yield f"not escaped: {_around(text, found.start())}"
        elif (found := _QUOTES.search(text)) and _Names(text).marked:  # between tags quotes are harmless
            yield f"out of its attribute: {_around(text, found.start())}"
        if found := _SCRIPT.search(text):
            yield f"an address that is a script: {_around(text, found.start())}"
    elif mimetype == "application/json":
        json.loads(text)
    elif mimetype == "text/calendar" and re.search(r"^(X-Zqb|zqb)", text, re.MULTILINE | re.IGNORECASE):
        yield "a line of a calendar that was sent as a value"


def _around(text: str, at: int) -> str:
    return repr(text[max(0, at - 60) : at + 60])


def _of_refusal(text: str, mimetype: str) -> Iterator[str]:
    """Check that a refusal says something that a person can read."""
    said = text
    if mimetype == "application/json":
        error = (json.loads(text) or {}).get("error") or {}
        said = error.get("message", "") if isinstance(error, dict) else ""
    elif mimetype == "text/html":
        _, found, main = text.partition("<main")
        said = " ".join(unescape(_TAG.sub(" ", main if found else text)).split())
    if len(said.split()) < 3 or not re.search(r"[.!?:…”»]", said):
        yield f"a refusal without a sentence: {said[:100]!r}"


def of_mail(mail: EmailMessage) -> Iterator[str]:
    """Yield what is wrong with an outgoing mail."""
    yield from of_headers([(name, str(value)) for name, value in mail.items()])
    for part in mail.walk():
        if part.get_content_maintype() != "text":
            continue
        content = part.get_content()
        yield from _of_text(content, part.get_content_type())
