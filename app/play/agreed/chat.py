"""Chat and notes of signed-in players, during the game and after it. Turn links have `app.play.pages.turn`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from app.base.stored import limits
from app.base.stored.database import Database
from app.games.store import GameNow, SeatHolder
from app.games.work import Work
from app.play.agreed.results import seat_of_player
from app.play.turn import chat_and_notes


@dataclass(frozen=True, slots=True)
class Message:
    """A chat line."""

    by: SeatHolder
    text: str
    at: datetime
    id: int
    is_muted: bool
    """Whether it is folded away for the reader."""


@dataclass(frozen=True, slots=True)
class ChatAndNotes:
    """The chat and notes that a seat sees beside the board."""

    messages: tuple[Message, ...]
    note: str


def chat_of(session: Session, game: GameNow, seat: str) -> ChatAndNotes:
    """Return the newest messages of a game, oldest first, and the seat's own notes."""
    muted = chat_and_notes.muted_for(session, game.id, seat)
    said = chat_and_notes.chat(session, game.id)
    messages = tuple(Message(game.seated(m.seat), m.text, m.at, m.id, m.seat in muted) for m in said)
    return ChatAndNotes(messages, chat_and_notes.note_of(session, game.id, seat))


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
