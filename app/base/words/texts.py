"""Texts typed into a form: read in one way, and never longer than their column allows."""

from __future__ import annotations

import re
from datetime import date, datetime, time

from app.base.words.refusals import NotAccepted
from engine.kernel.text import Text


def read_text(given: str, most: int, code: str = "form.long") -> str:
    """Return a text of several lines as it is stored, without empty lines around it. NotAccepted when it is too
    long."""
    return not_too_long(given.replace("\r\n", "\n").strip(), most, code)


def not_too_long(text: str, most: int, code: str = "form.long") -> str:
    """Return the same text; NotAccepted when it has more characters than that."""
    if len(text) > most:
        raise NotAccepted(code, Text("Your text has {n} characters; the limit is {most}.", n=len(text), most=most))
    return text


_UNSAID = {code: "" for code in [*range(1, 9), *range(0x0E, 0x1C), *range(0x7F, 0xA0)] if code != 0x85}
_UNSAID |= dict.fromkeys(map(ord, "\x0b\x0c\x1c\x1d\x1e\x1f"), " ")


def said(text: str) -> str:
    """Return a text without the control characters that no page or mail can show: those that separate words become
    spaces, the others are removed. Lines and tabs stay, and null characters, which are refused."""
    return text if text.isprintable() else text.translate(_UNSAID)


_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?)?")


def read_date(given: str) -> tuple[date, time | None] | None:
    """Return the day that a text names as browsers send it, `2027-01-31`, with its hour if it names one, `2027-01-31
    20:00`; None for any other text."""
    found = _DATE.fullmatch(given.strip())
    try:
        read = datetime.fromisoformat(given.strip())
    except ValueError:
        return None
    return (read.date(), read.time() if found[1] else None) if found else None


_DOT = "[.\u3002\uff0e\uff61]"
_LEADS_ELSEWHERE = re.compile(rf"\S*(?:://|@|\uff20)\S*|(?<!\w)(?:[\w-]+{_DOT})+[^\W\d_]{{2,}}(?!\w)(?:[:/?#]\S*)?")


def leads_elsewhere(text: str) -> bool:
    """Return whether a text has a link, an address or a dotted name, which programs make a link of."""
    return _LEADS_ELSEWHERE.search(text) is not None


def without_links(text: str) -> str:
    """Return a text without what leads elsewhere, for a reader who has not asked for it."""
    return _LEADS_ELSEWHERE.sub("…", text)
