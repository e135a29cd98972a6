"""The port to whatever a person can belong to besides games, such as clubs and their events: what leaving the server
means there, and what is stored there about a person.

Registered when a server starts; until then there is nothing to belong to.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from sqlmodel import Session

from app.games.work import Work

Kept = tuple[str, Any, str, tuple[str, ...]]
"""Rows about a player: their name in the player's data file, the model, its player column, and which columns the file
has."""


class OwnClub(Protocol):
    """A club of the account being closed, as the page shows it."""

    @property
    def slug(self) -> str: ...

    @property
    def name(self) -> str: ...


class Memberships(Protocol):
    """What an account asks of anything its player belongs to, with the answers when there is nothing."""

    @property
    def KEPT(self) -> Sequence[Kept]:
        """What is stored there about a player."""
        return ()

    def entered(self, session: Session, player_id: int) -> list[tuple[int, str]]:
        """Return the events that a player would leave, by number and name."""
        return []

    def owned_alone(self, session: Session, player_id: int) -> tuple[Sequence[OwnClub], Sequence[OwnClub]]:
        """Return the clubs of which a player is the only owner: those with other members, and those without."""
        return (), ()

    def need_owners(self, session: Session, player_id: int) -> None:
        """Raise NotAccepted while a club with other members would be left without an owner."""
        return None

    def hold(self, session: Session, player_id: int) -> None:
        """Lock what `leave_events` and `leave_clubs` will change, until the transaction ends."""
        return None

    def leave_events(self, work: Work, player_id: int, now: datetime, *, erased: bool, waits: bool = False) -> bool:
        """Take a player out of all events, or off their waiting lists; return whether there were any. With `erased` the
        account ends."""
        return False

    def leave_clubs(self, work: Work, player_id: int, now: datetime, *, erased: bool, waits: bool = False) -> None:
        """Leave all clubs, or only those that the player waits for. Raises NotAccepted if an erased account would leave
        one without an owner."""
        return None


class NoMemberships(Memberships):
    """The implementation when there is nothing to belong to."""


_there: Memberships = NoMemberships()


def register(memberships: Memberships) -> None:
    """Set what players of this process belong to."""
    global _there
    _there = memberships


def there() -> Memberships:
    """Return what players can belong to here."""
    return _there
