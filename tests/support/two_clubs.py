"""Matches of two clubs, as versions before 1.1.0 let two clubs agree on them."""

from __future__ import annotations

import sqlalchemy as sa
from sqlmodel import col

from app.base.stored.database import Database
from app.leagues.tables import ClubMatch, Competition, CompetitionStatus, InvitationStatus
from tests.support.tables import NOW


def agree(database: Database, event_id: int, guest_id: int, *, referee: int | None = None) -> None:
    """Let another club have accepted the match of an event, which is open for sign-up; both name this referee."""
    with database.write() as session:
        session.execute(sa.delete(ClubMatch).where(col(ClubMatch.event_id) == event_id))
        row = {"host_names": referee, "guest_names": referee, "asked_at": NOW, "answered_at": NOW}
        session.add(ClubMatch(event_id=event_id, guest_id=guest_id, status=InvitationStatus.ACCEPTED, **row))
        opens = sa.update(Competition).where(
            col(Competition.id) == event_id, col(Competition.status) == CompetitionStatus.DRAFT
        )
        session.execute(opens.values(status=CompetitionStatus.SIGN_UP))
        session.commit()
