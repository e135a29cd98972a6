"""Stored time zones that this machine does not (or no longer) know: their hours count as UTC."""

from __future__ import annotations

import json
from collections import Counter

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from app.clocks.zones import known

_DONE = ("over", "cancelled")


def unknown(session: Session) -> dict[str, Counter[str]]:
    """Return the names, and how many rows of which table have each: `{"Asia/Calcutta": {"player": 2, "game": 1}}`.
    Every table with a zone or a pace is searched; finished games and events are left out."""
    found: dict[str, Counter[str]] = {}
    for table in SQLModel.metadata.sorted_tables:
        for zone, number in _named(session, table):
            if known(zone) is None:
                found.setdefault(zone, Counter())[table.name] += number
    return found


def _named(session: Session, table: sa.Table) -> list[tuple[str, int]]:
    named: list[tuple[str, int]] = []
    if "zone" in table.c:
        named += [(row[0], row[1]) for row in session.execute(_counted(table.c.zone))]
    if "pace" in table.c:
        raw = sa.type_coerce(table.c.pace, sa.Text)
        asked = _counted(raw).where(raw.like('%"zone"%'))
        if "status" in table.c:
            asked = asked.where(sa.cast(table.c.status, sa.String).not_in(_DONE))
        named += [(json.loads(row[0])["zone"], row[1]) for row in session.execute(asked)]
    return named


def _counted(what: sa.ColumnElement[str]) -> sa.Select[str, int]:
    return sa.select(what, sa.func.count()).group_by(what)


def in_words(found: dict[str, Counter[str]]) -> str:
    """Return them for operators: `Asia/Calcutta: 2 × player, 1 × game`."""
    return "; ".join(
        f"{zone}: {', '.join(f'{number} × {what}' for what, number in counted.items())}"
        for zone, counted in sorted(found.items())
    )
