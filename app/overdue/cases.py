"""Cases: a passed deadline, or a mail that did not arrive, and what the pace says must follow.

The sweep examines games whose `check_at` has passed, computes their situation afresh, and carries out the stages of the
pace one after another. Each examination is one transaction that begins with a guarded update, so that only one of
several processes acts, and a killed one has done nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.config import Config
from app.base.process.jobs import Run, job
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.clocks.leave import DAYS_A_YEAR
from app.clocks.outages import is_of
from app.clocks.pace import Stage
from app.games import competitions
from app.games.tables import Game
from app.games.work import Work
from app.overdue.late_seat import answer_without_asking, end_by_time, end_of_turn, play, time_out
from app.overdue.stages import stage_due
from app.overdue.telling import tell_of_stage, tell_operators, tell_others
from app.play.turn import holding
from app.time import open_cases, outages, pending
from app.time.away import automatic
from app.time.decisions import PendingDecision
from app.time.tables import Case, CaseKind, CaseRuling, CaseState, ClockNote, NoteCause, NoteKind, Outage

AT_ONCE = 100
LAST_DAY = timedelta(days=1)
"""An outage within this time before a deadline is blamed for the time-out."""

_IS_DUE = sa.and_(col(Game.check_at) <= sa.bindparam("now"), ~failing.rests("cases", "game", col(Game.id)))
DUE = sa.select(col(Game.id), col(Game.check_at)).where(_IS_DUE).order_by(col(Game.check_at)).limit(AT_ONCE)
ANY_DUE = sa.select(col(Game.id)).where(_IS_DUE).limit(1)
CLAIM = (
    sa.update(Game)
    .where(col(Game.id) == sa.bindparam("game"), col(Game.check_at) == sa.bindparam("was"))
    .values(check_at=None)
)
_CHECK = sa.update(Game).where(col(Game.id) == sa.bindparam("game")).values(check_at=sa.bindparam("next"))


# -- the sweep ----------------------------------------------------------------------------------------


def sweep_cases(database: Database, now: datetime, *, allowance: int = DAYS_A_YEAR) -> int:
    """Examine all games that are due; return how many. Nothing happens during an outage. `allowance` is how many days
    of leave a player has in a year."""
    looked = 0
    while True:
        with database.read() as session:
            if session.execute(ANY_DUE, {"now": now}).first() is None or outages.is_down(session, now):
                return looked
            due = session.execute(DUE, {"now": now}).all()
        mine = sum(
            failing.over(
                database,
                "cases",
                due,
                lambda row: f"game {row.id}",
                lambda row: _look_at(database, row.id, row.check_at, now, allowance),
                now,
            )
        )
        looked += mine
        if len(due) < AT_ONCE or not mine:
            return looked


@job("cases", every=5).begun
def _sweep_cases(config: Config) -> Run:
    return partial(sweep_cases, allowance=config.leave_days)


def _look_at(database: Database, game_id: int, was: datetime, now: datetime, allowance: int) -> bool:
    with Work(database) as work:
        if work.session.exec(CLAIM, params={"game": game_id, "was": was}).rowcount != 1:
            return False  # another process has it
        found = _look(work, game_id, now, allowance)
        work.session.execute(_CHECK, {"game": game_id, "next": _next_look(work.session, found, now)})
    return True


class _Found(NamedTuple):
    """What a game waits for and the case about it: read once, and again where the game has moved."""

    decision: PendingDecision | None
    case: Case | None


def _find(session: Session, game_id: int) -> _Found:
    decision = pending.owed(session, game_id)
    return _Found(decision, open_cases.running(session, game_id))


def _look(work: Work, game_id: int, now: datetime, allowance: int) -> _Found:
    session = work.session
    decision, case = _find(session, game_id)
    if case is not None and (decision is None or case.number != decision.number):
        open_cases.close(session, case, decision.entries if decision else 0, NoteCause.PLAYER, now)
        case = None
    if decision is None or decision.player_id is None:
        return _Found(decision, case)
    if decision.mailed_at is None:
        return _Found(decision, _look_at_mail(work, decision, case, now))
    deadline, case = pending.refresh_late(session, decision, case, now)
    if now < deadline:
        return _Found(decision, case)
    if holding.play_held(work, game_id, decision.seat, now, early=True):  # what was sealed in time is in time
        return _find(session, game_id)
    return _look_at_time(work, decision, case, now, allowance)


def _next_look(session: Session, found: _Found, now: datetime) -> datetime | None:
    """When the game has to be looked at again, as things stand now."""
    decision, case = found
    if decision is None:
        return None
    moments = pending.times(session, decision, now)
    if moments.check is None or now < moments.check:
        return moments.check
    if case is None:  # it has been ruled that it ends here, or the clock has just been set
        return None
    if case.kind == CaseKind.MAIL or case.stage >= len(decision.pace.stages):
        return None
    return stage_due(session, decision, case, moments.deadline)


# -- a mail that did not arrive -----------------------------------------------------------------------


def _look_at_mail(work: Work, decision: PendingDecision, case: Case | None, now: datetime) -> Case | None:
    """The case that runs then."""
    limit = pending.times(work.session, decision, now).check
    refused = _is_refused(work.session, decision)
    if case is not None or not (refused or (limit is not None and now >= limit)):
        return case
    once = f"mail_failed:{decision.game_id}:{decision.number}"
    pending.note(work.session, decision, NoteKind.MAIL_FAILED, NoteCause.MAIL, now, once=once)
    case = _open(work.session, decision, CaseKind.MAIL, NoteCause.MAIL, CaseState.OPENED, None, now)
    game = work.store.load(decision.game_id)
    tell_others(work, game, case.id, decision, {"what": "mail"}, now)
    if not any(row.bounced_at for row in _asking(work.session, decision)):
        # Of mails that came back operators are told once for all of them.
        tell_operators(work, game.id, case.id, "mail", now)
    return case


def _is_refused(session: Session, decision: PendingDecision) -> bool:
    states = [row.state for row in _asking(session, decision)]
    return "failed" in states and "waiting" not in states


def _asking(session: Session, decision: PendingDecision) -> Sequence[Any]:
    """Return the mails that asked for a decision."""
    return session.execute(
        sa.select(col(OutboxMail.state), col(OutboxMail.bounced_at)).where(
            col(OutboxMail.game_id) == decision.game_id,
            col(OutboxMail.number) == decision.number,
            col(OutboxMail.seat) == decision.seat,
            col(OutboxMail.kind) == "turn",
            col(OutboxMail.player_id) == decision.player_id,
        )
    ).all()


# -- a deadline that has passed -----------------------------------------------------------------------


def _look_at_time(work: Work, decision: PendingDecision, case: Case | None, now: datetime, allowance: int) -> _Found:
    session = work.session
    if case is None:
        while automatic.take_day(work, decision, now, allowance=allowance):
            owed = pending.owed(session, decision.game_id)
            if owed is None or now < pending.times(session, owed, now).deadline:
                return _Found(owed, None)  # days of leave have put the deadline off
            decision = owed
        due = pending.times(session, decision, now).deadline
        cause = _fault(session, decision, due, now)
        case = _open(session, decision, CaseKind.TIME, cause, CaseState.WARNED, due, now)
    stages = decision.pace.stages
    while case.number == decision.number and case.stage < len(stages):
        if stage_due(session, decision, case, pending.times(session, decision, now).deadline) > now:
            break
        stage = stages[case.stage]
        values = {"stage": case.stage + 1, "state": stage.state}
        session.exec(sa.update(Case).where(col(Case.id) == case.id).values(**values))
        _carry_out(work, decision, case, stage, now)
        found = _find(session, decision.game_id)
        if found.decision is None or found.case is None:
            return found
        decision, case = found.decision, found.case
    return _Found(decision, case)


def _open(
    session: Session,
    decision: PendingDecision,
    kind: CaseKind,
    cause: NoteCause,
    state: CaseState,
    due: datetime | None,
    now: datetime,
) -> Case:
    case = Case(
        game_id=decision.game_id,
        number=decision.number,
        seat=decision.seat,
        player_id=decision.player_id,
        kind=kind,
        cause=cause,
        state=state,
        opened_at=now,
        deadline_at=due,
    )
    session.add(case)
    session.flush()
    return case


def _fault(session: Session, decision: PendingDecision, due: datetime, now: datetime) -> NoteCause:
    """Return what a time-out is blamed on: `mail` if the decision's mail was refused or late, `outage` if one fell
    within the last day, else `player`."""
    failed = sa.select(col(ClockNote.id)).where(
        col(ClockNote.game_id) == decision.game_id,
        col(ClockNote.number) == decision.number,
        col(ClockNote.kind) == NoteKind.MAIL_FAILED,
    )
    if session.execute(failed.limit(1)).first() is not None:
        return NoteCause.MAIL
    touched = sa.select(col(Outage.job)).where(col(Outage.to_at) > due - LAST_DAY, col(Outage.from_at) < now)
    was_down = any(is_of(job, decision.title, decision.game_id) for job in session.scalars(touched))
    return NoteCause.OUTAGE if was_down else NoteCause.PLAYER


# -- what happens in a stage --------------------------------------------------------------------------


def _carry_out(work: Work, decision: PendingDecision, case: Case, stage: Stage, now: datetime) -> None:
    details: dict[str, Any] = {"case": case.id, "do": list(stage.do)}
    game = work.store.load(decision.game_id, for_writing=True)
    acts: list[str] = []
    for act in stage.do:
        if act == "orders" and play(work, game, decision, answer_without_asking, now):
            acts.append(act)
            break  # it has moved: the rest would be about another decision
        if act == "forfeit_turn":
            if play(work, game, decision, end_of_turn, now):
                acts.append(act)
                time_out(work.session, decision, case.cause, now)
                break
            details["no_end"] = True
        elif act == "forfeit":
            end_by_time(work, game, decision, case, CaseRuling.FORFEIT, None, now)
            acts.append(act)
            break
        elif act == "organiser":
            asked = competitions.runner().open_for_case(work, game.id, case.id, now)
            details["operators"] = asked or tell_operators(work, game.id, case.id, f"time:{case.stage}", now)
    details["done"] = acts
    once = f"case:{case.id}:{case.stage}"
    pending.note(work.session, decision, NoteKind(stage.state), NoteCause.PACE, now, details=details, once=once)
    if not acts and stage.do:
        tell_of_stage(work, game, case, decision, stage, now)
