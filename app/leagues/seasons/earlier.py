"""Tables of seasons that were played elsewhere and once taken over from a list. They can be read, and taken out."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import Database
from app.base.words.refusals import Conflict
from app.games.work import Work
from app.leagues.clubs import audit, club_rights
from app.leagues.tables import PastPlace, Role
from app.people.tables import Player
from engine.kernel.text import Text


def forget_season(database: Database, club_id: int, by_id: int, season: str, *, now: datetime) -> None:
    """Remove the tables of a season that was taken over.

    Raises NotAllowed; Conflict if there are none.
    """
    with Work(database) as work:
        acting = club_rights.allowed(work, club_id, by_id, Role.ORGANISER, now)
        gone = sa.delete(PastPlace).where(col(PastPlace.club_id) == club_id, col(PastPlace.season) == season)
        if not work.session.execute(gone).rowcount:  # type: ignore[attr-defined]
            raise Conflict("sheet.gone", Text("This has been done already."))
        acting.write("season.forgotten", audit.named(season))


def tables_of(session: Session, club_id: int) -> dict[str, dict[str, list[tuple[PastPlace, str]]]]:
    """Return the tables by season, the newest first, then by division, the highest first: each place with the name of
    its player; empty for a former one."""
    asked = (
        sa.select(PastPlace, col(Player.name))
        .outerjoin(Player, col(Player.id) == col(PastPlace.player_id))
        .where(col(PastPlace.club_id) == club_id)
        .order_by(
            col(PastPlace.taken_at).desc(),
            col(PastPlace.season).desc(),
            col(PastPlace.level),
            col(PastPlace.place),
            col(PastPlace.id),
        )
    )
    found: dict[str, dict[str, list[tuple[PastPlace, str]]]] = {}
    for row, name in session.execute(asked).all():
        found.setdefault(row.season, {}).setdefault(row.division, []).append((row, name or row.name))
    return found
