"""The processes that think: they search below everything else on the machine. They are begun when there is something to
think about, at most as many as the settings say, and end when there has been nothing for a while.

Several processes of one server may do background work; a lock for each place keeps the number of those that think.
"""

from __future__ import annotations

import fcntl
import logging
import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from app.base.process import private
from app.base.process.jobs import worker
from app.base.server import Server
from app.base.stored.leases import keep_looking
from app.computer import queue
from app.computer.thinking import Thinker
from app.time import outages

log = logging.getLogger("postroad.computer")

NICENESS = 15
LOOK_EVERY_SECONDS = 0.5
WATCH_EVERY_SECONDS = 1.0
IDLE_SECONDS = 300.0
"""A process that the server has begun ends after so long without anything to do."""
ANOTHER_AFTER = timedelta(seconds=5)
"""What is due for so long has found all that think at work: one more begins."""
ENDS_WITHIN_SECONDS = AGAIN_AFTER_SECONDS = 5.0
COMMAND = ("-c", "from app.server.cli import main; main()", "think", "--with-parent")


def think(server: Server, stop: threading.Event, idle_seconds: float = float("inf")) -> None:
    """Think until `stop` is set, or until there has been nothing to do for so long."""
    thinker, last = Thinker(server.database, server.config, uuid4().hex[:12], NICENESS), time.monotonic()

    def look() -> bool:
        nonlocal last
        worked = thinker.work(lambda: datetime.now(UTC))
        if worked:
            last = time.monotonic()
        elif time.monotonic() - last > idle_seconds:
            stop.set()
        return worked

    with outages.Pulse(server.database, "thinker"):
        keep_looking(stop, look, LOOK_EVERY_SECONDS, log, "the decisions of the computer could not be looked at")


@worker("thinkers")
class Thinkers:
    """Begins the processes that think, for one process of the server."""

    def __init__(self, server: Server) -> None:
        self._database = server.database
        self._folder = server.config.data
        self._places = range(server.config.thinkers)
        self._locks: dict[int, int] = {}
        self._children: dict[int, subprocess.Popen[bytes]] = {}
        self._not_before = 0.0

    def run(self, stop: threading.Event) -> None:
        """Look after them until `stop` is set."""
        if self._places:
            failed = "the processes that think could not be looked after"
            keep_looking(stop, self._look_after, WATCH_EVERY_SECONDS, log, failed)
        self._end()

    def _look_after(self) -> None:
        self._forget_ended()
        if len(self._children) == len(self._places) or time.monotonic() < self._not_before:
            return
        now = datetime.now(UTC)
        if queue.is_due(self._database, now - ANOTHER_AFTER if self._children else now):
            private.make_folder(self._folder)  # with PostgreSQL and a key from the settings nothing else is there
            place = next((one for one in self._places if one not in self._children and self._has(one)), None)
            if place is not None:
                self._children[place] = subprocess.Popen([sys.executable, *COMMAND], stdin=subprocess.PIPE)

    def _forget_ended(self) -> None:
        for place, child in list(self._children.items()):
            if child.poll() is not None:
                del self._children[place]
                if child.returncode:
                    log.warning("a process that thinks has ended with %s", child.returncode)
                    self._not_before = time.monotonic() + AGAIN_AFTER_SECONDS

    def _has(self, place: int) -> bool:
        """Return whether this process keeps a place, taking it if it is free."""
        if place not in self._locks:
            lock = os.open(self._folder / f"thinker-{place}.lock", os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(lock)
                return False
            self._locks[place] = lock
        return True

    def _end(self) -> None:
        """Let them finish the decision in hand, if that is quick; what is not finished is begun again later."""
        for child in self._children.values():
            if child.stdin is not None:
                child.stdin.close()
        for child in self._children.values():
            try:
                child.wait(ENDS_WITHIN_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        for lock in self._locks.values():
            os.close(lock)
