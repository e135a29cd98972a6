"""Who plays on the server, for those who run it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.games.tables import Game, GameSeat, GameStatus
from app.people.tables import Player, SignIn, searchable

MOST = 50


def people(session: Session, words: str) -> Sequence[sa.Row[*tuple[Any, ...]]]:
    """Return at most `MOST` people whose name or address begins with the words, newest first: with the newest sign-in
    that lasts (`seen`), and how many of their games run (`games`)."""
    running = (
        sa.select(sa.func.count())
        .select_from(GameSeat)
        .join(Game, col(Game.id) == col(GameSeat.game_id))
        .where(col(GameSeat.player_id) == col(Player.id), col(Game.status) == GameStatus.RUNNING)
        .scalar_subquery()
    )
    seen = sa.select(sa.func.max(col(SignIn.created_at))).where(col(SignIn.player_id) == col(Player.id))
    asked: sa.Select[*tuple[Any, ...]] = sa.select(
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
    return session.execute(asked.order_by(col(Player.id).desc()).limit(MOST)).all()
