"""Leave in days: which dates it takes, and how much of it a game honours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import NamedTuple

from app.clocks.clock import ONE_DAY, Span, midnight
from app.clocks.zones import zone_of

DAYS_A_YEAR = 30
"""A player's allowance unless the server's settings say otherwise."""
IN_A_ROW = 3
"""Days in a row taken automatically for a game without a sign of life from its player; after them the deadline
counts."""


class Away(NamedTuple):
    """A stretch of leave in UTC, its end not included, and the zone in which its days are meant."""

    start: datetime
    end: datetime
    zone: str

    @property
    def dates(self) -> list[date]:
        """The dates of which it takes all or a part."""
        if self.end <= self.start:
            return []
        zone = zone_of(self.zone)
        first = self.start.astimezone(zone).date()
        last = (self.end - timedelta(microseconds=1)).astimezone(zone).date()
        return [first + n * ONE_DAY for n in range((last - first).days + 1)]


def day_of(deadline: datetime, zone: str) -> Away:
    """Return the whole day in a zone on which a deadline falls; one at midnight ends the day before it."""
    here = zone_of(zone)
    day = deadline.astimezone(here).date()
    if midnight(day, here) == deadline:
        day -= ONE_DAY
    return Away(midnight(day, here), midnight(day + ONE_DAY, here), zone)


def a_year(leaves: Iterable[Away]) -> Counter[int]:
    """Return how many days are taken of each calendar year: a date counts once, however many stretches of leave it has.

    The same date in two zones counts twice, since it lasts longer for a player who takes it in both.
    """
    return Counter(day.year for _, day in {(leave.zone, day) for leave in leaves for day in leave.dates})


def honoured(leaves: Iterable[Away], most: int) -> list[Span]:
    """Return the part of leave that stops clocks when `most` days of each calendar year do: the first ones, counted as
    in `a_year`."""
    taken: Counter[int] = Counter()
    counted: set[tuple[str, date]] = set()
    spans: list[Span] = []
    for leave in sorted(leaves):
        zone = zone_of(leave.zone)
        for day in leave.dates:
            if (leave.zone, day) not in counted:
                if taken[day.year] >= most:
                    continue
                taken[day.year] += 1
                counted.add((leave.zone, day))
            start, end = max(leave.start, midnight(day, zone)), min(leave.end, midnight(day + ONE_DAY, zone))
            if spans and spans[-1].end == start:
                spans[-1] = Span(spans[-1].start, end)
            else:
                spans.append(Span(start, end))
    return spans
