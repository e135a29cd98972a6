"""When to remind somebody of a decision."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.clocks.pace import Ladder

CLOSE = timedelta(minutes=10)
"""Two rungs that fall together within this are one reminder, the later one."""


def rungs(ladder: Ladder, start: datetime, deadline: datetime) -> list[datetime]:
    """The moments of a ladder for a decision that was asked at `start`, in order, all between the two moments."""
    whole = deadline - start
    found = sorted(
        {start + whole * share for share in ladder.shares}
        | {deadline - timedelta(hours=hours) for hours in ladder.hours}
    )
    inside = [at for at in found if start < at < deadline]
    return [at for at, after in zip(inside, [*inside[1:], deadline + whole], strict=True) if after - at > CLOSE]


def next_rung(ladder: Ladder, start: datetime, deadline: datetime, after: datetime) -> datetime | None:
    """The first reminder that is due later than `after`; None when there is no more."""
    return next((at for at in rungs(ladder, start, deadline) if at > after), None)
