"""When the next mail comes that says all that waits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time

from app.clocks.clock import ONE_DAY, moment
from app.clocks.zones import zone_of


def next_at(hours: Sequence[int], zone: str, after: datetime) -> datetime | None:
    """The first of these hours of a zone's day after a moment, in UTC; None where there are no hours."""
    there = zone_of(zone)
    today = after.astimezone(there).date()
    moments = [moment(day, time(hour), there) for day in (today, today + ONE_DAY) for hour in hours]
    return min((at for at in moments if at > after), default=None)
