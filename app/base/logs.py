"""Lines of the log, for people or for programs: whatever a library says, no address and no link stands in them."""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime

_ADDRESS = re.compile(r"[^\s<>()\[\]\"',;:=@]+@[^\s<>()\[\]\"',;:=@]+\.[^\s<>()\[\]\"',;:=@]+")
_SIGNED = re.compile(r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,}")
"""A token of a link: what it names, and the signature."""
_SECRET = re.compile(r"\b[A-Za-z0-9_-]{40,}\b")


def clean(text: str) -> str:
    """A text without addresses of people, tokens of links and secrets."""
    return _SECRET.sub("(secret)", _SIGNED.sub("(link)", _ADDRESS.sub("(address)", text)))


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
