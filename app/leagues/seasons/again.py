"""Whether the players of an event play the next season, as they answer the mail of its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import sqlalchemy as sa
from sqlmodel import Session, col

from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries, invited
from app.leagues.tables import STILL_IN, Audit, Competition, CompetitionStatus, Entrant


def next_event(session: Session, event: Competition) -> Competition | None:
    """Return the event of the next season if it is drafted and has not started."""
    drafted = (
        sa.select(col(Audit.after))
        .where(col(Audit.event_id) == event.id, col(Audit.act) == "season.drafted")
        .order_by(col(Audit.id).desc())
    )
    after = session.scalar(drafted.limit(1))
    found = session.get(Competition, int(after["event"])) if after else None
    early = (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP)
    return found if found is not None and found.status in early else None


def answers(session: Session, event_id: int) -> Mapping[int, bool]:
    """Return who has answered, and whether they play again; the last word counts."""
    asked = (
        sa.select(col(Audit.about_number), col(Audit.act))
        .where(col(Audit.event_id) == event_id, col(Audit.act).in_(("season.again", "season.not_again")))
        .order_by(col(Audit.id))
    )
    return {row.about_number: row.act == "season.again" for row in session.execute(asked)}


def note_again(acting: Acting, player_id: int, *, plays: bool) -> Entrant | None:
    """Note whether a player plays the next season, also in the event that is drafted already: who plays is entered
    there. For one who does not and is in it, return the entrant to be taken out."""
    session, event = acting.session, acting.event
    if answers(session, event.id).get(player_id) != plays:
        acting.write("season.again" if plays else "season.not_again", audit.player(player_id))
    after = next_event(session, event)
    if after is None:
        return None
    mine = entries.entrant_of(session, after.id, player_id)
    is_in = mine is not None and mine.status in STILL_IN
    there = replace(acting, event=after)
    if plays and not is_in:
        entries.enter_in(there, player_id, mine, status=entries.place(session, after))
    if not plays:
        invited.decline(there, player_id)
    return mine if is_in and not plays else None
