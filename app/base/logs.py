"""Lines of the log, for people or for programs: whatever a library says, no address and no link stands in them."""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime
from typing import TextIO

from app.base import failures

_ADDRESS = re.compile(r"[^\s<>()\[\]\"',;:=@]+@[^\s<>()\[\]\"',;:=@]+\.[^\s<>()\[\]\"',;:=@]+")
_SIGNED = re.compile(r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,}")
"""A token of a link: what it names, and the signature."""
_SECRET = re.compile(r"\b[A-Za-z0-9_-]{40,}\b")


def clean(text: str) -> str:
    """A text without addresses of people, tokens of links and secrets."""
    return _SECRET.sub("(secret)", _SIGNED.sub("(link)", _ADDRESS.sub("(address)", text)))


def handler(*, as_json: bool, stream: TextIO | None = None) -> logging.Handler:
    """What writes the log to a stream, standard error where none is named, a note in a line."""
    made = logging.StreamHandler(stream)
    made.setFormatter(JsonLines() if as_json else PlainLines())
    made.addFilter(_in_one_line)
    return made


def _in_one_line(record: logging.LogRecord) -> bool:
    """Whatever a library logs of a database that fails is a line without a traceback, as what we log ourselves: such as
    that a connection was lost as it was given back."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None and failures.is_of_the_database(error):
        record.args = (record.getMessage(), failures.in_one_line(error))
        record.msg = "%s; the database says: %s"
        record.exc_info = record.exc_text = None
    return True


class PlainLines(logging.Formatter):
    """A line for people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(name)s %(levelname)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return clean(super().format(record))


class JsonLines(logging.Formatter):
    """A line of JSON: `at`, `level`, `log`, `message`, `process`, and `traceback` where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        said = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "log": record.name,
            "message": clean(record.getMessage()),
            "process": record.process,
        }
        if record.exc_info:
            said["traceback"] = clean(self.formatException(record.exc_info))
        return json.dumps(said, ensure_ascii=False)
