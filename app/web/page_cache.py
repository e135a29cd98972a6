"""Rendered pages: shown again as long as nothing that they show has changed.

Code that caches a page says what it was rendered from (the rows of `PreparedGlance.glance`) and until when it holds; to
get it again, the very same rows are needed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
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


class PageCache:
    """The most recently requested pages of one process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pages: OrderedDict[Hashable, CachedPage] = OrderedDict()
        self._lock = Lock()

    def find(self, key: Hashable) -> CachedPage | None:
        """Return what was last rendered under this key."""
        with self._lock:
            drawn = self._pages.get(key)
            if drawn is not None:
                self._pages.move_to_end(key)
            return drawn

    def keep(self, key: Hashable, drawn: CachedPage) -> None:
        """Cache it in place of what was rendered before."""
        with self._lock:
            self._pages[key] = drawn
            self._pages.move_to_end(key)
            while len(self._pages) > self._most:
                self._pages.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._pages.clear()

    def __len__(self) -> int:
        return len(self._pages)


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
