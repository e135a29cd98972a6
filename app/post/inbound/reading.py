"""What the author of an answer has written, without what stands below it: our mail, quoted in one way or another, and
the program's or the author's signature. Pure: a mail and the marks of our own mails in, lines out.

This module splits a mail into its lines; `above` decides which of them are its author's.
"""

from __future__ import annotations

from collections.abc import Iterator
from email.message import Message
from itertools import islice

from app.post.inbound.above import OurMarkers, above
from app.post.inbound.html_text import shown_by
from app.post.inbound.incoming import MOST_PARTS

LONGEST_PART, DEEPEST = 200_000, 20
WRAPPED_AT = 66
"""Some programs break longer lines of their text part where nobody has; the HTML part has them whole."""

Body = tuple[str, str]
"""The same words as text and as HTML; empty if there is none."""


def read(message: Message, ours: OurMarkers) -> str:
    """Return what the author has written in a mail, as lines; empty for nothing. Lines that cannot be distinguished
    from the quoted mail are kept even if unreadable, so that nothing is played."""
    bodies = list(islice(_bodies(message), MOST_PARTS))
    shown = [shown_by(html) for _, html in bodies]
    as_text = [text if text.strip() else seen.text for (text, _), seen in zip(bodies, shown, strict=True)]
    plain = above("\n\n".join(as_text), ours)
    is_long = max(map(len, plain.splitlines()), default=0) >= WRAPPED_AT
    if not is_long and not any(seen.has_struck for seen in shown):
        return plain
    as_shown = [seen.text if html.strip() else text for (text, html), seen in zip(bodies, shown, strict=True)]
    return above("\n\n".join(as_shown), ours)


def _bodies(part: Message, depth: int = 0) -> Iterator[Body]:
    """Yield the texts of a mail that are not attachments, in order; not those of a mail within it."""
    kind = part.get_content_type()
    is_attached = str(part.get("Content-Disposition", "")).strip().lower().startswith("attachment")
    if is_attached or depth > DEEPEST:
        return
    if kind == "multipart/alternative":
        found = [body for child in _children(part) for body in _bodies(child, depth + 1)]
        yield "\n\n".join(text for text, _ in found if text), "<br><br>".join(html for _, html in found if html)
    elif kind.startswith("multipart/"):
        for child in _children(part):
            yield from _bodies(child, depth + 1)
    elif kind == "text/html":
        yield "", _decoded(part)
    elif kind == "text/plain":
        yield _unflowed(part, _decoded(part)), ""


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _decoded(part: Message) -> str:
    raw = part.get_payload(decode=True)
    raw = raw if isinstance(raw, bytes) else b""
    raw = raw[:LONGEST_PART]
    for charset in (str(part.get_content_charset() or "utf-8"), "utf-8"):
        try:
            return raw.decode(charset)
        except (LookupError, ValueError):
            continue
    return raw.decode("latin-1")


def _unflowed(part: Message, text: str) -> str:
    """Rejoin lines that a program has softly broken (RFC 3676)."""
    if part.get_content_type() != "text/plain" or str(part.get_param("format", "")).lower() != "flowed":
        return text
    glue = "" if str(part.get_param("delsp", "")).lower() == "yes" else " "
    out: list[str] = []
    goes_on = False
    for line in text.splitlines():
        is_quoted = line.startswith(">")
        line = line[1:] if line.startswith(" ") else line
        if goes_on and not is_quoted and line != "-- ":
            out[-1] = out[-1].rstrip(" ") + glue + line
        else:
            out.append(line)
        goes_on = line.endswith(" ") and line != "-- " and not is_quoted
    return "\n".join(out)
