"""Making due deliveries to webhooks; one that fails too often is switched off."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.jobs import tidies, worker
from app.base.stored.leases import Leases, Pauses
from app.base.stored.outbox import PlannedMail
from app.games.work import Work
from app.people.tables import DeliveryState, Player, Webhook, WebhookDelivery
from app.post.lanes import Lanes
from app.post.webhooks.payloads import DueDelivery, written
from app.post.webhooks.wire import CallFailed, call

AT_ONCE, MOST_LANES, SIDE_BY_SIDE = 12, 16, 4
LEASE = timedelta(seconds=180)
"""A leased call becomes due again after this; longer than a lane of calls that all time out."""
PAUSES = Pauses([timedelta(seconds=seconds) for seconds in (30, 120, 600, 3600, 6 * 3600)])
KEPT = timedelta(days=30)
"""How long finished calls stay visible to their owner."""
MOST_FAILURES = 10
"""In a row; then the webhook is switched off and its owner gets a mail."""

_LEASES = Leases(WebhookDelivery, col(WebhookDelivery.state) == sa.literal_column("'waiting'"), LEASE)
_READ = (
    select(WebhookDelivery, Webhook, Player)
    .join(Webhook, col(Webhook.id) == col(WebhookDelivery.webhook_id))
    .join(Player, col(Player.id) == col(Webhook.player_id))
    .where(col(Player.erased_at).is_(None))
)


@worker("hooks")
class Deliverer(Lanes):
    """Makes deliveries for one process."""

    leases, lane = _LEASES, "webhook_id"
    model, receiver, content = Webhook, "webhook_id", "payload"
    job, noun = "webhooks", "call"
    pauses, tried_for = PAUSES, KEPT
    most_lanes, side_by_side, at_once = MOST_LANES, SIDE_BY_SIDE, AT_ONCE

    def _hand_over(self, number: int, now: datetime, down: threading.Event) -> int:
        """Make one delivery, if its player's account was not erased."""
        with self._database.read() as session:
            row = session.exec(_READ.where(col(WebhookDelivery.id) == number)).first()
            if row is None:
                return 0
            owed = DueDelivery(*row)
            said = written(session, self.server.config.base_url, owed, now) if owed.hook.is_on else None
        if said is None:
            self._done(number, DeliveryState.DROPPED, now)
            return owed.call.attempts
        body, headers = said
        try:
            call(owed.hook.url, body, headers | {"Postroad-Call": f"{owed.hook.id}-{number}"}, private=self._private)
        except CallFailed as failed:
            self._not_taken(number, failed, now)
            return 0
        with self._database.write() as session:
            again_fine = sa.update(Webhook).where(col(Webhook.id) == owed.hook.id, col(Webhook.failures) > 0)
            session.execute(again_fine.values(failures=0))
            self._done(number, DeliveryState.SENT, now, session)
        return owed.call.attempts

    def _failed(self, work: Work, to: int, now: datetime) -> None:
        """Count the failure; switch the webhook off if there are too many in a row."""
        counted = sa.update(Webhook).where(col(Webhook.id) == to).values(failures=col(Webhook.failures) + 1)
        failed = work.session.scalar(counted.returning(col(Webhook.failures)))
        if failed is not None and failed >= MOST_FAILURES:
            self._switch_off(work, to, now)

    @staticmethod
    def _switch_off(work: Work, webhook_id: int, now: datetime) -> None:
        off = sa.update(Webhook).where(col(Webhook.id) == webhook_id, col(Webhook.is_on).is_(True)).values(is_on=False)
        player_id = work.session.scalar(off.returning(col(Webhook.player_id)))
        if player_id is None:
            return  # another call has done it
        waiting = col(WebhookDelivery.webhook_id) == webhook_id, _LEASES.is_waiting
        work.session.exec(sa.update(WebhookDelivery).where(*waiting).values(state=DeliveryState.DROPPED, sent_at=now))
        address = work.session.scalar(sa.select(col(Player.address)).where(col(Player.id) == player_id))
        key = f"webhook_off:{webhook_id}:{now:%Y%m%dT%H%M%S}"
        details = {"webhook": webhook_id}
        work.outbox.add([PlannedMail(key, "webhook_off", address or "", player_id, details=details)], now)


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete calls that were made long ago."""
    old = sa.delete(WebhookDelivery).where(~_LEASES.is_waiting, col(WebhookDelivery.made_at) < now - KEPT)
    return session.exec(old).rowcount
