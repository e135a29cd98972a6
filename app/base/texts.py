"""Texts typed into a form: read in one way, and never longer than their column allows."""

from __future__ import annotations

from app.base.refusals import NotAccepted
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
