"""The rows that the computer works through: written in the transaction that gives it something to do."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.process.jobs import tidies
from app.base.stored.database import Database, insert_into
from app.base.stored.leases import Leases
from app.computer import parting
from app.computer.tables import ComputerDecision, LookBack, WorkState
from app.games import competitions
from app.games.store import GameNow
from app.games.tables import GameStatus
from app.play.tables import ProposalKind
from engine.kernel.search import levels_of

LASTS = timedelta(seconds=90)
"""How long a row is leased: long beside what a decision takes, short for a player who looks on."""
KEPT = timedelta(days=40)
UNKNOWN = 0.5
"""How a seat stands that has not thought yet."""
# Written out, not parameters: only then does SQLite see that the partial indexes fit.
DECISIONS = Leases(ComputerDecision, col(ComputerDecision.state) == sa.literal_column("'waiting'"), LASTS)
LOOKS_BACK = Leases(LookBack, col(LookBack.state) == sa.literal_column("'waiting'"), LASTS)


def is_due(database: Database, now: datetime) -> bool:
    """Return whether there is something to do that nobody has begun."""
    with database.read() as session:
        return any(session.exec(rows.any_due, params={"now": now}).first() for rows in (DECISIONS, LOOKS_BACK))


def owed_since(session: Session) -> datetime | None:
    """Return since when a decision waits for the computer."""
    return session.scalar(sa.select(sa.func.min(col(ComputerDecision.made_at))).where(DECISIONS.is_waiting))


def follow(session: Session, game: GameNow, now: datetime) -> None:
    """Have the computer think if it decides now; when the game is over, have it say why, and look back."""
    if game.is_over:
        parting.say(session, game, now)
        ask_to_look_back(session, game, now)
        return
    assert game.decides is not None
    if game.seated(game.decides).computer:
        row = {"game_id": game.id, "number": game.number, "seat": game.decides, "state": WorkState.WAITING}
        row |= {"made_at": now, "due_at": now, "attempts": 0, "cpu_seconds": 0.0}
        new = insert_into(session, ComputerDecision).values(row)
        session.exec(new.on_conflict_do_nothing(index_elements=["game_id", "number"]))


def ask_to_look_back(session: Session, game: GameNow, now: datetime) -> None:
    """Have a finished game looked back on, once; not if its title has no computer."""
    if game.status != GameStatus.OVER or not levels_of(game.title):
        return
    row = {"game_id": game.id, "state": WorkState.WAITING, "made_at": now, "due_at": now, "attempts": 0}
    session.exec(insert_into(session, LookBack).values(row).on_conflict_do_nothing(index_elements=["game_id"]))


def last_expected(session: Session, game_id: int, seat: str) -> float:
    """Return how a seat of the computer stood when it last thought."""
    course = parting.course(session, game_id, seat)
    return course[-1][1] if course else UNKNOWN


def agrees(session: Session, game: GameNow, seat: str, kind: str, winners: Sequence[str]) -> bool:
    """Return whether it agrees: to take a move back or to cancel the game where nothing is at stake, which is not so in
    an event; to a result if that is as good as what it expects."""
    if kind != ProposalKind.AGREED:
        return not competitions.runner().has_organisers(session, game.id)
    worth = 0.5 if not winners else 1 / len(winners) if seat in winners else 0.0
    return worth >= last_expected(session, game.id, seat)


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete decisions that were made long ago; how many."""
    old = sa.delete(ComputerDecision).where(
        col(ComputerDecision.thought_at) < now - KEPT, col(ComputerDecision.state) == WorkState.DONE
    )
    return session.exec(old).rowcount
