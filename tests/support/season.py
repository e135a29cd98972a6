"""An event of Ferry with a published round, and what can go wrong in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.clocks.pace import DEFAULT, Pace
from app.games.work import Work
from app.leagues.desk import desk_acts, trouble
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.tables import Competition, CompetitionRound, Division, Entrant, Match
from app.people.tables import Player
from app.play.agreed import results
from app.time import pending
from tests.support import pressed
from tests.support.events import club, people, planned
from tests.support.tables import NOW, deliver, load, write

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
_tokens = count(1)


def token() -> str:
    """Return the token of a newly drawn form."""
    return f"form:{next(_tokens):012d}"


@dataclass
class Season:
    """An event whose organiser plays in none of its games."""

    database: Database
    organiser: int
    club: int
    event: int
    players: list[int]
    reserves: list[int]
    matches: list[Match] = field(default_factory=list)

    def read(self, ask: Callable[[Any], Any]) -> Any:
        with self.database.read() as session:
            return ask(session)

    def now(self) -> Competition:
        found: Competition = self.read(lambda session: lifecycle.get(session, self.event))
        return found

    @property
    def first(self) -> Division:
        """Return the division, or the first of the groups."""
        event = self.now()
        return event.divisions[1 if event.format == "stages" else 0]

    def round(self) -> CompetitionRound:
        """Return the current state of the only round."""
        found: CompetitionRound = self.read(lambda session: round_rows.rounds_of(session, self.first.id)[0])
        return found

    def match(self, number: int) -> Match:
        return self.round().matches[number]

    def game(self, number: int) -> Any:
        return load(self.database, self.match(number).game_id or 0)

    def owes(self, number: int) -> int:
        """Return the player who owes the decision of a match."""
        game = self.game(number)
        found: int = game.seated(game.decides).player_id
        return found

    def entrant(self, player: int) -> Entrant:
        found = self.read(lambda session: entries.entrant_of(session, self.event, player))
        assert found is not None
        return found  # type: ignore[no-any-return]

    def desk(self, at: Any) -> list[trouble.Problem]:
        return self.read(lambda session: trouble.blocking(session, self.now(), at))  # type: ignore[no-any-return]

    def problem(self, number: int, at: Any) -> trouble.Problem:
        """Return what the desk reports about a match."""
        return next(one for one in self.desk(at) if one.match_id == self.match(number).id)

    def form(
        self, number: int, *, by: int | None = None, reason: str = "so it has to be", days: str = ""
    ) -> desk_acts.DeskRequest:
        """Return a form of the desk about a match, drawn now."""
        seen = self.read(lambda c: desk_acts.last_act(c, self.match(number).id))
        return desk_acts.DeskRequest(by or self.organiser, reason, token(), seen, days)

    def start_clock(self, number: int, at: Any) -> None:
        """Let the turn mail of a match be accepted at this moment."""
        game = self.game(number)
        with self.database.write() as session:
            turn = sa.and_(OutboxMail.game_id == game.id, OutboxMail.kind == "turn", OutboxMail.state == "waiting")  # type: ignore[arg-type]
            session.execute(sa.update(OutboxMail).where(turn).values(state="sent", sent_at=at))
            pending.start_clock(session, game.id, game.number, at)
            session.commit()


def season(
    database: Database, players: int = 4, reserves: int = 0, format: str = "swiss", title: str = "ferry",
    slug: str = "vendee", pace: Pace = DEFAULT, **terms: Any,
) -> Season:  # fmt: skip
    """Return a running event with one published round; player 1 organises, the others play."""
    numbers = people(database, players + reserves + 1)
    write(database, sa.update(Player).values(auto_leave=False))
    boss, playing, ready = numbers[0], numbers[1 : players + 1], numbers[players + 1 :]
    club_id = club(database, boss, slug=slug)
    terms = {"members_only": False, **({"rounds": 3} if format == "swiss" else {}), **terms}
    event = planned(database, club_id, boss, format, title, pace=pace, **terms)
    pressed.open_sign_up(database, event, boss, now=NOW)
    for player in playing:
        pressed.sign_up(database, event, player, by_id=boss, now=NOW)
    for nth, player in enumerate(ready):
        pressed.sign_up_as_reserve(database, event, player, now=NOW + timedelta(seconds=nth))
    pressed.start(database, event, boss, now=NOW)
    made_event = Season(database, boss, club_id, event, playing, ready)
    draft = pressed.pair(database, made_event.first.id, boss, now=NOW)
    version = made_event.read(lambda session: round_rows.get(session, draft).version)
    pressed.publish(database, draft, boss, version, now=NOW)
    return made_event


LOOK = NOW + 2 * DAY
"""The moment the desk is opened."""


def end_unreported(made: Season, number: int, at: Any) -> None:
    """End a game without telling its match, as an operator who mends a broken game."""
    with Work(made.database) as work:
        results.void(work, work.store.load(made.game(number).id, for_writing=True), at)
        work.commit()


def ready(database: Database) -> Season:
    made = season(database, 4)
    deliver(database, NOW)
    return made
