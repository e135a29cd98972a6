"""The heartbeat of a process that serves pages, whichever web server runs it."""

from __future__ import annotations

import logging
import os
import threading
from datetime import UTC, datetime

from app.base.process.config import Config
from app.base.server import Server
from app.base.stored.leases import keep_looking
from app.server.registry import open_server
from app.time import outages

log = logging.getLogger("postroad")


class WebHeartbeat:
    """The heartbeat of one process that serves pages."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._stop = threading.Event()
        self._writing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="beat", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def pause(self) -> None:
        """Finish what is being written and hold no connection, until `go_on`. SQLite's must not be open while the
        process forks: what it has locked would stay locked in the child indefinitely."""
        self._writing.acquire()
        self._server.database.close()

    def go_on(self) -> None:
        """Beat again."""
        self._writing.release()

    def _run(self) -> None:
        owner = outages.name_of_process()
        # The beat after a failure tells whether the database is back.
        keep_looking(
            self._stop,
            lambda: self._beat(owner),
            outages.BEAT_EVERY_SECONDS,
            log,
            "the heartbeat could not be written",
        )

    def _beat(self, owner: str) -> None:
        with self._writing:
            outages.beat(self._server.database, "web", owner, datetime.now(UTC))

    def stop(self) -> None:
        """End."""
        self._stop.set()
        self._thread.join(10)


def beat_in_every_process(config: Config) -> None:
    """Begin here, and in every process forked from this one: servers that preload the app do that."""

    here: list[WebHeartbeat] = []

    def begin() -> None:
        # With its own connections: those of another process do not belong to it.
        here[:] = [WebHeartbeat(open_server(config))]
        here[0].start()

    begin()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lambda: here[0].pause(), after_in_parent=lambda: here[0].go_on(), after_in_child=begin
        )
