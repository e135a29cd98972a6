"""What follows when the mail host has taken a mail, or has not.

Whose fault it is that a mail was not taken (`app.post.route.faults`) decides. The address's is final. A mail with a
trouble of its own is tried again after a pause of its own, behind the others. When it is ours, no mails are sent but
one now and then, until one is taken.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from app.base.stored.database import Database
from app.base.stored.mail_tables import MailRoute
from app.people import unasked
from app.post.letters.writing import QueuedMail
from app.post.out import mail_leases
from app.post.route import mail_route
from app.post.route.faults import BEFORE_A_RECIPIENT, Fault, Streak, least_in_a_row, whose
from app.post.route.host import NotTaken
from app.time import pending

log = logging.getLogger("postroad.mail")

NOTE_TAKEN_EVERY = timedelta(seconds=1)
LAST_DOUBT = 12
"""At this try, more than an hour after the first, an address that the host will not have counts as at fault, even
where no other mail was taken meanwhile."""
JUST_PAUSED = timedelta(hours=1)
"""So long after a pause a refusal that can be ours does not count as the address's."""


@dataclass(slots=True)
class Holder:
    """One of a sender's connections: the name under which it leases mails, and whether it tries a paused route."""

    name: str
    is_probing: bool = False
    has_told: bool = False
    """What became of the mail that was tried says whether the pause goes on."""


class Verdicts:
    """Judges, for one process, what becomes of its mails and of the route they go."""

    def __init__(self, database: Database, route: str, wake_all: Callable[[], None]) -> None:
        self.database = database
        self.route = route
        self.is_paused = False
        self._wake_all = wake_all
        self._streak = Streak()
        self._knows_route = False
        self._noted_taken: datetime | None = None

    def read_route(self, session: Session) -> MailRoute | None:
        """The route as all processes know it, and with it whether it is paused."""
        route = mail_route.read(session, self.route)
        self.is_paused = route is not None and route.paused_at is not None
        return route

    def know_route(self) -> None:
        """Have a row for the route before its first mail."""
        if not self._knows_route:
            mail_route.know(self.database, self.route)
            self._knows_route = True

    def taken(self, marks: Session, now: datetime) -> None:
        """The host has taken a mail."""
        self._streak.clear()
        if self.is_paused or self._noted_taken is None or now - self._noted_taken > NOTE_TAKEN_EVERY:
            self._noted_taken = now
            # False: another process has found meanwhile that no mails are taken. This one was.
            self.is_paused = not mail_route.taken(marks, self.route, now)

    def resume(self, by: Holder, now: datetime) -> None:
        """Mails go out again."""
        by.has_told = True
        self._streak.clear()
        mail_route.resume(self.database, self.route, now)
        self.is_paused = False
        self._wake_all()

    def not_taken(self, by: Holder, mail: QueuedMail, trouble: NotTaken, now: datetime) -> None:
        """The host has not taken a mail: see whose fault it is, and do what follows."""
        fault = whose(trouble)
        with self.database.read() as session:
            route = self.read_route(session)
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
        self, by: Holder, mail: QueuedMail, trouble: NotTaken, fault: Fault, route: MailRoute | None, now: datetime
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
        mail_route.pause(self.database, self.route, trouble.stage, str(trouble), since, now)
        self.is_paused = True

    def _not_counted(self, by: Holder, mail: QueuedMail, trouble: NotTaken, now: datetime) -> None:
        by.has_told = True
        with self.database.write() as session:
            mail_leases.step_behind(session, by.name, mail, now, str(trouble))
            if by.is_probing:
                mail_route.probe_failed(session, self.route, trouble.stage, str(trouble), now)

    def probe_failed(self, by: Holder, trouble: NotTaken, now: datetime) -> None:
        """The way was tried without a mail, in vain."""
        by.has_told = True
        with self.database.write() as session:
            mail_route.probe_failed(session, self.route, trouble.stage, str(trouble), now)

    def probe_told_nothing(self, now: datetime) -> None:
        """A mail was tried, and what became of it does not say whether others would be taken."""
        with self.database.write() as session:
            mail_route.probe_told_nothing(session, self.route, now)

    def tried_in_vain(self, by: Holder, mail: QueuedMail, now: datetime, error: str) -> None:
        """A try that counts: the mail steps behind the others, and is given up after too many."""
        pause = mail_leases.PAUSES.after(mail.attempts)
        if pause is None:
            self.give_up(by, mail, now, error)
            return
        with self.database.write() as session:
            mail_leases.step_behind(session, by.name, mail, now, error, pause)

    def give_up(self, by: Holder, mail: QueuedMail, now: datetime, error: str) -> None:
        """A mail will never arrive; the clock of its decision stays where it is, and the sweep of cases looks at it."""
        log.warning("mail %s (%s) is given up: %s", mail.id, mail.kind, error)
        with self.database.write() as session:
            is_mine = mail_leases.give_up(session, by.name, mail, now, error)
            if is_mine:
                unasked.failed(session, mail.id, now)
            if is_mine and mail.kind == "turn" and mail.game_id is not None and mail.number is not None:
                pending.mail_failed(session, mail.game_id, mail.number, now)
