"""Making due deliveries: builds their content, and gives each a few attempts. No transaction is open during the
conversation with a foreign server, and each receiver has a lane of its own."""

from __future__ import annotations

import logging
import threading
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import col

from app.base import failing
from app.base.jobs import worker
from app.base.leases import Leases, Pauses
from app.base.outbox import PlannedMail
from app.games.work import Work
from app.people.tables import DeliveryState, Player, Webhook, WebhookDelivery
from app.post.lanes import Lanes
from app.post.webhooks.payloads import DueDelivery, written
from app.post.webhooks.wire import CallFailed, call, patience

log = logging.getLogger("postroad.hooks")

AT_ONCE, MOST_LANES, SIDE_BY_SIDE = 12, 16, 4
LEASE = timedelta(seconds=180)
"""A leased call becomes due again after this; longer than a lane of calls that all time out."""
PAUSES = Pauses([timedelta(seconds=seconds) for seconds in (30, 120, 600, 3600, 6 * 3600)])
"""Before the second attempt, the third, and so on; after the last the call is given up."""
KEPT = timedelta(days=30)
"""How long finished calls stay visible to their owner."""
MOST_FAILURES = 10
"""In a row; then the webhook is switched off and its owner gets a mail."""

_LEASES = Leases(WebhookDelivery, col(WebhookDelivery.state) == sa.literal_column("'waiting'"), LEASE)
_READ = (
    sa.select(
        col(WebhookDelivery.id),
        col(WebhookDelivery.webhook_id),
        col(WebhookDelivery.call_key),
        col(WebhookDelivery.game_id),
        col(WebhookDelivery.number),
        col(WebhookDelivery.payload),
        col(WebhookDelivery.made_at),
        col(WebhookDelivery.attempts),
        col(Webhook.kind),
        col(Webhook.url),
        col(Webhook.secret),
        col(Webhook.is_on),
        col(Player.language),
        col(Player.zone),
    )
    .join(Webhook, col(Webhook.id) == col(WebhookDelivery.webhook_id))
    .join(Player, col(Player.id) == col(Webhook.player_id))
    .where(col(Player.erased_at).is_(None))
)


@worker("hooks")
class Deliverer(Lanes):
    """Makes deliveries for one process."""

    leases, lane = _LEASES, "webhook_id"
    most_lanes, side_by_side, at_once = MOST_LANES, SIDE_BY_SIDE, AT_ONCE

    def _one(self, number: int, now: datetime, down: threading.Event) -> None:
        """Make one delivery, if its player's account was not erased."""
        if self._stop.is_set():
            with self._database.write() as session:
                values = {"claimed_by": None, "due_at": now, "attempts": col(WebhookDelivery.attempts) - 1}
                session.execute(sa.update(WebhookDelivery).where(_LEASES.mine(number, self.name)).values(**values))
            return
        for owed in failing.over(self._database, "webhooks", [number], lambda one: f"call {one}", self._read, now):
            if owed is not None:
                self._make(owed, now)

    def _read(self, number: int) -> DueDelivery | None:
        """Return what is due; None if its player's account was erased."""
        with self._database.read() as session:
            row = session.execute(_READ.where(col(WebhookDelivery.id) == number)).first()
        return (
            None
            if row is None
            else DueDelivery(
                row.id,
                row.webhook_id,
                row.call_key,
                row.game_id,
                row.number,
                row.payload.get("event", ""),
                row.payload.get("seat"),
                row.made_at,
                row.attempts,
                row.kind,
                row.url,
                row.secret,
                row.is_on,
                row.language,
                row.zone,
            )
        )

    def _make(self, owed: DueDelivery, now: datetime) -> None:
        """Make one delivery. Whatever goes wrong with it is noted, so that it holds up no other one."""
        try:
            with self._database.read() as session:
                said = written(session, self.server.config.base_url, owed, now) if owed.is_on else None
            if said is None:
                return self._note(owed, "dropped", now)
            body, headers = said
            call(owed.url, body, headers | {"Postroad-Call": f"{owed.webhook_id}-{owed.id}"}, private=self._private)
        except CallFailed as failed:
            if failed.retry_after is not None and now - owed.made_at < KEPT:
                self._put_off(owed, failed, now + patience(failed.retry_after, now))
            else:
                self._failed(owed, failed, now)
        except Exception as error:
            failing.tell(self._database, "webhooks", f"call {owed.id}", error, now)
            self._failed(owed, CallFailed(type(error).__name__), now)
        else:
            self._note(owed, "sent", now)
            if owed.attempts > 1:
                failing.well(self._database, "webhooks", f"call {owed.id}")

    def _mine(self, owed: DueDelivery) -> sa.ColumnElement[bool]:
        return _LEASES.mine(owed.id, self.name)

    # The row of the webhook is written before those of its calls, everywhere, so that no two wait for each other.

    def _note(self, owed: DueDelivery, state: str, now: datetime) -> None:
        with self._database.write() as session:
            if state == DeliveryState.SENT:
                again_fine = sa.update(Webhook).where(col(Webhook.id) == owed.webhook_id, col(Webhook.failures) > 0)
                session.execute(again_fine.values(failures=0))
            done = sa.update(WebhookDelivery).where(self._mine(owed))
            session.execute(done.values(state=state, sent_at=now, payload={}, last_error=None))
            of_this = sa.and_(
                col(WebhookDelivery.webhook_id) == owed.webhook_id, col(WebhookDelivery.state) != DeliveryState.WAITING
            )
            session.exec(sa.delete(WebhookDelivery).where(of_this, col(WebhookDelivery.made_at) < now - KEPT))

    def _put_off(self, owed: DueDelivery, asked: CallFailed, until: datetime) -> None:
        """Postpone, because the receiver asks for patience: no failure and no attempt is counted, and its other calls
        wait as well."""
        with self._database.write() as session:
            hold = sa.update(Webhook).where(col(Webhook.id) == owed.webhook_id)
            session.execute(hold.values(failures=col(Webhook.failures)))
            mine = sa.update(WebhookDelivery).where(self._mine(owed))
            values = {"claimed_by": None, "due_at": until, "last_error": asked.code[:80]}
            session.execute(mine.values(attempts=col(WebhookDelivery.attempts) - 1, **values))
            others = sa.update(WebhookDelivery).where(
                col(WebhookDelivery.webhook_id) == owed.webhook_id,
                col(WebhookDelivery.state) == sa.literal_column("'waiting'"),
                col(WebhookDelivery.claimed_by).is_(None),
                col(WebhookDelivery.due_at) < until,
            )
            session.execute(others.values(due_at=until))

    def _failed(self, owed: DueDelivery, failed: CallFailed, now: datetime) -> None:
        pause = None if failed.for_good else PAUSES.after(owed.attempts)
        values = {"state": DeliveryState.FAILED} if pause is None else {"due_at": now + pause}
        with Work(self._database) as work:
            count = (
                sa.update(Webhook).where(col(Webhook.id) == owed.webhook_id).values(failures=col(Webhook.failures) + 1)
            )
            failures = work.session.scalar(count.returning(col(Webhook.failures)))
            later = sa.update(WebhookDelivery).where(self._mine(owed))
            work.session.execute(later.values(**values, claimed_by=None, last_error=failed.code[:80]))
            if failures is not None and failures >= MOST_FAILURES:
                self._switch_off(work, owed.webhook_id, now)

    @staticmethod
    def _switch_off(work: Work, webhook_id: int, now: datetime) -> None:
        off = sa.update(Webhook).where(col(Webhook.id) == webhook_id, col(Webhook.is_on).is_(True)).values(is_on=False)
        player_id = work.session.scalar(off.returning(col(Webhook.player_id)))
        if player_id is None:
            return  # another call has done it
        waiting = sa.and_(
            col(WebhookDelivery.webhook_id) == webhook_id, col(WebhookDelivery.state) == DeliveryState.WAITING
        )
        work.session.exec(sa.update(WebhookDelivery).where(waiting).values(state=DeliveryState.DROPPED, sent_at=now))
        address = work.session.scalar(sa.select(col(Player.address)).where(col(Player.id) == player_id))
        key = f"webhook_off:{webhook_id}:{now:%Y%m%dT%H%M%S}"
        details = {"webhook": webhook_id}
        work.outbox.add([PlannedMail(key, "webhook_off", address or "", player_id, details=details)], now)
