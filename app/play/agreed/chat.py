"""Chat and notes of signed-in players, during the game and after it. Turn links have `app.play.pages.turn`."""

from __future__ import annotations

from datetime import datetime

from app.base.stored import limits
from app.base.stored.database import Database
from app.games.work import Work
from app.play.agreed.results import seat_of_player
from app.play.turn import chat_and_notes


def say(database: Database, game_id: int, player_id: int, text: str, *, now: datetime) -> None:
    """Say something to all seats. Raises NoSuchGame, NotAccepted, TooOften."""
    limits.count(database, [(limits.CHAT, f"{game_id}:{player_id}")], now)
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        chat_and_notes.put_message(work, game_id, seat_of_player(game, player_id).seat, text, now)


def keep_note(database: Database, game_id: int, player_id: int, text: str, *, now: datetime) -> None:
    """Store the player's private notes. Raises NoSuchGame, NotAccepted."""
    with Work(database) as work:
        game = work.store.load(game_id, for_writing=True)
        chat_and_notes.put_note(work, game_id, seat_of_player(game, player_id).seat, text, now)
