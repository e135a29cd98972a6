"""Banning a player: sign-ins end; games continue through the links in mails, or are left by the rules of leaving."""

from __future__ import annotations

from datetime import datetime

from app.account import memberships, my_data
from app.base.stored.database import Database
from app.games.work import Work
from app.people import sanctions, signin
from app.people.tables import SanctionKind
from app.time import pending


def ban(
    database: Database,
    player_id: int,
    *,
    reason: str,
    until: datetime | None,
    leaves: bool,
    by_id: int | None,
    now: datetime,
) -> None:
    """Ban a player in one transaction: all sign-ins, sign-in links and pending requests to clubs and
    events end, and nothing can be created or joined; if the player `leaves`, clubs are left, events are left by their
    terms, running games are resigned, and tables cancelled or left. Raises NotAccepted for an operator, an unknown
    player, or a missing reason."""
    with Work(database) as work:
        session = work.session
        memberships.there().hold(session, player_id)
        if leaves:
            pending.lock_games_of(session, player_id)
        sanctions.impose(session, player_id, SanctionKind.BAN, reason=reason, until=until, by_id=by_id, now=now)
        signin.end_all(session, player_id)
        memberships.there().leave_clubs(work, player_id, now, erased=False, waits=not leaves)
        if leaves:
            my_data.leave_everything(work, player_id, now, erased=False)
        else:
            memberships.there().leave_events(work, player_id, now, erased=False, waits=True)
