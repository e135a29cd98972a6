"""Who plays on the server, for its operators."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.rows import named
from app.games.tables import Game, GameSeat, GameStatus
from app.people.tables import Player, PlayerRole, SignIn, searchable

MOST = 50


@dataclass(frozen=True, slots=True)
class Listed:
    """A person as listed."""

    id: int
    name: str
    address: str
    role: PlayerRole
    seen: datetime | None
    """The newest sign-in that lasts."""
    games: int
    """How many of theirs run."""


def people(session: Session, words: str) -> list[Listed]:
    """Return at most `MOST` people whose name or address begins with the words, newest first."""
    running = (
        sa.select(sa.func.count())
        .select_from(GameSeat)
        .join(Game, col(Game.id) == col(GameSeat.game_id))
        .where(col(GameSeat.player_id) == col(Player.id), col(Game.status) == GameStatus.RUNNING)
        .scalar_subquery()
    )
    seen = sa.select(sa.func.max(col(SignIn.created_at))).where(col(SignIn.player_id) == col(Player.id))
    asked = sa.select(
        col(Player.id),
        col(Player.name),
        col(Player.address),
        col(Player.role),
        seen.scalar_subquery().label("seen"),
        running.label("games"),
    )
    if words.strip():
        asked = asked.where(
            sa.or_(
                col(Player.name_key).startswith(searchable(words), autoescape=True),
                col(Player.address_key).startswith(words.strip().lower(), autoescape=True),
            )
        )
    return [named(Listed, row) for row in session.execute(asked.order_by(col(Player.id).desc()).limit(MOST))]
