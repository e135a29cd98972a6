"""What a game's page says about waiting for a player."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.base.words.speech import Voice
from app.games.store import GameNow
from app.overdue import nudges
from app.time.away import leave


def waiting_of(session: Session, game: GameNow, seat: str | None, voice: Voice, now: datetime) -> dict[str, Any]:
    """Return what a game's page says about waiting: who is on leave, and what the reader can do about the seat that
    owes the decision."""
    if game.is_over or seat is None:  # a player's absence is only shown to those who play with them
        return {"away": [], "can": False}
    until = leave.away(session, game.id, [seated.player_id for seated in game.seats], now)
    away = [(voice.who(seated), until[seated.player_id]) for seated in game.seats if seated.player_id in until]
    box: dict[str, Any] = {"away": away, "can": nudges.may_ask(game, seat)}
    if box["can"]:
        box |= {
            "who": voice.who(game.seated(game.decides or "")),
            "offers": nudges.EXTENSIONS,
            "nudge": nudges.offered(session, game, seat, now),
            "granted": nudges.times_granted(session, game),
        }
    return box
