"""Dates as browsers send them and as people write them: 2027-01-31, 31.1.2027, 31/1/27, 31 Jan 2027, January 31, 2027;
with an hour as 20:00, 20.00, 20h or 8 pm. The day comes before the month, as in the languages of the server.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date, time
from functools import cache

from babel.dates import get_month_names

from app.base.words.i18n import LANGUAGES

_HOUR = re.compile(r"(?:^|[\sT])(\d{1,2})(?:(?:[:.h])(\d{2})(?::\d{2})?|\s*(h|uhr)|(?=\s*[ap]\.?m))\s*([ap])?\.?m?\.?$")
_NUMBERS = re.compile(r"(\d{1,4})\s*[-./\s]\s*(\d{1,2})\s*[-./\s]\s*(\d{1,4})")
_WORDS = re.compile(r"(?:(\d{1,2})(?:er|st|nd|rd|th|º|°)?\.?\s+(?:de\s+|of\s+)?)?([a-z]{3,})\.?,?\s+"
                    r"(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(?:de\s+|del\s+)?(\d{4})")  # fmt: skip


def read_date(given: str) -> tuple[date, time | None] | None:
    """Return the day that a text names, with its hour if it names one; None for any other text."""
    text = "".join(c for c in unicodedata.normalize("NFD", given.strip().lower()) if not unicodedata.combining(c))
    text = re.sub(r"(?<=\d)t(?=\d)", " ", text)
    day = _day(text)
    if day is not None:
        return day, None
    hour = _HOUR.search(text)
    if hour is None:
        return None
    day, at = _day(text[: hour.start()].rstrip(" ,")), _time(hour)
    return None if day is None or at is None else (day, at)


def _time(found: re.Match[str]) -> time | None:
    hour = int(found[1])
    if found[4]:
        hour = hour % 12 + 12 * (found[4] == "p")
    try:
        return time(hour, int(found[2] or 0))
    except ValueError:
        return None


def _day(text: str) -> date | None:
    if found := _NUMBERS.fullmatch(text):
        first, month, last = found.groups()
        year, day = (first, last) if len(first) == 4 else (last, first)
        if len(year) not in (2, 4) or len(day) > 2:
            return None
        return _made(int(year) + 2000 * (len(year) == 2), int(month), int(day))
    found = _WORDS.fullmatch(text) or _WORDS.fullmatch(re.sub(r"^[a-z]+\.?,?\s+", "", text))  # a day of the week
    if found and (found[1] or found[3]):
        return _made(int(found[4]), _months().get(found[2], 0), int(found[1] or found[3]))
    return None


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


@cache
def _months() -> dict[str, int]:
    """Return the months by their names in all languages, without accents, in full and short."""
    found = {}
    for lang in LANGUAGES:
        for width in ("wide", "abbreviated"):
            for number, name in get_month_names(width, locale=lang).items():
                plain = "".join(c for c in unicodedata.normalize("NFD", name.lower()) if c.isalpha() and c.isascii())
                found[plain] = number
    return found
