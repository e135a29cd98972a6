"""Which notifications follow from mails: written in the transaction that plans the mails."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.base.columns import Document, UTCDateTime
from app.base.mail_tables import OutboxMail
from app.base.outbox import is_asked_for
from app.base.prepared import PreparedWrite
from app.people.push_tables import Push, PushDevice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlmodel import Session

    from app.base.outbox import PlannedMail

_COLUMNS = {
    "device_id": col(PushDevice.id),
    "mail_id": col(OutboxMail.id),
    "host": col(PushDevice.host),
    "game_id": col(OutboxMail.game_id),
    "number": col(OutboxMail.number),
    "details": sa.bindparam("details", type_=Document),
    "closes": sa.literal_column("false"),
    "state": sa.literal_column("'waiting'"),
    "made_at": sa.bindparam("now", type_=UTCDateTime),
    "due_at": sa.bindparam("due", type_=UTCDateTime),
    "attempts": sa.literal_column("0"),
}
_TO_DEVICES = sa.select(*_COLUMNS.values()).where(
    col(PushDevice.player_id) == sa.bindparam("player"), col(OutboxMail.mail_key) == sa.bindparam("mail_key")
)
_INSERT = PreparedWrite(
    lambda insert: (
        insert(Push)
        .from_select(list(_COLUMNS), _TO_DEVICES, include_defaults=False)
        .on_conflict_do_nothing(index_elements=["device_id", "mail_id"])
    )
)


def plan(session: Session, mails: Iterable[PlannedMail], now: datetime) -> None:
    """Owe a notification of each mail to every device of its reader; not of mails that were just asked for,
    which open something and are looked for in the mailbox. Planning the same mail again adds
    nothing."""
    for mail in mails:
        if mail.player_id is not None and not is_asked_for(mail):
            _INSERT.run(
                session,
                player=mail.player_id,
                mail_key=mail.key,
                details=dict(mail.details),
                now=now,
                due=now + mail.wait,
            )
