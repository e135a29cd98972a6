"""When to remind a player of a decision."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import zip_longest

from app.clocks.clock import NEVER, Standstill, deadline
from app.clocks.pace import Pace, ReminderLadder
from app.clocks.quiet import QuietHours

CLOSE = timedelta(minutes=10)
"""Two rungs this close together are one reminder, the later one."""


def rungs(
    ladder: ReminderLadder,
    pace: Pace,
    start: datetime,
    seconds: int,
    due: datetime,
    standstill: Standstill = NEVER,
    quiet: QuietHours | None = None,
) -> list[datetime]:
    """Return the moments of a ladder for a decision whose clock started at `start` with `seconds` to run and which is
    due at `due`: in order, all between the two.

    Shares are of the clock's running time, hours count back from the deadline. What falls into an outage, leave or
    quiet hours is put off to their end, unless the deadline comes before.
    """
    plain = pace if pace.hour is None else replace(pace, hour=None)
    found = {deadline(plain, start, int(seconds * share), standstill) for share in ladder.shares}
    found |= {due - timedelta(hours=hours) for hours in ladder.hours}
    inside = [_told(at, due, standstill, quiet) for at in found if start < at < due]
    inside = sorted(at for at in inside if at < due)
    return [at for at, after in zip_longest(inside, inside[1:]) if after is None or after - at > CLOSE]


def _told(at: datetime, due: datetime, standstill: Standstill, quiet: QuietHours | None) -> datetime:
    for span in sorted(standstill.spans):
        if span.start <= at < span.end:
            at = span.end
    return at if quiet is None else quiet.put_off(at, due)
