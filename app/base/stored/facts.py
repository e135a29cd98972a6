"""Facts of the server, by name: the newest one stands."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import insert_into
from app.base.stored.upkeep_tables import ServerFact


def tell(session: Session, name: str, value: str, now: datetime) -> None:
    """Note a fact in the caller's transaction, in the place of what was known."""
    told = {"value": value, "noted_at": now}
    insert = insert_into(session, ServerFact).values(name=name, **told)
    session.execute(insert.on_conflict_do_update(index_elements=["name"], set_=told))


def tell_first(session: Session, name: str, value: str, now: datetime) -> bool:
    """Note a fact unless one is known by this name; return whether none was."""
    insert = insert_into(session, ServerFact).values(name=name, value=value, noted_at=now)
    return session.scalar(insert.on_conflict_do_nothing().returning(col(ServerFact.name))) is not None


def take_back(session: Session, name: str, since: datetime) -> bool:
    """Forget a fact that was noted at this moment; return False when it is no longer known."""
    gone = sa.delete(ServerFact).where(col(ServerFact.name) == name, col(ServerFact.noted_at) == since)
    return session.scalar(gone.returning(col(ServerFact.name))) is not None
