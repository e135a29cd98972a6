"""The processes that think: they search below everything else on the machine. They are begun when there is something to
think about, at most as many as the settings say, and end when there has been nothing for a while.

Several processes of one server may do background work, on several machines: the places of those that think are held in
the database.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from app.base.process.jobs import worker
from app.base.server import Server
from app.base.stored import facts
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
HELD = timedelta(seconds=15)
"""A place is free again when the process that has it has been silent for so long."""
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
        self._name = outages.name_of_process()
        self._places = range(server.config.thinkers)
        self._children: dict[int, subprocess.Popen[bytes]] = {}
        self._not_before = self._hold_again = 0.0

    def run(self, stop: threading.Event) -> None:
        """Look after them until `stop` is set."""
        if self._places:
            failed = "the processes that think could not be looked after"
            keep_looking(stop, self._look_after, WATCH_EVERY_SECONDS, log, failed)
        self._end()

    def _look_after(self) -> None:
        for place, child in list(self._children.items()):
            if child.poll() is not None:
                self._forget(place)
                if child.returncode:
                    log.warning("a process that thinks has ended with %s", child.returncode)
                    self._not_before = time.monotonic() + AGAIN_AFTER_SECONDS
        now, ticks = datetime.now(UTC), time.monotonic()
        if self._children and ticks >= self._hold_again:
            self._hold_again = ticks + HELD.total_seconds() / 3
            for place in [one for one in self._children if not self._holds(one, now)]:
                self._finish([self._children.pop(place)])  # it was taken while this process stood still
        if len(self._children) == len(self._places) or ticks < self._not_before:
            return
        if queue.is_due(self._database, now - ANOTHER_AFTER if self._children else now):
            mine = next((one for one in self._places if one not in self._children and self._holds(one, now)), None)
            if mine is None:
                self._not_before = ticks + AGAIN_AFTER_SECONDS  # others think
            else:
                self._children[mine] = subprocess.Popen([sys.executable, *COMMAND], stdin=subprocess.PIPE)

    def _holds(self, place: int, now: datetime) -> bool:
        """Return whether this process keeps a place, taking it if it is free."""
        with self._database.write_lightly() as session:
            return facts.hold(session, f"thinker.{place}", self._name, now, HELD)

    def _forget(self, place: int) -> None:
        del self._children[place]
        with self._database.write_lightly() as session:
            facts.let_go(session, f"thinker.{place}", self._name)

    def _end(self) -> None:
        self._finish(self._children.values())
        for place in list(self._children):
            self._forget(place)

    @staticmethod
    def _finish(children: Collection[subprocess.Popen[bytes]]) -> None:
        """Let them finish the decision in hand, if that is quick; what is not finished is begun again later."""
        for child in children:
            if child.stdin is not None:
                child.stdin.close()
        for child in children:
            try:
                child.wait(ENDS_WITHIN_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
