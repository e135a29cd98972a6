"""A player's strength at a game: by rated games of events or of casual play, whichever are more."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col

from app.games import competitions
from app.games.rating_tables import CasualRating, RatingSystem


class Strength(NamedTuple):
    """A rating, the number of rated games that it comes from, and whether those are games of events."""

    rating: int
    games: int = 0
    is_of_events: bool = False


NEW = Strength(1500)
"""The strength of a player without a rated game."""
Strengths = dict[tuple[int, str, bool], Strength]
"""By player, title, and whether it is for games of two. (Larger tables are rated separately.)"""


def of_players(session: Session, player_ids: Collection[int]) -> Strengths:
    """Return the strengths of these players wherever they have a rated game; those of events if both count equally
    many."""
    casual = sa.select(
        col(CasualRating.player_id),
        col(CasualRating.title),
        col(CasualRating.system),
        col(CasualRating.rating),
        col(CasualRating.games),
    ).where(col(CasualRating.player_id).in_(player_ids))
    known: Strengths = {}
    of_events = competitions.runner().ratings_of(session, player_ids)
    for rows, is_of_events in ((session.execute(casual), False), (of_events, True)):
        for row in rows:
            key = row.player_id, row.title, row.system == RatingSystem.GLICKO2
            if row.games and row.games >= known.get(key, NEW).games:
                known[key] = Strength(round(row.rating), row.games, is_of_events)
    return known
