"""Signed links: what they name, and whether they are ours.

A link is a bearer's right to one thing. Its purpose is part of the signature, so that no link serves for another
purpose, and the key can be changed: all keys verify, the last one signs.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from itsdangerous import BadData, Serializer, Signer, URLSafeSerializer
from itsdangerous.encoding import base64_encode
from itsdangerous.signer import SigningAlgorithm

from app.base.refusals import NoSuch
from engine.kernel.text import N_

LONGEST_TOKEN = 400
"""Characters; a longer one is none of ours and is not looked at."""


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


WORTH_COMPRESSING = 100
"""Bytes of a payload. Trying it costs more than the signature, and a shorter one never gets any smaller."""


class _Hmac(SigningAlgorithm):
    """HMAC with SHA-256, as the library's, started once for each key."""

    def __init__(self) -> None:
        self._started: dict[bytes, hmac.HMAC] = {}

    def get_signature(self, key: bytes, value: bytes) -> bytes:
        started = self._started.get(key)
        if started is None:
            started = self._started[key] = hmac.new(key, digestmod=hashlib.sha256)
        made = started.copy()
        made.update(value)
        return made.digest()


class _Signer(Signer):
    """As the library's, with what follows from the keys worked out once."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **{**named, "digest_method": hashlib.sha256, "algorithm": _Hmac()})
        self._derived: dict[bytes | str | None, bytes] = {}

    def derive_key(self, secret_key: str | bytes | None = None) -> bytes:
        derived = self._derived.get(secret_key)
        if derived is None:
            derived = self._derived[secret_key] = super().derive_key(secret_key)
        return derived


class _Serializer(URLSafeSerializer):
    """As the library's, with one signer for all tokens, and without trying to compress what is short."""

    _made: Signer | None = None

    def make_signer(self, salt: str | bytes | None = None) -> Signer:
        if self._made is None:
            self._made = super().make_signer(salt)
        return self._made

    def dump_payload(self, obj: Any) -> bytes:
        payload = Serializer.dump_payload(self, obj)
        return super().dump_payload(obj) if len(payload) > WORTH_COMPRESSING else base64_encode(payload)


class Links:
    """Makes and reads the links of one server."""

    def __init__(self, base_url: str, keys: Sequence[str]) -> None:
        self.base_url = base_url
        self._keys = list(keys)
        self._serializers: dict[str, URLSafeSerializer] = {}

    def sign(self, purpose: str, payload: list[Any]) -> str:
        """A token that names the purpose and the payload (strings, numbers, None)."""
        return self._serializer(purpose).dumps([purpose, *payload])

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

    def _serializer(self, purpose: str) -> URLSafeSerializer:
        if purpose not in self._serializers:
            self._serializers[purpose] = _Serializer(self._keys, salt=f"postroad.{purpose}", signer=_Signer)
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
        payload = self.read("turn", token)
        if len(payload) != 4:
            raise BadLink("turn")
        return TurnLink(*payload)

    # -- unsubscribing ----------------------------------------------------------------------------

    def unsubscribe(self, player_id: int, group: str) -> str:
        """The address that stops one group of mails (`turns`, `reminders`, `news`) for a player."""
        return f"{self.base_url}/unsubscribe/{self.sign('unsubscribe', [player_id, group])}"

    def read_unsubscribe(self, token: str) -> tuple[int, str]:
        """The player and the group of an unsubscribing link, else BadLink."""
        payload = self.read("unsubscribe", token)
        if len(payload) != 2:
            raise BadLink("unsubscribe")
        return int(payload[0]), str(payload[1])

    def turns_again(self, player_id: int) -> str:
        """The address that switches mails about a player's turns on again, and does nothing else."""
        return f"{self.base_url}/mails-again/{self.sign('turns-again', [player_id])}"

    def read_turns_again(self, token: str) -> int:
        """The player of such an address, else BadLink."""
        payload = self.read("turns-again", token)
        if len(payload) != 1:
            raise BadLink("turns-again")
        return int(payload[0])

    # -- erasing an account -----------------------------------------------------------------------

    def erase(self, player_id: int, until: int) -> str:
        """The address where a player confirms that the account is erased, until a moment in seconds since 1970."""
        return f"{self.base_url}/erase/{self.sign('erase', [player_id, until])}"

    def read_erase(self, token: str) -> tuple[int, int]:
        """The player and the moment until which the link works, else BadLink."""
        payload = self.read("erase", token)
        if len(payload) != 2:
            raise BadLink("erase")
        return int(payload[0]), int(payload[1])

    # -- leave ------------------------------------------------------------------------------------

    def leave(self, player_id: int, at: datetime) -> str:
        """The address where a player goes on leave without signing in, from a mail that was made at this moment."""
        return f"{self.base_url}/leave/{self.sign('leave', [player_id, int(at.timestamp()) + LEAVE_LINK_SECONDS])}"

    def read_leave(self, token: str) -> tuple[int, int]:
        """The player and the moment until which the link works in seconds since 1970, else BadLink."""
        payload = self.read("leave", token)
        if len(payload) != 2:
            raise BadLink("leave")
        return int(payload[0]), int(payload[1])

    # -- feeds ------------------------------------------------------------------------------------

    def feed_token(self, kind: str, player_id: int, version: int) -> str:
        """The private key of a feed (`atom`, `ical`); dead when the player's feed version has another number."""
        return self.sign(kind, [player_id, version])

    def read_feed(self, kind: str, token: str) -> tuple[int, int]:
        """The player and the version of a key, else BadLink."""
        payload = self.read(kind, token)
        if len(payload) != 2:
            raise BadLink(kind)
        return int(payload[0]), int(payload[1])
