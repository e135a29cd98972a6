"""Facts of the server, by name: the newest one stands."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import insert_into
from app.base.stored.upkeep_tables import ServerFact


def tell(session: Session, name: str, value: str, now: datetime, more: str = "") -> None:
    """Note a fact in the caller's transaction, in the place of what was known."""
    told = {"value": value, "more": more or None, "noted_at": now}
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


def hold(session: Session, name: str, owner: str, now: datetime, lasts: timedelta) -> bool:
    """Take a place that only one process of the server can have, or keep it. It is free again when this was not called
    for as long as it `lasts`; return False while another owner has it."""
    insert = insert_into(session, ServerFact).values(name=name, value=owner, noted_at=now)
    is_free = sa.or_(col(ServerFact.value) == owner, col(ServerFact.noted_at) <= now - lasts)
    held = {"value": owner, "noted_at": now}
    taken = insert.on_conflict_do_update(index_elements=["name"], set_=held, where=is_free)
    return session.scalar(taken.returning(col(ServerFact.name))) is not None


def let_go(session: Session, name: str, owner: str) -> None:
    """Leave a place that this owner has."""
    session.execute(sa.delete(ServerFact).where(col(ServerFact.name) == name, col(ServerFact.value) == owner))
