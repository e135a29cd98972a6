"""When something did not run, from what is known of when it did."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from app.clocks.clock import Span

OUTAGE_AFTER = timedelta(minutes=15)
"""A silence that is longer than this is an outage; a shorter one is a restart."""


def gaps(stretches: Iterable[Span], longer_than: timedelta = OUTAGE_AFTER) -> list[Span]:
    """The silences between stretches in which a job ran, whichever process ran it, in order.

    What came before the first stretch and comes after the last one is none: nobody knows what was to run then.
    """
    found: list[Span] = []
    ran_until = None
    for start, end in sorted(stretches):
        if ran_until is not None and start - ran_until > longer_than:
            found.append(Span(ran_until, start))
        ran_until = end if ran_until is None else max(ran_until, end)
    return found
