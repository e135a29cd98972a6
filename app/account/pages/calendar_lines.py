"""iCalendar (RFC 5545) as text: escaped values, lines of at most 75 octets, CRLF."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

OCTETS = 75
# A calendar must have a component (RFC 5545, 3.6); one without events at least names its time zone.
_NOTHING = (
    ("BEGIN", "VTIMEZONE"),
    ("TZID", "UTC"),
    ("BEGIN", "STANDARD"),
    ("DTSTART", "19700101T000000"),
    ("TZOFFSETFROM", "+0000"),
    ("TZOFFSETTO", "+0000"),
    ("END", "STANDARD"),
    ("END", "VTIMEZONE"),
)


def escaped(text: str) -> str:
    """Return a TEXT value (3.3.11)."""
    for plain, written in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\r\n", "\\n"), ("\n", "\\n")):
        text = text.replace(plain, written)
    return text


def utc(at: datetime) -> str:
    """Return a DATE-TIME in UTC (3.3.5, form 2)."""
    return at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def until(at: datetime) -> list[tuple[str, str]]:
    """Return the half an hour that ends at a moment: without an end an event has no length (3.6.1), and programs show
    nothing of it, or the whole day after."""
    return [("DTSTART", utc(at - timedelta(minutes=30))), ("DTEND", utc(at))]


def folded(line: str) -> str:
    """Fold a content line into pieces of at most 75 octets, the further ones after a space (3.1). No character is
    split."""
    pieces, piece, room = [], b"", OCTETS
    for character in line:
        octets = character.encode()
        if len(piece) + len(octets) > room:
            pieces.append(piece)
            piece, room = b"", OCTETS - 1
        piece += octets
    return "\r\n ".join(one.decode() for one in [*pieces, piece])


def calendar(heading: Iterable[tuple[str, str]], events: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Return a whole calendar; values are already escaped."""
    lines = [("BEGIN", "VCALENDAR"), *heading]
    for event in events:
        lines += [("BEGIN", "VEVENT"), *event, ("END", "VEVENT")]
    lines += [] if events else _NOTHING
    return "".join(folded(f"{name}:{value}") + "\r\n" for name, value in [*lines, ("END", "VCALENDAR")])
