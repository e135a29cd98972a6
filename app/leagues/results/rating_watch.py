"""Keeps ratings up to date: looks for new results, title by title, and recomputes where there are some."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlmodel import Session

from app.base.stored import failing
from app.base.stored.database import Database


class RatingWatch(ABC):
    """One for each process; the first look recomputes all."""

    job: ClassVar[str]
    """The name under which titles that fail are set aside."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[Any, ...]] = {}

    @abstractmethod
    def signatures(self, session: Session) -> Mapping[str, tuple[Any, ...]]:
        """Return for each title a value that changes whenever a result is added, removed or corrected."""

    @abstractmethod
    def rate(self, database: Database, title: str) -> None:
        """Recompute the ratings of a title."""

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
