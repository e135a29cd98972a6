"""One of a sender's connections to the mail host, which leases a few mails and hands them over one after another.

How many it leases depends on how quickly the host accepts them, so it never holds more than about a second's work. No
transaction is open during the conversation with the host.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol
from uuid import uuid4

from sqlmodel import Session

from app.base.process import failures
from app.base.server import Server
from app.base.stored import failing
from app.base.stored.mail_tables import MailState
from app.base.words.refusals import TitleMissing
from app.post.inbound import bounces
from app.post.letters.message import message_bytes
from app.post.letters.writing import QueuedMail, write_mail
from app.post.out import bundles, mail_leases, news_in_digests
from app.post.out.envelope import Envelopes
from app.post.out.verdicts import Holder, Verdicts
from app.post.route import mail_route
from app.post.route.host import Connection, NotTaken
from app.time import pending
from app.time.reminding import quiet

log = logging.getLogger("postroad.mail")

JOB = "mails"
MOST_AT_ONCE = 20
IN_HAND_SECONDS = 1.0
"""Roughly how long a carrier works on the mails that it leases; what is left after it is released for the others."""
RENEW_EVERY_SECONDS = 10.0
NOTE_ANEW_SECONDS = (0.2, 1.0, 5.0)
SAME_MOMENT = timedelta(minutes=1)
"""A mail accepted within this time counts as accepted when it was handed over, the moment for which it was written."""
WHILE_MISSING = timedelta(hours=1)
"""How long a mail whose title is not installed waits, again and again until it is."""
NO_MAILS_THERE = "the address takes no mails: one to it has come back"

Clock = Callable[[], datetime]


class Office(Protocol):
    """What a carrier needs of the sender that runs it."""

    name: str
    server: Server
    our_host: str
    envelopes: Envelopes
    verdicts: Verdicts
    is_stopped: bool

    def ring(self) -> None:
        """Wake another carrier."""

    def in_flight(self) -> None:
        """A mail is about to be handed over, and is looked after meanwhile."""


class Carrier:
    """Hands over one mail at a time. `watch` may be called by any thread, everything else by one at a time."""

    def __init__(self, sender: Office, number: int, connection: Connection | None) -> None:
        self.sender = sender
        self.name = f"{sender.name}:{number}"
        self._verdicts = sender.verdicts
        self._holder = Holder(self.name)
        self.connection = connection
        self._database = sender.server.database
        self._most = 1
        self._alone = 0
        """The number of mails to take one by one, after one of them held up the others."""
        self._lock = threading.Lock()
        self._hand: deque[QueuedMail] = deque()
        self._in_flight: tuple[QueuedMail, float, datetime] | None = None
        """The mail that the host has now, since when (by the monotonic clock), and the corresponding moment."""
        self._renewed = 0.0
        self._accepted: tuple[QueuedMail, datetime, str] | None = None
        """The mail that the host has taken and whose note is not committed yet, and what it answered."""

    def close(self) -> None:
        """End the connection to the mail host; the next mail opens another one."""
        if self.connection is not None:
            self.connection.close()

    # -- taking in hand ---------------------------------------------------------------------------

    def carry(self, clock: Clock, most: int | None = None) -> int:
        """Hand over a few due mails (`most`, or as many as take a second), or probe with one while the route is paused;
        return how many were leased."""
        now = clock()
        with self._database.read() as session:
            route = self._verdicts.read_route(session)
            if not self._verdicts.is_paused and mail_leases.ANY_DUE.first(session, now=now) is None:
                return 0
        if route is not None and self._verdicts.is_paused:
            return self._probe(clock, new_first=route.probes % 2 == 0)
        if self._alone:
            self._alone, most = self._alone - 1, 1
        return self._carry(clock, most or self._most)

    def _probe(self, clock: Clock, *, new_first: bool) -> int:
        """Probe with one mail, or only the route if none is due; return 0 when it is not yet time, or another process
        is probing."""
        with self._database.write() as session:
            if not mail_route.take_probe(session, self._verdicts.route, clock()):
                return 0
        self._holder.is_probing, self._holder.has_told = True, False
        try:
            found = self._carry(clock, 1, new_first=new_first)
        finally:
            self._holder.is_probing = False
        if found:
            if not self._holder.has_told:
                self._verdicts.probe_told_nothing(clock())
            return found
        try:
            if self.connection is not None:
                self.connection.greet()
        except NotTaken as trouble:
            self._verdicts.probe_failed(self._holder, trouble, clock())
        else:
            self._verdicts.resume(self._holder, clock())
        return 0

    def _carry(self, clock: Clock, most: int, *, new_first: bool = False) -> int:
        # One database connection for all of them; each mail has a short transaction of its own on it, so that a kill
        # between two of them repeats at most one mail. (Without waiting for the disk: a power cut at that very moment
        # ends leases, and repeats some mails with the Message-ID they had.)
        began = time.monotonic()
        try:
            with self._database.write_lightly() as marks:
                found = self._work_off(marks, clock, most, new_first=new_first)
        except Exception:
            self._note_anew()  # now that the broken connection is gone, along with its locks
            raise
        finally:
            self.put_rest_back()
        if found:
            self._learn(found, time.monotonic() - began)
        return found

    def _work_off(self, marks: Session, clock: Clock, most: int, *, new_first: bool) -> int:
        """Lease up to `most` mails and hand them over; return how many were leased."""
        now = clock()
        found = mail_leases.take(marks, self.name, now, most, new_first=new_first)
        if not found:
            return 0
        if len(found) == MOST_AT_ONCE:
            self.sender.ring()  # there may be more than one carrier's work
        try:
            made, night, detours, together = self._judged(marks, found, now)
        except Exception as error:
            if failures.is_of_the_database(error):
                raise
            self._set_aside(marks, found, error, now)
            return len(found)
        mail_leases.prepare(marks)
        pending.prepare(marks)
        with self._lock:
            self._hand.extend(mail for mail in found if mail.id in made and mail.id not in night)
            self._hand.extend(together)
        try:
            while (mail := self._next(marks)) is not None:
                if mail.id in made:
                    self._done(marks, mail, "dropped", clock())
                elif mail.id in detours:
                    self._send_elsewhere(marks, mail, detours[mail.id], clock)
                else:
                    self._send(marks, mail, clock)
        finally:
            with suppress(Exception):  # a broken connection is thrown away in any case
                marks.rollback()
        return len(found)

    def _judged(
        self, marks: Session, found: Sequence[QueuedMail], now: datetime
    ) -> tuple[set[int], set[int], Mapping[int, str | None], Sequence[QueuedMail]]:
        """Sort leased mails: those about decisions already made, those that wait for the morning, those that go to
        another address, and what goes out now; waiting ones are released."""
        with self._database.read() as session:
            night = quiet.held(session, found, now)
            made, stand = mail_leases.of_games(session, found)
            detours = bounces.elsewhere(session, found)
        night |= dict.fromkeys(stand, now + WHILE_MISSING)
        # (Those whose decision is made are dropped one by one: there is nothing left to say about them.)
        due, until = news_in_digests.gather(
            marks, self.name, [mail for mail in found if mail.id not in night and mail.id not in made], now
        )
        together, later = bundles.gather(marks, self.name, due, now)
        later |= until | night
        if later:
            mail_leases.put_back(marks, self.name, [mail for mail in found if mail.id in later], later)
            marks.commit()
        return made, {*night}, detours, together

    def _set_aside(self, marks: Session, found: Sequence[QueuedMail], error: Exception, now: datetime) -> None:
        """Take each of these mails alone, since one of them cannot be judged; that one rests."""
        marks.rollback()
        if len(found) > 1:
            self._alone = len(found)
            mail_leases.put_back(marks, self.name, found)
            marks.commit()
            return
        failing.tell(self._database, JOB, f"mail {found[0].id}", error, now)
        self._verdicts.tried_in_vain(self._holder, found[0], now, type(error).__name__)

    def _learn(self, mails: int, seconds: float) -> None:
        """Take as many next time as the host has recently accepted in a second, and no more than four times as many."""
        at_this_speed = int(mails * IN_HAND_SECONDS / max(seconds, 0.001))
        self._most = max(1, min(at_this_speed, self._most * 4, MOST_AT_ONCE))

    def _next(self, marks: Session) -> QueuedMail | None:
        """Return the next leased mail that is still this carrier's; commits the note about the one before."""
        while True:
            goes_on = not self.sender.is_stopped and (self._holder.is_probing or not self._verdicts.is_paused)
            with self._lock:
                mail = self._hand.popleft() if self._hand and goes_on else None
            mine = mail is None or mail_leases.is_mine(marks, self.name, mail)
            marks.commit()
            accepted, self._accepted = self._accepted, None
            if accepted is not None and self._verdicts.is_paused:
                self._verdicts.resume(self._holder, accepted[1])
            if mine:
                return mail

    def _note_anew(self) -> None:
        """Note again that the host has accepted a mail, after the database failed to: without it the mail would be
        resent."""
        accepted, self._accepted = self._accepted, None
        if accepted is None:
            return
        for pause in NOTE_ANEW_SECONDS:
            time.sleep(pause)
            try:
                with self._database.write() as session:
                    self._done(session, accepted[0], "sent", accepted[1], answer=accepted[2])
            except Exception as error:
                failures.report(log, f"mail {accepted[0].id} was sent, and that could not be noted", error)
            else:
                return

    # -- one mail ---------------------------------------------------------------------------------

    def _send_elsewhere(self, marks: Session, mail: QueuedMail, address: str | None, clock: Clock) -> None:
        """Send a mail whose address bounces to the reader's other one, if there is one."""
        if address is None:
            self._verdicts.give_up(self._holder, mail, clock(), NO_MAILS_THERE)
            return
        mail_leases.readdress(marks, self.name, mail, address)
        marks.commit()
        self._send(marks, replace(mail, address=address), clock)

    def _send(self, marks: Session, mail: QueuedMail, clock: Clock) -> None:
        at = clock()
        try:
            message = render(self.sender, mail, at)
        except TitleMissing:
            mail_leases.put_back(marks, self.name, [mail], dict.fromkeys(_numbers(mail), at + WHILE_MISSING))
            return
        except Exception as error:  # one mail that cannot be rendered must not hold up the others
            if failures.is_of_the_database(error):
                raise
            failing.tell(self._database, JOB, f"mail {mail.id}", error, at)
            self._verdicts.tried_in_vain(self._holder, mail, at, type(error).__name__)
            return
        if mail.attempts > 1:
            failing.well(self._database, JOB, f"mail {mail.id}")
        if message is None:
            self._done(marks, mail, "dropped", at)
        elif self.connection is None:
            self._done(marks, mail, "kept", at, message)
        else:
            try:
                answer = self._hand_over(self.connection, mail, message, at)
            except NotTaken as trouble:
                self._verdicts.not_taken(self._holder, mail, trouble, clock())
                return
            except Exception as error:
                failures.report(log, f"mail {mail.id} ({mail.kind}) could not be handed over", error)
                self.connection.close()
                self._verdicts.tried_in_vain(self._holder, mail, clock(), type(error).__name__)
                return
            answered = clock()
            self._accepted = (mail, at if answered - at < SAME_MOMENT else answered, answer)
            self._done(marks, mail, "sent", self._accepted[1], answer=answer)

    def _hand_over(self, connection: Connection, mail: QueuedMail, message: bytes, at: datetime) -> str:
        with self._lock:
            self._in_flight = (mail, time.monotonic(), at)
        self._renewed = time.monotonic()
        self.sender.in_flight()
        try:
            return self.sender.envelopes.hand_over(connection, mail, message)
        finally:
            with self._lock:
                self._in_flight = None

    def _done(
        self,
        marks: Session,
        mail: QueuedMail,
        state: str,
        at: datetime,
        kept: bytes | None = None,
        answer: str | None = None,
    ) -> None:
        mail_leases.done(marks, self.name, mail, state, at, kept, answer)
        if mail.kind == "turn" and mail.game_id is not None and mail.number is not None:
            # It can be answered from now on. (A mail dropped because its reader wants none starts the clock too; one
            # dropped because its turn is over does not.)
            pending.start_clock(marks, mail.game_id, mail.number, at)
        if state == MailState.SENT:
            self._verdicts.taken(marks, at)

    # -- while a mail is in flight ----------------------------------------------------------------

    def watch(self) -> bool:
        """Look after the leased mails, from another thread: release what will not be handed over soon, and renew the
        lease of the mail in flight. Return whether one is in flight."""
        with self._lock:
            flight = self._in_flight
        if flight is None:
            return False
        mail, since, moment = flight
        passed = time.monotonic() - since
        if passed > IN_HAND_SECONDS:
            self.put_rest_back()
        if time.monotonic() - self._renewed > RENEW_EVERY_SECONDS:
            self._renewed = time.monotonic()
            with self._database.write() as session:
                mail_leases.renew(session, self.name, mail, moment + timedelta(seconds=passed))
        return True

    def put_rest_back(self) -> None:
        """Release leased mails that have not been started."""
        with self._lock:
            rest = list(self._hand)
            self._hand.clear()
        if rest:
            with self._database.write() as session:
                mail_leases.put_back(session, self.name, rest)
            self.sender.ring()


def _numbers(mail: QueuedMail) -> list[int]:
    return [one.id for one in (mail, *mail.more)]


def render(sender: Office, mail: QueuedMail, now: datetime) -> bytes | None:
    """The mail for the wire; None when it is no longer true. Its Message-ID is that of the first rendering, in
    whichever process; its Date is now. It is rendered at each try and not kept: with its pictures it is a hundred
    times as large as all else that a turn writes."""
    server, reply_to = sender.server, sender.envelopes.reply_to(mail)
    mail = replace(mail, takes_answers=reply_to is not None)
    with server.database.read() as session:
        written = write_mail(session, server.links, mail, now)
    if written is None:
        return None
    mail_id = mail.message_id
    if mail_id is None:
        with server.database.write() as session:
            mail_id = mail_leases.keep_id(session, mail, f"{mail.id}.{uuid4().hex[:16]}")
    if mail_id is None:
        return None
    if written.reply_to is None:
        written = replace(written, reply_to=reply_to)
    if mail.more:
        with server.database.write() as session:
            mail_leases.share_id(session, mail, mail_id)
    return message_bytes(written, sender=server.config.mail_from, host=sender.our_host, mail_id=mail_id, at=now)
