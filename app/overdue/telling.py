"""Who is told about a late seat (the seat itself, the others, the operators), and when the seat was told."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.mail_tables import OF_TIME, MailState, OutboxMail
from app.base.stored.outbox import PlannedMail
from app.clocks.pace import Stage
from app.games.store import GameNow, SeatHolder
from app.games.work import Work
from app.people import accounts
from app.play.agreed.results import still_plays
from app.time.decisions import PendingDecision
from app.time.tables import Case


def mail_of_case(
    game: GameNow, to: SeatHolder, key: str, kind: str, details: dict[str, Any], number: int | None = None
) -> PlannedMail:
    """Return a mail about a case to a seat; it goes out together with all that follows from passed deadlines."""
    return PlannedMail(key, kind, to.address, to.player_id, game.id, to.seat, number, details, wait=OF_TIME)


def mail_key(case_id: int, stage: int) -> str:
    """Return the unique key of the mail that tells the late seat of a stage."""
    return f"case:{case_id}:{stage}"


_TOLD = sa.select(col(OutboxMail.state), col(OutboxMail.sent_at), col(OutboxMail.due_at), col(OutboxMail.attempts))
_TOLD = _TOLD.where(col(OutboxMail.mail_key) == sa.bindparam("key"))


def told_at(session: Session, case_id: int, stage: int) -> datetime | None:
    """Return when the late seat was told of a stage, or when that is next attempted; None if it is not told, or was
    told as soon as possible."""
    row = session.execute(_TOLD, {"key": mail_key(case_id, stage)}).first()
    if row is None:
        return None
    moment: datetime = row.due_at if row.state == MailState.WAITING else row.sent_at
    return moment


def is_being_told(session: Session, case_id: int, stage: int, now: datetime) -> datetime | None:
    """Return the earliest end of the delay of the mail that tells the late seat of a stage; None if it has gone out."""
    row = session.execute(_TOLD, {"key": mail_key(case_id, stage)}).first()
    if row is None or row.state != MailState.WAITING or (row.due_at <= now and not row.attempts):
        return None
    until: datetime = max(now, row.due_at)
    return until


def tell_of_stage(
    work: Work, game: GameNow, case: Case, decision: PendingDecision, stage: Stage, now: datetime
) -> None:
    late = game.seated(decision.seat)
    details = {"case": case.id, "stage": case.stage}
    key = mail_key(case.id, case.stage)
    if not set(stage.do) & {"remind", "claim", "organiser"}:
        return  # it has had no effect, so there is nothing to say
    work.outbox.add([mail_of_case(game, late, key, "overdue", details, decision.number)], now)
    what = "claim" if "claim" in stage.do else "organiser" if "organiser" in stage.do else "late"
    tell_others(work, game, case.id, decision, {"what": what, "stage": case.stage}, now)


def tell_others(
    work: Work, game: GameNow, case_id: int, decision: PendingDecision, details: dict[str, Any], now: datetime
) -> None:
    """Mail all other seats that are still playing about the matter."""
    told, key = {"case": case_id, **details}, f"late:{case_id}:{details.get('stage', '')}"
    others = [one for one in game.others(decision.seat) if one.player_id is not None and still_plays(game, one.seat)]
    work.outbox.add([mail_of_case(game, one, f"{key}:{one.seat}", "late", told) for one in others], now)


def tell_operators(work: Work, game_id: int, case_id: int, what: str, now: datetime) -> int:
    """Mail the server's operators that a case waits for their ruling; return how many they are."""
    operators = work.session.execute(accounts.OPERATORS).all()
    work.outbox.tell(operators, "case", f"desk:{case_id}:{what}", {"case": case_id}, now, game_id, wait=OF_TIME)
    return len(operators)
