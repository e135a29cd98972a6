"""What happens to a server: one trouble after another, each for a while, in a seeded order."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import CalledProcessError

from bench.trials.storm.ledger import Ledger
from bench.trials.storm.servers import ENDLESS, Kept
from tests.support.postgres import Private
from tests.support.scripted import HANG_UP, TAKE_AND_HANG_UP, Script, ScriptedHost, refusing, willing

SLOW_SECONDS = 2.0
ROOM = 4096
"""Bytes: too little for any database, and enough for the files that a new process tries out in the temporary folder,
which is on another disk.
"""
MAY_DOUBLE = ("killed", "worker killed", "ended", "database crashed", "disk full", "answers swallowed")
"""Troubles that may fall between the host's acceptance and its record, so that a mail is sent twice under one
Message-ID.
"""


@dataclass
class Trouble:
    """A trouble; its moments are of the monotonic clock, `at` is of the wall clock."""

    kind: str
    what: str
    at: float
    began: float
    ended: float = 0.0
    met: int = 1
    """How often the server has met it: mails for a mail host in trouble; answers of 503 for a full disk (some writes
    may still fit into existing files).
    """


class Weather:
    """Troubles one after another until `clear`, or each `once`."""

    def __init__(
        self, servers: Sequence[Kept], host: ScriptedHost, postgres: Private | None, files: Sequence[Path], *,
        ledger: Ledger, seed: int, every: float, lasts: float, once: bool = False,
    ) -> None:  # fmt: skip
        self.servers, self.host, self.postgres, self.files = servers, host, postgres, files
        self.ledger, self.every, self.lasts, self.once = ledger, every, lasts, once
        self.chooser = random.Random(seed)
        self.troubles: list[Trouble] = []
        self.all_came = threading.Event()
        """Every kind of trouble has occurred."""
        self._is_clear = threading.Event()
        self._thread = threading.Thread(target=self._run, name="weather", daemon=True)

    def kinds(self) -> dict[str, Callable[[], None]]:
        """Return all troubles that this server can have."""
        refused = ("451 4.3.0 come back later", "550 5.7.1 your address is on a list", "421 4.3.2 going down")
        found = {
            "killed": self._kill,
            "worker killed": self._kill_one,
            "ended": self._tell_to_end,
            "disk full": lambda: self._counted(self._fill_disk),
            "mail refused": lambda: self._mail(
                refusing(self.chooser.choice(("mail", "rcpt", "data", "sent")), self.chooser.choice(refused))
            ),
            "mail host hangs up": lambda: self._mail(
                refusing(self.chooser.choice(("connect", "mail", "data", "sent")), HANG_UP)
            ),
            "answers swallowed": lambda: self._mail(
                lambda stage, address: TAKE_AND_HANG_UP if stage == "sent" else None
            ),
            "mail host slow": lambda: self._mail(lambda stage, address: SLOW_SECONDS if stage == "sent" else None),
        }
        if self.postgres:
            found["database crashed"] = self._crash
        return found

    def begin(self) -> None:
        self._thread.start()

    def clear(self) -> None:
        """End the last trouble, and begin no other."""
        self._is_clear.set()
        self._thread.join(120)

    def _run(self) -> None:
        kinds = self.kinds()
        order: list[str] = []
        while not self._is_clear.wait(self.chooser.uniform(0.5, 1.5) * self.every):
            if not order:
                order = sorted(kinds)
                self.chooser.shuffle(order)
            self._happen(order.pop(), kinds)
            if not order:
                self.all_came.set()
                if self.once:
                    return

    def _happen(self, kind: str, kinds: dict[str, Callable[[], None]]) -> None:
        self.troubles.append(Trouble(kind, "", time.time(), time.monotonic()))
        try:
            kinds[kind]()
        finally:
            self.troubles[-1].ended = time.monotonic()

    def _say(self, what: str) -> None:
        self.troubles[-1].what = what

    def _last(self) -> None:
        self._is_clear.wait(self.chooser.uniform(0.5, 1.5) * self.lasts)

    # -- troubles ---------------------------------------------------------------------------------

    def _kill(self) -> None:
        server = self.chooser.choice(self.servers)
        server.kill_all()
        self._say(server.name)

    def _kill_one(self) -> None:
        server = self.chooser.choice([server for server in self.servers if server.is_web])
        server.kill_one()
        self._say(server.name)

    def _tell_to_end(self) -> None:
        server = self.chooser.choice(self.servers)
        server.tell_to_end()
        self._say(server.name)

    def _crash(self) -> None:
        assert self.postgres is not None
        how = self.chooser.choice(("immediate", "immediate", "fast"))
        self.postgres.stop(how)
        self._say(how)
        self._last()
        self.postgres.start()

    def _counted(self, does: Callable[[], None]) -> None:
        """Count how often the server has met a trouble, by the answers that players got during it."""
        before = self.ledger.statuses["503"]
        does()
        self.troubles[-1].met = self.ledger.statuses["503"] - before

    def _fill_disk(self) -> None:
        """Limit what the server's processes write (SQLite), or what its database server writes (PostgreSQL)."""
        if self.postgres:
            self.postgres.limit_files(0)
            self._say("of the database's server")
            self._last()
            self.postgres.limit_files(None)
            if not self.postgres.is_running():  # it ends when it cannot write what it has promised
                self.postgres.start()
            return
        for server in self.servers:
            server.limit(self.chooser.choice([ROOM, *(file.stat().st_size for file in self.files if file.exists())]))
        self._say("of the server")
        self._last()
        for server in self.servers:
            server.limit(ENDLESS)

    def _mail(self, script: Script) -> None:
        trouble = self.troubles[-1]
        trouble.met = 0

        def counted(stage: str, address: str) -> str | float | None:
            does = script(stage, address)
            trouble.met += does is not None
            return does

        self.host.script = counted
        self._last()
        self.host.script = willing


def stop_for_good(private: Private) -> None:
    """Stop a PostgreSQL that may already have ended."""
    with suppress(CalledProcessError):
        private.stop("fast")
