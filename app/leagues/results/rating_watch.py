"""Keeps ratings up to date: looks for new results, title by title, and recomputes where there are some."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session

from app.base.stored import failing
from app.base.stored.database import Database


class RatingWatch:
    """One for each process; the first look recomputes all.

    `job` is the name under which titles that fail are set aside; `signatures` gives for each title a value that changes
    whenever a result is added, removed or corrected, and `rate` recomputes the ratings of a title.
    """

    def __init__(
        self,
        job: str,
        signatures: Callable[[Session], Mapping[str, tuple[Any, ...]]],
        rate: Callable[[Database, str], object],
    ) -> None:
        self.job, self.signatures, self.rate = job, signatures, rate
        self._seen: dict[str, tuple[Any, ...]] = {}

    def look(self, database: Database) -> list[str]:
        """Return the titles whose ratings were recomputed."""
        with database.read() as session:
            there = self.signatures(session)
        new = [title for title, signature in there.items() if self._seen.get(title) != signature]

        def rate(title: str) -> str:
            self.rate(database, title)
            self._seen[title] = there[title]
            return title

        return failing.over(database, self.job, new, str, rate, datetime.now(UTC))
