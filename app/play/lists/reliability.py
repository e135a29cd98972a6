"""A player's reliability: the share of their games without a time-out by their own fault."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from app.games.tables import Game, GameSeat, GameSource, GameStatus
from app.time.tables import ClockNote, NoteCause, NoteKind

NOT_THEIR_FAULT = (NoteCause.MAIL, NoteCause.OUTAGE)
"""Causes of a time-out that do not count: the mail bounced, the server was down."""
NEWEST, ENOUGH = 100, 5
"""The number of finished games, the newest, that reliability is computed from; with fewer than the second, nothing can
be said."""


def timeouts(player_id: int) -> sa.Select[int]:
    """Return the query for the games in which a player was late by their own fault, once for each time: not if the mail
    that asked for it was found, even later, not to have arrived."""
    failed = aliased(ClockNote)
    return sa.select(col(ClockNote.game_id)).where(
        col(ClockNote.player_id) == player_id,
        col(ClockNote.kind) == NoteKind.TIMEOUT,
        col(ClockNote.cause).not_in(NOT_THEIR_FAULT),
        ~sa.exists().where(
            col(failed.game_id) == col(ClockNote.game_id),
            col(failed.number) == col(ClockNote.number),
            col(failed.kind) == NoteKind.MAIL_FAILED,
        ),
    )


@dataclass(frozen=True, slots=True)
class Reliability:
    """The number of finished games, and how many of them were without a time-out."""

    games: int
    in_time: int

    @property
    def percent(self) -> int | None:
        """The percentage on time; None while too few games are finished."""
        return None if self.games < ENOUGH else self.in_time * 100 // self.games


def reliability_of(session: Session, player_id: int) -> Reliability:
    """Return how reliable a player has been in the newest finished games, private ones too."""
    newest = (
        sa.select(col(Game.id))
        .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
        .where(
            col(GameSeat.player_id) == player_id,
            col(Game.status) == GameStatus.OVER,
            col(Game.source) == GameSource.PLAYED,
            col(Game.has_computer).is_(False),
        )
        .order_by(col(Game.ended_at).desc(), col(Game.id).desc())
        .limit(NEWEST)
    )
    games = set(session.scalars(newest))
    late = games & set(session.scalars(timeouts(player_id)))
    return Reliability(len(games), len(games) - len(late))
