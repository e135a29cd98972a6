"""Days of leave taken automatically before a player is late, for the one game whose deadline has come. At most three in
a row without a sign of life from the player, while the year's allowance lasts and the game honours them; then the
deadline counts. `silences` foresees the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.outbox import PlannedMail
from app.clocks.clock import deadline
from app.clocks.leave import DAYS_A_YEAR, IN_A_ROW, Away, a_year, day_of
from app.games.tables import Game, GameSeat, LogCause, LogEntry
from app.games.work import Work
from app.people.life import EXACT_TO
from app.people.tables import Player
from app.time import pending
from app.time.away import leave
from app.time.decisions import PendingDecision
from app.time.pending import Stops
from app.time.tables import Leave, LeaveKind, NoteCause, NoteKind

TOLD_AGAIN_AFTER = timedelta(days=7)
"""Opponents are told once about consecutive days in a game."""


@dataclass(frozen=True, slots=True)
class Silence:
    """How long a player who owes a decision has been silent, and what follows if that continues."""

    decision: PendingDecision
    since: datetime
    """The last sign of life, or the start of the clock if that is later."""
    quiet_since: datetime
    """The last sign of life anywhere here; without any, the start of the clock."""
    days: int
    """Days taken automatically in this game since the last sign of life."""
    due: datetime
    """The deadline."""
    zone: str
    """The player's."""
    allowance: int
    taken: Sequence[Away] = ()
    """All leave of the player that counts towards the allowance."""
    stops: Stops | None = None
    """What can stop the clock; None if no further day is taken."""
    more: tuple[Away, ...] = ()
    """Foreseen days, the last of them included in `due`."""

    @property
    def left(self) -> int:
        """The days of the allowance left in the year of the last foreseen day."""
        year = self.more[-1].dates[0].year
        return self.allowance - a_year([*self.taken, *self.more])[year]

    @property
    def next(self) -> Silence | None:
        """The same after the day of the deadline has been taken; None if it is not, and the deadline counts."""
        if self.stops is None or self.days >= IN_A_ROW:
            return None
        more, one = (*self.more, day_of(self.due, self.zone)), self.decision
        due = deadline(one.pace, one.started_at, one.budget, self.stops.of(one, more))
        after = replace(self, more=more, days=self.days + 1, due=due)
        return after if after.left >= 0 and due > self.due else None

    @property
    def end(self) -> Silence:
        """The same after all possible days have been taken: its deadline is the earliest moment at which the player is
        out of time."""
        found = self
        while (after := found.next) is not None:
            found = after
        return found


def silences(
    session: Session, decisions: Collection[PendingDecision], *, allowance: int = DAYS_A_YEAR
) -> dict[int, Silence]:
    """Return the silences of those who owe these decisions, by game; only for running clocks."""
    running = {one.game_id: one for one in decisions if one.mailed_at is not None and one.player_id is not None}
    players = {one.player_id for one in running.values()}
    if not players:
        return {}
    people: dict[int | None, Player] = {
        one.id: one for one in session.exec(select(Player).where(col(Player.id).in_(players)))
    }
    moved = last_moves(session, players)
    own = sa.and_(col(Leave.event_id).is_(None), col(Leave.to_at) > col(Leave.from_at))
    asked = select(Leave).where(col(Leave.player_id).in_(players), own)
    rows = session.exec(asked.order_by(col(Leave.from_at), col(Leave.id))).all()
    found = {}
    for game_id, decision in running.items():
        person = people[decision.player_id]
        signs = [at for at in (person.acted_at, moved.get(person.id)) if at is not None]
        mine = [row for row in rows if row.player_id == person.id]
        found[game_id] = _silence(session, decision, person, max(signs, default=None), mine, allowance)
    return found


def last_moves(session: Session, players: Collection[int | None]) -> dict[int, datetime]:
    """Return when each of these players last moved in a running game."""
    asked = (
        sa.select(col(GameSeat.player_id), sa.func.max(col(LogEntry.at)))
        .join(Game, col(Game.id) == col(GameSeat.game_id))
        .join(
            LogEntry, sa.and_(col(LogEntry.game_id) == col(GameSeat.game_id), col(LogEntry.seat) == col(GameSeat.seat))
        )
        .where(
            col(GameSeat.player_id).in_(players),
            col(Game.decides).is_not(None),
            col(LogEntry.cause) == LogCause.SEAT,
        )
        .group_by(col(GameSeat.player_id))
    )
    return {row[0]: row[1] for row in session.execute(asked)}


def _silence(
    session: Session,
    decision: PendingDecision,
    person: Player,
    sign: datetime | None,
    rows: Sequence[Leave],
    allowance: int,
) -> Silence:
    days = sum(
        row.kind == LeaveKind.AUTOMATIC
        and row.game_id == decision.game_id
        and (sign is None or row.made_at >= sign + EXACT_TO)
        for row in rows
    )
    since = decision.started_at if sign is None else max(sign, decision.started_at)
    due = decision.deadline_at or since
    found = Silence(decision, since, sign or since, days, due, person.zone, allowance)
    if not (person.auto_leave and decision.pace.auto_leave) or days >= IN_A_ROW:
        return found
    taken = [row.away for row in rows]
    stops = pending.stops(session, decision, counts_leave=True)
    due = deadline(decision.pace, decision.started_at, decision.budget, stops.of(decision))
    return replace(found, due=due, taken=taken, stops=stops)


def may_follow(session: Session, game_id: int) -> bool:
    """Return whether a day may still be taken automatically in a game, as far as the player has any left."""
    decision = pending.owed(session, game_id)
    found = silences(session, [] if decision is None else [decision], allowance=366).get(game_id)
    return found is not None and found.next is not None


def take_day(work: Work, decision: PendingDecision, now: datetime, *, allowance: int = DAYS_A_YEAR) -> bool:
    """Take the day of the deadline from the player's leave for this game, before they count as late, in the caller's
    transaction; return whether that was done.

    The whole day, from midnight to midnight in the player's zone, so that the deadline moves by the time that the clock
    ran during it: usually 24 hours. Call again when the new deadline has passed too.
    """
    session, player_id = work.session, decision.player_id
    if player_id is None or decision.mailed_at is None:
        return False
    leave.lock_player(session, player_id)
    fresh = pending.owed(session, decision.game_id)
    if fresh is None or fresh.number != decision.number:
        return False
    silence = silences(session, [fresh], allowance=allowance).get(fresh.game_id)
    after = None if silence is None or silence.due > now else silence.next
    if after is None:
        return False
    day = after.more[-1]
    one = leave.made(player_id, LeaveKind.AUTOMATIC, day, now)
    one.game_id = fresh.game_id
    session.add(one)
    session.flush()
    details = {"from": day.start.isoformat(), "to": day.end.isoformat(), "leave": one.id}
    pending.note(session, fresh, NoteKind.LEAVE, NoteCause.PACE, now, details=details)
    pending.refresh_game(session, fresh.game_id, now)
    _tell(work, after, one.id, now)
    return True


def _tell(work: Work, after: Silence, leave_id: int, now: datetime) -> None:
    """Mail the player about the first day in a row, the last one, and the last of the year; and the opponents in this
    game about the first one. Organisers read about it in their Monday mail."""
    decision, day, left = after.decision, after.more[-1], after.left
    game_id, is_first, is_last = decision.game_id, after.days == 1, after.next is None
    addresses = leave.addresses(work.session, [game_id])
    own = addresses.pop(decision.player_id or 0, None)
    if own is not None and (is_first or is_last or not left):
        noon = day.start + timedelta(hours=12)
        details = {"left": left, "noon": noon.isoformat(), "last": is_last}
        about = decision.player_id, game_id, decision.seat, decision.number
        work.outbox.add([PlannedMail(f"auto_leave:{leave_id}", "auto_leave", own, *about, details)], now)
    if is_first and not _was_told(work.session, decision, day, leave_id):
        work.outbox.tell(addresses.items(), "leave", f"leave:{leave_id}", {"leave": leave_id}, now)


def _was_told(session: Session, decision: PendingDecision, day: Away, leave_id: int) -> bool:
    recent = sa.select(col(Leave.id)).where(
        col(Leave.player_id) == decision.player_id,
        col(Leave.game_id) == decision.game_id,
        col(Leave.id) != leave_id,
        col(Leave.to_at) > day.start - TOLD_AGAIN_AFTER,
    )
    return session.scalar(recent.limit(1)) is not None
