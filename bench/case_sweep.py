"""What the sweep of cases touches when few and when very many games are running.

Ten real games have passed their deadlines in both databases; all others are rows put in by SQL, due in days to come.
SQLite's virtual machine reports its steps: they have to be as many with a million games as with a thousand.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sqlalchemy as sa
import sweep
from sqlalchemy import event

from app import db
from app.clocks.pace import DAY, Pace
from app.db import Database
from app.models import Game, Player
from app.services import clocks, games
from app.services.cases import sweep_cases

DUE = 10
BEFORE = sweep.NOW - timedelta(days=1)


def fill(database: Database, many: int) -> None:
    """So many games that are not due, and `DUE` that are."""
    sweep.fill(database, many)
    with database.write_lightly() as connection:
        later = sa.update(Game).values(remind_at=None, check_at=sweep.NOW + timedelta(days=2))
        connection.execute(later)
        connection.commit()
    seats = [("british", "late@example.org"), ("french", "waits@example.org")]
    made = [games.new_game(database, "acres", seats, pace=Pace(decision=DAY), now=BEFORE) for _ in range(DUE)]
    with database.write() as connection:
        connection.execute(sa.update(Player).where(Player.address == "late@example.org").values(auto_leave=False))
        for game_id in made:
            number = connection.scalars(sa.select(Game.number).where(Game.id == game_id)).one()
            clocks.start_clock(connection, game_id, number, BEFORE)
        connection.commit()


def steps(folder: Path, many: int) -> tuple[int, int]:
    """The steps of a sweep with `DUE` cases, and of one without any."""
    folder.mkdir(parents=True)
    url = f"sqlite:///{folder / 'postroad.db'}"
    db.upgrade(url)
    database = Database(url)
    fill(database, many)
    counted = 0

    @event.listens_for(database.engine, "checkout")
    def listen(connection: Any, record: Any, proxy: Any) -> None:
        def step() -> int:
            nonlocal counted
            counted += 1
            return 0

        connection.set_progress_handler(step, 1)

    found = []
    for wanted in (DUE, 0):
        counted = 0
        assert sweep_cases(database, sweep.NOW) == wanted
        found.append(counted)
    database.close()
    shutil.rmtree(folder)
    return found[0], found[1]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for many in sweep.SIZES:
            due, none = steps(Path(folder) / str(many), many)
            print(f"{many:9,} games: {due:7,} steps with {DUE} cases, {none:4,} with none")


if __name__ == "__main__":
    main()
