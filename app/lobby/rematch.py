"""A rematch: a table for the same players, each moved one seat on."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored import limits
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.games import seeds
from app.games.store import GameNow
from app.games.tables import Game, GameStatus
from app.games.work import Work
from app.lobby import invitations, open_games
from app.people import blocks, sanctions
from app.people.tables import Player
from app.play.tables import AnswerStatus, Invitation
from app.play.turn.turns import seat_of_player
from app.titles.registry import TITLES
from engine.kernel.text import Text


def rematch_of(session: Session, game_id: int, reader_id: int | None) -> int | None:
    """Return the rematch's game or table; not a table from which a block keeps the reader."""
    made: int | None = session.scalar(
        sa.select(col(Game.id))
        .where(
            col(Game.rematch_of) == game_id,
            col(Game.status) != GameStatus.CANCELLED,
            col(Game.id).not_in(blocks.tables_apart(reader_id)) if reader_id is not None else sa.true(),
        )
        .order_by(col(Game.id))
        .limit(1)
    )
    return made


def offer_rematch(database: Database, game_id: int, player_id: int, *, now: datetime) -> int:
    """Create a table with the same options, with everybody moved one seat on; return the number of its game.

    The player who asks is seated, the others are invited by mail. Asking again returns the same table, and takes
    the seat to which the player is invited there. Raises NoSuchGame, NotAccepted, InvitationOver.
    """
    limits.count(database, [(limits.TABLES, str(player_id))], now)
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        if not game.is_over:
            raise NotAccepted("rematch.running", Text("This game is not over yet."))
        seat_of_player(game, player_id)
        if any(seated.player_id is None or not seated.name for seated in game.seats) or game.title.id not in TITLES:
            raise NotAccepted("rematch.gone", Text("Not everybody who played is still here, so make a new game."))
        existing = rematch_of(work.session, game_id, player_id)
        if existing is None:
            existing = _offer(work, game, player_id, now)
        invited = work.session.scalar(
            sa.select(col(Invitation.id)).where(
                col(Invitation.game_id) == existing,
                col(Invitation.player_id) == player_id,
                col(Invitation.status) == AnswerStatus.WAITING,
            )
        )
        if invited is not None:
            invitations.accept(work, invited, player_id, now=now)
    return existing


def _offer(work: Work, game: GameNow, player_id: int, now: datetime) -> int:
    sanctions.need_free(work.session, player_id, now)
    old = work.session.get_one(Game, game.id)
    new = Game(
        title=old.title,
        options=old.options,
        created_at=now,
        rematch_of=old.id,
        pace=old.pace,
        made_by=player_id,
        is_private=old.is_private,
        is_rated=old.is_rated,
    )
    host = work.session.get_one(Player, player_id)
    sitting = [*game.seats[-1:], *game.seats[:-1]]
    new_id = work.store.make(
        new,
        [
            (chair.seat, player_id if sits.player_id == player_id else None)
            for chair, sits in zip(game.seats, sitting, strict=True)
        ],
    )
    for place, sits in enumerate(sitting):
        if sits.player_id != player_id:
            open_games.put_on_offer(work, new_id, place, "mail", sits.address, host, now)
    seeds.bind(work.session, new_id, now)
    return new_id
