"""A file of settings that a shell (`. FILE`) and systemd (`EnvironmentFile=`) read alike: read and changed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

USUAL = Path("/etc/postroad.env")
NAMED = "POSTROAD_ENV_FILE"
_LINE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.S)
_PLAIN = re.compile(r"[\w./:@%+,=-]*", re.A)
_ESCAPED = re.compile(r'([\\"$`])')
_PIECE = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\])""", re.S)


def place() -> Path:
    """Return where the settings of this machine's server are, if they are in a file."""
    return Path(os.environ.get(NAMED) or USUAL)


class BadEnvFile(Exception):
    """A line that shell and systemd would not read alike; says which."""


def parse(text: str) -> dict[str, str]:
    """Return the settings of a file. What systemd takes although a shell does not, an unquoted value of several words,
    is read too: `changed` quotes it. Raises BadEnvFile for a quote that is not closed on its line."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if setting := _LINE.fullmatch(line):
            try:
                found[setting[1]] = _value(setting[2].strip())
            except ValueError:
                raise BadEnvFile(f"line {number} ({setting[1]}) has a quote that is not closed") from None
    return found


def _value(text: str) -> str:
    pieces, at = [], 0
    while at < len(text):
        piece = _PIECE.match(text, at)
        if piece is None:
            raise ValueError(text)
        single, double, escaped, plain = piece.groups()
        if double is not None:
            double = re.sub(r'\\([\\"$`])', r"\1", double)
        pieces.append(next(one for one in (single, double, escaped, plain) if one is not None))
        at = piece.end()
    return "".join(pieces)


def quote(value: str) -> str:
    """Return a value as both read it: plain, or in double quotes. It has no line breaks (ValueError)."""
    if any(ord(sign) < 32 for sign in value):
        raise ValueError("a setting is one line of text")
    return value if _PLAIN.fullmatch(value) else '"' + _ESCAPED.sub(r"\\\1", value) + '"'


def changed(text: str, settings: Mapping[str, str | None]) -> str:
    """Return the text of a file with other settings: each keeps its line, a new one comes at the end, None takes one
    out; comments and lines about other things stay."""
    left, lines = dict(settings), []
    for line in text.splitlines():
        setting = _LINE.fullmatch(line)
        if setting is None or setting[1] not in settings:
            lines.append(line)
        elif (value := left.pop(setting[1], None)) is not None:
            lines.append(f"{setting[1]}={quote(value)}")
    lines += [f"{name}={quote(value)}" for name, value in left.items() if value is not None]
    return "".join(f"{line}\n" for line in lines)
