"""The only way in which a running game moves on: log, clocks and mails, in the caller's transaction."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlmodel import Session

from app.games import competitions
from app.games.steps import NOTHING_SENT, PlayedSteps, SentOrders
from app.games.store import GameNow
from app.games.tables import LogCause
from app.games.work import Work
from app.play.turn.notices import after_move
from app.time import open_cases, outages, pending
from app.time.tables import NoteCause


def move_on(
    work: Work,
    before: GameNow,
    played: PlayedSteps,
    *,
    actor: str | None,
    now: datetime,
    sent: SentOrders = NOTHING_SENT,
    sealed_at: datetime | None = None,
) -> GameNow:
    """Write what was played, charge the owing seat's clock, start the next one, plan the mails; return the game after
    it.

    `actor` is the seat that has just acted, even if another owed the decision: it needs no mail. Held orders are
    charged until they were sealed (`sealed_at`). The rest is as in `GameStore.append`.
    """
    session = work.session
    took = _time_taken(session, before, sealed_at or now) if before.pace.has_bank else None
    after = work.store.append(before, played, now=now, actor=actor, sent=sent, used_seconds=took, made_at=sealed_at)
    runs_on = after.goes_on_as(before)
    if runs_on and sealed_at is not None:
        after = replace(after, deadline_at=pending.leave_out(session, after.id, now - sealed_at, now))
        after.know(played.state)
    # A decision still in progress is charged as a whole when it has ended.
    if took is not None and before.decides is not None and not runs_on:
        ended = (after.on_turn, after.turn) != (before.on_turn, before.turn)
        pending.charge(session, before, took, turn_ended=ended)
    if after.decides is not None and after.mailed_at == now:
        after = replace(after, deadline_at=pending.refresh_game(session, after.id, now))
        after.know(played.state)  # what has just been played need not be read back
    cause = NoteCause.PACE if any(step.cause == LogCause.TIME for step in played.steps) else NoteCause.PLAYER
    open_cases.after_move(session, after, cause, now, runs_on=runs_on)
    if after.is_over:
        competitions.runner().game_over(work, after, now)
    work.outbox.add(after_move(after, actor, by_time=cause == NoteCause.PACE, on_turn_now=not runs_on), now)
    return after


def _time_taken(session: Session, before: GameNow, now: datetime) -> int | None:
    decision = pending.owed(session, before.id)
    return None if decision is None else pending.time_used(session, decision, now, outages.not_noted(session, now))
