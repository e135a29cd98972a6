"""Facts of the server, by name: the newest one stands."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from app.base.upkeep_tables import ServerFact
from app.base.upserts import insert_into


def tell(session: Session, name: str, value: str, now: datetime) -> None:
    """Note a fact in the caller's transaction, in the place of what was known."""
    told = {"value": value, "noted_at": now}
    insert = insert_into(session, ServerFact).values(name=name, **told)
    session.execute(insert.on_conflict_do_update(index_elements=["name"], set_=told))
