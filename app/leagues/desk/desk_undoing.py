"""Undoing acts of the desk: which ones still can be undone, and how."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.games.tables import Game
from app.games.work import Work
from app.leagues.changes import reserves
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.desk import desk_acts, trouble
from app.leagues.desk.desk_acts import DeskRequest
from app.leagues.events import lifecycle
from app.leagues.rulings import deciding, opening
from app.leagues.tables import Audit, CallStatus, Competition, Role, RulingStatus
from app.time import pending
from app.time.away import leave
from app.time.tables import Leave, NoteCause, NoteKind
from engine.kernel.text import Text

UNDOABLE = ("desk.extended", "desk.leave", "reserve.called", "ruling.decided")
LISTED = 30


def undoable(session: Session, event: Competition, now: datetime, data: trouble.Data | None = None) -> list[Audit]:
    """Return the newest acts of the desk that can still be undone.

    `data` is that of the event if it has been read already.
    """
    found = [
        act
        for act in audit.trail(session, event.club_id, event_id=event.id, most=200)
        if act.act in UNDOABLE and act.undone_by is None and act.after is not None
    ][:LISTED]
    if not found:
        return []
    data = trouble.read(session, event, now) if data is None else data
    calls = {call.id for call in data.reserves.calls if call.status == CallStatus.CALLED}
    decided = {one.id for one in data.rulings if one.status == RulingStatus.DECIDED}
    after = [act.after or {} for act in found]
    asked_leave = select(Leave.id).where(col(Leave.id).in_([one.get("leave") for one in after]), col(Leave.to_at) > now)
    running = set(session.exec(asked_leave))
    games = {given["game"] for one in after for given in one.get("games", ()) if "number" in given}
    waiting = select(Game.id, Game.number).where(col(Game.id).in_(games), col(Game.decides).is_not(None))
    numbers = dict(session.exec(waiting).all())

    def stands(act: Audit) -> bool:
        kept = act.after or {}
        if act.act == "reserve.called":
            return kept.get("call") in calls
        if act.act == "ruling.decided":
            return kept.get("ruling") in decided and bool(kept.get("undoable"))
        if act.act == "desk.leave":
            return kept["leave"] in running
        return any(numbers.get(one["game"]) == one["number"] for one in kept["games"])

    return [act for act in found if stands(act)]


def undo(database: Database, event_id: int, act_id: int, form: DeskRequest, *, now: datetime) -> bool:
    """Undo an act; return False if this button, or another organiser's, has already done so.

    Raises NotAccepted, which says why it cannot be undone.
    """
    with database.read() as session:
        event = lifecycle.need(session, event_id, form.by_id, Role.DEPUTY)
        row = session.exec(select(Audit).where(col(Audit.id) == act_id)).first()
    if row is None or row.event_id != event_id or row.act not in UNDOABLE or row.after is None:
        raise NotAccepted("undo.unknown", Text("This cannot be undone."))
    if row.undone_by is not None:
        return False
    after = row.after or {}
    if row.act == "reserve.called":
        return reserves.withdraw_call(database, after["call"], form, undoes=act_id, now=now)
    if row.act == "ruling.decided":
        return deciding.undo(database, event_id, after["ruling"], form, undoes=act_id, now=now)
    if row.act == "desk.leave":
        return _take_leave_back(database, row, after["leave"], event, form, now)
    return _take_time_back(database, row, after["games"], event, form, now)


def _take_leave_back(
    database: Database, row: Audit, leave_id: int, event: Competition, form: DeskRequest, now: datetime
) -> bool:
    """End leave that was granted; the time the clocks have already stood still is kept."""
    reason = audit.read_reason(form.reason)
    with Work(database) as work:
        session = work.session
        player_id = session.scalar(sa.select(col(Leave.player_id)).where(col(Leave.id) == leave_id))
        if player_id is None:
            raise NotAccepted("undo.unknown", Text("This cannot be undone."))
        opening.need_other(form.by_id, {row.id for row in desk_acts.met_in(session, event.id, player_id)})
        leave.lock(work, player_id)
        if _is_undone(session, row, form):
            return False
        if not leave.end(work, player_id, leave_id, form.by_id, now):
            raise NotAccepted("undo.leave", Text("This leave is over; there is nothing to undo."))
        acting = Acting(work, event, form.by_id, now)
        desk_acts.tell_of_leave(work, event.id, player_id, leave_id, form, now, back=True)
        _undone(acting, row, reason, form.token)
        return True


def _is_undone(session: Session, row: Audit, form: DeskRequest) -> bool:
    """Whether this button, or another organiser's, was faster; until the transaction ends no other can be."""
    fresh = audit.find(session, row.id)
    return fresh is None or fresh.undone_by is not None or audit.was_done(session, form.token)


def _undone(acting: Acting, row: Audit, reason: str, token: str) -> None:
    about = audit.Subject(row.about, row.about_number or 0)
    act = acting.write("desk.undone", about, reason=reason, before={"act": row.id}, once=token)
    if act is not None:
        audit.mark_undone(acting.session, row.id, act)


def _take_time_back(
    database: Database, row: Audit, given: list[dict[str, Any]], event: Competition, form: DeskRequest, now: datetime
) -> bool:
    reason = audit.read_reason(form.reason)
    with Work(database) as work:
        session = work.session
        given = sorted(given, key=lambda one: int(one["game"]))
        games = [work.store.load(one["game"], for_writing=True) for one in given]
        opening.need_other(form.by_id, {seat.player_id for game in games for seat in game.seats if seat.player_id})
        if _is_undone(session, row, form):
            return False
        taken = []
        for one, game in zip(given, games, strict=True):
            owed = pending.owed(session, game.id)
            if owed is None or owed.number != one["number"]:
                continue
            less = sa.update(Game).where(col(Game.id) == game.id)
            session.execute(less.values(extra_seconds=max(0, owed.extra_seconds - one["extra"])))
            due = pending.refresh_game(session, game.id, now)
            if due is not None and due <= now:
                raise NotAccepted(
                    "undo.used", Text("Without this time the deadline would be over already, so it stays given.")
                )
            pending.note(
                session, owed, NoteKind.EXTENSION, NoteCause.ORGANISER, now, by_id=form.by_id, seconds=-one["extra"]
            )
            taken.append(game)
        if not taken:
            raise NotAccepted("undo.late", Text("The decision has been made meanwhile; there is nothing to undo."))
        acting = Acting(work, event, form.by_id, now)
        desk_acts.tell_players(acting, form, "undo", taken)
        _undone(acting, row, reason, form.token)
        return True
