"""The processes that think: below everything else on the machine, as many as the settings say, begun again if they end.

Several processes of one server may do background work; a lock for each place keeps the number of those that think.
"""

from __future__ import annotations

import fcntl
import logging
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from app.base import private
from app.base.jobs import worker
from app.base.leases import keep_looking
from app.computer.thinking import Thinker

if TYPE_CHECKING:
    from app.base.server import Server

log = logging.getLogger("postroad.computer")

NICENESS = 15
LOOK_EVERY_SECONDS = 0.5
WATCH_EVERY_SECONDS = 5.0
ENDS_WITHIN_SECONDS = 5.0
COMMAND = ("-c", "from app.server.cli import main; main()", "think", "--with-parent")


def think(server: Server, stop: threading.Event) -> None:
    """Think until `stop` is set."""
    os.nice(NICENESS)
    thinker = Thinker(server.database, server.config, uuid4().hex[:12])
    failed = "the decisions of the computer could not be looked at"
    keep_looking(stop, lambda: thinker.work(lambda: datetime.now(UTC)), LOOK_EVERY_SECONDS, log, failed)


@worker("thinkers")
class Thinkers:
    """Keeps the processes that think, for one process of the server."""

    def __init__(self, server: Server) -> None:
        self._folder = server.config.data
        self._places = range(server.config.thinkers)
        self._locks: dict[int, int] = {}
        self._children: dict[int, subprocess.Popen[bytes]] = {}

    def run(self, stop: threading.Event) -> None:
        """Keep them until `stop` is set."""
        if self._places:
            failed = "the processes that think could not be looked after"
            keep_looking(stop, self._look_after, WATCH_EVERY_SECONDS, log, failed)
        self._end()

    def _look_after(self) -> None:
        private.make_folder(self._folder)  # with PostgreSQL and a key from the settings nothing else is there
        for place in self._places:
            if self._has(place):
                self._keep(place)

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

    def _keep(self, place: int) -> None:
        child = self._children.get(place)
        if child is not None and child.poll() is not None:
            log.warning("a process that thinks has ended with %s, and is begun again", child.returncode)
        if child is None or child.poll() is not None:
            self._children[place] = subprocess.Popen([sys.executable, *COMMAND], stdin=subprocess.PIPE)

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
