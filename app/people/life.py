"""Signs of life: when a player last did something, on a page or by mail. That a mail was opened or a page was fetched
is none, since programs do that, too."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.base.prepared import PreparedGlance, PreparedWrite
from app.people.tables import Player

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database

EXACT_TO = timedelta(minutes=1)
"""So soon after the last sign another one is not written."""

_IS_LATER = sa.and_(
    col(Player.id) == sa.bindparam("player"),
    sa.or_(col(Player.acted_at).is_(None), col(Player.acted_at) <= sa.bindparam("before")),
)
_LATER = PreparedGlance(sa.select(col(Player.id)).where(_IS_LATER))
_NOTE = PreparedWrite(sa.update(Player).where(_IS_LATER).values(acted_at=sa.bindparam("at")))


def note(database: Database, player_id: int, now: datetime) -> None:
    """A player has done something now."""
    if _LATER.glance(database, player=player_id, before=now - EXACT_TO):
        with database.write() as session:
            note_in(session, player_id, now)
            session.commit()


def note_in(session: Session, player_id: int, now: datetime) -> None:
    """`note` in a transaction of its caller's."""
    _NOTE.run(session, player=player_id, before=now - EXACT_TO, at=now)
