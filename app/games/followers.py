"""A port to the room that plays the seats of the computer: told in the same transaction whenever a game of theirs has
begun or moved on, and asked whether they agree to something."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from sqlmodel import Session

if TYPE_CHECKING:
    from app.games.store import GameNow


class Follower(Protocol):
    """What is asked of it."""

    def follow(self, session: Session, game: GameNow, now: datetime) -> None:
        """Take note of the game as it now stands."""

    def agrees(self, session: Session, game: GameNow, seat: str, kind: str, winners: Sequence[str]) -> bool:
        """Return whether a seat agrees to a kind of proposal, which would end the game with these winners."""


_followers: list[Follower] = []


def register(follower: Follower) -> None:
    """Ask this one from now on."""
    _followers[:] = [follower]


def tell(session: Session, game: GameNow, now: datetime) -> None:
    """Tell it where a game in which the computer plays now stands."""
    if game.has_computer:
        for one in _followers:
            one.follow(session, game, now)


def agrees(session: Session, game: GameNow, seat: str, kind: str, winners: Sequence[str]) -> bool:
    """Return whether a seat of the computer agrees; it does not where nobody plays for it."""
    return any([one.agrees(session, game, seat, kind, winners) for one in _followers])
