"""Handing due notifications to push services: one that does not answer rests for longer and longer. Nothing here
touches a mail or a clock."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.jobs import job, tidies, worker
from app.base.stored import failing
from app.base.stored.database import Database, insert_into
from app.base.stored.leases import Leases, Pauses
from app.base.stored.upkeep_tables import FailingRow
from app.games.tables import Game
from app.people.push_tables import Push, PushDevice
from app.people.tables import DeliveryState
from app.post.lanes import Lanes
from app.post.push import devices, telling
from app.post.push.telling import DuePush, Told
from app.post.webhooks.wire import BadUrl, CallFailed, call, patience, read_url
from app.time.reminding import quiet

AT_ONCE = 40
MOST_LANES = 6
SIDE_BY_SIDE = 6
"""Notifications handed to one service at a time."""
SECONDS = 10.0
LEASE = timedelta(seconds=90)
"""Longer than a lane whose calls all take their time."""
ENOUGH = timedelta(seconds=SECONDS + 5)
"""What a call takes at most: with less of its lease left a row is not handed over, for another may have it then."""
PAUSES = Pauses([timedelta(seconds=seconds) for seconds in (30, 120, 600, 3600)])
FIRST_REST, LONGEST_REST = timedelta(seconds=30), timedelta(minutes=15)
"""How long a service rests that did not answer, doubled with each time in a row."""
TRIED_FOR = timedelta(days=2)
"""After that a notification is given up, even if its service never answered: the mail has told it."""
REFUSED_FOR = timedelta(days=1)
"""A device for which nothing has been taken for longer, and more than one notification was given up, is no more."""
KEPT = timedelta(days=30)
NO_ANSWER = ("host", "connect", "tls", "timeout", "answer")
"""What says something about a service, and nothing about the device."""
WITHOUT_SILENCE = ".push.apple.com"
"""Takes a subscription away whose pushes show nothing, so that nothing is taken back there: the pages do it when they
are opened."""

_LEASES = Leases(Push, col(Push.state) == sa.literal_column("'waiting'"), LEASE)
_IS_SERVICE = col(FailingRow.job) == sa.literal(failing.PUSHES)
_RESTING = sa.select(col(FailingRow.row)).where(_IS_SERVICE, col(FailingRow.again_at) > sa.bindparam("now"))
_REFUSED_SINCE: sa.Select[*tuple[Any, ...]] = (
    sa.select(sa.func.min(col(Push.made_at)))
    .join(PushDevice, col(PushDevice.id) == col(Push.device_id))
    .where(
        col(Push.device_id) == sa.bindparam("device"),
        col(Push.state) == DeliveryState.FAILED,
        col(Push.made_at) > sa.func.coalesce(col(PushDevice.used_at), col(PushDevice.made_at)),
    )
)
_MADE_ELSEWHERE = (
    sa.select(col(Push.id))
    .join(Game, col(Game.id) == col(Push.game_id))
    .where(
        # Written out as the partial index has it, so that SQLite sees that it fits.
        sa.text("push.state = 'sent' AND push.number IS NOT NULL AND NOT push.closes"),
        sa.or_(col(Game.number) != col(Push.number), col(Game.decides).is_(None)),
    )
    .limit(1000)
)


@job("pushes taken back", every=3)
def take_back(database: Database, now: datetime) -> int:
    """Have the notifications closed whose decision has been made, wherever that was."""
    with database.read() as session:
        ids = list(session.scalars(_MADE_ELSEWHERE))
    if not ids:
        return 0
    with database.write() as session:
        again = {"closes": True, "state": DeliveryState.WAITING, "due_at": now, "attempts": 0, "claimed_by": None}
        mine = sa.update(Push).where(col(Push.id).in_(ids), col(Push.state) == DeliveryState.SENT, ~col(Push.closes))
        count = session.exec(mine.values(**again)).rowcount
    return count


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete notifications of which nothing is to be seen any more."""
    return session.exec(sa.delete(Push).where(col(Push.made_at) < now - KEPT)).rowcount


@worker("pushes")
class Pusher(Lanes):
    """Hands notifications over for one process. After no answer the rest of a lane is put back untried."""

    leases, lane, rests = _LEASES, "host", (col(Push.host).not_in(_RESTING),)
    model, receiver, content = PushDevice, "device_id", "details"
    job, noun = "pushes", "push"
    pauses, tried_for = PAUSES, TRIED_FOR
    most_lanes, side_by_side, at_once = MOST_LANES, SIDE_BY_SIDE, AT_ONCE

    def _hand_over(self, number: int, now: datetime, down: threading.Event) -> int:
        """Tell a device of one mail, unless that is no longer true or wanted, or its reader's night is not over."""
        with self._database.read() as session:
            owed = telling.read(session, number, (self.name, now + ENOUGH))
            if owed is None:
                return 0
            night = None if owed.push.closes else quiet.held(session, [owed.mail], now).get(owed.mail.id)
            told = None if night else telling.told(session, self.server.links, owed, now)
        if night is not None:
            self._put_back(number, night)
        elif told is None and owed.was_tried and owed.mail.number is not None and not owed.push.closes:
            self._take_back(owed, now)
        elif told is None or (owed.push.closes and owed.device.host.endswith(WITHOUT_SILENCE)):
            self._done(number, DeliveryState.SENT if owed.push.closes else DeliveryState.DROPPED, now)
        else:
            self._tell(owed, told, now, down)
        return owed.push.attempts

    def _tell(self, owed: DuePush, told: Told, now: datetime, down: threading.Event) -> None:
        from app.post.push import sealing  # noqa: PLC0415  most servers have no device, and save its 5 MB

        try:
            target = read_url(owed.device.endpoint, private=self._private)
            keys = sealing.device_keys(owed.device.public_key, owed.device.auth)
        except (BadUrl, sealing.BadKey):
            return self._remove(owed, now)
        origin = f"{'https' if target.tls else 'http'}://{target.authority}"
        config = self.server.config
        contact = config.base_url if config.is_https else f"mailto:postroad@{config.host}"
        proof = sealing.ServerKeys(config.secret_keys).proof(owed.device.server_key, origin, contact, now)
        if proof is None:  # its key has been taken out of the settings
            return self._remove(owed, now)
        headers = {
            "Authorization": proof,
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(int(told.lasts.total_seconds())),
            "Topic": owed.topic,
            "Urgency": "high" if told.is_urgent else "normal",
        }
        try:
            call(owed.device.endpoint, sealing.seal(told.text, keys), headers, private=self._private, seconds=SECONDS)
        except CallFailed as failed:
            self._judge(owed, failed, now, down)
        else:
            self._taken(owed, now)

    def _judge(self, owed: DuePush, failed: CallFailed, now: datetime, down: threading.Event) -> None:
        """Judge what a push service answered (RFC 8030, 5.2 and 7.3; RFC 9110, 10.2.3)."""
        if failed.code in ("status 404", "status 410"):
            self._remove(owed, now)
        elif failed.code in NO_ANSWER or failed.code == "status 503":
            down.set()
            self._rest(owed, failed, now)
        else:
            self._not_taken(owed.push.id, failed, now)
        with self._database.read() as session:
            refused = session.execute(_REFUSED_SINCE, {"device": owed.device.id}).scalar()
        if refused is not None and refused <= now - REFUSED_FOR:
            self._remove(owed, now)

    def _taken(self, owed: DuePush, now: datetime) -> None:
        with self._database.write() as session:
            failing.clear(session, failing.PUSHES, owed.device.host)
            session.execute(sa.update(PushDevice).where(col(PushDevice.id) == owed.device.id).values(used_at=now))
            self._done(owed.push.id, DeliveryState.SENT, now, session)

    def _take_back(self, owed: DuePush, now: datetime) -> None:
        """Close what is no longer true, and may have come."""
        with self._database.write() as session:
            again = {"closes": True, "due_at": now, "attempts": 0, "claimed_by": None, "last_error": None}
            session.execute(self._mine(owed.push.id).values(**again))

    def _remove(self, owed: DuePush, now: datetime) -> None:
        """Remove a device that is no more; what it is owed goes with it."""
        devices.remove(self._database, owed.mail.player_id or 0, owed.device.id, now, told=False)

    def _rest(self, owed: DuePush, failed: CallFailed, now: datetime) -> None:
        """Let a service rest. Calls that failed side by side count once."""
        with self._database.write() as session:
            new = {"times": 0, "first_at": now, "last_at": now, "again_at": now, "error": ""}
            insert = insert_into(session, FailingRow).values(job=failing.PUSHES, row=owed.device.host[:80], **new)
            locked = insert.on_conflict_do_update(index_elements=["job", "row"], set_={"job": failing.PUSHES})
            times, until = session.execute(locked.returning(col(FailingRow.times), col(FailingRow.again_at))).one()
            if until <= now:
                until = now + min(FIRST_REST * 2 ** min(times, 10), LONGEST_REST)
                if failed.retry_after is not None:
                    until = now + patience(failed.retry_after, now)
                rest = {"times": times + 1, "last_at": now, "again_at": until, "error": failed.code[:80]}
                session.execute(
                    sa.update(FailingRow).where(failing.is_row(failing.PUSHES, owed.device.host)).values(**rest)
                )
            values: dict[str, Any] = {"claimed_by": None, "last_error": failed.code[:80]}
            if now - owed.push.made_at < TRIED_FOR:
                values |= {"due_at": until, "attempts": col(Push.attempts) - 1}
            else:
                values |= {"state": DeliveryState.FAILED, "sent_at": now}
            session.execute(self._mine(owed.push.id).values(**values))
