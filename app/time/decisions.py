"""An owed decision, and when its clock runs out: as read, without the database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from app.clocks.pace import Pace
from app.clocks.quiet import QuietHours

if TYPE_CHECKING:
    from app.clocks.pace import ReminderLadder


@dataclass(frozen=True, slots=True)
class PendingDecision:
    """An owed decision in a running game, with everything that its clock depends on except the standstills."""

    game_id: int
    number: int
    entries: int
    title: str
    seat: str
    on_turn: str | None
    player_id: int | None
    pace: Pace
    calendar_id: int | None
    asked_at: datetime
    mailed_at: datetime | None
    extra_seconds: int
    bank: int | None
    ladder: ReminderLadder
    quiet: QuietHours | None
    remind_at: datetime | None
    deadline_at: datetime | None
    stands: bool
    """Whether the player's leave or an outage affects this decision."""

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
