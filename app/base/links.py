"""Signed links: what they name, and whether they are ours.

A link is a bearer's right to one thing. Its purpose is part of the signature, so that no link serves for another
purpose, and the key can be changed: all keys verify, the last one signs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from itsdangerous import BadData, URLSafeSerializer

from app.base.refusals import NoSuch
from engine.kernel.text import N_

LONGEST_TOKEN = 400
"""Characters; a longer one is none of ours and is not looked at."""
TOKENS = 1000
"""So many of the last tokens are kept as they were signed: a page names its own several times."""

LEAVE_LINK_SECONDS = 60 * 86400
"""How long the link in a mail works that starts leave."""


class BadLink(NoSuch):
    """The link was changed, cut off, made for another purpose or by another server."""

    heading = N_("Link not known")
    sentence = N_("This link is not complete or was not made here. Open it from the mail once more.")


@dataclass(frozen=True, slots=True)
class TurnLink:
    """The right to answer one decision of one seat, for the player who sat there when it was made."""

    game: int
    seat: str
    number: int
    player: int | None


class Links:
    """Makes and reads the links of one server."""

    def __init__(self, base_url: str, keys: Sequence[str]) -> None:
        self.base_url = base_url
        self._keys = list(keys)
        self._serializers: dict[str, URLSafeSerializer] = {}
        # A token says the same whenever it is asked for, and pages ask for the same ones again and again.
        self._signed = lru_cache(TOKENS, typed=True)(self._sign)

    def sign(self, purpose: str, payload: Iterable[str | int | None]) -> str:
        """A token that names the purpose and the payload."""
        return self._signed(purpose, *payload)

    def _sign(self, *named: str | int | None) -> str:
        return self._serializer(str(named[0])).dumps([*named])

    def read(self, purpose: str, token: str) -> list[Any]:
        """The payload of a token made for this purpose, else BadLink."""
        if len(token) > LONGEST_TOKEN:
            raise BadLink(purpose)
        payload: list[Any]
        try:
            named, *payload = self._serializer(purpose).loads(token)
        except (BadData, ValueError, TypeError):
            raise BadLink(purpose) from None
        if named != purpose:
            raise BadLink(purpose)
        return payload

    def _read(self, purpose: str, token: str, parts: int) -> list[Any]:
        """The same with so many parts."""
        payload = self.read(purpose, token)
        if len(payload) != parts:
            raise BadLink(purpose)
        return payload

    def _serializer(self, purpose: str) -> URLSafeSerializer:
        if purpose not in self._serializers:
            sha256 = {"digest_method": hashlib.sha256}
            self._serializers[purpose] = URLSafeSerializer(self._keys, salt=f"postroad.{purpose}", signer_kwargs=sha256)
        return self._serializers[purpose]

    # -- turn links -------------------------------------------------------------------------------

    def turn_token(self, link: TurnLink) -> str:
        """The last part of a turn link's address."""
        return self.sign("turn", [link.game, link.seat, link.number, link.player])

    def turn(self, link: TurnLink) -> str:
        """The address of a turn link."""
        return f"{self.base_url}/t/{self.turn_token(link)}"

    def read_turn(self, token: str) -> TurnLink:
        """What a turn link names, else BadLink."""
        payload = self._read("turn", token, 4)
        return TurnLink(*payload)

    # -- what a mail asks of its reader -----------------------------------------------------------

    def read_asked(self, kind: str, token: str) -> tuple[int, int]:
        """Of a link that a mail has for one player alone (`invitation`, `reserve`, `report`): what it is about, and the
        player, else BadLink."""
        payload = self._read(kind, token, 2)
        if not all(isinstance(part, int) for part in payload):
            raise BadLink(kind)
        return payload[0], payload[1]

    def read_asked_seat(self, kind: str, token: str) -> tuple[int, str, int | None]:
        """Of a link that a mail has for a seat of a game (`proposal`, `claim`): what it is about, the seat, and who sat
        there then, else BadLink."""
        payload = self._read(kind, token, 3)
        if not isinstance(payload[0], int) or not isinstance(payload[1], str):
            raise BadLink(kind)
        return payload[0], payload[1], payload[2]

    # -- unsubscribing ----------------------------------------------------------------------------

    def unsubscribe(self, player_id: int, group: str) -> str:
        """The address that stops one group of mails (`turns`, `reminders`, `news`) for a player."""
        return f"{self.base_url}/unsubscribe/{self.sign('unsubscribe', [player_id, group])}"

    def read_unsubscribe(self, token: str) -> tuple[int, str]:
        """The player and the group of an unsubscribing link, else BadLink."""
        payload = self._read("unsubscribe", token, 2)
        return int(payload[0]), str(payload[1])

    def turns_again(self, player_id: int) -> str:
        """The address that switches mails about a player's turns on again, and does nothing else."""
        return f"{self.base_url}/mails-again/{self.sign('turns-again', [player_id])}"

    def read_turns_again(self, token: str) -> int:
        """The player of such an address, else BadLink."""
        payload = self._read("turns-again", token, 1)
        return int(payload[0])

    # -- erasing an account -----------------------------------------------------------------------

    def erase(self, player_id: int, until: int) -> str:
        """The address where a player confirms that the account is erased, until a moment in seconds since 1970."""
        return f"{self.base_url}/erase/{self.sign('erase', [player_id, until])}"

    def read_erase(self, token: str) -> tuple[int, int]:
        """The player and the moment until which the link works, else BadLink."""
        payload = self._read("erase", token, 2)
        return int(payload[0]), int(payload[1])

    # -- leave ------------------------------------------------------------------------------------

    def leave(self, player_id: int, at: datetime) -> str:
        """The address where a player goes on leave without signing in, from a mail that was made at this moment."""
        return f"{self.base_url}/leave/{self.sign('leave', [player_id, int(at.timestamp()) + LEAVE_LINK_SECONDS])}"

    def read_leave(self, token: str) -> tuple[int, int]:
        """The player and the moment until which the link works in seconds since 1970, else BadLink."""
        payload = self._read("leave", token, 2)
        return int(payload[0]), int(payload[1])

    # -- feeds ------------------------------------------------------------------------------------

    def feed_token(self, kind: str, player_id: int, version: int) -> str:
        """The private key of a feed (`atom`, `ical`); dead when the player's feed version has another number."""
        return self.sign(kind, [player_id, version])

    def read_feed(self, kind: str, token: str) -> tuple[int, int]:
        """The player and the version of a key, else BadLink."""
        payload = self._read(kind, token, 2)
        return int(payload[0]), int(payload[1])
