"""Cases: a passed deadline, or a mail that did not arrive, and what the pace says shall follow.

The sweep looks at games whose `check_at` has passed, works the truth out anew, and carries the stages of the pace out
one after another. Each look at a game is one transaction that begins with a guarded update, so that of several
processes one acts, and a killed one has done nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col

from app.base import failures
from app.base.mail_tables import OF_TIME, MailState, OutboxMail
from app.base.outbox import Planned
from app.clocks.leave import DAYS_A_YEAR
from app.clocks.pace import Pace, Stage
from app.games import contest
from app.games.tables import Game
from app.games.work import Work
from app.people.tables import Player, PlayerRole
from app.play.notices import turn_mail
from app.play.playing import END, MOST_SERVER_ANSWERS, Table
from app.play.results import end_or_go_on, still_plays
from app.play.turns import table_of
from app.time import leave, open_cases, outages, pending
from app.time.pending import PendingDecision
from app.time.tables import Case, CaseKind, CaseState, ClockNote, NoteKind, Outage
from engine.kernel.refusals import Refusal
from engine.kernel.title import Choice

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database
    from app.games.store import GameNow

log = logging.getLogger("postroad.cases")

AT_ONCE = 100
AGAIN = timedelta(minutes=10)
"""A game that could not be looked at is looked at again after this."""
ON_TIME = timedelta(hours=1)
"""A stage that was carried out no later than this after its moment counts as carried out in it."""
LAST_DAY = timedelta(days=1)
"""An outage in this time before a deadline is what the time-out is put down to."""

DUE = (
    sa.select(col(Game.id), col(Game.check_at))
    .where(col(Game.check_at) <= sa.bindparam("now"))
    .order_by(col(Game.check_at))
    .limit(AT_ONCE)
)
ANY_DUE = sa.select(col(Game.id)).where(col(Game.check_at) <= sa.bindparam("now")).limit(1)
CLAIM = (
    sa.update(Game)
    .where(col(Game.id) == sa.bindparam("game"), col(Game.check_at) == sa.bindparam("was"))
    .values(check_at=sa.bindparam("next"))
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
        mine = sum(_look_at(database, row.id, row.check_at, now, allowance) for row in due)
        looked += mine
        if len(due) < AT_ONCE or not mine:
            return looked


def _look_at(database: Database, game_id: int, was: datetime, now: datetime, allowance: int) -> bool:
    try:
        with Work(database) as work:
            claim = {"game": game_id, "was": was, "next": now + AGAIN}
            if work.session.exec(CLAIM, params=claim).rowcount != 1:
                return False  # another process has it
            _look(work, game_id, now, allowance)
            following = _next_look(work.session, game_id, now)
            work.session.execute(_CHECK, {"game": game_id, "next": following})
            work.commit()
    except Exception as error:  # one game must not hold up the others
        failures.report(log, f"the case of game {game_id} could not be looked at", error)
        with database.write() as session:
            session.execute(CLAIM, {"game": game_id, "was": was, "next": now + AGAIN})
            session.commit()
    return True


def _look(work: Work, game_id: int, now: datetime, allowance: int) -> None:
    decision = pending.owed(work.session, game_id)
    case = open_cases.running(work.session, game_id)
    if case is not None and (decision is None or case.number != decision.number):
        open_cases.close(work.session, case, decision.entries if decision else 0, "player", now)
        case = None
    if decision is None or decision.player_id is None:
        return
    if decision.mailed_at is None:
        _look_at_mail(work, decision, case, now)
        return
    pending.refresh_game(work.session, game_id, now)
    if now >= pending.times(work.session, decision, now).deadline:
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
        "mail_failed",
        "mail",
        now,
        once=f"mail_failed:{decision.game_id}:{decision.number}",
    )
    case_id = _open(work.session, decision, "mail", "mail", "opened", None, now)
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
        _open(session, decision, "time", _fault(session, decision, due, now), "warned", due, now)
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
    while leave.automatic_leave(work, decision, now, allowance=allowance):
        anew = pending.owed(work.session, decision.game_id)
        if anew is None or now < pending.times(work.session, anew, now).deadline:
            return True
        decision = anew
    return False


def _open(
    session: Session, decision: PendingDecision, kind: str, cause: str, state: str, due: datetime | None, now: datetime
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


def _fault(session: Session, decision: PendingDecision, due: datetime, now: datetime) -> str:
    """What a time-out is put down to: `mail` where the decision's mail was refused or late, `outage` where one fell
    into the last day, else `player`."""
    failed = sa.select(col(ClockNote.id)).where(
        col(ClockNote.game_id) == decision.game_id,
        col(ClockNote.number) == decision.number,
        col(ClockNote.kind) == NoteKind.MAIL_FAILED,
    )
    if session.execute(failed.limit(1)).first() is not None:
        return "mail"
    touched = sa.select(col(Outage.id)).where(col(Outage.to_at) > due - LAST_DAY, col(Outage.from_at) < now)
    return "player" if session.execute(touched.limit(1)).first() is None else "outage"


def stage_due(session: Session, decision: PendingDecision, stage: int, due: datetime) -> datetime:
    """When a stage is to be carried out: so long after the deadline as the pace says. Where the one before it came
    late, or its mail, their distance is kept, so that nobody loses the time between a warning and what it warns of."""
    stages = decision.pace.stages
    at = due + timedelta(seconds=stages[stage].after)
    if stage == 0:
        return at
    before: datetime | None = session.scalar(
        sa.select(sa.func.max(col(ClockNote.at))).where(
            col(ClockNote.game_id) == decision.game_id,
            col(ClockNote.cause) == "pace",
            col(ClockNote.at) >= due,
            col(ClockNote.kind).in_((NoteKind.WARNED, NoteKind.GRACE, NoteKind.FLAGGED, NoteKind.RULED)),
        )
    )
    nominal = due + timedelta(seconds=stages[stage - 1].after)
    case = open_cases.running(session, decision.game_id)
    told = None if case is None else told_at(session, case.id, stage - 1)
    if before is not None and told is not None and told - before > ON_TIME:
        before = told
    if before is None or before - nominal <= ON_TIME:
        return at
    return before + timedelta(seconds=stages[stage].after - stages[stage - 1].after)


def mail_key(case_id: int, stage: int) -> str:
    """What makes the mail unique that tells the late seat of a stage."""
    return f"case:{case_id}:{stage}"


_TOLD = sa.select(col(OutboxMail.state), col(OutboxMail.sent_at), col(OutboxMail.due_at), col(OutboxMail.attempts))
_TOLD = _TOLD.where(col(OutboxMail.mail_key) == sa.bindparam("key"))


def told_at(session: Session, case_id: int, stage: int) -> datetime | None:
    """When the late seat was told of a stage, or when that is tried next; None where it is not told, or was told as
    soon as could be."""
    row = session.execute(_TOLD, {"key": mail_key(case_id, stage)}).first()
    if row is None:
        return None
    moment: datetime = row.due_at if row.state == MailState.WAITING else row.sent_at
    return moment


def is_being_told(session: Session, case_id: int, stage: int, now: datetime) -> datetime | None:
    """Until when at least the mail is held back that tells the late seat of a stage; None when it has gone out."""
    row = session.execute(_TOLD, {"key": mail_key(case_id, stage)}).first()
    if row is None or row.state != MailState.WAITING or (row.due_at <= now and not row.attempts):
        return None
    until: datetime = max(now, row.due_at)
    return until


# -- what happens in a stage --------------------------------------------------------------------------


def _carry_out(work: Work, decision: PendingDecision, case: Case, stage: Stage, now: datetime) -> None:
    details: dict[str, Any] = {"case": case.id, "do": list(stage.do)}
    game = work.store.load(decision.game_id, for_writing=True)
    acts: list[str] = []
    for act in stage.do:
        if act == "orders" and _play(work, game, decision, case, _answer_without_asking, now):
            acts.append(act)
            break  # it has moved: the rest would be about another decision
        if act == "forfeit_turn":
            if _play(work, game, decision, case, _end_of_turn, now):
                acts.append(act)
                time_out(work.session, decision, case.cause, now)
                break
            details["no_end"] = True
        elif act == "forfeit":
            end_by_time(work, game, decision, case, "forfeit", None, now)
            acts.append(act)
            break
        elif act == "organiser":
            asked = contest.runner().open_for_case(work, game.id, case.id, now)
            details["operators"] = asked or tell_operators(work, game.id, case.id, f"time:{case.stage}", now)
    details["done"] = acts
    once = f"case:{case.id}:{case.stage}"
    pending.note(work.session, decision, stage.state, "pace", now, details=details, once=once)
    if not acts and stage.do:
        _tell_both(work, game, case, decision, stage, now)


def _tell_both(work: Work, game: GameNow, case: Case, decision: PendingDecision, stage: Stage, now: datetime) -> None:
    late = game.seated(decision.seat)
    details = {"case": case.id, "stage": case.stage}
    key = mail_key(case.id, case.stage)
    if not set(stage.do) & {"remind", "claim", "organiser"}:
        return  # nothing has come of it, so there is nothing to say
    owed = Planned(
        key, "overdue", late.address, late.player_id, game.id, late.seat, decision.number, details, wait=OF_TIME
    )
    work.outbox.add([owed], now)
    what = "claim" if "claim" in stage.do else "organiser" if "organiser" in stage.do else "late"
    tell_others(work, game, case.id, decision, {"what": what, "stage": case.stage}, now)


def tell_others(
    work: Work, game: GameNow, case_id: int, decision: PendingDecision, details: dict[str, Any], now: datetime
) -> None:
    """Mail all other seats that play on what the matter is."""
    work.outbox.add(
        [
            Planned(
                f"late:{case_id}:{details.get('stage', '')}:{other.seat}",
                "late",
                other.address,
                other.player_id,
                game.id,
                other.seat,
                None,
                {"case": case_id, **details},
                wait=OF_TIME,
            )
            for other in game.others(decision.seat)
            if other.player_id is not None and still_plays(game, other.seat)
        ],
        now,
    )


def tell_operators(work: Work, game_id: int, case_id: int, what: str, now: datetime) -> int:
    """Mail the operators of the server that a case waits for their ruling; how many they are."""
    rows = work.session.execute(
        sa.select(col(Player.id), col(Player.address)).where(
            col(Player.role) == PlayerRole.OPERATOR, col(Player.erased_at).is_(None)
        )
    ).all()
    work.outbox.add(
        [
            Planned(
                f"desk:{case_id}:{what}:{row.id}",
                "case",
                row.address,
                row.id,
                game_id,
                details={"case": case_id},
                wait=OF_TIME,
            )
            for row in rows
        ],
        now,
    )
    return len(rows)


# -- played for the seat ------------------------------------------------------------------------------


def _play(
    work: Work,
    game: GameNow,
    decision: PendingDecision,
    case: Case,
    step: Callable[[Table, str], Any | None],
    now: datetime,
) -> bool:
    """Play what `step` gives for the late seat until it gives nothing more, or the seat owes nothing more."""
    table = table_of(game)
    turn = game.turn
    for _ in range(MOST_SERVER_ANSWERS):
        due = table.title.decision(table.state)
        if due is None or due.seat != decision.seat or due.turn != turn:
            break
        action = step(table, decision.seat)
        if action is None:
            break
        table.act(decision.seat, action, "time")
    if not table.steps:
        return False
    table.answer_what_needs_no_asking()
    end_or_go_on(work, game, table, None, now)
    return True


def _answer_without_asking(table: Table, seat: str) -> Any | None:
    """What standing orders give, or the only thing that the seat can do as everybody can see: whatever else a hidden
    hand allows or not, it makes no difference here."""
    answer = table.server_answer()
    if answer is not None:
        return answer[1]
    if not table.title.all_open:
        return table.title.end_of_steps(table.state)
    legal = table.title.legal(table.state)
    if len(legal) != 1:
        return None
    # One choice with one way to make it is one action.
    if isinstance(legal[0], Choice):
        return legal[0].action(legal[0].items) if legal[0].least == len(legal[0].items) else None
    return legal[0]


def _end_of_turn(table: Table, seat: str) -> Any | None:
    """An action that brings the turn of this seat to its end: the end itself, or to pass."""
    due = table.title.decision(table.state)
    if due is None or due.on_turn != seat:
        return None  # it answers another's turn
    candidates = [table.title.end_of_steps(table.state)]
    for line in (END, "pass"):
        try:
            candidates.append(table.title.read(table.state, seat, line))
        except Refusal:
            continue
    for action in candidates:
        if action is None:
            continue
        try:
            table.title.check(table.state, seat, action)
        except Refusal:
            continue
        return action
    return None


# -- the end by time ----------------------------------------------------------------------------------


def time_out(session: Session, decision: PendingDecision, cause: str, now: datetime) -> None:
    """Note that the seat has lost a turn or its game on time; whose fault it was, `cause` says."""
    pending.note(session, decision, "timeout", cause, now, once=f"timeout:{decision.game_id}:{decision.number}")


def end_by_time(
    work: Work,
    game: GameNow,
    decision: PendingDecision,
    case: Case,
    ruling: str,
    by_id: int | None,
    now: datetime,
    reason: str = "",
) -> GameNow | None:
    """The late seat loses on time: between two the other one has won, among more the seat leaves the game as by
    resignation. None when the case had ended before."""
    ended = open_cases.end(
        work.session, case.id, now, state=CaseState.RULED, ruling=ruling, ruled_by=by_id, reason=reason
    )
    if not ended:
        return None
    time_out(work.session, decision, case.cause, now)
    others = [other.seat for other in game.others(decision.seat) if still_plays(game, other.seat)]
    table = table_of(game)
    if len(others) == 1:
        table.happen(game.title.conclude(game.state, "time", others), "time")
    else:
        table.resign(decision.seat, "time")
        table.answer_what_needs_no_asking()
    after = end_or_go_on(work, game, table, None, now)
    if not after.is_over:
        late = game.seated(decision.seat)
        details = {"case": case.id, "what": "out"}
        key = f"out:{case.id}"
        out = Planned(key, "late", late.address, late.player_id, game.id, late.seat, details=details, wait=OF_TIME)
        work.outbox.add([out], now)
    return after


def mail_again(work: Work, game: GameNow, decision: PendingDecision, case_id: int, now: datetime) -> None:
    """Send the mail of a decision once more, with the whole time for it to arrive."""
    late = game.seated(decision.seat)
    work.session.exec(sa.update(Game).where(col(Game.id) == game.id).values(asked_at=now))
    pending.refresh_game(work.session, game.id, now)
    work.outbox.add([turn_mail(game, late, again=f"case{case_id}")], now)


def grant(work: Work, decision: PendingDecision, seconds: int, now: datetime) -> datetime:
    """Give a late seat so much time from now on; the new deadline."""
    session = work.session
    due = pending.times(session, decision, now).deadline
    passed = pending.time_used(session, decision, now) - pending.time_used(session, decision, due)
    extra = decision.extra_seconds + max(0, passed) + seconds
    session.exec(sa.update(Game).where(col(Game.id) == decision.game_id).values(extra_seconds=extra))
    pending.refresh_game(session, decision.game_id, now)
    return pending.times(session, replace(decision, extra_seconds=extra), now).deadline


def stages_to_come(
    session: Session, decision: PendingDecision, case: Case, pace: Pace
) -> Sequence[tuple[datetime, Stage]]:
    """The stages of a running case that have not been carried out, each with its moment."""
    due = case.deadline_at
    found: list[tuple[datetime, Stage]] = []
    for number in range(case.stage, len(pace.stages)):
        at = None if due is None or number != case.stage else stage_due(session, decision, number, due)
        if at is None:
            at = found[-1][0] + timedelta(seconds=pace.stages[number].after - pace.stages[number - 1].after)
        found.append((at, pace.stages[number]))
    return found
