"""The port to the competition that a game belongs to: what a game asks of it, and no more.

The implementation registers with `register` when a server starts. Without one, every answer is the plain one: a game
ends and nothing follows, no organiser can be asked, and the page of a game names no event.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import sqlalchemy as sa
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
    """Where the page of its round is found below that of the event."""
    ruled: tuple[str, ...] | None
    """The points of a ruling, as people write them, in the order of seats; none for a game that does not count. None if
    no ruling has decided the game."""
    takes_corrections: bool = False
    """Whether the reader, who has no part in the event, can set the result by a ruling."""
    takes_rulings: bool = False
    """Whether the reader, who plays in another game of the event, runs it and can open a ruling about this one."""


class Competitions(Hashable, Protocol):
    """What games ask of competitions, with the answers of a server that has none."""

    def game_over(self, work: Work, game: GameNow, now: datetime) -> None:
        """Do what follows from the end of a game, in the same transaction."""
        return None

    def open_for_case(self, work: Work, game_id: int, case_id: int, now: datetime) -> int:
        """Ask those who can rule about a passed deadline that the pace hands to an organiser; return how many. 0 if
        only the operators can."""
        return 0

    def has_organisers(self, session: Session, game_id: int) -> bool:
        """Return whether the organisers of a competition, and not the operators, rule in a game."""
        return False

    def place_of_game(self, session: Session, game_id: int, reader_id: int | None = None) -> PlaceInCompetition | None:
        """Return where a game belongs, as this player may see it; None for a game outside competitions."""
        return None

    def organisers_of_games(self, session: Session, game_ids: Collection[int]) -> dict[int, tuple[str, list[int]]]:
        """Return who organises the events of these games: address and events, by player."""
        return {}

    def names_of(self, session: Session, event_ids: Collection[int]) -> dict[int, str]:
        """Return the names of these events, by number."""
        return {}

    def names_beside(self, session: Session, player_id: int) -> Collection[str]:
        """Return the names of those who share a club with a player."""
        return ()

    def events_of_game(self, game_id: int | sa.ColumnElement[int]) -> sa.Select[int | None]:
        """Return the query for the numbers of the events that a game belongs to: one or none. `game_id` is a number, a
        column or a bound parameter."""
        return _NO_NUMBER

    def games_of_event(self, event_id: int) -> sa.Select[int | None]:
        """Return the query for the numbers of the games of an event."""
        return _NO_NUMBER


class NoCompetitions(Competitions):
    """What answers when there are no competitions."""

    __hash__ = object.__hash__


_NO_NUMBER: sa.Select[int | None] = sa.select(sa.cast(sa.null(), sa.Integer)).where(sa.false())
_runs: Competitions = NoCompetitions()


def register(competitions: Competitions) -> None:
    """Set what runs the competitions of this process."""
    global _runs
    _runs = competitions


def runner() -> Competitions:
    """Return what runs competitions here."""
    return _runs
