"""The heartbeat of a process that serves pages, whichever server runs it."""

from __future__ import annotations

import logging
import os
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app import jobs
from app.house import House, open_house
from app.services import outages

if TYPE_CHECKING:
    from app.config import Config

log = logging.getLogger("postroad")


class Beating:
    """The heartbeat of one process that serves pages."""

    def __init__(self, house: House) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(house,), name="beat", daemon=True)

    def start(self) -> None:
        """Begin, after the process has forked."""
        self._thread.start()

    def _run(self, house: House) -> None:
        owner = jobs.name_of_process()
        while True:
            try:
                outages.beat(house.database, "web", owner, datetime.now(UTC))
            except Exception:  # the next beat tells whether the database is back
                log.exception("the heartbeat could not be written")
            if self._stop.wait(outages.BEAT_EVERY_SECONDS):
                return

    def stop(self) -> None:
        """End."""
        self._stop.set()
        self._thread.join(10)


def beat_in_every_process(config: Config) -> None:
    """Begin here, and in every process that forks off this one: servers that load the app first do that."""

    def begin() -> None:
        Beating(open_house(config)).start()  # with connections of its own: those of another process are not its

    begin()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=begin)
