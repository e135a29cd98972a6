"""Cases: a passed deadline, or a mail that did not arrive, and what the pace says shall follow.

The sweep looks at games whose `check_at` has passed, works the truth out anew, and carries the stages of the pace out
one after another. Each look at a game is one transaction that begins with a guarded update, so that of several
processes one acts, and a killed one has done nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col

from app.base import failing
from app.base.jobs import Run, begun_job
from app.base.mail_tables import OutboxMail
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
from app.time import automatic, open_cases, outages, pending
from app.time.decisions import PendingDecision
from app.time.tables import Case, CaseKind, CaseRuling, CaseState, ClockNote, NoteCause, NoteKind, Outage

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.config import Config
    from app.base.database import Database

AT_ONCE = 100
LAST_DAY = timedelta(days=1)
"""An outage in this time before a deadline is what the time-out is put down to."""

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
    """Look at all games that are due for it; how many. Nothing happens while something is down.

    `allowance` is how many days of leave a player has in a year.
    """
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


@begun_job("cases", every=5, did="passed deadlines looked at")
def _sweep_cases(config: Config) -> Run:
    return partial(sweep_cases, allowance=config.leave_days)


def _look_at(database: Database, game_id: int, was: datetime, now: datetime, allowance: int) -> bool:
    with Work(database) as work:
        if work.session.exec(CLAIM, params={"game": game_id, "was": was}).rowcount != 1:
            return False  # another process has it
        _look(work, game_id, now, allowance)
        following = _next_look(work.session, game_id, now)
        work.session.execute(_CHECK, {"game": game_id, "next": following})
        work.commit()
    return True


def _look(work: Work, game_id: int, now: datetime, allowance: int) -> None:
    decision = pending.owed(work.session, game_id)
    case = open_cases.running(work.session, game_id)
    if case is not None and (decision is None or case.number != decision.number):
        open_cases.close(work.session, case, decision.entries if decision else 0, NoteCause.PLAYER, now)
        case = None
    if decision is None or decision.player_id is None:
        return
    if decision.mailed_at is None:
        _look_at_mail(work, decision, case, now)
        return
    pending.refresh_game(work.session, game_id, now)
    if now < pending.times(work.session, decision, now).deadline:
        return
    if not holding.play_held(work, game_id, decision.seat, now, early=True):  # what was sealed in time is in time
        _look_at_time(work, decision, now, allowance)


def _next_look(session: Session, game_id: int, now: datetime) -> datetime | None:
    """When the game has to be looked at again, as things stand now."""
    decision = pending.owed(session, game_id)
    if decision is None:
        return None
    moments, case = pending.times(session, decision, now), open_cases.running(session, game_id)
    if moments.check is None or now < moments.check:
        return moments.check
    if case is None:  # it has been ruled that it ends here, or the clock has just been set
        return None
    if case.kind == CaseKind.MAIL or case.stage >= len(decision.pace.stages):
        return None
    return stage_due(session, decision, case.stage, moments.deadline)


# -- a mail that did not arrive -----------------------------------------------------------------------


def _look_at_mail(work: Work, decision: PendingDecision, case: Case | None, now: datetime) -> None:
    limit = pending.times(work.session, decision, now).check
    refused = _is_refused(work.session, decision)
    if case is not None or not (refused or (limit is not None and now >= limit)):
        return
    pending.note(
        work.session,
        decision,
        NoteKind.MAIL_FAILED,
        NoteCause.MAIL,
        now,
        once=f"mail_failed:{decision.game_id}:{decision.number}",
    )
    case_id = _open(work.session, decision, CaseKind.MAIL, NoteCause.MAIL, CaseState.OPENED, None, now)
    game = work.store.load(decision.game_id)
    tell_others(work, game, case_id, decision, {"what": "mail"}, now)
    if not any(row.bounced_at for row in _asking(work.session, decision)):
        # Of mails that came back operators are told once for all of them.
        tell_operators(work, game.id, case_id, "mail", now)


def _is_refused(session: Session, decision: PendingDecision) -> bool:
    states = [row.state for row in _asking(session, decision)]
    return "failed" in states and "waiting" not in states


def _asking(session: Session, decision: PendingDecision) -> Sequence[Any]:
    """The mails that asked for a decision."""
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


def _look_at_time(work: Work, decision: PendingDecision, now: datetime, allowance: int) -> None:
    session = work.session
    case = open_cases.running(session, decision.game_id)
    if case is None:
        if _on_leave_instead(work, decision, now, allowance):
            return
        due = pending.times(session, decision, now).deadline
        _open(session, decision, CaseKind.TIME, _fault(session, decision, due, now), CaseState.WARNED, due, now)
        case = open_cases.running(session, decision.game_id)
    stages = decision.pace.stages
    while case is not None and case.number == decision.number and case.stage < len(stages):
        due = pending.times(session, decision, now).deadline
        if stage_due(session, decision, case.stage, due) > now:
            return
        stage = stages[case.stage]
        values = {"stage": case.stage + 1, "state": stage.state}
        session.exec(sa.update(Case).where(col(Case.id) == case.id).values(**values))
        _carry_out(work, decision, case, stage, now)
        decision_now = pending.owed(session, decision.game_id)
        case = open_cases.running(session, decision.game_id)
        if decision_now is None or case is None:
            return
        decision = decision_now


def _on_leave_instead(work: Work, decision: PendingDecision, now: datetime, allowance: int) -> bool:
    """Whether days of leave, taken one after another, have put the deadline off beyond now."""
    while automatic.take_day(work, decision, now, allowance=allowance):
        anew = pending.owed(work.session, decision.game_id)
        if anew is None or now < pending.times(work.session, anew, now).deadline:
            return True
        decision = anew
    return False


def _open(
    session: Session,
    decision: PendingDecision,
    kind: CaseKind,
    cause: NoteCause,
    state: CaseState,
    due: datetime | None,
    now: datetime,
) -> int:
    values = {
        "game_id": decision.game_id,
        "number": decision.number,
        "seat": decision.seat,
        "player_id": decision.player_id,
        "kind": kind,
        "cause": cause,
        "state": state,
        "stage": 0,
        "opened_at": now,
        "deadline_at": due,
        "reason": "",
    }
    return session.scalars(sa.insert(Case).values(**values).returning(col(Case.id))).one()


def _fault(session: Session, decision: PendingDecision, due: datetime, now: datetime) -> NoteCause:
    """What a time-out is put down to: `mail` where the decision's mail was refused or late, `outage` where one fell
    into the last day, else `player`."""
    failed = sa.select(col(ClockNote.id)).where(
        col(ClockNote.game_id) == decision.game_id,
        col(ClockNote.number) == decision.number,
        col(ClockNote.kind) == NoteKind.MAIL_FAILED,
    )
    if session.execute(failed.limit(1)).first() is not None:
        return NoteCause.MAIL
    touched = sa.select(col(Outage.job)).where(col(Outage.to_at) > due - LAST_DAY, col(Outage.from_at) < now)
    was_down = any(is_of(job, decision.title) for job in session.scalars(touched))
    return NoteCause.OUTAGE if was_down else NoteCause.PLAYER


# -- what happens in a stage --------------------------------------------------------------------------


def _carry_out(work: Work, decision: PendingDecision, case: Case, stage: Stage, now: datetime) -> None:
    details: dict[str, Any] = {"case": case.id, "do": list(stage.do)}
    game = work.store.load(decision.game_id, for_writing=True)
    acts: list[str] = []
    for act in stage.do:
        if act == "orders" and play(work, game, decision, case, answer_without_asking, now):
            acts.append(act)
            break  # it has moved: the rest would be about another decision
        if act == "forfeit_turn":
            if play(work, game, decision, case, end_of_turn, now):
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
