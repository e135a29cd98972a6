"""The effect of a bounced mail on the clock of its decision: it stands as if it had never started."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import insert_into
from app.games.tables import Game
from app.time import open_cases, pending
from app.time.tables import CaseKind, ClockNote, NoteCause, NoteKind

_SET_BACK = "set_back"


def set_back(session: Session, game_id: int, number: int, seat: str, at: datetime, *, goes_on: bool) -> bool:
    """Set the clock of a decision, whose mail to the seat did not arrive, back to before it was delivered, with the
    whole time for another one to arrive. Return whether it is still owed; if not, losses on time for it no longer
    count. Only once a game for each player, who could have written the report: later ones stand in the log of time,
    on the desk, and in the case of a time-out.

    `goes_on`: another mail is on its way, so that no case is opened for now.
    """
    # The game first, as all who play in it lock it.
    session.execute(sa.select(col(Game.id)).where(col(Game.id) == game_id).with_for_update())
    decision = pending.owed(session, game_id)
    if decision is None or decision.number != number or decision.seat != seat:
        _note_for_the_past(session, game_id, number, seat, at)
        return False
    known = sa.select(col(ClockNote.details)).where(
        col(ClockNote.game_id) == game_id,
        col(ClockNote.player_id) == decision.player_id,
        col(ClockNote.kind) == NoteKind.MAIL_FAILED,
    )
    if any(_SET_BACK in details for details in session.scalars(known)):
        once = f"{_once(game_id, number)}:again"
        return pending.note(session, decision, NoteKind.MAIL_FAILED, NoteCause.BOUNCE, at, once=once)
    case = open_cases.running(session, game_id)
    if case is not None and case.kind == CaseKind.TIME and case.number == number:
        open_cases.close(session, case, decision.entries, NoteCause.BOUNCE, at)
    session.exec(sa.update(Game).where(col(Game.id) == game_id).values(asked_at=at))
    pending.refresh(session, decision._replace(asked_at=at, mailed_at=None), at)
    if not goes_on:
        session.exec(sa.update(Game).where(col(Game.id) == game_id).values(check_at=at))
    said = {_SET_BACK: True}
    pending.note(session, decision, NoteKind.MAIL_FAILED, NoteCause.MAIL, at, once=_once(game_id, number), details=said)
    return True


def _once(game_id: int, number: int) -> str:
    return f"mail_failed:{game_id}:{number}"


def _note_for_the_past(session: Session, game_id: int, number: int, seat: str, at: datetime) -> None:
    lost = sa.select(col(ClockNote.player_id), col(ClockNote.entry)).where(
        col(ClockNote.game_id) == game_id,
        col(ClockNote.number) == number,
        col(ClockNote.seat) == seat,
        col(ClockNote.kind) == NoteKind.TIMEOUT,
    )
    row = session.execute(lost).first()
    if row is None:
        return  # it was answered in time: the mail does not matter
    values = {
        "game_id": game_id,
        "entry": row.entry,
        "number": number,
        "seat": seat,
        "player_id": row.player_id,
        "kind": NoteKind.MAIL_FAILED,
        "cause": NoteCause.LATE,
        "details": {},
        "once": _once(game_id, number),
        "at": at,
    }
    session.execute(insert_into(session, ClockNote).values(**values).on_conflict_do_nothing(index_elements=["once"]))
