"""Texts typed into a form: read in one way, and never longer than their column allows."""

from __future__ import annotations

import re

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


_DOT = "[.\u3002\uff0e\uff61]"
_LEADS_ELSEWHERE = re.compile(rf"\S*(?:://|@|\uff20)\S*|(?<!\w)(?:[\w-]+{_DOT})+[^\W\d_]{{2,}}(?!\w)(?:[:/?#]\S*)?")


def leads_elsewhere(text: str) -> bool:
    """Return whether a text has a link, an address or a dotted name, which programs make a link of."""
    return _LEADS_ELSEWHERE.search(text) is not None


def without_links(text: str) -> str:
    """Return a text without what leads elsewhere, for a reader who has not asked for it."""
    return _LEADS_ELSEWHERE.sub("…", text)
