"""Which notifications follow from mails: written in the transaction that plans the mails."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import partial

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import Insert
from sqlmodel import Session, col

from app.base.stored.columns import UTCDateTime
from app.base.stored.database import NewInsert, insert_into
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.outbox import PlannedMail, is_asked_for
from app.base.stored.prepared import PreparedWrite
from app.people.push_tables import Push, PushDevice

_COLUMNS = {
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
    to_devices = sa.select(*_COLUMNS.values()).where(col(PushDevice.player_id) == col(OutboxMail.player_id), keys)
    new = insert(Push).from_select(list(_COLUMNS), to_devices, include_defaults=False)
    return new.on_conflict_do_nothing(index_elements=["device_id", "mail_id"])


_ONE = PreparedWrite(partial(_insert, col(OutboxMail.mail_key) == sa.bindparam("mail_key")))


def plan(session: Session, mails: Iterable[PlannedMail], now: datetime) -> None:
    """Owe a notification of each mail to every device of its reader; not of mails that were just asked for,
    which open something and are looked for in the mailbox. Planning the same mail again adds
    nothing."""
    keys = [mail.key for mail in mails if mail.player_id is not None and not is_asked_for(mail)]
    if len(keys) == 1:
        _ONE.run(session, mail_key=keys[0], now=now)
    elif keys:
        insert = _insert(col(OutboxMail.mail_key).in_(keys), partial(insert_into, session))
        session.connection().execute(insert, {"now": now})
