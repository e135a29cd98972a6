"""Works out pairings that were asked for, one after another, in whichever process it runs."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from app.base.jobs import worker
from app.base.leases import keep_looking
from app.leagues.rounds import pairing_jobs

if TYPE_CHECKING:
    from app.base.server import Server

log = logging.getLogger("postroad.pairing")

LOOK_EVERY_SECONDS = 0.5
"""How long a pairing that another process asked for waits for this one's next look."""


@worker("pairing")
class Pairer:
    """Works pairings out for one process."""

    def __init__(self, server: Server) -> None:
        self.database = server.database
        self.name = uuid4().hex[:12]

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set; what is in hand then is given back."""
        keep_looking(
            stop,
            lambda: self.work_one(stop),
            LOOK_EVERY_SECONDS,
            log,
            "looking for pairings failed",
            woken=pairing_jobs.asked,
        )

    def work_one(self, stop: threading.Event) -> bool:
        """Work out the pairing that has waited longest; False when none does."""
        return pairing_jobs.work_one(self.database, self.name, lambda: datetime.now(UTC), stop.is_set)
