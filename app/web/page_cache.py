"""Rendered pages: shown again as long as nothing that they show has changed.

Code that caches a page says what it was rendered from (the rows of `PreparedGlance.glance`) and until when it holds; to
get it again, the very same rows are needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Response

POLICY = "Content-Security-Policy"
FOR_EVER = datetime.max.replace(tzinfo=UTC)
A_DAY, AN_HOUR, A_MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page, its contents, and what is needed to check whether that has changed."""

    page: bytes
    rows: Any
    until: datetime
    about: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Additional headers to send with it."""


def policy_of(response: Response) -> dict[str, str]:
    """Return what a page may load, if it sets that itself; to be sent with it again."""
    return {POLICY: response.headers[POLICY]} if POLICY in response.headers else {}


def same_until(deadline: datetime | None, now: datetime) -> datetime:
    """Return how long the time left until a deadline reads the same: days and hours, then hours and minutes, then
    nothing."""
    if deadline is None or deadline < now:
        return FOR_EVER
    left = deadline - now
    return now + left % (AN_HOUR if left >= A_DAY else A_MINUTE)
