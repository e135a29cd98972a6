"""Takes mails out of the outbox and hands them over on several connections, each mail once.

Any number of senders in any number of processes work side by side (`app.post.out.mail_leases`). What follows when a
mail was not taken, `app.post.out.verdicts` says.
"""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from uuid import uuid4

from app.base.process import failures
from app.base.process.jobs import worker
from app.base.server import Server
from app.base.stored import outbox
from app.base.stored.leases import AFTER_A_FAILURE_SECONDS, keep_looking
from app.post.out import carrier, mail_leases
from app.post.out.carrier import Carrier
from app.post.out.envelope import Envelopes
from app.post.out.verdicts import Verdicts
from app.post.route.host import Connection, TimeLimits
from app.time import outages

log = logging.getLogger("postroad.mail")

LOOK_EVERY_SECONDS = 0.4
"""How long a mail that another process wrote waits for this sender's next look."""
KEEP_OPEN_SECONDS = 5.0
"""How long a connection to the mail host stays open after its last mail: the answer to a turn often follows soon."""
WATCH_EVERY_SECONDS = 0.5
STOPS_WITHIN_SECONDS = 8.0
"""A mail that the host still thinks about then is left in flight, and comes up again."""


@worker("mail")
class Sender:
    """Hands mails over for one process."""

    def __init__(self, server: Server, limits: TimeLimits | None = None) -> None:
        self.server = server
        self.name = uuid4().hex[:12]
        self.our_host = server.config.host
        self.is_stopped = False
        host, sender = server.config.mail_host, server.config.mail_from
        self.verdicts = Verdicts(server.database, host.route if host else "", self._wake_all)
        self.envelopes = Envelopes(server.config)
        self._carriers = [
            Carrier(self, number, Connection(host, sender, self.our_host, limits) if host else None)
            for number in range(server.config.mail_connections if host else 1)
        ]
        self._bell = threading.Semaphore(0)
        self._watching: threading.Thread | None = None
        self._watch_lock = threading.Lock()
        self._beaten = float("-inf")

    # -- the loop ---------------------------------------------------------------------------------

    def run(self, stop: threading.Event) -> None:
        """Send until `stop` is set."""
        carrying = [
            threading.Thread(target=self._carry_on, args=(each, stop), name=f"mail {number}", daemon=True)
            for number, each in enumerate(self._carriers)
        ]
        for thread in carrying:
            thread.start()
        failed = "the mails that are due could not be looked at"
        keep_looking(stop, lambda: self._look(datetime.now(UTC)), LOOK_EVERY_SECONDS, log, failed, woken=outbox.waiting)
        self.is_stopped = True
        self._bell.release(len(carrying))
        end = time.monotonic() + STOPS_WITHIN_SECONDS
        for thread in carrying:
            thread.join(max(0.0, end - time.monotonic()))

    def _look(self, now: datetime) -> None:
        """Wake a carrier when there is something to do."""
        with self.server.database.read() as session:
            route = self.verdicts.read_route(session)
            due = mail_leases.ANY_DUE.first(session, now=now) is not None
            # Whether the host answers is known when what is being handed over has found out.
            is_idle = not due and mail_leases.ANY_LEASED.first(session, until=now + mail_leases.LEASE) is None
        if route is not None and self.verdicts.is_paused:
            if route.probe_at is not None and route.probe_at <= now:
                self.ring()
        elif due:
            self.ring()
        elif is_idle:
            self._beat(now)

    def _carry_on(self, each: Carrier, stop: threading.Event) -> None:
        used_at = float("-inf")
        while not stop.is_set():
            if self._bell.acquire(timeout=KEEP_OPEN_SECONDS):
                try:
                    while not stop.is_set() and each.carry(_live):
                        used_at = time.monotonic()
                        if not self.verdicts.is_paused:
                            self._beat(_live())
                except Exception as error:
                    failures.report(log, "sending mails failed", error)
                    stop.wait(AFTER_A_FAILURE_SECONDS)
            if time.monotonic() - used_at > KEEP_OPEN_SECONDS:
                each.close()
        each.close()

    def _beat(self, now: datetime) -> None:
        """Note that mails can go out: the host has answered, or there is nothing to send."""
        if time.monotonic() - self._beaten > outages.BEAT_EVERY_SECONDS:
            self._beaten = time.monotonic()
            outages.beat(self.server.database, "mail", self.name, now)

    def ring(self) -> None:
        """Wake a waiting carrier, if there is one and none is about to wake already."""
        self._bell.acquire(blocking=False)
        self._bell.release()

    def _wake_all(self) -> None:
        self._bell.release(len(self._carriers))

    def in_flight(self) -> None:
        """A mail is about to be handed over, and is looked after meanwhile."""
        self.verdicts.know_route()
        if self._watching is None:
            with self._watch_lock:
                if self._watching is None:
                    self._watching = threading.Thread(target=self._watch, name="mail watch", daemon=True)
                    self._watching.start()

    def _watch(self) -> None:
        quiet_since = time.monotonic()
        while True:
            time.sleep(WATCH_EVERY_SECONDS)
            try:
                if any([each.watch() for each in self._carriers]):
                    quiet_since = time.monotonic()
            except Exception as error:
                failures.report(log, "mails in flight could not be looked after", error)
            if time.monotonic() - quiet_since > KEEP_OPEN_SECONDS:
                with self._watch_lock:
                    if not any([each.watch() for each in self._carriers]):
                        self._watching = None
                        return

    # -- by hand ----------------------------------------------------------------------------------

    def send_due(self, now: datetime) -> int:
        """Hand over a handful of the mails that are due at this moment, on one connection; return how many were
        leased."""
        return self._carriers[0].carry(lambda: now, carrier.MOST_AT_ONCE)

    def send_all(self, now: datetime) -> int:
        """Hand over all mails that are due at this moment, on all connections; return how many were leased."""

        def work(one: Carrier) -> int:
            return sum(iter(lambda: one.carry(lambda: now), 0))

        with ThreadPoolExecutor(len(self._carriers)) as threads:
            return sum(threads.map(work, self._carriers))

    def close(self) -> None:
        """End the connections to the mail host; the next mail opens another one."""
        for each in self._carriers:
            each.close()


def _live() -> datetime:
    return datetime.now(UTC)
