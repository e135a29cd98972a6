"""Compares the work of the sweep of cases with few and very many running games.

Ten real games have passed their deadlines in both databases; all others are rows inserted by SQL, due in the coming
days. SQLite's virtual machine reports its steps: there must be as many with a million games as with a thousand.
"""

from __future__ import annotations

import sys
import tempfile
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sqlalchemy as sa
import sweep

from app.base.stored.database import Database
from app.clocks.pace import DAY, Pace
from app.games.tables import Game
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.turn import starting
from app.time import pending

BEFORE = sweep.NOW - timedelta(days=1)


def fill(database: Database, many: int) -> None:
    """Insert this many games that are not due, and `sweep.DUE` that are."""
    sweep.fill(database, many)
    with database.write_lightly() as session:
        later = sa.update(Game).values(remind_at=None, check_at=sweep.NOW + timedelta(days=2))
        session.execute(later)
        session.commit()
    seats = [("british", "late@example.org"), ("french", "waits@example.org")]
    made = [starting.new_game(database, "acres", seats, pace=Pace(decision=DAY), now=BEFORE) for _ in range(sweep.DUE)]
    with database.write() as session:
        session.execute(sa.update(Player).where(Player.address == "late@example.org").values(auto_leave=False))
        for game_id in made:
            number = session.scalars(sa.select(Game.number).where(Game.id == game_id)).one()
            pending.start_clock(session, game_id, number, BEFORE)
        session.commit()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for many in sweep.SIZES:
            due, none = sweep.steps_on_sqlite(Path(folder) / str(many), many, fill, sweep_cases)
            print(f"{many:9,} games: {due:7,} steps with {sweep.DUE} cases, {none:4,} with none")


if __name__ == "__main__":
    main()
