"""Plays a year of a club of 40: five events of different kinds, and ten players who are not always there.

    python -m bench.trials.club_year

They play New World, and give a game up after twelve turns. Everybody else answers on most days; some fall silent for
good, some leave by themselves, some are away for a while and come back. The autopilot runs the events, the timetable's
jobs run twice a day, and the organiser looks once a day at the desks and takes out who holds a round up when its end
has opened a ruling. Says when rounds ended, what the organiser had to do, and what was mailed; a round that ends later
than a day after its date, a second act about somebody silent, an ordinary player of one event with more than 1.3 mails
a turn (and one for the end of a game), and two mails about the same on one day are exit status 1. So is anything in a
public table, file or mail that is not as the plan of the next season has it, a silent player who is paired twice
without being named, a final called off by a correction without a mail, and a dead mailbox that no Monday names.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.base.process.jobs import JOBS
from app.base.stored.database import Database
from app.base.stored.mail_tables import BouncedAddress, MailState, OutboxMail
from app.base.words.refusals import NotAccepted
from app.games.tables import Game, GameStatus
from app.leagues.changes import leaving
from app.leagues.clubs import members
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.rulings import deciding
from app.leagues.tables import CompetitionRound
from app.people import life
from app.people.tables import Player
from app.play.agreed import results
from app.server import registry
from app.upkeep import migrating
from bench.trials.club_truth import Truth
from tests.support import pressed
from tests.support.mails import kept
from tests.support.season import DAY, HOUR, Season, season, token
from tests.support.sweeping import APART
from tests.support.tables import CONFIG, NOW, deliver, load, random_line, say

ROUND_DAYS = 80
ANSWERS = 0.7
"""Who is there answers on a day with this probability,"""
PATIENCE = 4
"""but after so many days in any case: nobody who is there runs out of time."""
LEAGUE = 12
"""Players of a league of three divisions, from the first on; two go up and down."""
EVENTS = (("swiss", 40, {"rounds": 3}), ("round_robin", 4, {}), ("tables", 11, {"rounds": 2, "sizes": [4, 3]}),
          ("knockout", 4, {}), ("stages", 8, {"groups": 2, "through": 2}))  # fmt: skip
"""Formats, players and terms."""
SILENT, LEAVES, AWAY = range(12, 17), range(17, 20), range(20, 22)
"""Places among the players: those who fall silent for good, leave, and are away for six days."""
BANNED = 22
"""The place of one whom the club bans after a month; games go on."""
LONGEST, MOST = 12, 500
"""Turns of a player, after which a game is given up; days."""


class Year:
    """The club, day by day."""

    def __init__(self, database: Database) -> None:
        self.database, self.now, self.chooser = database, NOW, random.Random(7)
        self.jobs = [(job.name, job.begin(CONFIG)) for job in JOBS if job.name not in APART]
        usual = {"round_days": ROUND_DAYS, "round_end": "ruling", "auto_leave": False, "autopilot": 24}
        self.events: list[Season] = [
            season(database, many, format=kind, title="new-world", slug=f"club-{n}", **(usual | terms))
            for n, (kind, many, terms) in enumerate(EVENTS)
        ]
        self.events.append(self._league(usual))
        self.acts: Counter[int] = Counter()
        self.corrected = self.banned = False
        self.truth = Truth(database, Path(str(database.engine.url.database)).parent)
        self.untrue: list[str] = []
        """What differs from the plan."""
        self.paired: defaultdict[int, list[tuple[int, int, bool]]] = defaultdict(list)
        """By silent player: the event and round into which they were paired, and whether that was said before."""
        self.seen: set[int] = set()
        with database.write() as session:  # the mailbox of the last who falls silent is dead
            dead = session.get_one(Player, self.people[SILENT[-1]])
            self.truth.unreached.add(dead.name)
            session.add(BouncedAddress(address_key=dead.address_key, at=NOW, reason="550 5.1.1"))
            session.commit()
        self.waited: Counter[int] = Counter()
        """Days for which games have waited for who is there."""
        self.turns: Counter[tuple[int, int]] = Counter()
        """Turns by player and game."""

    def _league(self, usual: dict[str, Any]) -> Season:
        first = self.events[0]
        parts = [{"name": name, "promoted": up, "relegated": down} for name, up, down in
                 (("First", 0, 2), ("Second", 2, 2), ("Third", 2, 0))]  # fmt: skip
        draft = lifecycle.NewEvent(
            name="League 1", title_id="new-world", format="round_robin", divisions=parts,
            terms={"members_only": False, "next_season": 14, **usual},
        )  # fmt: skip
        made = lifecycle.make(self.database, first.club, first.organiser, draft, now=NOW)
        players = self.people[:LEAGUE]
        for player in players:
            pressed.sign_up(self.database, made, player, by_id=first.organiser, now=NOW)
        with self.database.read() as session:
            there = entries.entrants(session, made)
            levels = [one.id for one in lifecycle.get(session, made).divisions]
        placed = {one.id: levels[at * 3 // LEAGUE] for at, one in enumerate(there)}
        pressed.put_into_divisions(self.database, made, first.organiser, placed, now=NOW)
        pressed.start(self.database, made, first.organiser, now=NOW)
        return Season(self.database, first.organiser, first.club, made, players, [])

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
                self._note_paired(made)
            if (self.now - NOW).days % 7 == 0:
                self._compare()
            assert self.now < NOW + MOST * DAY, "the year does not end"

    def _compare(self) -> None:
        for made in self.events:
            self.untrue += self.truth.differences(made.event, self.now)

    def _note_paired(self, made: Season) -> None:
        """Note who is silent and in a round that has come out, and whether the mail of its draft has said so."""
        with self.database.read() as session:
            rounds = [one for part in made.now().divisions for one in round_rows.rounds_of(session, part.id)]
            names = {one.id: one.name for one in session.scalars(sa.select(Player))}
            signs = {one.id: one.acted_at for one in session.scalars(sa.select(Player))}
        for round in rounds:
            if round.id in self.seen or round.published_at is None:
                continue
            self.seen.add(round.id)
            for seat in (seat for match in round.matches if not match.is_bye for seat in match.seats):
                who, last = seat.player_id, signs[seat.player_id]
                long = last is not None and round.published_at - last > 14 * DAY
                if who in [self.people[place] for place in SILENT] and long and not self.is_there(who):
                    said = any(f"{names[who]} (silent" in mail.words for mail in kept(self.database, "event_draft"))
                    self.paired[who].append((made.event, round.number, said))

    def _correct(self, made: Season) -> None:
        """Correct a semi-final once the final runs: the other one plays it."""
        rounds = [one for part in made.now().divisions for one in self._rounds_of(part.id)]
        if self.corrected or made.now().format != "knockout" or len(rounds) < 2 or not rounds[1].open_matches:
            return
        semi = next(one for one in rounds[0].matches if not one.is_bye)
        points = ["0" if seat.points else "1" for seat in semi.seats]
        asked = ActRequest(made.organiser, "They had mixed it up.", token())
        deciding.set_result(self.database, made.event, semi.id, points, asked, now=self.now)
        self.corrected = True

    def _rounds_of(self, division_id: int) -> Sequence[CompetitionRound]:
        with self.database.read() as session:
            return round_rows.rounds_of(session, division_id)

    def _answer(self) -> None:
        with self.database.read() as session:
            runs = Game.status == GameStatus.RUNNING, Game.decides.is_not(None)  # type: ignore[union-attr]
            asked = sa.select(Game.id, Game.decides).where(*runs)  # type: ignore[call-overload]
            owed = session.execute(asked.order_by(Game.id)).all()
        for game_id, seat in owed:
            game = load(self.database, game_id)
            player = game.seated(seat).player_id
            self.waited[game_id] += 1
            if not self.is_there(player) or (self.chooser.random() >= ANSWERS and self.waited[game_id] < PATIENCE):
                continue
            self.waited[game_id] = 0
            life.note_apart(self.database, player, self.now)
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

        if (self.now - NOW).days == 30 and not self.banned:
            self._ban(self.events[0], self.people[BANNED])

    def _ban(self, made: Season, player: int) -> None:
        """Ban a member, who can then not come back by the joining link."""
        self.banned = True
        members.join_by_link(self.database, made.club, player, 1, now=self.now)
        leaving.leave_club(self.database, made.club, made.organiser, player, reason="rude", bans=True, now=self.now)
        try:
            members.join_by_link(self.database, made.club, player, 1, now=self.now)
        except NotAccepted:
            return
        self.untrue.append("who is banned has come back")

    def _look(self, made: Season) -> None:
        if made.now().status != "running":
            return
        self._correct(made)
        for problem in made.desk(self.now):
            owes = problem.owes and problem.owes.player_id
            # "again": the mailbox is dead, and another mail to it would come back, too
            if problem.step in ("rule", "again") and owes is not None and not self.acts[made.event, owes]:
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
        year._compare()
        rounds, mails = year.rounds(), year.mailed()
        called_off = [mail for mail in kept(year.database, "cancelled") if "was corrected" in mail.words]
        reached = [mail for mail in kept(year.database, "club_week") if "Mails do not reach" in mail.words]
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
    print(f"compared with the plan: {year.truth.compared} times, {len(year.untrue)} differ", *year.untrue[:5], sep="\n")
    unsaid = {who: there for who, there in year.paired.items() if sum(not said for *_, said in there) > 1}
    print(f"silent and paired: {dict(year.paired)}; twice without a word: {unsaid}")
    print(f"banned, and kept out: {year.banned}")
    print(f"mails about the final called off: {len(called_off)}; Mondays that name the dead mailbox: {len(reached)}")
    if year.untrue or unsaid or not (called_off and reached):
        return 1
    return int(late > DAY or max(year.acts.values(), default=0) > 1 or most > 1.3 or bool(doubled))


if __name__ == "__main__":
    raise SystemExit(main())
