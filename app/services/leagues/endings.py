"""Before and after an event is played: its divisions changed, its end, and its cancelling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.leagues.model import VOID
from app.models import Division, Entry
from app.services.leagues import audit, events, ladder, outcomes, rounds, seasons
from app.services.people import NotAccepted
from app.work import Work
from engine.kernel.text import Text

if TYPE_CHECKING:
    from app.db import Database

_DIVISION, _ENTRY = Division.__table__, Entry.__table__  # type: ignore[attr-defined]


def set_divisions(
    database: Database, event_id: int, by_id: int, given: Sequence[Mapping[str, Any]], *, now: datetime
) -> None:
    """Change the divisions before the start: rows of `events.read_divisions`, those that are there with their `id`.

    Who was in a division that is taken away has none afterwards. NoSuchEvent, NotAllowed, NotAccepted.
    """
    with Work(database) as work:
        connection = work.connection
        event = events.need(connection, event_id, by_id, "organiser", lock=True)
        if event.status not in ("draft", "sign_up"):
            raise NotAccepted("event.started", Text("The event has started; its terms stay as they are."))
        parts = events.read_divisions([{**row, "level": at} for at, row in enumerate(given, 1)], event.name)
        ids = [row.get("id") for row in given] or [None]
        there = {division.id: division for division in event.divisions}
        if not {number for number in ids if number is not None} <= set(there):
            raise NotAccepted("event.division", Text("One of these divisions is not there any more; look again."))
        before = [_said(division.name, division.promoted, division.relegated) for division in event.divisions]
        after = [_said(part["name"], part["promoted"], part["relegated"]) for part in parts]
        if before == after and len(set(ids)) == len(there):
            return
        gone = sorted(set(there) - set(ids))
        connection.execute(sa.update(_ENTRY).where(_ENTRY.c.division_id.in_(gone)).values(division_id=None))
        connection.execute(sa.delete(_DIVISION).where(_DIVISION.c.id.in_(gone)))
        for old in set(there) & set(ids):  # so that two divisions can exchange their names
            connection.execute(sa.update(_DIVISION).where(_DIVISION.c.id == old).values(name=f"#{old}"))
        for number, part in zip(ids, parts, strict=True):
            if number is None:
                connection.execute(sa.insert(_DIVISION).values(event_id=event_id, **part))
            else:
                connection.execute(sa.update(_DIVISION).where(_DIVISION.c.id == number).values(**part))
        audit.write(
            connection, event.club_id, "event.divisions", at=now, by_id=by_id, event_id=event_id,
            before={"divisions": before}, after={"divisions": after},
        )  # fmt: skip
        work.commit()


def _said(name: str, promoted: int, relegated: int) -> str:
    return f"{name} (+{promoted}/-{relegated})"


def finish(database: Database, event_id: int, by_id: int, *, now: datetime) -> None:
    """End an event whose rounds are all closed: its standings are final. Again changes nothing. NoSuchEvent,
    NotAllowed, NotAccepted."""
    with Work(database) as work:
        event = events.need(work.connection, event_id, by_id, "organiser", lock=True)
        if event.format == "ladder" and event.status == "running":
            ladder.close_down(work.connection, event)
        open_ones = [
            Text("{division}, round {n}", division=division.name, n=round.number)
            for division in event.divisions
            for round in rounds.rounds_of(work.connection, division.id, drafts=True)
            if round.status != "closed"
        ]
        if event.status == "running" and open_ones:
            raise NotAccepted("event.rounds_open", Text("Close these rounds first: {rounds}.", rounds=tuple(open_ones)))
        if events.set_status(work, event, "over", by_id, now=now):
            seasons.freeze(work.connection, event, by_id, now)
            work.commit()


def cancel(database: Database, event_id: int, by_id: int, *, reason: str, now: datetime) -> None:
    """Cancel an event: drafts are thrown away, open matches are void. Running games go on for those who play them, and
    count for nothing. Again changes nothing. NoSuchEvent, NotAllowed, NotAccepted."""
    reason = audit.read_reason(reason)
    with Work(database) as work:
        connection = work.connection
        event = events.need(connection, event_id, by_id, "organiser", lock=True)
        if not events.set_status(work, event, "cancelled", by_id, now=now, reason=reason):
            return
        for division in event.divisions:
            for round in rounds.rounds_of(connection, division.id, drafts=True):
                if round.status == "draft":
                    rounds.delete_draft(connection, round.id)
                    continue
                for match in round.open_matches:
                    outcomes.settle(connection, match.id, VOID, "ruling", [Fraction(0)] * len(match.seats), now)
        work.commit()
