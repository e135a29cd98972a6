"""Setting the result of a game in one step: one reason, one mail to each player."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.base.stored.database import Database
from app.games.work import Work
from app.leagues.clubs import audit
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import lifecycle
from app.leagues.rulings import applying, deciding, opening
from app.leagues.tables import Ruling, RulingDecision


def set_result(
    database: Database, event_id: int, match_id: int, points: Sequence[str], asked: ActRequest, *, now: datetime
) -> int | None:
    """Set the points of a game, as a ruling that is asked for and decided at once; its players can appeal. One that
    still runs ends. Return the number of the ruling, or None if the button was pressed before.

    Raises NoSuchCompetition; NotAllowed for players of the event and those who cannot rule; NotAccepted.
    """
    reason = audit.read_reason(asked.reason)
    with Work(database) as work:
        session = work.session
        event = lifecycle.get(session, event_id, lock=True)
        _, match = deciding.match_in(session, event_id, match_id)
        if audit.was_done(session, asked.token):
            return None
        deciding.need_neutral(session, event, match, asked.by_id, running=True)
        verdict = applying.read_verdict(RulingDecision.RESULT, "", "", points, len(match.seats))
        wanted = Ruling(match_id=match_id, opened_by=asked.by_id, claim=reason, opened_at=now, details={})
        ruling, _ = opening.opened(work, wanted)
        deciding.decide(work, event_id, ruling.id, verdict, asked, now=now)
        return ruling.id
