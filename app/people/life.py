"""Signs of life: when a player last did something, on a page or by mail. Opening a mail or fetching a page does not
count, since programs do that, too."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import Database
from app.base.stored.prepared import PreparedWrite
from app.people.tables import Player

EXACT_TO = timedelta(minutes=1)
"""No new sign is written this soon after the last."""

_IS_LATER = sa.and_(
    col(Player.id) == sa.bindparam("player"),
    sa.or_(col(Player.acted_at).is_(None), col(Player.acted_at) <= sa.bindparam("before")),
)
_NOTE = PreparedWrite(sa.update(Player).where(_IS_LATER).values(acted_at=sa.bindparam("at")))

MOST_NOTED = 10_000
NOTED: WeakKeyDictionary[Database, dict[int, datetime]] = WeakKeyDictionary()
"""What this process has recently written, so that most forms cost nothing."""


def note_apart(database: Database, player_id: int, now: datetime) -> None:
    """Note that a player has just done something, in a transaction of its own, which lasts whatever follows."""
    noted = NOTED.setdefault(database, {})
    if timedelta(0) <= now - noted.get(player_id, datetime.min.replace(tzinfo=UTC)) < EXACT_TO:
        return
    with database.write() as session:
        note(session, player_id, now)
    if len(noted) >= MOST_NOTED:
        noted.clear()
    noted[player_id] = now


def note(session: Session, player_id: int, now: datetime) -> None:
    """Do the same as `note_apart` in the caller's transaction."""
    _NOTE.run(session, player=player_id, before=now - EXACT_TO, at=now)
