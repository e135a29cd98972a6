"""Calendars of holidays, which games of version 1.0 may have."""

from __future__ import annotations

from datetime import UTC, datetime

from app.base.stored.database import Database
from app.time.tables import HolidayCalendar


def add_calendar(database: Database, name: str, *days: str) -> int:
    """Store a calendar; its number."""
    calendar = HolidayCalendar(name=name, days=list(days), changed_at=datetime(2026, 11, 1, tzinfo=UTC))
    with database.write() as session:
        session.add(calendar)
        session.flush()
        return calendar.id
