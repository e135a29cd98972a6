"""A season in which some fall silent for good: when each round ends, and how many acts of an organiser that takes.

    python -m tests.support.falling_silent [PLAYERS [ROUNDS [SILENT]]]

By the services alone, day by day: mails are delivered, the sweeps run, and the organiser looks at the desk once a day
and takes out whoever holds a round up when its end has opened a ruling. Everybody else plays on the first day. Closing,
pairing and publishing of rounds are counted apart.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app import registry
from app.base.database import Database
from app.leagues import leaving, round_ends, round_rows, rounds
from app.leagues.tables import EventRound
from app.overdue.cases import sweep_cases
from app.play import results
from app.upkeep import migrating
from tests.support.season import DAY, HOUR, Season, season
from tests.support.tables import NOW, deliver, load, random_line, say

ROUND_DAYS = 14


@dataclass
class SeasonFigures:
    """What came of a season."""

    rounds: int = 0
    longest: timedelta = timedelta(0)
    """After the date of its end, of the round that was closed last."""
    acts: Counter[int] = field(default_factory=Counter)
    """Acts of an organiser by the silent player whom they were about."""
    routine: int = 0
    """Rounds closed, paired and published."""


def run(database: Database, players: int = 24, length: int = 5, silent: int = 3) -> SeasonFigures:
    """Play a Swiss event; one more player falls silent in each of the first rounds."""
    made = season(database, players, rounds=length, round_days=ROUND_DAYS, round_end="ruling", auto_leave=False)
    found, now, gone = SeasonFigures(), NOW, set[int]()
    for number in range(1, length + 1):
        if number > 1:
            draft = rounds.pair(database, made.first.id, made.organiser, now=now)
            rounds.publish(database, draft, made.organiser, _round(made, number).version, now=now)
        found.routine += 3
        gone |= set(made.players[number - 1 : number] if number <= silent else ())
        deliver(database, now)
        _play(made, _round(made, number), gone, now + HOUR)
        while (open_now := _round(made, number)).open_matches:
            now += DAY
            assert now < (open_now.due_at or now) + ROUND_DAYS * DAY, "a round does not end"
            deliver(database, now)
            sweep_cases(database, now)
            round_ends.sweep(database, now)
            for problem in made.desk(now):
                owes = problem.owes_id
                if problem.step == "rule" and owes is not None and problem.match_id in _running(made, number):
                    assert owes in gone, "somebody who plays is held to be silent"
                    leaving.withdraw(database, made.event, owes, made.organiser, reason="silent", now=now)
                    found.acts[owes] += 1
        last = _round(made, number)
        rounds.close(database, last.id, made.organiser, now=now)
        found.rounds += 1
        found.longest = max(found.longest, now - (last.due_at or now))
    return found


def _round(made: Season, number: int) -> EventRound:
    there: list[EventRound] = made.read(lambda session: round_rows.rounds_of(session, made.first.id, drafts=True))
    return there[number - 1]


def _running(made: Season, number: int) -> set[int]:
    return {match.id for match in _round(made, number).open_matches}


def _play(made: Season, round: EventRound, gone: set[int], at: datetime) -> None:
    """Whoever is there plays: games without a silent player to their end, the others until it is up to that one."""
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
    given = [int(word) for word in sys.argv[1:4]]
    registry.register()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/postroad.db"
        migrating.upgrade(url)
        database = Database(url)
        found = run(database, *given)
        database.close()
    print(
        f"{found.rounds} rounds; the last to end was closed {found.longest} after its date (a round: {ROUND_DAYS} days)"
    )
    print(f"acts about silent players: {sorted(found.acts.values())}; to close, pair and publish: {found.routine}")


if __name__ == "__main__":
    main()
