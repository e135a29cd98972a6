"""The hours in which a player wants no mail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from app.clocks.clock import ONE_DAY, Span, moment
from app.clocks.zones import zone_of


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From and to in minutes after midnight in a zone; a night with an end before its start ends on the next day."""

    start: int
    end: int
    zone: str

    def night(self, at: datetime) -> Span | None:
        """Return the night that a moment lies in, in UTC; None by day. A night is as long as the zone's clocks make
        it."""
        zone = zone_of(self.zone)
        today = at.astimezone(zone).date()
        for evening in (today - ONE_DAY, today):
            morning = evening if self.start < self.end else evening + ONE_DAY
            night = Span(moment(evening, _time(self.start), zone), moment(morning, _time(self.end), zone))
            if night.start <= at < night.end:
                return night
        return None

    def put_off(self, at: datetime, before: datetime | None = None) -> datetime:
        """Return when to tell something due at `at`: then, or at the end of the night if that is before `before`."""
        night = self.night(at)
        if night is None or (before is not None and night.end >= before):
            return at
        return night.end


def _time(minutes: int) -> time:
    return (datetime.min + timedelta(minutes=minutes)).time()
