"""The port to whoever runs the competition that a game belongs to: what a game asks of them, and no more.

Whoever runs competitions registers with `register` when a server starts. Until then nobody does, and every answer is
the plain one: a game ends and nothing follows, no organiser can be asked, and the page of a game names no event.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import sqlalchemy as sa

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.games.store import GameNow
    from app.games.work import Work


@dataclass(frozen=True, slots=True)
class PlaceInCompetition:
    """Where a game belongs: its event, the number of its round, and its match."""

    event_id: int
    event: str
    round: int
    match_id: int
    takes_claims: bool
    """Whether its players can ask for a ruling."""
    round_place: str
    """Where the page of its round is found under that of the event."""
    ruled: tuple[str, ...] | None
    """The points that a ruling has given, as people write them, in the order of seats; none for a game that does not
    count. None where no ruling has said how it ended."""
    takes_corrections: bool = False
    """Whether the reader, who has no part in the event, can ask for a ruling that corrects the result."""


class Competitions(Hashable, Protocol):
    """What games ask of whoever runs competitions."""

    def game_over(self, work: Work, game: GameNow, now: datetime) -> None:
        """A game has ended; what follows from that is written in the same transaction."""

    def open_for_case(self, work: Work, game_id: int, case_id: int, now: datetime) -> int:
        """A deadline has passed and the pace hands it to an organiser: ask those who can rule; how many. 0 where
        nobody but the operators can."""

    def has_organisers(self, session: Session, game_id: int) -> bool:
        """Whether the organisers of a competition, and not the operators, rule in a game."""

    def place_of_game(self, session: Session, game_id: int, reader_id: int | None = None) -> PlaceInCompetition | None:
        """Where a game belongs, as this player may see it; None for a game outside competitions."""

    def organisers_of_games(self, session: Session, game_ids: Collection[int]) -> dict[int, tuple[str, list[int]]]:
        """Who organises the events that these games belong to: their address and those events, by player."""

    def names_of(self, session: Session, event_ids: Collection[int]) -> dict[int, str]:
        """The names of these events, by number."""

    def ratings_of(self, session: Session, player_ids: Collection[int]) -> Iterable[sa.Row[Any]]:
        """The ratings of these players in rated games of competitions: player, title, system, rating, number of
        games."""

    def events_of_game(self, game_id: int | sa.ColumnElement[int]) -> sa.Select[int | None]:
        """The query for the numbers of the events that a game belongs to: one or none. `game_id` is a number, a
        column or a bound parameter."""

    def games_of_event(self, event_id: int) -> sa.Select[int | None]:
        """The query for the numbers of the games of an event."""


class Nobody:
    """Nobody runs a competition."""

    def game_over(self, work: Work, game: GameNow, now: datetime) -> None:
        return None

    def open_for_case(self, work: Work, game_id: int, case_id: int, now: datetime) -> int:
        return 0

    def has_organisers(self, session: Session, game_id: int) -> bool:
        return False

    def place_of_game(self, session: Session, game_id: int, reader_id: int | None = None) -> PlaceInCompetition | None:
        return None

    def organisers_of_games(self, session: Session, game_ids: Collection[int]) -> dict[int, tuple[str, list[int]]]:
        return {}

    def names_of(self, session: Session, event_ids: Collection[int]) -> dict[int, str]:
        return {}

    def ratings_of(self, session: Session, player_ids: Collection[int]) -> Iterable[sa.Row[Any]]:
        return ()

    def events_of_game(self, game_id: int | sa.ColumnElement[int]) -> sa.Select[int | None]:
        return _NO_NUMBER

    def games_of_event(self, event_id: int) -> sa.Select[int | None]:
        return _NO_NUMBER


_NO_NUMBER: sa.Select[int | None] = sa.select(sa.cast(sa.null(), sa.Integer)).where(sa.false())
_runs: Competitions = Nobody()


def register(competitions: Competitions) -> None:
    """From now on these run the competitions of this process."""
    global _runs
    _runs = competitions


def runner() -> Competitions:
    """Whoever runs competitions here."""
    return _runs
