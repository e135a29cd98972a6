"""Actions on a late seat: playing for it, ending its time or granting more, resending its mail."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted
from app.games.store import GameNow
from app.games.tables import Game, LogCause
from app.games.work import Work
from app.overdue.telling import mail_of_case
from app.play.agreed.results import end_or_go_on, still_plays
from app.play.turn.moves import turn_mail
from app.play.turn.playing import END, MOST_SERVER_ANSWERS, Play
from app.play.turn.turns import play_of
from app.time import open_cases, pending
from app.time.decisions import PendingDecision
from app.time.tables import Case, CaseRuling, CaseState, NoteCause, NoteKind
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text
from engine.kernel.title import Choice

MOST_DAYS = 60
"""The most that a decision is given at once."""


def read_days(given: str) -> int:
    """Read the days that a late decision is given, as typed. Raises NotAccepted."""
    days = whole(given, least=1, most=MOST_DAYS)
    if days is None:
        raise NotAccepted("case.days", Text("The days to give are a whole number from 1 to {most}.", most=MOST_DAYS))
    return days


# -- played for the seat ------------------------------------------------------------------------------


def play(
    work: Work,
    game: GameNow,
    decision: PendingDecision,
    step: Callable[[Play, str], Any | None],
    now: datetime,
) -> bool:
    """Play what `step` gives for the late seat until it gives nothing more, or the seat owes nothing more."""
    play = play_of(game)
    turn = game.turn
    for _ in range(MOST_SERVER_ANSWERS):
        due = play.title.decision(play.state)
        if due is None or due.seat != decision.seat or due.turn != turn:
            break
        action = step(play, decision.seat)
        if action is None:
            break
        play.act(decision.seat, action, LogCause.TIME)
    if not play.steps:
        return False
    play.answer_what_needs_no_asking()
    end_or_go_on(work, game, play, None, now)
    return True


def answer_without_asking(play: Play, seat: str) -> object:
    """Return what standing orders give, or the seat's only action if that is public knowledge: whatever else a hidden
    hand allows makes no difference. None if the seat must be asked."""
    answer = play.server_answer()
    if answer is not None:
        return answer[1]
    if not play.title.all_open:
        return play.title.end_of_steps(play.state)
    legal = play.title.legal(play.state)
    if len(legal) != 1:
        return None
    # One choice with one way to make it is one action.
    if isinstance(legal[0], Choice):
        return legal[0].action(legal[0].items) if legal[0].least == len(legal[0].items) else None
    return legal[0]


def end_of_turn(play: Play, seat: str) -> object:
    """Return an action that ends the turn of this seat: the end itself, or a pass; None for none."""
    due = play.title.decision(play.state)
    if due is None or due.on_turn != seat:
        return None  # it answers in another seat's turn
    candidates = [play.title.end_of_steps(play.state)]
    for line in (END, "pass"):
        try:
            candidates.append(play.title.read(play.state, seat, line))
        except Refusal:
            continue
    for action in candidates:
        if action is None:
            continue
        try:
            play.title.check(play.state, seat, action)
        except Refusal:
            continue
        return action
    return None


# -- the end by time ----------------------------------------------------------------------------------


def time_out(session: Session, decision: PendingDecision, cause: NoteCause, now: datetime) -> None:
    """Note that the seat has lost a turn or its game on time; `cause` says whose fault it was."""
    pending.note(session, decision, NoteKind.TIMEOUT, cause, now, once=f"timeout:{decision.game_id}:{decision.number}")


def end_by_time(
    work: Work,
    game: GameNow,
    decision: PendingDecision,
    case: Case,
    ruling: CaseRuling,
    by_id: int | None,
    now: datetime,
    reason: str = "",
) -> GameNow | None:
    """End the late seat's game on time: between two the other has won, among more the seat leaves the game as by
    resignation. Returns None if the case had already ended."""
    ended = open_cases.end(
        work.session, case.id, now, state=CaseState.RULED, ruling=ruling, ruled_by=by_id, reason=reason
    )
    if not ended:
        return None
    time_out(work.session, decision, case.cause, now)
    others = [other.seat for other in game.others(decision.seat) if still_plays(game, other.seat)]
    play = play_of(game)
    if len(others) == 1:
        play.happen(game.title.conclude(game.state, "time", others), LogCause.TIME)
    else:
        play.resign(decision.seat, LogCause.TIME)
        play.answer_what_needs_no_asking()
    after = end_or_go_on(work, game, play, None, now)
    if not after.is_over:
        late = game.seated(decision.seat)
        details = {"case": case.id, "what": "out"}
        work.outbox.add([mail_of_case(game, late, f"out:{case.id}", "late", details)], now)
    return after


def mail_again(work: Work, game: GameNow, decision: PendingDecision, case_id: int, now: datetime) -> None:
    """Resend the mail of a decision, with the whole time for it to arrive."""
    late = game.seated(decision.seat)
    work.session.exec(sa.update(Game).where(col(Game.id) == game.id).values(asked_at=now))
    pending.refresh_game(work.session, game.id, now)
    work.outbox.add([turn_mail(game, late, again=f"case{case_id}")], now)


def grant(work: Work, decision: PendingDecision, seconds: int, now: datetime) -> datetime:
    """Grant a late seat this much time from now on; return the new deadline."""
    session = work.session
    due = pending.times(session, decision, now).deadline
    passed = pending.time_used(session, decision, now) - pending.time_used(session, decision, due)
    extra = decision.extra_seconds + max(0, passed) + seconds
    session.exec(sa.update(Game).where(col(Game.id) == decision.game_id).values(extra_seconds=extra))
    pending.refresh_game(session, decision.game_id, now)
    return pending.times(session, decision._replace(extra_seconds=extra), now).deadline
