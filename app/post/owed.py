"""Which calls to webhooks and notifications follow from mails: written in the transaction that plans the mails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import Insert
from sqlmodel import Session, col

from app.base.stored.columns import Document, UTCDateTime
from app.base.stored.database import NewInsert, insert_into
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.outbox import PlannedMail, is_asked_for
from app.base.stored.prepared import PreparedWrite
from app.people.push_tables import Push, PushDevice
from app.people.tables import Webhook, WebhookDelivery

EVENTS = {"turn": "turn", "over": "over", "time_out": "over"}
"""The kinds of mails that also call a webhook, and the event that it is told."""

_CALL = {
    "webhook_id": col(Webhook.id),
    "call_key": sa.cast(sa.bindparam("call_key"), sa.String),
    "game_id": sa.cast(sa.bindparam("game_id"), sa.Integer),
    "number": sa.cast(sa.bindparam("number"), sa.Integer),
    "payload": sa.bindparam("payload", type_=Document),
    "state": sa.literal_column("'waiting'"),
    "made_at": sa.bindparam("now", type_=UTCDateTime),
    "due_at": sa.bindparam("due", type_=UTCDateTime),
    "attempts": sa.literal_column("0"),
}


def _call_to(*whose: sa.ColumnElement[bool]) -> PreparedWrite:
    asked = sa.select(*_CALL.values()).where(*whose, col(Webhook.is_on).is_(True))
    return PreparedWrite(
        lambda insert: (
            insert(WebhookDelivery)
            .from_select(list(_CALL), asked, include_defaults=False)
            .on_conflict_do_nothing(index_elements=["webhook_id", "call_key"])
        )
    )


_INSERT = _call_to(col(Webhook.player_id) == sa.bindparam("player"), col(Webhook.club_id).is_(None))
_INSERT_OF_CLUB = _call_to(col(Webhook.club_id) == sa.bindparam("club"))


def plan_calls(session: Session, mails: Iterable[PlannedMail], now: datetime) -> None:
    """Owe a call to every active webhook of players who get one of these mails. The same mail again is one call. Like a
    mail, a call is built when it is made: only its subject is stored."""
    for mail in mails:
        event = EVENTS.get(mail.kind)
        if event is None or mail.player_id is None or mail.details.get("again"):
            continue
        _INSERT.run(
            session,
            call_key=mail.key,
            game_id=mail.game_id,
            number=mail.number,
            now=now,
            due=now + mail.wait if event == "turn" else now,
            player=mail.player_id,
            payload={"event": event, "seat": mail.seat},
        )


def plan_for_club(session: Session, club_id: int, key: str, payload: Mapping[str, Any], now: datetime) -> None:
    """Owe a call to the channel of a club; `payload` names its event (`payloads.tells`). The same key again is one
    call."""
    _INSERT_OF_CLUB.run(
        session, call_key=key, game_id=None, number=None, now=now, due=now, club=club_id, payload=dict(payload)
    )


# -- notifications ------------------------------------------------------------------------------------

_PUSH = {
    "device_id": col(PushDevice.id),
    "mail_id": col(OutboxMail.id),
    "host": col(PushDevice.host),
    "game_id": col(OutboxMail.game_id),
    "number": col(OutboxMail.number),
    "details": col(OutboxMail.details),
    "closes": sa.literal_column("false"),
    "state": sa.literal_column("'waiting'"),
    "made_at": sa.bindparam("now", type_=UTCDateTime),
    "due_at": col(OutboxMail.due_at),
    "attempts": sa.literal_column("0"),
}


def _insert(keys: sa.ColumnElement[bool], insert: NewInsert) -> Insert:
    to_devices = sa.select(*_PUSH.values()).where(col(PushDevice.player_id) == col(OutboxMail.player_id), keys)
    new = insert(Push).from_select(list(_PUSH), to_devices, include_defaults=False)
    return new.on_conflict_do_nothing(index_elements=["device_id", "mail_id"])


_ONE = PreparedWrite(partial(_insert, col(OutboxMail.mail_key) == sa.bindparam("mail_key")))


def plan_pushes(session: Session, mails: Iterable[PlannedMail], now: datetime) -> None:
    """Owe a notification of each mail to every device of its reader; not of mails that were just asked for,
    which open something and are looked for in the mailbox. Planning the same mail again adds
    nothing."""
    keys = [mail.key for mail in mails if mail.player_id is not None and not is_asked_for(mail)]
    if len(keys) == 1:
        _ONE.run(session, mail_key=keys[0], now=now)
    elif keys:
        insert = _insert(col(OutboxMail.mail_key).in_(keys), partial(insert_into, session))
        session.connection().execute(insert, {"now": now})
