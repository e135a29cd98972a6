"""A decision that is owed, and when its clock runs out: as they were read, with nothing of the database."""

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
    """A decision that is owed in a running game, with all that its clock depends on but the standstills."""

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
    """Whether leave of the player or an outage touches this decision."""

    @property
    def started_at(self) -> datetime:
        """When the clock started; until its mail was accepted, the earliest moment when it may have."""
        return self.mailed_at or self.asked_at

    @property
    def budget(self) -> int:
        """Seconds for this decision."""
        return self.pace.budget(self.bank) + self.extra_seconds


@dataclass(frozen=True, slots=True)
class ClockTimes:
    """What follows: the deadline, the next reminder, and when the sweep of cases looks at the game."""

    deadline: datetime
    remind: datetime | None
    check: datetime | None
    rungs: tuple[datetime, ...] = ()
    """All moments of the ladder, those that have passed among them."""
