"""The rows of cases: which one is running for a game, and what ends it without a ruling.

Apart from the sweep, so that moves and clocks can look here without knowing what a case does.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.prepared import PreparedRead
from app.games.store import GameNow
from app.time.decisions import PendingDecision
from app.time.tables import Case, CaseKind, CaseState, ClockNote, NoteCause, NoteKind

_RUNNING = PreparedRead(select(Case).where(col(Case.game_id) == sa.bindparam("game_id"), col(Case.ended_at).is_(None)))


def running(session: Session, game_id: int) -> Case | None:
    """Return the row of the running case about a game; None when there is none."""
    return _RUNNING.first(session, game_id=game_id)


def end(session: Session, case_id: int, now: datetime, **values: object) -> bool:
    """End a case; return whether it was still running. `values` are further columns."""
    still = sa.and_(col(Case.id) == case_id, col(Case.ended_at).is_(None))
    values = {"state": CaseState.CLOSED, "ended_at": now, **values}
    return session.exec(sa.update(Case).where(still).values(**values)).rowcount == 1


def close(session: Session, case: Case, entry: int, cause: NoteCause, now: datetime) -> None:
    """Close a case that has settled itself: the seat has moved (PLAYER), its deadline has (DEADLINE), its mail has
    arrived (MAIL) or bounced (BOUNCE), a substitute took over, or the server played for it (PACE)."""
    if end(session, case.id, now):
        values = {"game_id": case.game_id, "entry": entry, "number": case.number, "seat": case.seat}
        values |= {"player_id": case.player_id, "kind": NoteKind.CLOSED, "cause": cause, "details": {"case": case.id}}
        session.exec(sa.insert(ClockNote).values(**values, at=now))


def after_move(session: Session, after: GameNow, cause: NoteCause, now: datetime, *, runs_on: bool) -> None:
    """Update the case after a move. If the seat's clock keeps running (`runs_on`), so does the case."""
    case = running(session, after.id)
    if case is None:
        return
    if runs_on and case.seat == after.decides:
        session.exec(sa.update(Case).where(col(Case.id) == case.id).values(number=after.number))
    else:
        close(session, case, after.entries, cause, now)


def after_clock(
    session: Session, case: Case, decision: PendingDecision, deadline: datetime, now: datetime
) -> Case | None:
    """The moments of a decision have been computed again; the case about it if it still runs."""
    if case.number != decision.number:
        return case
    if case.kind == CaseKind.MAIL and decision.mailed_at is not None:
        close(session, case, decision.entries, NoteCause.MAIL, now)
        return None
    if case.kind == CaseKind.TIME and deadline > now:
        close(session, case, decision.entries, NoteCause.DEADLINE, now)
        return None
    if case.kind == CaseKind.TIME and deadline != case.deadline_at:
        session.exec(sa.update(Case).where(col(Case.id) == case.id).values(deadline_at=deadline))
    return case
