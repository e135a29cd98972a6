"""Runs simultaneous acts of players, organisers and the timetable in one event, on PostgreSQL.

    python -m bench.trials.crosswise [--rounds 100] [--seed 1]

Each round is an event of its own with running games, in which twelve random acts happen at once: moves, resignations,
leave, withdrawals, rulings, what a sweep finds, the event's cancellation, an account's erasure. Each is done or refused
with a sentence; any other exception or logged error is a complaint, such as a deadlock, and so is a game that does not
replay. Prints the outcome, and exits with 1 if there is a complaint.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from fractions import Fraction

import sqlalchemy as sa

from app.account import my_data
from app.base.process import jobs
from app.base.stored.database import Database
from app.base.stored.upkeep_tables import RateCount
from app.base.words.refusals import Refusal
from app.clocks.leave import DAYS_A_YEAR
from app.games.tables import Game
from app.leagues.changes import leaving
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import round_rows
from app.leagues.rulings import deciding
from app.leagues.rulings.applying import Verdict
from app.leagues.tables import Match
from app.play.agreed import results
from app.play.turn import starting, turns
from app.server import registry
from app.time.away import leave
from app.upkeep import migrating
from tests.support import postgres, pressed
from tests.support.afterwards import end_when_told
from tests.support.events import resign_all
from tests.support.season import DAY, Season, season, token
from tests.support.sweeping import APART
from tests.support.tables import CONFIG, NOW, link_to, load, random_line

AT_ONCE = 12
LATER = NOW + DAY
SAID = (Refusal, turns.LinkEnded, turns.AlreadyDecided, turns.OrdersRefused)
FORMATS = ("knockout", "swiss", "round_robin")
VERDICTS = (
    Verdict("result", points=(Fraction(1), Fraction(0))),
    Verdict("result", points=(Fraction(0), Fraction(1))),
    Verdict("forfeit", place=0),
    Verdict("void"),
    Verdict("replay"),
    Verdict("extension", days=3),
)


@dataclass
class Found:
    """The outcome of all acts."""

    done: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    complaints: list[str] = field(default_factory=list)


@dataclass
class Event:
    """A running event, and the possible acts in it; each act picks its object."""

    made: Season
    chooser: random.Random
    matches: list[Match]
    rulings: list[int]

    def match(self) -> Match:
        return self.chooser.choice(self.matches)

    def move(self) -> None:
        game = load(self.made.database, self.match().game_id or 0)
        if game.decides:
            turns.play_turn(self.made.database, link_to(game), random_line(game, self.chooser), now=LATER)

    def resign(self) -> None:
        match = self.match()
        player = self.chooser.choice(match.seats).player_id
        results.resign(self.made.database, match.game_id or 0, player, now=LATER)

    def go_away(self) -> None:
        player = self.chooser.choice(self.made.players)
        leave.start_now(self.made.database, player, 3, now=LATER, allowance=DAYS_A_YEAR)

    def withdraw(self) -> None:
        player = self.chooser.choice(self.made.players)
        by = self.chooser.choice([player, self.made.organiser])
        leaving.withdraw(self.made.database, self.made.event, player, by, reason="Ill.", now=LATER)

    def claim(self) -> None:
        match = self.match()
        player = match.seats[0].player_id
        deciding.claim(self.made.database, self.made.event, match.id, player, "He looked.", now=LATER)

    def rule(self) -> None:
        asked = ActRequest(self.made.organiser, "So the rules say.", token())
        ruling, verdict = self.chooser.choice(self.rulings), self.chooser.choice(VERDICTS)
        pressed.decide(self.made.database, self.made.event, ruling, verdict, asked, now=LATER)

    def close(self) -> None:
        number = self.match().round_id
        pressed.close(self.made.database, number, self.made.organiser, now=LATER)

    def cancel(self) -> None:
        pressed.cancel(self.made.database, self.made.event, self.made.organiser, reason="Rain.", now=LATER)

    def erase(self) -> None:
        my_data.erase(self.made.database, self.chooser.choice(self.made.players), now=LATER)

    def sweep(self) -> None:
        at = NOW + timedelta(days=self.chooser.choice((6, 8, 40)))
        for job in jobs.JOBS:
            if job.name not in APART:
                job.begin(CONFIG)(self.made.database, at)

    def acts(self) -> list[Callable[[], None]]:
        """Return random acts; usual ones are more frequent."""
        usual = [self.move, self.resign, self.withdraw, self.rule]
        seldom = [self.go_away, self.claim, self.close, self.cancel, self.erase, self.sweep]
        return self.chooser.choices([*usual, *usual, *seldom], k=AT_ONCE)


def begun(database: Database, number: int, chooser: random.Random) -> Event:
    """Return an event whose round is played, of a knock-out usually the final, with waiting rulings."""
    format = chooser.choice(FORMATS)
    made = season(database, 4 if format == "knockout" else 6, format=format, slug=f"club-{number}")
    if format == "knockout" and chooser.random() < 0.7:
        resign_all(database, made.round())
        pressed.close(database, made.round().id, made.organiser, now=NOW)
        final = pressed.pair(database, made.first.id, made.organiser, now=NOW)
        pressed.publish(database, final, made.organiser, 1, now=NOW)
    there = made.read(lambda session: round_rows.rounds_of(session, made.first.id))
    matches = [match for round in there for match in round.matches if match.game_id]
    claims = [(match.id, match.seats[1].player_id) for match in matches]
    rulings = [deciding.claim(database, made.event, match, player, "He looked.", now=LATER) for match, player in claims]
    return Event(made, chooser, matches, rulings)


def at_once(event: Event, found: Found) -> None:
    """Do the drawn acts, all at the same moment."""
    acts = event.acts()
    ready = threading.Barrier(len(acts))

    def run(act: Callable[[], None]) -> None:
        ready.wait()
        try:
            act()
            found.done[act.__name__] += 1
        except SAID:
            found.refused[act.__name__] += 1
        except Exception as error:
            beside = ", ".join(other.__name__ for other in acts)
            found.complaints.append(f"{act.__name__}: {type(error).__name__}: {error} (beside {beside})")

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class _Errors(logging.Handler):
    """Turns failures that the jobs of the timetable log into complaints, too."""

    def __init__(self, found: Found) -> None:
        super().__init__(logging.ERROR)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        self._found.complaints.append(record.getMessage())


def try_all(database: Database, count: int, seed: int) -> Found:
    """Run this many rounds on a migrated PostgreSQL, then check every game."""
    chooser, found = random.Random(seed), Found()
    errors = _Errors(found)
    logging.getLogger("postroad").addHandler(errors)
    try:
        _try_all(database, count, chooser, found)
    finally:
        logging.getLogger("postroad").removeHandler(errors)
    return found


def _try_all(database: Database, count: int, chooser: random.Random, found: Found) -> None:
    for number in range(count):
        with database.write() as session:
            session.execute(sa.delete(RateCount))  # a player who makes many clubs a day is refused as too often
            session.commit()
        at_once(begun(database, number, chooser), found)
    with database.read() as session:
        games = session.scalars(sa.select(Game.id).where(Game.entries > 0)).all()  # type: ignore[call-overload]
    for game in games:
        try:
            starting.verify(database, game)
        except Exception as error:
            found.complaints.append(f"game {game}: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    registry.register()
    with ExitStack() as stack:
        url = postgres.make_database(stack.enter_context(postgres.server()))
        migrating.upgrade(url)
        database = Database(url)
        stack.callback(database.close)
        found = try_all(database, given.rounds, given.seed)
    for name in sorted({*found.done, *found.refused}):
        print(f"{name}: {found.done[name]} done, {found.refused[name]} refused")
    print("\n".join([*found.complaints[:20], f"{len(found.complaints)} complaints"]))
    return 1 if found.complaints else 0


if __name__ == "__main__":
    end_when_told()
    sys.exit(main())
