"""Ladders: their order, challenges, and games that follow from them."""

from __future__ import annotations

from datetime import datetime

from app.base.stored.database import Database
from app.leagues.events import lifecycle
from app.leagues.rounds import ladder
from app.leagues.rounds.ladder import CompetitionLadder
from app.play.agreed import results
from tests.support import pressed
from tests.support.events import read
from tests.support.tables import NOW


def now_at(database: Database, event_id: int, at: datetime = NOW) -> CompetitionLadder:
    found: CompetitionLadder = read(database, lambda c: ladder.read(c, lifecycle.get(c, event_id), at))
    return found


def order(database: Database, event_id: int) -> list[int]:
    """Return the players from the top."""
    there = now_at(database, event_id)
    return [there.people[entrant].player_id for entrant in there.ladder.order]


def entrant(there: CompetitionLadder, player: int) -> int:
    return next(one.id for one in there.people.values() if one.player_id == player)


def challenge(database: Database, event_id: int, player: int, opponent: int, at: datetime = NOW) -> ladder.Challenge:
    there = now_at(database, event_id, at)
    round_id = pressed.challenge(database, event_id, player, entrant(there, opponent), now=at)
    return next(one for one in now_at(database, event_id, at).challenges if one.round.id == round_id)


def ladder_game(database: Database, event_id: int, player: int, opponent: int, at: datetime = NOW) -> int:
    """Make a challenge and accept it; return its game."""
    one = challenge(database, event_id, player, opponent, at)
    game = ladder.answer(database, one.round.id, ladder.stamp(one.round.made_at), opponent, accepts=True, now=at)
    assert game is not None
    return game


def played(database: Database, event_id: int, player: int, opponent: int, loser: int, at: datetime = NOW) -> None:
    results.resign(database, ladder_game(database, event_id, player, opponent, at), loser, now=at)
