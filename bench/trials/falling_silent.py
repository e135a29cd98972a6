"""Runs an automatic season in which some players fall silent for good: when each round ends, and the organisers' work.

    python -m bench.trials.falling_silent [PLAYERS [ROUNDS [SILENT]]] [--all-play-all]

By the services alone, day by day: mails are delivered, the sweeps and the autopilot run, and the organiser looks at the
desk once a day and takes out players who hold a round up when its end has opened a ruling. Everybody else plays on the
first day. The organiser's acts after the start are read from the trail; more than one act about a silent player, or one
about anybody else, is exit status 1.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa

from app.base.stored.database import Database
from app.leagues.changes import leaving
from app.leagues.desk import autopilot
from app.leagues.events import round_rows
from app.leagues.rulings import round_ends
from app.leagues.tables import Audit, CompetitionRound
from app.overdue.cases import sweep_cases
from app.play.agreed import results
from app.server import registry
from app.upkeep import migrating
from tests.support.season import DAY, HOUR, Season, season
from tests.support.tables import NOW, deliver, load, random_line, say

ROUND_DAYS = 14


@dataclass
class SeasonFigures:
    """The outcome of a season."""

    rounds: int = 0
    longest: timedelta = timedelta(0)
    """The delay of the round closed last, after the date of its end."""
    acts: Counter[int] = field(default_factory=Counter)
    """Acts of an organiser by the silent player they were about."""
    others: int = 0
    """Acts of people after the start about anybody else."""
    days: int = 0


def run(
    database: Database, players: int = 24, length: int = 5, silent: int = 3, format: str = "swiss"
) -> SeasonFigures:
    """Play an event to its end; one more player falls silent in each of the first rounds."""
    terms = {"rounds": length} if format == "swiss" else {}
    made = season(
        database, players, format=format, round_days=ROUND_DAYS, round_end="ruling", auto_leave=False, autopilot=24,
        **terms,
    )  # fmt: skip
    started = made.read(lambda session: session.scalar(sa.select(sa.func.max(Audit.id))))
    found, now, gone = SeasonFigures(), NOW, set[int]()
    while made.now().status == "running":
        newest = _rounds(made)[-1]
        if newest.status == "published" and newest.number > found.rounds:
            found.rounds = newest.number
            gone |= set(made.players[newest.number - 1 : newest.number] if newest.number <= silent else ())
            deliver(database, now)
            _play(made, newest, gone, now + HOUR)
        now += DAY
        deliver(database, now)
        sweep_cases(database, now)
        round_ends.sweep(database, now)
        autopilot.sweep(database, now)
        assert now < (newest.due_at or now) + ROUND_DAYS * DAY, "a round does not end, or the event after its last"
        for problem in made.desk(now):
            owes = problem.owes and problem.owes.player_id
            if problem.step == "rule" and owes is not None and problem.match_id in _running(made, newest.number):
                assert owes in gone, "somebody who plays is held to be silent"
                leaving.withdraw(database, made.event, owes, made.organiser, reason="silent", now=now)
                found.acts[owes] += 1
    found.days = (now - NOW).days
    found.longest = max([(one.closed_at or now) - (one.due_at or now) for one in _rounds(made)])
    by_people = sa.select(sa.func.count()).where(Audit.id > started, Audit.by_id.is_not(None))  # type: ignore[union-attr]
    found.others = made.read(lambda session: session.scalar(by_people)) - sum(found.acts.values())
    return found


def _rounds(made: Season) -> list[CompetitionRound]:
    there: list[CompetitionRound] = made.read(lambda session: round_rows.rounds_of(session, made.first.id, drafts=True))
    return there


def _running(made: Season, number: int) -> set[int]:
    return {match.id for match in _rounds(made)[number - 1].open_matches}


def _play(made: Season, round: CompetitionRound, gone: set[int], at: datetime) -> None:
    """Play for everybody present: games without a silent player to their end, the others until it is that player's
    turn.
    """
    chooser = random.Random(round.number)
    for match in round.open_matches:
        game_id = match.game_id or 0
        if not gone & {seat.player_id for seat in match.seats}:
            results.resign(made.database, game_id, match.seats[-1].player_id, now=at)
            continue
        while not (game := load(made.database, game_id)).is_over and game.seated(game.decides).player_id not in gone:
            line = random_line(game, chooser)
            if line != "resign":
                say(made.database, game_id, line, at)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("numbers", type=int, nargs="*", help="players, rounds, silent ones")
    parser.add_argument("--all-play-all", action="store_true")
    told = parser.parse_args()
    registry.register()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/postroad.db"
        migrating.upgrade(url)
        database = Database(url)
        found = run(database, *told.numbers, format="round_robin" if told.all_play_all else "swiss")
        database.close()
    print(
        f"{found.rounds} rounds in {found.days} days; the last to end was closed {found.longest} after its date"
        f" (a round: {ROUND_DAYS} days)"
    )
    print(f"acts about silent players: {sorted(found.acts.values())}; other acts after the start: {found.others}")
    if found.others or max(found.acts.values(), default=0) > 1:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
