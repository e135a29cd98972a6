"""When the stages of a case are carried out: as long after the deadline as the pace says, or later with a late mail."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from app.clocks.pace import Pace, Stage
from app.overdue.telling import told_at
from app.time.decisions import PendingDecision
from app.time.tables import Case, ClockNote, NoteCause, NoteKind

ON_TIME = timedelta(hours=1)
"""A stage carried out no later than this after its moment counts as on time."""


def stage_due(session: Session, decision: PendingDecision, case: Case, due: datetime) -> datetime:
    """When the next stage of a case is to be carried out: so long after the deadline as the pace says. Where the one
    before it came late, or its mail, their distance is kept, so that nobody loses the time between a warning and what
    it warns of."""
    stages, stage = decision.pace.stages, case.stage
    at = due + timedelta(seconds=stages[stage].after)
    if stage == 0:
        return at
    before: datetime | None = session.scalar(
        sa.select(sa.func.max(col(ClockNote.at))).where(
            col(ClockNote.game_id) == decision.game_id,
            col(ClockNote.cause) == NoteCause.PACE,
            col(ClockNote.at) >= due,
            col(ClockNote.kind).in_((NoteKind.WARNED, NoteKind.GRACE, NoteKind.FLAGGED, NoteKind.RULED)),
        )
    )
    nominal = due + timedelta(seconds=stages[stage - 1].after)
    told = told_at(session, case.id, stage - 1)
    if before is not None and told is not None and told - before > ON_TIME:
        before = told
    if before is None or before - nominal <= ON_TIME:
        return at
    return before + timedelta(seconds=stages[stage].after - stages[stage - 1].after)


def stages_to_come(
    session: Session, decision: PendingDecision, case: Case, pace: Pace
) -> Sequence[tuple[datetime, Stage]]:
    """Return the stages of a running case that have not been carried out, each with its moment."""
    due = case.deadline_at
    found: list[tuple[datetime, Stage]] = []
    for number in range(case.stage, len(pace.stages)):
        at = None if due is None or number != case.stage else stage_due(session, decision, case, due)
        if at is None:
            at = found[-1][0] + timedelta(seconds=pace.stages[number].after - pace.stages[number - 1].after)
        found.append((at, pace.stages[number]))
    return found
