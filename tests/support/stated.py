"""The deadline that a mail states, read back from its words as its reader reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from zoneinfo import ZoneInfo

from babel.dates import get_day_names, get_month_names

from app.base.words.i18n import LANGUAGES, catalogue

ANSWER_BY = "Answer by %(moment)s."


@dataclass(frozen=True)
class Stated:
    """What a mail says about its deadline: the days in the subject, the moments in the text, to the minute in UTC."""

    days: tuple[date, ...]
    moments: tuple[datetime, ...]


def stated(subject: str, text: str, zone: str, near: datetime) -> Stated:
    """Read subject and text of a mail whose reader lives in a zone.

    A missing year is the one that makes the moment nearest to `near`. Raises AssertionError for a moment that does not
    exist in the zone, or a day with the wrong weekday.
    """
    words = " ".join(text.split())
    found = [match for lang in LANGUAGES for match in _answer_by(lang).finditer(words)]
    moments = [_moment(*match.groups(), ZoneInfo(zone), near) for match in sorted(found, key=lambda m: m.start())]
    told = [match for lang in LANGUAGES for match in _day(lang).finditer(subject)]
    days = {(match.start(), _date(*match.groups(), None, near)) for match in told}
    return Stated(tuple(day for _, day in sorted(days)), tuple(dict.fromkeys(moments)))


def to_the_minute(at: datetime) -> datetime:
    """Return a moment as a mail states it."""
    return at.astimezone(UTC).replace(second=0, microsecond=0)


def _day_names(lang: str) -> Mapping[int, str]:
    """French has its weekdays in full: a short Thursday reads as a game."""
    return get_day_names("wide" if lang == "fr" else "abbreviated", locale=lang)


@cache
def _names(lang: str) -> tuple[str, str]:
    days, months = _day_names(lang), get_month_names("abbreviated", locale=lang)
    return "|".join(map(re.escape, days.values())), "|".join(map(re.escape, months.values()))


@cache
def _day(lang: str) -> re.Pattern[str]:
    days, months = _names(lang)
    return re.compile(rf"\b({days}) (\d{{1,2}})(?:er)? ({months})(?!\w)")


def consequences(text: str, zone: str, near: datetime) -> list[datetime]:
    """Return the moments in which a last reminder says that something follows, in their order."""
    words = " ".join(text.split())
    found = [match for lang in LANGUAGES for match in _follows(lang).finditer(words)]
    moments = [_moment(*match.groups(), ZoneInfo(zone), near) for match in sorted(found, key=lambda m: m.start())]
    return list(dict.fromkeys(moments))


@cache
def _follows(lang: str) -> re.Pattern[str]:
    before = catalogue(lang).gettext("{label}: {value}.").removeprefix("{label}").partition("{value}")[0]
    return re.compile("(?<=- )" + _moment_in(lang) + re.escape(before.replace("\u00a0", " ")))


def _moment_in(lang: str) -> str:
    days, months = _names(lang)
    return rf"({days}) (\d{{1,2}})(?:er)? ({months})(?: (\d{{4}}))?, (\d\d:\d\d) \(([^)]+)\)"


@cache
def _answer_by(lang: str) -> re.Pattern[str]:
    before, after = catalogue(lang).gettext(ANSWER_BY).split("%(moment)s")
    return re.compile(re.escape(before) + _moment_in(lang) + re.escape(after))


def _date(weekday: str, day: str, month: str, year: str | None, near: datetime) -> date:
    lang, number = next(
        (lang, number)
        for lang in LANGUAGES
        for number, name in get_month_names("abbreviated", locale=lang).items()
        if name == month and weekday in _day_names(lang).values()
    )
    wanted = next(n for n, name in _day_names(lang).items() if name == weekday)
    years = [int(year)] if year else [near.year - 1, near.year, near.year + 1]
    found = [date(y, number, int(day)) for y in years if _is_a_day(y, number, int(day))]
    best = min(found, key=lambda one: abs(one - near.date()))
    assert best.weekday() == wanted, f"{best} is no {weekday}"
    return best


def _is_a_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _moment(
    weekday: str, day: str, month: str, year: str | None, hour: str, name: str, zone: ZoneInfo, near: datetime
) -> datetime:
    """Return the moment; an hour that occurs twice is distinguished by the name of the zone."""
    local = datetime.combine(_date(weekday, day, month, year, near), datetime.strptime(hour, "%H:%M").time(), zone)
    for fold in (0, 1):
        one = local.replace(fold=fold)
        said = one.tzname() or ""
        at = one.astimezone(UTC)
        there = at.astimezone(zone).replace(tzinfo=None) == one.replace(tzinfo=None)
        if there and name in (said, f"UTC{said}"):
            return at
    raise AssertionError(f"{zone} has no {hour} {name} on {local.date()}")


def days_of(moments: tuple[datetime, ...], zone: str) -> tuple[date, ...]:
    """Return the days of these moments for a person who lives in a zone."""
    return tuple(at.astimezone(ZoneInfo(zone)).date() for at in moments)
