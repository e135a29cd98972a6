"""When to remind somebody of a decision."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.clocks.pace import Ladder
    from app.clocks.quiet import Quiet

CLOSE = timedelta(minutes=10)
"""Two rungs that fall together within this are one reminder, the later one."""


def rungs(ladder: Ladder, start: datetime, deadline: datetime, quiet: Quiet | None = None) -> list[datetime]:
    """The moments of a ladder for a decision that was asked at `start`, in order, all between the two moments.

    What falls into quiet hours is put off to their end, unless the deadline comes before.
    """
    whole = deadline - start
    found = {start + whole * share for share in ladder.shares}
    found |= {deadline - timedelta(hours=hours) for hours in ladder.hours}
    inside = sorted(at for at in found if start < at < deadline)
    if quiet is not None:
        inside = sorted(quiet.put_off(at, deadline) for at in inside)
    return [at for at, after in zip(inside, [*inside[1:], None], strict=True) if after is None or after - at > CLOSE]
