"""Signed links: what they name, and whether they are ours.

A link is its bearer's right to one thing. Its purpose is part of the signature, so that no link serves another purpose,
and the key can be replaced: all keys verify, the last one signs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from itsdangerous import BadData, URLSafeSerializer

from app.base.words.refusals import NoSuch
from engine.kernel.text import N_

LONGEST_TOKEN = 400
"""Characters; a longer token is not ours and is not read."""
TOKENS = 1000
"""Recently signed tokens that are cached: a page names its own several times."""

LEAVE_LINK_SECONDS = 60 * 86400
"""How long the link in a mail that starts leave works while its decision waits."""


class BadLink(NoSuch):
    """The link was changed, cut off, or made for another purpose or by another server."""

    heading = N_("Link not known")
    sentence = N_("This link is not complete or was not made here. Open it from the mail once more.")


@dataclass(frozen=True, slots=True)
class TurnLink:
    """The right to answer one decision of one seat, for the player who sat there when it was made."""

    game: int
    seat: str
    number: int
    player: int | None


class LeaveLink(NamedTuple):
    """The right to begin leave until a moment (seconds since 1970), from a mail that asked for a decision of a game;
    with `begun`, also to end the leave of this number, which the link has begun."""

    player: int
    until: int
    game: int | None = None
    number: int | None = None
    begun: int | None = None


class Links:
    """Makes and reads the links of one server."""

    def __init__(self, base_url: str, keys: Sequence[str]) -> None:
        self.base_url = base_url
        self._keys = list(keys)
        self._serializers: dict[str, URLSafeSerializer] = {}
        # A token always says the same, and pages ask for the same ones again and again.
        self._signed = lru_cache(TOKENS, typed=True)(self._sign)

    def sign(self, purpose: str, payload: Iterable[str | int | None]) -> str:
        """Return a token that names the purpose and the payload."""
        return self._signed(purpose, *payload)

    def _sign(self, *named: str | int | None) -> str:
        return self._serializer(str(named[0])).dumps([*named])

    def read(self, purpose: str, token: str, parts: int | None = None) -> list[Any]:
        """Return the payload of a token made for this purpose, of this many parts, else raise BadLink."""
        if len(token) > LONGEST_TOKEN:
            raise BadLink(purpose)
        payload: list[Any]
        try:
            named, *payload = self._serializer(purpose).loads(token)
        except (BadData, ValueError, TypeError):
            raise BadLink(purpose) from None
        if named != purpose or parts not in (None, len(payload)):
            raise BadLink(purpose)
        return payload

    def _serializer(self, purpose: str) -> URLSafeSerializer:
        if purpose not in self._serializers:
            sha256 = {"digest_method": hashlib.sha256}
            self._serializers[purpose] = URLSafeSerializer(self._keys, salt=f"postroad.{purpose}", signer_kwargs=sha256)
        return self._serializers[purpose]

    # -- turn links -------------------------------------------------------------------------------

    def turn_token(self, link: TurnLink) -> str:
        """Return the last part of a turn link's address."""
        return self.sign("turn", [link.game, link.seat, link.number, link.player])

    def turn(self, link: TurnLink) -> str:
        """Return the address of a turn link."""
        return f"{self.base_url}/t/{self.turn_token(link)}"

    def read_turn(self, token: str) -> TurnLink:
        """Return what a turn link names, else raise BadLink."""
        return TurnLink(*self.read("turn", token, 4))

    # -- what a mail asks of its reader -----------------------------------------------------------

    def read_asked(self, kind: str, token: str) -> tuple[int, int]:
        """Return the two numbers of a link: what one that a mail has for one player alone (`invitation`, `reserve`,
        `report`) is about, and the player; the player of a feed and its version; the player of `erase` and the moment
        until which it works. Else raise BadLink."""
        payload = self.read(kind, token, 2)
        if not all(isinstance(part, int) for part in payload):
            raise BadLink(kind)
        return payload[0], payload[1]

    def read_asked_seat(self, kind: str, token: str) -> tuple[int, str, int | None]:
        """Return what a link that a mail has for a seat of a game (`proposal`, `claim`) is about, the seat, and who sat
        there then; else raise BadLink."""
        payload = self.read(kind, token, 3)
        if not isinstance(payload[0], int) or not isinstance(payload[1], str):
            raise BadLink(kind)
        return payload[0], payload[1], payload[2]

    # -- unsubscribing ----------------------------------------------------------------------------

    def unsubscribe(self, player_id: int, group: str) -> str:
        """Return the address that stops one group of mails (`turns`, `reminders`, `news`) for a player."""
        return f"{self.base_url}/unsubscribe/{self.sign('unsubscribe', [player_id, group])}"

    def read_unsubscribe(self, token: str) -> tuple[int, str]:
        """Return the player and the group of an unsubscribing link, else raise BadLink."""
        payload = self.read("unsubscribe", token, 2)
        return int(payload[0]), str(payload[1])

    def turns_again(self, player_id: int) -> str:
        """Return the address that switches mails about a player's turns on again, and does nothing else."""
        return f"{self.base_url}/mails-again/{self.sign('turns-again', [player_id])}"

    def read_turns_again(self, token: str) -> int:
        """Return the player of such an address, else raise BadLink."""
        return int(self.read("turns-again", token, 1)[0])

    # -- erasing an account -----------------------------------------------------------------------

    def erase(self, player_id: int, until: int) -> str:
        """Return the address where a player confirms erasing the account, valid until a moment in seconds since
        1970."""
        return f"{self.base_url}/erase/{self.sign('erase', [player_id, until])}"

    # -- leave ------------------------------------------------------------------------------------

    def leave(self, player_id: int, at: datetime, game_id: int | None, number: int | None) -> str:
        """Return the address where a player goes on leave without signing in, from a mail about a decision that was
        made at this moment."""
        link = LeaveLink(player_id, int(at.timestamp()) + LEAVE_LINK_SECONDS, game_id, number)
        return f"{self.base_url}/leave/{self.leave_token(link)}"

    def leave_token(self, link: LeaveLink) -> str:
        """Return the last part of such an address."""
        return self.sign("leave", link)

    def read_leave(self, token: str) -> LeaveLink:
        """Return what such an address names, else raise BadLink. Those of earlier versions name two things."""
        payload = self.read("leave", token)
        if len(payload) not in (2, 5):
            raise BadLink("leave")
        return LeaveLink(*payload)
