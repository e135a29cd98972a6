"""Games with overdue decisions, and the data to check then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, SQLModel

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.clocks.pace import DAY as DAY_SECONDS
from app.clocks.pace import Pace, Stage
from app.games.tables import Game
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.time import pending
from app.time.tables import Case, ClockNote
from tests.support.tables import NOW, load, start

DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)
PACE = Pace(decision=3 * DAY_SECONDS)
DUE = NOW + 3 * DAY


def with_stages(*stages: tuple[int, str, Sequence[str]]) -> Pace:
    return replace(PACE, stages=tuple(Stage(after, state, tuple(do)) for after, state, do in stages))


def begin(database: Database, pace: Pace = PACE, seats: int = 2, title: str = "ferry", **options: Any) -> int:
    """Start a game whose clock runs from NOW; nobody has leave to take."""
    game_id = start(database, title, seats, pace=pace, options=options or None)
    with database.write() as session:
        session.execute(sa.update(Player).values(auto_leave=False))
        pending.start_clock(session, game_id, load_number(session, game_id), NOW)
        session.commit()
    return game_id


def load_number(session: Session, game_id: int) -> int:
    return session.scalars(sa.select(Game.number).where(Game.id == game_id)).one()


def operator(database: Database, who: str = "olga") -> int:
    with database.write() as session:
        row = {"address": f"{who}@example.org", "address_key": f"{who}@example.org", "name": who, "role": "operator"}
        made = session.execute(sa.insert(Player).values(**row, created_at=NOW).returning(Player.id))
        player_id = made.scalar_one()
        session.commit()
    return player_id


def rows(database: Database, statement: Any) -> list[Any]:
    with database.read() as session:
        found = session.execute(statement).all()
        return [row[0] if isinstance(row[0], SQLModel) else row for row in found]


def case_of(database: Database, game_id: int) -> Any:
    """Return the newest case about a game; None if there is none."""
    found = rows(database, sa.select(Case.__table__).where(Case.game_id == game_id).order_by(Case.id.desc()))
    return found[0] if found else None


def log(database: Database, game_id: int) -> list[tuple[str, str, datetime]]:
    asked = sa.select(ClockNote.kind, ClockNote.cause, ClockNote.at)
    return [tuple(row) for row in rows(database, asked.where(ClockNote.game_id == game_id).order_by(ClockNote.id))]


def mails(database: Database, *kinds: str) -> list[tuple[str, str, datetime]]:
    """Return kind, recipient and time of each mail, in order."""
    asked = sa.select(OutboxMail.kind, OutboxMail.address, OutboxMail.made_at).order_by(OutboxMail.id)
    return [
        (row.kind, row.address.partition("@")[0], row.made_at)
        for row in rows(database, asked)
        if not kinds or row.kind in kinds
    ]


def check_at(database: Database, game_id: int) -> datetime | None:
    found: datetime | None = rows(database, sa.select(Game.check_at).where(Game.id == game_id))[0].check_at
    return found


def minutes(database: Database, game_id: int, until: datetime) -> None:
    """Run the sweep every hour, and at each planned moment."""
    now = NOW
    while now <= until:
        sweep_cases(database, now)
        planned = check_at(database, game_id)
        following = now + HOUR
        now = min(following, planned) if planned is not None and planned > now else following


def flagged(database: Database, seats: int = 2, title: str = "ferry") -> tuple[int, Any]:
    game_id = begin(database, with_stages((0, "flagged", ["claim"])), seats, title)
    sweep_cases(database, DUE)
    return game_id, case_of(database, game_id)


def player(database: Database, game_id: int, seat: str) -> int | None:
    return load(database, game_id).seated(seat).player_id


def fail_mail(database: Database, game_id: int, at: datetime) -> None:
    """Fail a mail as the sender does when the host refuses permanently."""
    with database.write() as session:
        ours = sa.and_(OutboxMail.game_id == game_id, OutboxMail.kind == "turn", OutboxMail.state == "waiting")
        session.execute(sa.update(OutboxMail).where(ours).values(state="failed", sent_at=at))
        pending.mail_failed(session, game_id, load_number(session, game_id), at)
        session.commit()
