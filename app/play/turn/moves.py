"""The only way in which a running game moves on: log, clocks and mails, in the caller's transaction; and which mails
follow from what happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session

from app.base.stored.mail_tables import OF_TIME
from app.base.stored.outbox import PlannedMail
from app.games import competitions
from app.games.steps import NOTHING_SENT, PlayedSteps, SentOrders
from app.games.store import GameNow, SeatHolder
from app.games.tables import LogCause
from app.games.work import Work
from app.time import open_cases, outages, pending
from app.time.tables import NoteCause

LEFT_ALONE = timedelta(minutes=5)
"""A player who answered a question and is then on turn sees the turn at once; without a move in this time, a mail
asks."""


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


# -- the mails that follow ----------------------------------------------------------------------------


def after_move(
    after: GameNow, actor: str | None, *, by_time: bool = False, on_turn_now: bool = False
) -> list[PlannedMail]:
    """Return the mails that a move of `actor` (None: the start) causes: to any other seat that owes now, and to all at
    the end. Ends `by_time` are told with everything else that follows from passed deadlines. `on_turn_now`: the actor
    owes another decision than the one it made, so it is mailed, too, unless it soon moves on."""
    if after.is_over:
        kind, wait = ("time_out", OF_TIME) if by_time else ("over", timedelta(0))
        told = (one for one in after.seats if one.player_id is not None)
        return [seat_mail(after, one, f"over:{after.id}:{one.seat}", kind, wait=wait) for one in told]
    assert after.decides is not None
    owes = after.seated(after.decides)
    if owes.player_id is None or (owes.seat == actor and not on_turn_now):
        return []
    mail = turn_mail(after, owes)
    # The computer answers in a moment, while a player may still be looking.
    return [replace(mail, wait=LEFT_ALONE) if owes.seat == actor or after.has_computer else mail]


def turn_mail(game: GameNow, owes: SeatHolder, *, again: str = "") -> PlannedMail:
    """Return the mail that asks a seat for the decision it owes; `again` makes another one (the link was requested
    again)."""
    key = f"turn:{game.id}:{game.number}" + (f":{again}" if again else "")
    return seat_mail(game, owes, key, "turn", {"again": True} if again else {}, number=game.number)


def seat_mail(
    game: GameNow,
    to: SeatHolder,
    key: str,
    kind: str,
    details: Mapping[str, Any] | None = None,
    *,
    number: int | None = None,
    wait: timedelta = timedelta(0),
) -> PlannedMail:
    """Return a mail about a game to the player in a seat."""
    return PlannedMail(key, kind, to.address, to.player_id, game.id, to.seat, number, details or {}, wait)
