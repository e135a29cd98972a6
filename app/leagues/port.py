"""Answers what games ask of leagues: the implementation of `app.games.competitions`."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.leagues.rulings.ended_games import game_over
from app.leagues.rulings.opening import match_of_game, open_for_case, organisers_of_games, place_of_game
from app.leagues.tables import Competition, CompetitionRound, Match, Member, MemberStatus
from app.people.tables import Player

__all__ = [
    "events_of_game",
    "game_over",
    "games_of_event",
    "has_organisers",
    "names_beside",
    "names_of",
    "open_for_case",
    "organisers_of_games",
    "place_of_game",
]


def has_organisers(session: Session, game_id: int) -> bool:
    """Whether the organisers of an event rule in a game; otherwise the operators do."""
    return match_of_game(session, game_id) is not None


def names_beside(session: Session, player_id: int) -> Collection[str]:
    """Return the names of those who share a club with a player."""
    belongs = col(Member.status) == MemberStatus.MEMBER
    own = sa.select(col(Member.club_id)).where(belongs, col(Member.player_id) == player_id)
    others = select(Player.name).join(Member, col(Member.player_id) == col(Player.id))
    return session.exec(others.where(belongs, col(Member.club_id).in_(own), col(Player.id) != player_id)).all()


def names_of(session: Session, event_ids: Collection[int]) -> dict[int, str]:
    """Return the names of these events by number."""
    if not event_ids:
        return {}
    return dict(session.exec(select(Competition.id, Competition.name).where(col(Competition.id).in_(event_ids))).all())


def events_of_game(game_id: int | sa.ColumnElement[int]) -> sa.Select[int]:
    """Return the query for the number of the event a game belongs to; it has no row for a game outside events."""
    return (
        sa.select(col(CompetitionRound.event_id))
        .join(Match, col(Match.round_id) == col(CompetitionRound.id))
        .where(col(Match.game_id) == game_id)
    )


def games_of_event(event_id: int) -> sa.Select[int | None]:
    """Return the query for the numbers of the games of an event."""
    return (
        sa.select(sa.type_coerce(col(Match.game_id), sa.Integer))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .where(col(CompetitionRound.event_id) == event_id, col(Match.game_id).is_not(None))
    )
