"""Decodes a text file of unknown encoding: it tries several and keeps the one that produces words."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from app.base.refusals import NotAccepted
from engine.kernel.text import Text

OLD = {
    "cp1252": "Windows-1252",
    "mac_roman": "Mac Roman",
    "iso8859_2": "ISO-8859-2",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
}
"""Single-byte encodings, most common first."""
_WORD = re.compile(r"[^\s,;|\"@<>()/.:\-0-9]+")


def decoded(content: bytes) -> tuple[str, str]:
    """Decode a file in UTF-8 or UTF-16, with or without a byte order mark, or in one of `OLD`.

    Returns the text and the name of the old encoding if it decided any non-ASCII letter, else an empty one. Raises
    NotAccepted.
    """
    for mark, coding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            return _try(content, coding), ""
    start = content[:2000]
    if start.count(0) > len(start) // 4:  # every other byte of plain letters
        return _try(content, "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"), ""
    try:
        return content.decode("utf-8"), ""
    except UnicodeDecodeError:
        found = {coding: content.decode(coding, "replace") for coding in OLD}
        best = min(found, key=lambda coding: _strangeness(found[coding]))
        return _try(content, best), OLD[best]


def _try(content: bytes, coding: str) -> str:
    try:
        return content.decode(coding)
    except UnicodeDecodeError:
        raise NotAccepted(
            "sheet.coding", Text("The letters of this file cannot be read; save it as CSV in UTF-8, or as .xlsx.")
        ) from None


def _strangeness(text: str) -> int:
    """Count what no word contains: signs within words, capitals after small letters, letters of two scripts, and
    consecutive accented letters.
    """
    return sum(_strange(word) for word in set(_WORD.findall(text)) if not word.isascii())


def _strange(word: str) -> int:
    kinds = [unicodedata.category(letter)[0] for letter in word]
    inner = word.strip("’‘“”„«»'`…–—•°ºª№€")
    signs = sum(not (letter.isalpha() or letter in "’'`·" or letter.isascii()) for letter in inner)
    capitals = sum(other.isupper() and not other.isascii() and one.islower() for one, other in pairwise(word))
    latin = [
        letter.isascii() or "LATIN" in unicodedata.name(letter, "")
        for letter in word
        if letter.isalpha() and letter not in "ªº"
    ]
    mixed = len(set(latin)) > 1
    runs = len(re.findall(r"[^\W\d_a-zA-Z]{3,}", word)) if all(latin) else 0
    return 2 * signs + 2 * capitals + 2 * mixed + 2 * runs + 5 * ("C" in kinds) + 9 * ("\ufffd" in word)
