"""How reliably somebody plays: the share of their games that were not late by their own fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from app.games.tables import Game, GameSeat, GameSource, GameStatus
from app.time.tables import ClockNote, NoteCause, NoteKind

if TYPE_CHECKING:
    from sqlmodel import Session

NOT_THEIR_FAULT = (NoteCause.MAIL, NoteCause.OUTAGE)
"""Causes of a time-out that do not count: the mail bounced, the server was down."""
NEWEST, ENOUGH = 100, 5
"""Reliability is that of so many games, the newest that are over; of fewer than these nothing can be told."""


def timeouts(player_id: int) -> sa.Select[int]:
    """The query for the games in which a player was late by their own fault, once for each time: not where the mail
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
    """Of so many finished games, so many without a time-out."""

    games: int
    in_time: int

    @property
    def percent(self) -> int | None:
        """The share in time; None while too few games are over."""
        return None if self.games < ENOUGH else self.in_time * 100 // self.games


def reliability_of(session: Session, player_id: int) -> Reliability:
    """How reliable a player has been in the newest games that are over, private ones too."""
    newest = (
        sa.select(col(Game.id))
        .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
        .where(
            col(GameSeat.player_id) == player_id,
            col(Game.status) == GameStatus.OVER,
            col(Game.source) == GameSource.PLAYED,
        )
        .order_by(col(Game.ended_at).desc(), col(Game.id).desc())
        .limit(NEWEST)
    )
    games = set(session.scalars(newest))
    late = games & set(session.scalars(timeouts(player_id)))
    return Reliability(len(games), len(games) - len(late))
