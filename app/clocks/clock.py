"""When a decision is due, and how long a clock has run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from heapq import merge
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from app.clocks.pace import WEEKDAYS

if TYPE_CHECKING:
    from app.clocks.pace import Pace

ONE_DAY = timedelta(days=1)
LAST_DAY = date(9990, 1, 1)


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
    """The moment when a clock that starts at `start` and has `seconds` to run has run out.

    Standstills do not count; where the pace has a deadline hour, the moment is put off to that hour of a day that
    counts. In UTC.
    """
    at = start.astimezone(UTC)
    left = timedelta(seconds=seconds)
    for span in stands(pace, at, standstill):
        if span.start > at:
            if left <= span.start - at:
                break
            left -= span.start - at
        at = max(at, span.end)
    at += left
    return at if pace.hour is None else _put_off(pace, at, standstill)


def counted(pace: Pace, start: datetime, end: datetime, standstill: Standstill = NEVER) -> int:
    """The whole seconds between the two moments in which the clock ran."""
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    if end <= start:
        return 0
    ran = end - start
    for span in stands(pace, start, standstill):
        if span.start >= end:
            break
        ran -= min(span.end, end) - max(span.start, start)
    return int(ran.total_seconds())


def stands(pace: Pace, start: datetime, standstill: Standstill = NEVER) -> Iterator[Span]:
    """The stretches from `start` on in which the clock stands, in order and apart. Without end where the pace has
    days off."""
    explicit = sorted(span for span in standstill.spans if span.end > start and span.end > span.start)
    return _joined(merge(explicit, _days_off(pace, start, standstill.holidays)))


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


def _days_off(pace: Pace, start: datetime, holidays: frozenset[date]) -> Iterator[Span]:
    if not pace.days_off and not holidays:
        return
    zone = ZoneInfo(pace.zone)
    off = {WEEKDAYS.index(day) for day in pace.days_off}
    day = start.astimezone(zone).date()
    last = LAST_DAY if off else max(holidays)
    while day <= last:
        if day.weekday() in off or day in holidays:
            first = day
            while day.weekday() in off or day in holidays:
                day += ONE_DAY
            yield Span(midnight(first, zone), midnight(day, zone))
        day += ONE_DAY


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """When a day begins in a zone, in UTC. Where midnight does not exist, the first moment of the day."""
    return moment(day, time(0), zone)


def moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    """A time of day in a zone, in UTC: the later one where it comes twice, the first moment after it where the clocks
    go past it."""
    late = datetime.combine(day, at, zone).replace(fold=1)
    found = late.astimezone(UTC)
    if found.astimezone(zone).replace(tzinfo=None) == late.replace(tzinfo=None):
        return found
    # In the gap: with fold=0 the offset before it is taken, which gives the moment as far behind the gap's end as the
    # time is behind its beginning. The gap's end itself is where the two offsets meet.
    early = late.replace(fold=0)
    before, after = early.utcoffset(), late.utcoffset()
    assert before is not None and after is not None
    low, high = found, early.astimezone(UTC)
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) / 2
        if middle.astimezone(zone).utcoffset() == after:
            high = middle
        else:
            low = middle
    return high.replace(microsecond=0)


def _put_off(pace: Pace, at: datetime, standstill: Standstill) -> datetime:
    assert pace.hour is not None
    zone = ZoneInfo(pace.zone)
    hour = time.fromisoformat(pace.hour)
    day = at.astimezone(zone).date()
    still = stands(pace, at, standstill)
    span = next(still, None)
    while True:
        found = moment(day, hour, zone)
        day += ONE_DAY
        if found < at:
            continue
        while span is not None and span.end <= found:
            span = next(still, None)
        if span is None or found < span.start:
            return found
