"""Reminders: what is due on the ladder of each decision, one mail for all that a player owes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.jobs import job
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.stored.mail_tables import MailState, OutboxMail
from app.base.stored.outbox import MailInfo, PlannedMail
from app.games.tables import Game, GameSeat
from app.people.tables import Player
from app.time import pending
from app.time.decisions import ClockTimes, PendingDecision
from app.time.reminding.batches import AT_ONCE, Sparing, plan_due

WITH_IT = timedelta(hours=1)
"""What is due within this time goes out in the same mail."""

_JOB = "reminders", "game"
_IS_DUE = sa.and_(col(Game.remind_at) <= sa.bindparam("now"), ~failing.rests(*_JOB, col(Game.id)))
ANY_DUE = sa.select(col(Game.id)).where(_IS_DUE).limit(1)
DUE = (
    sa.select(col(Game.id), col(GameSeat.player_id), col(Player.address))
    .outerjoin(GameSeat, sa.and_(col(GameSeat.game_id) == col(Game.id), col(GameSeat.seat) == col(Game.decides)))
    .outerjoin(Player, col(Player.id) == col(GameSeat.player_id))
    .where(_IS_DUE)
    .order_by(col(Game.remind_at))
    .limit(AT_ONCE)
    .with_for_update(of=Game, skip_locked=True)
)
_NEVER = sa.update(Game).where(col(Game.id) == sa.bindparam("game")).values(remind_at=None)


@dataclass(frozen=True, slots=True)
class Rung:
    """A due reminder: of which decision, and whether it is the last one before the deadline."""

    game_id: int
    seat: str
    number: int
    is_last: bool


@job("reminders", every=2)
def remind(database: Database, now: datetime) -> int:
    """Put the due reminders into the outbox, one mail for each player; return how many mails.

    The moments are recomputed first: if the deadline has moved, the reminder moves with it. A player whose reminders
    this sweep reaches late gets one, not all that were missed; nobody is reminded of a deadline that has passed, and
    nobody at all during an outage.
    """

    told = set[int]()

    def plan(session: Session, row: sa.Row[Any], sparing: Sparing) -> PlannedMail | None:
        if row.player_id is None:
            session.execute(_NEVER, {"game": row.id})
        if row.player_id is None or row.player_id in told:
            return None
        told.add(row.player_id)
        return _reminder(session, row.player_id, row.address, now, sparing)

    return plan_due(database, now, ANY_DUE, DUE, _JOB, plan)


def _reminder(session: Session, player_id: int, address: str, now: datetime, sparing: Sparing) -> PlannedMail | None:
    """Plan one mail for all reminders of a player that are due, or soon will be; each decision gets its next moment."""
    owed = [one for one in pending.owed_by(session, player_id, sparing) if one.remind_at is not None]
    due = _taken(session, [one for one in owed if one.remind_at and one.remind_at <= now], now, now, sparing)
    if not due:
        return None
    soon = now + WITH_IT
    later = _taken(session, [one for one in owed if one.remind_at and now < one.remind_at <= soon], soon, now, sparing)
    return _plan([*due, *later], _waiting(session, player_id), player_id, address, now)


def _taken(
    session: Session, decisions: Sequence[PendingDecision], until: datetime, now: datetime, sparing: Sparing
) -> list[Rung]:
    """Return the reminders that are really due by `until`; each decision's next moment is stored."""
    rungs = []
    for decision in decisions:
        with sparing(decision.game_id):
            rung, moments = _rung(session, decision, until, now)
            pending.write(session, decision, moments, now)
            rungs += rung
    return rungs


def _rung(session: Session, decision: PendingDecision, until: datetime, now: datetime) -> tuple[list[Rung], ClockTimes]:
    moments = pending.times(session, decision, now)
    passed = [at for at in moments.rungs if decision.remind_at is not None and decision.remind_at <= at <= until]
    if not passed or now >= moments.deadline:
        return [], moments
    following = next((at for at in moments.rungs if at > max(now, passed[-1])), None)
    rung = Rung(decision.game_id, decision.seat, decision.number, following is None)
    return [rung], replace(moments, remind=following)


def _waiting(session: Session, player_id: int) -> list[Rung]:
    """Return the reminders of the player that have not gone out yet: they are withdrawn, and join the new ones."""
    waiting = sa.and_(
        col(OutboxMail.state) == sa.literal_column("'waiting'"),
        col(OutboxMail.player_id) == player_id,
        col(OutboxMail.kind) == sa.literal_column("'reminder'"),  # as its index has it
        col(OutboxMail.claimed_by).is_(None),
    )
    found = session.execute(
        sa.select(
            col(OutboxMail.id),
            col(OutboxMail.game_id),
            col(OutboxMail.seat),
            col(OutboxMail.number),
            col(OutboxMail.details),
        )
        .where(waiting)
        .with_for_update(skip_locked=True)
    ).all()
    for row in found:
        session.exec(
            sa.update(OutboxMail).where(col(OutboxMail.id) == row.id).values(state=MailState.DROPPED, details={})
        )
    return [rung for row in found for rung in told_by(row)]


def told_by(mail: MailInfo) -> list[Rung]:
    """Return the decisions in a reminder in the outbox."""
    if mail.game_id is not None:
        return [Rung(mail.game_id, mail.seat or "", mail.number or 0, bool(mail.details.get("last")))]
    return [Rung(*item) for item in mail.details.get("decisions", ())]


def _plan(rungs: Sequence[Rung], before: Sequence[Rung], player_id: int, address: str, now: datetime) -> PlannedMail:
    games = {rung.game_id for rung in rungs}
    rungs = [*rungs, *(rung for rung in before if rung.game_id not in games)]
    first = rungs[0]
    key = f"reminder:{first.game_id}:{first.number}:{now:%Y%m%dT%H%M%S}"
    if len(rungs) == 1:
        details = {"last": True} if first.is_last else {}
        return PlannedMail(key, "reminder", address, player_id, first.game_id, first.seat, first.number, details)
    return PlannedMail(key, "reminder", address, player_id, details={"decisions": [astuple(rung) for rung in rungs]})
