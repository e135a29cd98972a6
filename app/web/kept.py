"""Pages that have been drawn: shown again for as long as nothing that they show has changed.

Whoever keeps a page says what it was drawn from (the rows of `PreparedGlance.glance`) and until when it holds; whoever
wants it again has to bring the very same rows.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Response

POLICY = "Content-Security-Policy"
FOR_EVER = datetime.max.replace(tzinfo=UTC)
A_DAY, AN_HOUR, A_MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page, what it shows, and what is needed to look whether that has changed."""

    page: bytes
    rows: Any
    until: datetime
    about: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """What is sent with it besides."""


class PageCache:
    """So many pages of one process, the last ones asked for."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pages: OrderedDict[Hashable, CachedPage] = OrderedDict()
        self._lock = Lock()

    def find(self, key: Hashable) -> CachedPage | None:
        """What was drawn last under this key."""
        with self._lock:
            drawn = self._pages.get(key)
            if drawn is not None:
                self._pages.move_to_end(key)
            return drawn

    def keep(self, key: Hashable, drawn: CachedPage) -> None:
        """Keep it in place of what was drawn before."""
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
    """What a page may load, where it says so of itself; to be sent with it again."""
    return {POLICY: response.headers[POLICY]} if POLICY in response.headers else {}


def same_until(deadline: datetime | None, now: datetime) -> datetime:
    """How long the time left until a deadline reads the same: days and hours, then hours and minutes, then nothing."""
    if deadline is None or deadline < now:
        return FOR_EVER
    left = deadline - now
    return now + left % (AN_HOUR if left >= A_DAY else A_MINUTE)
