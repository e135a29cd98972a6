"""An owed decision, and when its clock runs out: as read, without the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from app.clocks.pace import Pace, read_pace
from app.clocks.quiet import QuietHours


class PendingDecision(NamedTuple):
    """An owed decision in a running game, with everything that its clock depends on except the standstills: the columns
    that `app.time.pending` reads."""

    game_id: int
    number: int
    entries: int
    title: str
    seat: str
    on_turn: str | None
    player_id: int | None
    pace_terms: Mapping[str, Any]
    calendar_id: int | None
    asked_at: datetime
    mailed_at: datetime | None
    extra_seconds: int
    bank: int | None
    quiet_from: int | None
    quiet_to: int | None
    zone: str
    remind_at: datetime | None
    deadline_at: datetime | None
    stands: bool
    """Whether the player's leave or an outage affects this decision."""
    is_broken: bool
    """Whether the title has failed at this decision, so that its clock stands (`app.time.installed`)."""

    @property
    def pace(self) -> Pace:
        """The pace of the game."""
        return read_pace(self.pace_terms)

    @property
    def quiet(self) -> QuietHours | None:
        """The player's night."""
        if self.quiet_from is None or self.quiet_to is None:
            return None
        return QuietHours(self.quiet_from, self.quiet_to, self.zone)

    @property
    def started_at(self) -> datetime:
        """When the clock started; until its mail was accepted, the earliest possible moment."""
        return self.mailed_at or self.asked_at

    @property
    def budget(self) -> int:
        """The seconds for this decision."""
        return self.pace.budget(self.bank) + self.extra_seconds


@dataclass(frozen=True, slots=True)
class ClockTimes:
    """The results: the deadline, the next reminder, and when the sweep of cases must examine the game."""

    deadline: datetime
    remind: datetime | None
    check: datetime | None
    rungs: tuple[datetime, ...] = ()
    """All moments of the ladder, including those that have passed."""
