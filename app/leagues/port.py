"""What games ask of leagues, answered: the other side of `app.games.contest`."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.leagues.opening import match_of_game, open_for_case, organisers_of_games, place_of_game
from app.leagues.outcomes import game_over
from app.leagues.tables import Event, EventRound, Match

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = [
    "events_of_game",
    "game_over",
    "games_of_event",
    "has_organisers",
    "names_of",
    "open_for_case",
    "organisers_of_games",
    "place_of_game",
]

_ROUND, _MATCH, _EVENT = EventRound.__table__, Match.__table__, Event.__table__  # type: ignore[attr-defined]


def has_organisers(connection: Connection, game_id: int) -> bool:
    """Whether the organisers of an event, and not the operators, rule in a game."""
    return match_of_game(connection, game_id) is not None


def names_of(connection: Connection, event_ids: Collection[int]) -> dict[int, str]:
    """The names of these events, by number."""
    if not event_ids:
        return {}
    asked = sa.select(_EVENT.c.id, _EVENT.c.name).where(_EVENT.c.id.in_(event_ids))
    return {row.id: row.name for row in connection.execute(asked)}


def events_of_game(game_id: Any) -> sa.Select[int]:
    """The query for the number of the event that a game belongs to; nothing for a game outside events."""
    return (
        sa.select(_ROUND.c.event_id).join(_MATCH, _MATCH.c.round_id == _ROUND.c.id).where(_MATCH.c.game_id == game_id)
    )


def games_of_event(event_id: int) -> sa.Select[int]:
    """The query for the numbers of the games of an event."""
    return (
        sa.select(_MATCH.c.game_id)
        .join(_ROUND, _ROUND.c.id == _MATCH.c.round_id)
        .where(_ROUND.c.event_id == event_id, _MATCH.c.game_id.is_not(None))
    )
