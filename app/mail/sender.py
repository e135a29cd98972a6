"""Takes mails out of the outbox: claims them, renders them, hands each over once.

Any number of senders in any number of processes work side by side: a claim is a guarded update, and a claimed mail
comes up again by itself when its sender is killed. No transaction is open while a mail host is spoken to.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import uuid4

import sqlalchemy as sa

from app import failures
from app.mail import outbox
from app.mail.host import Connection, HostDown, Refused
from app.mail.letters import Waiting, write_letter
from app.mail.message import message_bytes
from app.models import Game, OutboxMail
from app.prepared import Prepared
from app.services import clocks, outages, quiet

if TYPE_CHECKING:
    from app.house import House

log = logging.getLogger("postroad.mail")

AT_ONCE = 50
LOOK_EVERY_SECONDS = 0.4
"""How long a mail that another process wrote waits for this sender's next look."""
KEEP_OPEN_SECONDS = 5.0
"""How long the connection to the mail host stays open after the last mail: the answer to a turn often follows soon."""
CLAIM = timedelta(seconds=120)
"""A claimed mail comes up again after this; longer than handing over a whole batch to a slow host."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(hours=4)
LOOK_AGAIN_SECONDS = 1.0
"""While a batch is handed over, this often it is looked which of its mails are no longer true."""
GIVE_UP_AFTER = timedelta(days=5)
LONGEST_HOST_PAUSE_SECONDS = 60.0

_MAIL, _GAME = OutboxMail.__table__, Game.__table__  # type: ignore[attr-defined]
# Written out, not a parameter: only so SQLite sees that the partial index fits.
_IS_WAITING = _MAIL.c.state == sa.literal_column("'waiting'")
_IS_DUE = sa.and_(_IS_WAITING, _MAIL.c.due_at <= sa.bindparam("now"))
_ANY_DUE = sa.select(_MAIL.c.id).where(_IS_DUE).limit(1)
_CLAIM = (
    sa.update(_MAIL)
    .where(
        _MAIL.c.id.in_(
            sa.select(_MAIL.c.id)
            .where(_IS_DUE)
            .order_by(_MAIL.c.due_at)
            .limit(AT_ONCE)
            .with_for_update(skip_locked=True)
            .scalar_subquery()
        )
    )
    .values(claimed_by=sa.bindparam("me"), due_at=sa.bindparam("until"), attempts=_MAIL.c.attempts + 1)
    .returning(
        _MAIL.c.id, _MAIL.c.kind, _MAIL.c.address, _MAIL.c.player_id, _MAIL.c.game_id, _MAIL.c.seat, _MAIL.c.number,
        _MAIL.c.details, _MAIL.c.made_at, _MAIL.c.attempts, _MAIL.c.message,
    )
)  # fmt: skip
_STILL_MINE = sa.and_(_MAIL.c.id == sa.bindparam("mail_id"), _MAIL.c.claimed_by == sa.bindparam("me"))
_KEEP = Prepared(
    sa.update(_MAIL)
    .where(_MAIL.c.id == sa.bindparam("mail_id"), _MAIL.c.message.is_(None))
    .values(message=sa.bindparam("written"))
)
_DONE = Prepared(
    sa.update(_MAIL)
    .where(_STILL_MINE)
    .values(
        state=sa.bindparam("to"),
        sent_at=sa.bindparam("now"),
        message=sa.bindparam("kept"),
        details={},
        last_error=sa.bindparam("error"),
    )
)


class Sender:
    """Hands mails over for one process."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.name = uuid4().hex[:12]
        self._our_host = urlsplit(house.config.base_url).hostname or "localhost"
        host = house.config.mail_host
        self._connection = Connection(host, house.config.mail_from, self._our_host) if host else None
        self._host_pause = 0.0
        self._beaten = float("-inf")

    # -- the loop ---------------------------------------------------------------------------------

    def run(self, stop: threading.Event) -> None:
        """Send until `stop` is set."""
        sent_at = float("-inf")
        while not stop.is_set():
            outbox.waiting.clear()
            pause = LOOK_EVERY_SECONDS
            try:
                while self.send_due(datetime.now(UTC)) and not stop.is_set():
                    sent_at = time.monotonic()
                    self._beat()
                self._beat()
            except HostDown as down:
                self._host_pause = min(max(1.0, self._host_pause * 2), LONGEST_HOST_PAUSE_SECONDS)
                log.warning("the mail host does not answer, next try in %.0f s: %s", self._host_pause, down)
                stop.wait(self._host_pause)
                continue
            except Exception as error:
                failures.report(log, "sending mails failed", error)
                pause = 5.0
            if not outbox.waiting.wait(pause) and time.monotonic() - sent_at > KEEP_OPEN_SECONDS:
                self.close()
        self.close()

    def _beat(self) -> None:
        """Note that mails can go out: the host has answered, or there is nothing to send."""
        if time.monotonic() - self._beaten > outages.BEAT_EVERY_SECONDS:
            self._beaten = time.monotonic()
            outages.beat(self.house.database, "mail", self.name, datetime.now(UTC))

    def close(self) -> None:
        """End the connection to the mail host; the next mail opens another one."""
        if self._connection:
            self._connection.close()

    # -- one batch --------------------------------------------------------------------------------

    def send_due(self, now: datetime) -> int:
        """Hand over the mails that are due, at most 50; how many were taken in hand.

        HostDown when the host cannot be reached: then all are as before.
        """
        with self.house.database.read() as connection:
            if connection.execute(_ANY_DUE, {"now": now}).first() is None:
                return 0
        # One connection to the database for the batch; each mail has a short transaction of its own on it, so that
        # a kill between two of them repeats at most one mail. (Without waiting for the disk: a power cut in that
        # very moment takes claims back, and repeats some mails with the Message-ID they had.)
        with self.house.database.write_lightly() as marks:
            mails = taken = self._claim(marks, now)
            with self.house.database.read() as connection:
                night = quiet.held(connection, taken, now)
            if night:
                self._hold(marks, night)
                mails = [mail for mail in taken if mail.id not in night]
            # Ahead of the first mail: between the host's yes and the note of it nothing else should take time.
            _DONE.prepare(marks)
            clocks.prepare(marks)
            looked = float("-inf")
            for at, mail in enumerate(mails):
                if time.monotonic() - looked > LOOK_AGAIN_SECONDS:
                    looked, made = time.monotonic(), self._decisions_made(mails[at:])
                try:
                    if mail.id in made:
                        self._done(marks, mail, "dropped", now)
                        continue
                    self._send(mail, now, marks)
                except HostDown:
                    self._give_back(mails[at:], now)
                    raise
        self._host_pause = 0.0
        return len(taken)

    def _claim(self, marks: sa.Connection, now: datetime) -> list[Waiting]:
        rows = marks.execute(_CLAIM, {"now": now, "me": self.name, "until": now + CLAIM}).all()
        marks.commit()
        return sorted((Waiting(*row) for row in rows), key=lambda mail: mail.id)

    def _hold(self, marks: sa.Connection, night: Mapping[int, datetime]) -> None:
        """Let mails wait until their readers' night is over."""
        for mail_id, morning in night.items():
            mine = sa.and_(_MAIL.c.id == mail_id, _MAIL.c.claimed_by == self.name)
            later = {"due_at": morning, "claimed_by": None, "attempts": _MAIL.c.attempts - 1}
            marks.execute(sa.update(_MAIL).where(mine).values(**later))
        marks.commit()

    def _give_back(self, mails: Sequence[Waiting], now: datetime) -> None:
        with self.house.database.write() as connection:
            ids = [mail.id for mail in mails]
            mine = sa.and_(_MAIL.c.id.in_(ids), _MAIL.c.claimed_by == self.name)
            connection.execute(
                sa.update(_MAIL).where(mine).values(due_at=now, claimed_by=None, attempts=_MAIL.c.attempts - 1)
            )
            connection.commit()

    def _send(self, mail: Waiting, now: datetime, marks: sa.Connection) -> None:
        message = mail.message
        if message is None:
            try:
                message = self.render(mail, now)
            except Exception as error:  # one mail that cannot be written must not hold up the others
                log.exception("mail %s (%s) could not be written", mail.id, mail.kind)
                self._retry_later(mail, now, type(error).__name__)
                return
        if message is None:
            self._done(marks, mail, "dropped", now)
        elif self._connection is None:
            self._done(marks, mail, "kept", now, kept=message)
        else:
            try:
                self._connection.hand_over(mail.address, message)
            except Refused as refused:
                if refused.for_good or now - mail.made_at > GIVE_UP_AFTER:
                    log.warning("mail %s (%s) was refused for good: %s", mail.id, mail.kind, refused)
                    self._done(marks, mail, "failed", now, error=str(refused))
                else:
                    self._retry_later(mail, now, str(refused))
                return
            self._done(marks, mail, "sent", now)

    def render(self, mail: Waiting, now: datetime) -> bytes | None:
        """The mail for the wire, kept in its row: a second try sends the very same. None when it is no longer true."""
        with self.house.database.read() as connection:
            letter = write_letter(connection, self.house.links, mail, now)
        if letter is None:
            return None
        sender, mail_id = self.house.config.mail_from, f"{mail.id}.{uuid4().hex[:16]}"
        message = message_bytes(letter, sender=sender, host=self._our_host, mail_id=mail_id, at=now)
        with self.house.database.write() as connection:
            _KEEP.run(connection, mail_id=mail.id, written=message)
            connection.commit()
        return message

    def _decisions_made(self, mails: Sequence[Waiting]) -> set[int]:
        """Those of the mails whose decision is no longer owed."""
        about = {mail.id: (mail.game_id, mail.number, mail.seat) for mail in mails if mail.number is not None}
        if not about:
            return set()
        games = {game_id for game_id, _, _ in about.values()}
        with self.house.database.read() as connection:
            asked = sa.select(_GAME.c.id, _GAME.c.number, _GAME.c.decides).where(_GAME.c.id.in_(games))
            owed = {tuple(row) for row in connection.execute(asked)}
        return {mail_id for mail_id, decision in about.items() if decision not in owed}

    def _done(
        self, marks: sa.Connection, mail: Waiting, state: str, now: datetime, *,
        kept: bytes | None = None, error: str | None = None,
    ) -> None:  # fmt: skip
        values = {"mail_id": mail.id, "me": self.name, "to": state, "now": now, "kept": kept, "error": error}
        _DONE.run(marks, **values)
        if mail.kind == "turn":
            self._tell_clock(marks, mail, state, now)
        marks.commit()

    @staticmethod
    def _tell_clock(marks: sa.Connection, mail: Waiting, state: str, now: datetime) -> None:
        """The mail's decision can be answered from now on, or its mail will never arrive. (A mail dropped because its
        reader wants none starts the clock too; one dropped because its turn is over finds none.)"""
        if mail.game_id is None or mail.number is None:
            return
        act = clocks.mail_failed if state == "failed" else clocks.start_clock
        act(marks, mail.game_id, mail.number, now)

    def _retry_later(self, mail: Waiting, now: datetime, error: str) -> None:
        pause = min(FIRST_PAUSE * 2 ** min(mail.attempts - 1, 12), LONGEST_PAUSE)
        with self.house.database.write() as connection:
            later = sa.update(_MAIL).where(_MAIL.c.id == mail.id, _MAIL.c.claimed_by == self.name)
            connection.execute(later.values(due_at=now + pause, claimed_by=None, last_error=error))
            connection.commit()
