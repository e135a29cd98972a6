"""Log lines: whatever a library says, they contain no address and no link."""

from __future__ import annotations

import logging
import re
from collections import deque
from datetime import UTC, datetime
from typing import TextIO

from app.base.process import failures

_ADDRESS = re.compile(r"[^\s<>()\[\]\"',;:=@]+@[^\s<>()\[\]\"',;:=@]+\.[^\s<>()\[\]\"',;:=@]+")
_SIGNED = re.compile(r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,}")
"""A token in a link: what it names, and the signature."""
_SECRET = re.compile(r"\b[A-Za-z0-9_-]{40,}\b")
LINES_KEPT = 20
access = logging.getLogger("postroad.access")
"""Who comes in, is kept out, or is given a role: players by their numbers, and nothing else about them."""


def clean(text: str) -> str:
    """Return a text without people's addresses, tokens of links and secrets."""
    return _SECRET.sub("(secret)", _SIGNED.sub("(link)", _ADDRESS.sub("(address)", text)))


def handler(stream: TextIO | None = None) -> logging.Handler:
    """Return the handler that writes the log to a stream, by default standard error, one note per line."""
    made = logging.StreamHandler(stream)
    made.setFormatter(PlainLines())
    made.addFilter(_in_one_line)
    return made


def to_stderr() -> None:
    """Log warnings of all, notes of Post Road; never addresses, links or cards."""
    logging.basicConfig(handlers=[handler(), LAST], level=logging.WARNING)
    logging.getLogger("postroad").setLevel(logging.INFO)


def _in_one_line(record: logging.LogRecord) -> bool:
    """Return a library's record of a failing database as a line without a traceback, like our own: for example that a
    connection was lost as it was returned."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None and failures.is_of_the_database(error):
        record.args = (record.getMessage(), failures.in_one_line(error))
        record.msg = "%s; the database says: %s"
        record.exc_info = record.exc_text = None
    return True


class PlainLines(logging.Formatter):
    """Lines without addresses."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(name)s %(levelname)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return clean(super().format(record))


class LastLines(logging.Handler):
    """Keeps the last warnings and errors of this process for the operators' page, without tracebacks."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._kept: deque[tuple[str, str]] = deque(maxlen=LINES_KEPT)
        self.addFilter(_in_one_line)

    def emit(self, record: logging.LogRecord) -> None:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="seconds")
        said = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            said += f": {record.exc_info[1]!r}"
        self._kept.append((at, f"{record.name} {record.levelname} {clean(said)}"[:500]))

    def lines(self) -> list[tuple[str, str]]:
        """Return the moment (ISO 8601, UTC) and the text of each, oldest first."""
        return list(self._kept)


LAST = LastLines()
