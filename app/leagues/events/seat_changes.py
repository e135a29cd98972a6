"""Open seats in an event, and which of them a substitute has taken over."""

from __future__ import annotations

import sqlalchemy as sa
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select

from app.games.tables import Game, GameSeat, GameStatus
from app.leagues.tables import CallStatus, CompetitionRound, Entrant, Match, MatchSeat, ReserveCall


def open_seats(event_id: int, entry_id: int | None) -> Select[MatchSeat, Match]:
    """Return the query for the seats of one or all entrants in matches of an event whose game runs."""
    return (
        select(MatchSeat, Match)
        .join(Match, col(Match.id) == col(MatchSeat.match_id))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .join(Game, col(Game.id) == col(Match.game_id))
        .where(
            col(CompetitionRound.event_id) == event_id,
            col(Game.status) == GameStatus.RUNNING,
            col(Match.ended) == "",
            sa.true() if entry_id is None else col(MatchSeat.entry_id) == entry_id,
        )
        .order_by(col(Match.game_id))
    )


def running_games(session: Session, event_id: int, entry_id: int | None = None) -> list[int]:
    """Return the running games of an event, or of one entrant, that will count."""
    games = open_seats(event_id, entry_id).with_only_columns(col(Match.game_id))
    return [game for game in dict.fromkeys(session.scalars(games)) if game is not None]


def opponents(session: Session, event_id: int, entry_id: int) -> list[int]:
    """Return the opponents of an entrant in its running games."""
    games = running_games(session, event_id, entry_id)
    mine = sa.select(col(Entrant.player_id)).where(col(Entrant.id) == entry_id).scalar_subquery()
    asked = (
        sa.select(col(GameSeat.player_id))
        .distinct()
        .where(col(GameSeat.game_id).in_(games), col(GameSeat.player_id) != mine)
    )
    return list(session.scalars(asked))


def substitutes(session: Session, event_id: int) -> dict[int, int]:
    """Return the substitute's entrant for each entrant whose seats were taken over: their name stays, but they are not
    paired."""
    asked = sa.select(col(ReserveCall.leaver_id), col(ReserveCall.entry_id))
    rows = session.execute(
        asked.where(col(ReserveCall.event_id) == event_id, col(ReserveCall.status) == CallStatus.ACCEPTED)
    )
    return {row.leaver_id: row.entry_id for row in rows}
