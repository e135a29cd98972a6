"""Templates of a club: the terms of an event, kept under a name to start others from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col, select

from app.base.refusals import NoSuch, NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit, clubs
from app.leagues.clubs.acting import Acting
from app.leagues.events import events
from app.leagues.tables import CompetitionTemplate, Role
from app.people.accounts import read_name
from app.titles.registry import TITLES
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database

MOST = 50
"""The most templates a club can have."""


class NoSuchTemplate(NoSuch):
    """The club has no template with this number or name, or its title is no longer installed."""

    sentence = clubs.NoSuchClub.sentence


def of_club(session: Session, club_id: int) -> Sequence[CompetitionTemplate]:
    """Return the templates of a club, by name; those of missing titles are left out."""
    asked = (
        select(CompetitionTemplate)
        .where(col(CompetitionTemplate.club_id) == club_id)
        .order_by(col(CompetitionTemplate.name))
    )
    return [one for one in session.exec(asked) if one.title_id in TITLES]


def get(session: Session, club_id: int, template_id: int) -> CompetitionTemplate:
    """Return a template of a club. Raises NoSuchTemplate."""
    found = next((one for one in of_club(session, club_id) if one.id == template_id), None)
    if found is None:
        raise NoSuchTemplate(template_id)
    return found


def keep(database: Database, event_id: int, by_id: int, name: str, *, now: datetime) -> int:
    """Save the terms and the divisions of an event as a template of its club; return its number.

    Raises NoSuchCompetition, NotAllowed, and NotAccepted for a name that is taken.
    """
    name = read_name(name)
    with Work(database) as work:
        session = work.session
        event = events.get(session, event_id)
        clubs.need(session, event.club_id, by_id, Role.ORGANISER)
        clubs.lock(session, event.club_id)
        there = of_club(session, event.club_id)
        if any(one.name.lower() == name.lower() for one in there):
            raise NotAccepted("template.taken", Text("The club has a template “{name}” already.", name=name))
        if len(there) >= MOST:
            raise NotAccepted("template.most", Text("A club keeps at most {most} templates.", most=MOST))
        row = CompetitionTemplate(
            club_id=event.club_id,
            name=name,
            title_id=event.title_id,
            options=event.options,
            pace=event.pace,
            calendar_id=event.calendar_id,
            format=event.format,
            terms=replace(event.terms, round_dates=()),
            parts=[(one.name, one.promoted, one.relegated) for one in event.divisions],
            made_by=by_id,
            made_at=now,
        )
        session.add(row)
        session.flush()
        subject = audit.named(name)
        Acting(work, event, by_id, now).write("template.kept", subject)
        work.commit()
        return row.id


def forget(database: Database, club_id: int, by_id: int, template_id: int, *, now: datetime) -> None:
    """Delete a template; events started from it stay as they are. Raises NoSuchTemplate, NotAllowed."""
    with Work(database) as work:
        session = work.session
        acting = clubs.allowed(work, club_id, by_id, Role.ORGANISER, now)
        found = get(session, club_id, template_id)
        session.execute(sa.delete(CompetitionTemplate).where(col(CompetitionTemplate.id) == template_id))
        acting.write("template.forgotten", audit.named(found.name))
        work.commit()
