"""Takes mails out of the outbox and hands them over on several connections, each mail once.

Any number of senders in any number of processes work side by side (`app.post.mail_leases`). Whose fault it is that a
mail
was not taken (`app.post.faults`) decides what follows. The address's is final. A mail with a trouble of its own is
tried again after a pause of its own, behind the others. When it is ours, no mails are sent but one now and then, until
one is taken.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import uuid4

from app.base import failures, outbox
from app.base.jobs import worker
from app.base.leases import AFTER_A_FAILURE_SECONDS, keep_looking
from app.post import carrier, mail_leases, mail_route
from app.post.carrier import Carrier
from app.post.envelope import Envelopes
from app.post.faults import BEFORE_A_RECIPIENT, Fault, Streak, least_in_a_row, whose
from app.post.host import Connection, NotTaken, TimeLimits
from app.time import outages, pending

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.mail_tables import MailRoute
    from app.base.server import Server
    from app.post.writing import QueuedMail

log = logging.getLogger("postroad.mail")

LOOK_EVERY_SECONDS = 0.4
"""How long a mail that another process wrote waits for this sender's next look."""
KEEP_OPEN_SECONDS = 5.0
"""How long a connection to the mail host stays open after its last mail: the answer to a turn often follows soon."""
WATCH_EVERY_SECONDS = 0.5
STOPS_WITHIN_SECONDS = 8.0
"""A mail that the host still thinks about then is left in flight, and comes up again."""
NOTE_TAKEN_EVERY = timedelta(seconds=1)
LAST_DOUBT = 12
"""At this try, more than an hour after the first, an address that the host will not have is held to be at fault, even
where no other mail was taken meanwhile."""
JUST_PAUSED = timedelta(hours=1)
"""So long after a pause a refusal that can be ours is not held to be the address's."""


@worker("mail")
class Sender:
    """Hands mails over for one process."""

    def __init__(self, server: Server, limits: TimeLimits | None = None) -> None:
        self.server = server
        self.name = uuid4().hex[:12]
        self.our_host = urlsplit(server.config.base_url).hostname or "localhost"
        self.is_paused = False
        self.is_stopped = False
        host, sender = server.config.mail_host, server.config.mail_from
        self.route = host.route if host else ""
        self.envelopes = Envelopes(server.config)
        self._carriers = [
            Carrier(self, number, Connection(host, sender, self.our_host, limits) if host else None)
            for number in range(server.config.mail_connections if host else 1)
        ]
        self._streak = Streak()
        self._bell = threading.Semaphore(0)
        self._watching: threading.Thread | None = None
        self._watch_lock = threading.Lock()
        self._knows_route = False
        self._noted_taken: datetime | None = None
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
        """Wake a carrier when something is to be done."""
        with self.server.database.read() as session:
            route = mail_route.read(session, self.route)
            self.is_paused = route is not None and route.paused_at is not None
            due = mail_leases.ANY_DUE.first(session, now=now) is not None
        if route is not None and self.is_paused:
            if route.probe_at is not None and route.probe_at <= now:
                self.ring()
        elif due:
            self.ring()
        else:
            self._beat(now)

    def _carry_on(self, each: Carrier, stop: threading.Event) -> None:
        used_at = float("-inf")
        while not stop.is_set():
            if self._bell.acquire(timeout=KEEP_OPEN_SECONDS):
                try:
                    while not stop.is_set() and each.carry(_live):
                        used_at = time.monotonic()
                        if not self.is_paused:
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
        """Wake a carrier that waits, if one does and none is about to wake already."""
        self._bell.acquire(blocking=False)
        self._bell.release()

    def in_flight(self) -> None:
        """A mail is about to be handed over: somebody has to look after it meanwhile."""
        self._know_route()
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
        """Hand over a handful of the mails that are due at this moment, on one connection; how many were taken."""
        return self._carriers[0].carry(lambda: now, carrier.MOST_AT_ONCE)

    def send_all(self, now: datetime) -> int:
        """Hand over all mails that are due at this moment, on all connections; how many were taken in hand."""
        counts = [0] * len(self._carriers)

        def work(number: int) -> None:
            while found := self._carriers[number].carry(lambda: now):
                counts[number] += found

        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, len(counts))]
        for thread in threads:
            thread.start()
        work(0)
        for thread in threads:
            thread.join()
        return sum(counts)

    def close(self) -> None:
        """End the connections to the mail host; the next mail opens another one."""
        for each in self._carriers:
            each.close()

    def render(self, mail: QueuedMail, now: datetime) -> bytes | None:
        """The mail for the wire as it is true now; None when it is not true any more."""
        return carrier.render(self, mail, now)

    # -- what became of a mail --------------------------------------------------------------------

    def taken(self, marks: Session, now: datetime) -> None:
        """The host has taken a mail."""
        self._streak.clear()
        if self.is_paused or self._noted_taken is None or now - self._noted_taken > NOTE_TAKEN_EVERY:
            self._noted_taken = now
            # False: another process has found meanwhile that no mails are taken. This one was.
            self.is_paused = not mail_route.taken(marks, self.route, now)

    def resume(self, by: Carrier, now: datetime) -> None:
        """Mails go out again."""
        by.has_told = True
        self._streak.clear()
        mail_route.resume(self.server.database, self.route, now)
        self.is_paused = False
        self._bell.release(len(self._carriers))

    def not_taken(self, by: Carrier, mail: QueuedMail, trouble: NotTaken, now: datetime) -> None:
        """The host has not taken a mail: see whose fault it is, and do what follows."""
        fault = whose(trouble)
        with self.server.database.read() as session:
            route = mail_route.read(session, self.route)
        self.is_paused = route is not None and route.paused_at is not None
        if route is not None and self.is_paused and route.stage in BEFORE_A_RECIPIENT and fault is not Fault.OURS:
            self.resume(by, now)  # it talks to us again
        if self.is_paused and fault not in (Fault.ADDRESS, Fault.MAIL):
            self._not_counted(by, mail, trouble, now)
        elif fault is Fault.OURS:
            self._pause(trouble, now, now)
            self._not_counted(by, mail, trouble, now)
        elif fault is Fault.ADDRESS:
            self.give_up(by, mail, now, str(trouble))
        elif fault is Fault.MAIL:
            self.tried_in_vain(by, mail, now, str(trouble))
        else:
            self._doubtful(by, mail, trouble, fault, route, now)

    def _doubtful(
        self, by: Carrier, mail: QueuedMail, trouble: NotTaken, fault: Fault, route: MailRoute | None, now: datetime
    ) -> None:
        """It can be ours. One alone is that mail's fate; several in a row are not."""
        if mail.attempts == 1:
            self._streak.add(mail.id, mail.address, fault, now)
        resumed_at, taken_at, times = (
            (None, None, 0) if route is None else (route.resumed_at, route.taken_at, route.times)
        )
        lately = resumed_at is not None and now - resumed_at < JUST_PAUSED
        since = self._streak.since(least_in_a_row(times if lately else 0))
        if since is not None and (taken_at is None or taken_at <= since):
            self._pause(trouble, since, now)
        elif fault is Fault.ADDRESS_OR_OURS and not lately and self._is_sure(mail, taken_at):
            self.give_up(by, mail, now, str(trouble))
            return
        self.tried_in_vain(by, mail, now, str(trouble))

    @staticmethod
    def _is_sure(mail: QueuedMail, taken_at: datetime | None) -> bool:
        """Whether a recipient that is refused again is meant, and not we: another mail was taken meanwhile."""
        if mail.tried_at is None:
            return False
        return mail.attempts >= LAST_DOUBT or (taken_at is not None and taken_at >= mail.tried_at)

    def _pause(self, trouble: NotTaken, since: datetime, now: datetime) -> None:
        self._streak.clear()
        mail_route.pause(self.server.database, self.route, trouble.stage, str(trouble), since, now)
        self.is_paused = True

    def _not_counted(self, by: Carrier, mail: QueuedMail, trouble: NotTaken, now: datetime) -> None:
        by.has_told = True
        with self.server.database.write() as session:
            mail_leases.step_aside(session, by.name, mail, now, str(trouble))
            if by.is_probing:
                mail_route.probe_failed(session, self.route, trouble.stage, str(trouble), now)
            session.commit()

    def probe_failed(self, by: Carrier, trouble: NotTaken, now: datetime) -> None:
        """The way was tried without a mail, in vain."""
        by.has_told = True
        with self.server.database.write() as session:
            mail_route.probe_failed(session, self.route, trouble.stage, str(trouble), now)
            session.commit()

    def probe_told_nothing(self, now: datetime) -> None:
        """A mail was tried, and what became of it does not say whether others would be taken."""
        with self.server.database.write() as session:
            mail_route.probe_told_nothing(session, self.route, now)
            session.commit()

    def tried_in_vain(self, by: Carrier, mail: QueuedMail, now: datetime, error: str) -> None:
        """A try that counts: the mail steps behind the others, and is given up after too many."""
        pause = mail_leases.PAUSES.after(mail.attempts)
        if pause is None:
            self.give_up(by, mail, now, error)
            return
        with self.server.database.write() as session:
            mail_leases.step_behind(session, by.name, mail, now, pause, error)
            session.commit()

    def give_up(self, by: Carrier, mail: QueuedMail, now: datetime, error: str) -> None:
        """A mail will never arrive; the clock of its decision stays where it is, and the sweep of cases looks at it."""
        log.warning("mail %s (%s) is given up: %s", mail.id, mail.kind, error)
        with self.server.database.write() as session:
            is_mine = mail_leases.give_up(session, by.name, mail, now, error)
            if is_mine and mail.kind == "turn" and mail.game_id is not None and mail.number is not None:
                pending.mail_failed(session, mail.game_id, mail.number, now)
            session.commit()

    def _know_route(self) -> None:
        if not self._knows_route:
            mail_route.know(self.server.database, self.route)
            self._knows_route = True


def _live() -> datetime:
    return datetime.now(UTC)
