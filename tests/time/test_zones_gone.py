"""A time zone that disappears from the machine under a running server counts as UTC; every other game is untouched."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.clocks import zones
from app.clocks.pace import DAY as DAY_SECONDS
from app.clocks.pace import Pace
from app.games.tables import Game, GameSeat
from app.overdue.cases import sweep_cases
from app.people.accounts import find_or_add
from app.people.tables import Player
from app.time import pending
from app.time.away import leave
from app.time.reminding import digest
from app.time.reminding.digest import send_due
from app.time.reminding.reminders import remind
from app.upkeep import zones as upkeep
from tests.support.tables import NOW, deliver, start

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
PACE = Pace(decision=5 * DAY_SECONDS, days_off=("sat", "sun"), zone="Europe/Paris", hour="20:00")
GONE = "Atlantic/Lyonesse"


def games(database: Database) -> list[int]:
    """Three of the same pace: for Alice, for Carol in a pace and with hours of her own, and for Emil in UTC."""
    made = [start(database, pace=PACE, now=NOW) for _ in range(3)]
    with database.write() as session:
        for game, who in zip(made, ("alice", "carol", "emil"), strict=True):
            player = find_or_add(session, f"{who}@example.org", now=NOW)
            session.flush()
            mine = sa.and_(GameSeat.game_id == game, GameSeat.seat == "red")  # type: ignore[arg-type]
            session.execute(sa.update(GameSeat).where(mine).values(player_id=player.id))
            session.execute(sa.update(Player).where(Player.id == player.id).values(quiet_from=1320, quiet_to=420))
            digest.settle(session, player.id, "8", False, NOW)
        session.commit()
    deliver(database, NOW)
    return made


def lose(database: Database, game: int, zone: str = GONE) -> None:
    """Name it in a pace and a player, as old rows do."""
    with database.write() as session:
        row = session.execute(sa.select(Game.pace).where(Game.id == game)).scalar_one()
        session.execute(sa.update(Game).where(Game.id == game).values(pace={**row, "zone": zone}))
        here = sa.select(GameSeat.player_id).where(GameSeat.game_id == game, GameSeat.seat == "red")
        session.execute(sa.update(Player).where(Player.id.in_(here)).values(zone=zone))  # type: ignore[attr-defined]
        pending.refresh_game(session, game, NOW)
        session.commit()
    zones.zone_of.cache_clear()


def life(database: Database) -> dict[int, list[Any]]:
    """Run ten days of jobs, hour by hour; return for each game its deadline and its mails, by kind and moment."""
    for hour in range(10 * 24):
        now = NOW + hour * HOUR
        remind(database, now)
        send_due(database, now)
        sweep_cases(database, now)
        deliver(database, now)
    with database.read() as session:
        found = {row.id: [row.deadline_at] for row in session.execute(sa.select(Game.id, Game.deadline_at))}
        asked = sa.select(OutboxMail.game_id, OutboxMail.kind, OutboxMail.sent_at).order_by(OutboxMail.id)
        for row in session.execute(asked.where(OutboxMail.game_id.is_not(None))):  # type: ignore[union-attr]
            found[row.game_id].append((row.kind, row.sent_at))
    return found


def test_deadlines_are_those_of_utc_to_the_minute_and_the_others_what_they_were(
    tmp_path: Any, sqlite_template: Any, caplog: pytest.LogCaptureFixture
) -> None:
    lives = {}
    for zone in ("", GONE, "UTC"):
        url = f"sqlite:///{tmp_path / f'{zone[:3]}.db'}"
        (tmp_path / f"{zone[:3]}.db").write_bytes(sqlite_template.read_bytes())
        database = Database(url)
        _, carol, _ = games(database)
        if zone:
            lose(database, carol, zone)
        lives[zone] = life(database)
        if zone == GONE:
            with database.read() as session:
                assert upkeep.unknown(session) == {GONE: {"player": 1, "game": 1, "leave": 1}}
                seen = leave.overview(session, 1, GONE, NOW, 30)
                assert seen.now is None and seen.left
        database.close()
    assert lives[GONE] == lives["UTC"], "as in UTC"
    assert lives[GONE][1] == lives[""][1] and lives[GONE][3] == lives[""][3], "the other games"
    assert lives[GONE][2] != lives[""][2] and len(lives[GONE][2]) > 3
    assert sum(GONE in one.getMessage() for one in caplog.records) <= 1
