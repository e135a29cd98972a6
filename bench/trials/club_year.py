"""Plays a year of a club of 40: five events of different kinds, and ten players who are not always there.

    python -m bench.trials.club_year

They play New World, and give a game up after twelve turns. Everybody else answers on most days; some fall silent for
good, some leave by themselves, some are away for a while and come back. The autopilot runs the events, the timetable's
jobs run twice a day, and the organiser looks once a day at the desks and takes out who holds a round up when its end
has opened a ruling. Says when rounds ended, what the organiser had to do, and what was mailed; a round that ends later
than a day after its date, a second act about somebody silent, an ordinary player of one event with more than 1.3 mails
a turn (and one for the end of a game), and two mails about the same on one day are exit status 1.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter, defaultdict

import sqlalchemy as sa

from app.base.process.jobs import jobs
from app.base.stored.database import Database
from app.base.stored.mail_tables import MailState, OutboxMail
from app.games.tables import Game, GameStatus
from app.leagues.changes import leaving
from app.leagues.events import round_rows
from app.leagues.tables import CompetitionRound
from app.play.agreed import results
from app.server import registry
from app.upkeep import migrating
from tests.support.season import DAY, HOUR, Season, season
from tests.support.tables import CONFIG, NOW, deliver, load, random_line, say

ROUND_DAYS = 80
ANSWERS = 0.7
"""Who is there answers on a day with this probability."""
EVENTS = (("swiss", 40, {"rounds": 3}), ("round_robin", 4, {}), ("tables", 11, {"rounds": 2, "sizes": [4, 3]}),
          ("knockout", 4, {}), ("stages", 8, {"groups": 2, "through": 2}))  # fmt: skip
"""Formats, players and terms."""
SILENT, LEAVES, AWAY = range(12, 17), range(17, 20), range(20, 22)
"""Places among the players: those who fall silent for good, leave, and are away for six days."""
LONGEST, MOST = 12, 500
"""Turns of a player, after which a game is given up; days."""


class Year:
    """The club, day by day."""

    def __init__(self, database: Database) -> None:
        self.database, self.now, self.chooser = database, NOW, random.Random(7)
        self.jobs = [(job.name, job.begin(CONFIG)) for job in jobs() if job.swept]
        usual = {"round_days": ROUND_DAYS, "round_end": "ruling", "auto_leave": False, "autopilot": 24}
        self.events: list[Season] = [
            season(database, many, format=kind, title="new-world", slug=f"club-{n}", **(usual | terms))
            for n, (kind, many, terms) in enumerate(EVENTS)
        ]
        self.acts: Counter[int] = Counter()
        self.turns: Counter[tuple[int, int]] = Counter()
        """Turns by player and game."""

    @property
    def people(self) -> list[int]:
        return self.events[0].players

    def is_there(self, player: int) -> bool:
        """Return whether a player answers mails today."""
        place, days = self.people.index(player), (self.now - NOW).days
        if place in SILENT:
            return days < 8 * (place - SILENT[0] + 1)
        return not (place in AWAY and 15 <= days < 21)

    def run(self) -> None:
        """Play until all events are over."""
        while any(made.now().status == "running" for made in self.events):
            for _ in range(2):
                deliver(self.database, self.now)
                for _, run in self.jobs:
                    run(self.database, self.now)
                deliver(self.database, self.now)
                self.now += 12 * HOUR
            self._answer()
            self._leave()
            for made in self.events:
                self._look(made)
            assert self.now < NOW + MOST * DAY, "the year does not end"

    def _answer(self) -> None:
        with self.database.read() as session:
            runs = Game.status == GameStatus.RUNNING, Game.decides.is_not(None)  # type: ignore[union-attr]
            asked = sa.select(Game.id, Game.decides).where(*runs)  # type: ignore[call-overload]
            owed = session.execute(asked.order_by(Game.id)).all()
        for game_id, seat in owed:
            game = load(self.database, game_id)
            player = game.seated(seat).player_id
            if not (self.is_there(player) and self.chooser.random() < ANSWERS):
                continue
            self.turns[player, game_id] += 1
            if self.turns[player, game_id] > LONGEST:
                results.resign(self.database, game_id, player, now=self.now)
                continue
            while not game.is_over and game.decides == seat:
                line = random_line(game, self.chooser)
                if line != "resign":
                    say(self.database, game_id, line, self.now)
                    game = load(self.database, game_id)

    def _leave(self) -> None:
        for place in LEAVES:
            player = self.people[place]
            if (self.now - NOW).days == 11 * (place - LEAVES[0] + 1):
                leaving.withdraw(self.database, self.events[0].event, player, player, reason="", now=self.now)

    def _look(self, made: Season) -> None:
        if made.now().status != "running":
            return
        for problem in made.desk(self.now):
            owes = problem.owes and problem.owes.player_id
            if problem.step == "rule" and owes is not None and not self.acts[made.event, owes]:
                assert self.people.index(owes) in SILENT, f"{self.people.index(owes)} plays and is held to be silent"
                leaving.withdraw(self.database, made.event, owes, made.organiser, reason="silent", now=self.now)
                self.acts[made.event, owes] += 1

    def rounds(self) -> list[CompetitionRound]:
        """Return all rounds of all events."""
        with self.database.read() as session:
            return [
                one
                for made in self.events
                for division in made.now().divisions
                for one in round_rows.rounds_of(session, division.id)
            ]

    def mailed(self) -> dict[int, list[OutboxMail]]:
        """Return what each player was mailed."""
        found: defaultdict[int, list[OutboxMail]] = defaultdict(list)
        with self.database.read() as session:
            went = sa.select(OutboxMail).where(OutboxMail.state.in_((MailState.SENT, MailState.KEPT)))  # type: ignore[attr-defined]
            for mail in session.scalars(went.order_by(OutboxMail.id)):
                if mail.player_id is not None:
                    found[mail.player_id].append(mail)
        return found


def main() -> int:
    """Print what came of it."""
    registry.register()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/postroad.db"
        migrating.upgrade(url)
        year = Year(Database(url))
        year.run()
        rounds, mails = year.rounds(), year.mailed()
        year.database.close()
    late = max((one.closed_at or year.now) - (one.due_at or year.now) for one in rounds)
    one_event = [who for who in year.people[22:] if year.people.index(who) >= 11]
    turns = {who: sum(n for (player, _), n in year.turns.items() if player == who) for who in one_event}
    of_games = {who: sum(mail.game_id is not None and mail.kind != "over" for mail in mails[who]) for who in one_event}
    share = {who: of_games[who] / max(1, turns[who]) for who in one_event}
    twice = Counter(
        (who, mail.sent_at.date(), mail.game_id, mail.number)
        for who, all in mails.items()
        for mail in all
        if mail.sent_at and mail.game_id
    )
    doubled = {key: n for key, n in twice.items() if n > 1}
    kinds = Counter(mail.kind for all in mails.values() for mail in all)
    print(f"{len(rounds)} rounds in {(year.now - NOW).days} days; the latest was closed {late} after its date")
    print(f"acts about silent players: {sorted(year.acts.values())}")
    most = max(share.values())
    print(f"mails: {dict(kinds)}; a turn: at most {most:.2f}, mean {sum(share.values()) / len(share):.2f}")
    print(f"twice about the same on one day: {len(doubled)}", list(doubled.items())[:5])
    return int(late > DAY or max(year.acts.values(), default=0) > 1 or most > 1.3 or bool(doubled))


if __name__ == "__main__":
    raise SystemExit(main())
