"""When the next mail comes that lists everything waiting."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time

from app.clocks.clock import ONE_DAY, moment
from app.clocks.zones import zone_of


def next_at(hours: Sequence[int], zone: str, after: datetime) -> datetime | None:
    """Return the first of these hours of a zone's day after a moment, in UTC; None if there are no hours."""
    there = zone_of(zone)
    today = after.astimezone(there).date()
    moments = [moment(day, time(hour), there) for day in (today, today + ONE_DAY) for hour in hours]
    return min((at for at in moments if at > after), default=None)
