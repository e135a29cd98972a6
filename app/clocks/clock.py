"""When a decision is due, and how long a clock has run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from heapq import merge
from typing import NamedTuple
from zoneinfo import ZoneInfo

from app.clocks.pace import WEEKDAYS, Pace
from app.clocks.zones import zone_of

ONE_DAY = timedelta(days=1)
YEARS = 3
"""How many years of days off are computed at a time."""
LAST_YEAR = 9990


class Span(NamedTuple):
    """A stretch of time in UTC, its end not included."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Standstill:
    """What stops one seat's clock: outages and its player's leave as spans, holidays as dates in the pace's zone."""

    spans: tuple[Span, ...] = ()
    holidays: frozenset[date] = frozenset()


NEVER = Standstill()


def deadline(pace: Pace, start: datetime, seconds: int, standstill: Standstill = NEVER) -> datetime:
    """Return the moment when a clock that starts at `start` with `seconds` to run has run out.

    Standstills do not count; if the pace has a deadline hour, the moment is put off to that hour of a day that counts.
    In UTC.
    """
    at, left = start.astimezone(UTC), timedelta(0, seconds)
    for begins, ends in stands(pace, at, standstill):
        if begins > at:
            if left <= begins - at:
                break
            left -= begins - at
        at = ends
    at += left
    return at if pace.hour is None else _put_off(pace, at, standstill)


def counted(pace: Pace, start: datetime, end: datetime, standstill: Standstill = NEVER) -> int:
    """Return the whole seconds between the two moments in which the clock ran."""
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    if end <= start:
        return 0
    ran = end - start
    for span in stands(pace, start, standstill):
        if span.start >= end:
            break
        ran -= min(span.end, end) - max(span.start, start)
    return ran // timedelta(seconds=1)


def stands(pace: Pace, start: datetime, standstill: Standstill = NEVER) -> Iterator[Span]:
    """Yield the stretches from `start` on in which the clock stands, in order and disjoint. Endless if the pace has
    days off."""
    explicit = sorted(span for span in standstill.spans if span.end > start and span.end > span.start)
    if not pace.days_off and not standstill.holidays:
        return _joined(explicit)
    return _joined(merge(explicit, _off_from(pace.zone, pace.days_off, standstill.holidays, start)))


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    current: Span | None = None
    for span in spans:
        if current is None:
            current = span
        elif span.start <= current.end:
            current = Span(current.start, max(current.end, span.end))
        else:
            yield current
            current = span
    if current is not None:
        yield current


# -- days off -----------------------------------------------------------------------------------------


def _off_from(zone: str, weekdays: tuple[str, ...], holidays: frozenset[date], at: datetime) -> Iterator[Span]:
    """Yield the days off that end later than `at`, whole rows of days as one span."""
    year = at.year - 1  # a zone's year is up to a day apart from that of UTC
    while year < LAST_YEAR:
        ends, spans = _off(zone, weekdays, holidays, year)
        yield from spans[bisect_right(ends, at) :]
        year += YEARS
        if not weekdays and (not holidays or year > max(holidays).year):
            return


@lru_cache(maxsize=128)  # games share few calendars and zones
def _off(
    zone: str, weekdays: tuple[str, ...], holidays: frozenset[date], year: int
) -> tuple[list[datetime], list[Span]]:
    """Return the days off of `YEARS` years, and the ends alone. Consecutive days that go beyond come in two parts."""
    info, names = zone_of(zone), {WEEKDAYS.index(day) for day in weekdays}
    first, end = date(year, 1, 1), date(year + YEARS, 1, 1)
    if names:
        days = [first + timedelta(days=n) for n in range((end - first).days)]
        days = [day for day in days if day.weekday() in names or day in holidays]
    else:
        days = sorted(day for day in holidays if first <= day < end)
    spans: list[Span] = []
    for day in days:
        begins, ends = midnight(day, info), midnight(day + ONE_DAY, info)
        if begins == ends:  # the zone skipped this day when it crossed the date line
            continue
        if spans and spans[-1].end == begins:
            spans[-1] = Span(spans[-1].start, ends)
        else:
            spans.append(Span(begins, ends))
    return [span.end for span in spans], spans


# -- moments in a zone --------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def midnight(day: date, zone: ZoneInfo) -> datetime:
    """Return when a day begins in a zone, in UTC: its first moment, even if midnight comes twice or is skipped."""
    early = datetime.combine(day, time(0), zone)
    found = early.astimezone(UTC)
    if found.astimezone(zone).replace(tzinfo=None) == early.replace(tzinfo=None):
        return found
    return moment(day, time(0), zone)


@lru_cache(maxsize=4096)
def moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Return a time of day in a zone, in UTC: the later one if it comes twice, the first moment after it if the clocks
    skip it."""
    late = datetime.combine(day, at, zone).replace(fold=1)
    found = late.astimezone(UTC)
    if found.astimezone(zone).replace(tzinfo=None) == late.replace(tzinfo=None):
        return found
    # In the gap: with fold=0 the offset before it is taken, which gives a moment as far after the gap's end as the time
    # is after its beginning. The gap's end itself is where the two offsets meet.
    early = late.replace(fold=0)
    after = late.utcoffset()
    low, high = found, early.astimezone(UTC)
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) / 2
        if middle.astimezone(zone).utcoffset() == after:
            high = middle
        else:
            low = middle
    return high.replace(microsecond=0)


@lru_cache(maxsize=64)
def _hour(given: str) -> time:
    return time.fromisoformat(given)


def _put_off(pace: Pace, at: datetime, standstill: Standstill) -> datetime:
    assert pace.hour is not None
    zone, hour = zone_of(pace.zone), _hour(pace.hour)
    day = at.astimezone(zone).date()
    may_stand = bool(pace.days_off or standstill.spans or standstill.holidays)
    while True:
        found = moment(day, hour, zone)
        if found >= at and not (may_stand and _stands_at(pace, found, standstill)):
            return found
        day += ONE_DAY


def _stands_at(pace: Pace, at: datetime, standstill: Standstill) -> bool:
    span = next(stands(pace, at, standstill), None)
    return span is not None and span.start <= at
