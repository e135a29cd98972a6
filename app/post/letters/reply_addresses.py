"""Addresses that only this server can have made, which tell what a mail to one of them is about.

`post+b.1234.mac@host` takes reports about mail 1234 (its envelope sender), `post+r.1234.mac@host` answers to it (its
Reply-To), nobody answers `post+n.1234.mac@host`: it is the sender of our own answers if a host requires one. Case is
ignored, since hosts on the way may change it. The purpose is part of what is signed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parseaddr

from app.base.words.addresses import key_of

BOUNCES, REPLIES, NEVER = "b", "r", "n"
MAC_BYTES = 10
_TAG = re.compile(r"([brn])\.([1-9][0-9]{0,9})\.([a-z2-7]{16})")


@dataclass(frozen=True, slots=True)
class Tag:
    """What an address of ours is for, and the mail that it belongs to."""

    purpose: str
    mail_id: int


class Tags:
    """Makes and reads the addresses of one server."""

    def __init__(self, sender: str, keys: Sequence[str]) -> None:
        address = parseaddr(sender)[1]
        self._local, _, self._domain = address.rpartition("@")
        self._key = key_of(address).rpartition("@")
        self._keys = [hashlib.sha256(b"postroad.mail-tag:" + key.encode()).digest() for key in keys]

    def address(self, purpose: str, mail_id: int) -> str:
        """Return the address with a tag, signed with the newest key."""
        mac = _mac(self._keys[-1], purpose, mail_id)
        return f"{self._local}+{purpose}.{mail_id}.{mac}@{self._domain}"

    def is_ours(self, address: str) -> bool:
        """Return whether an address is the sender of our mails, with or without a tag."""
        local, _, domain = key_of(address).rpartition("@")
        return (local.partition("+")[0], "@", domain) == self._key

    def read(self, address: str) -> Tag | None:
        """Return what an address names; None if it is not ours, or was not made here."""
        found = _TAG.fullmatch(key_of(address).rpartition("@")[0].partition("+")[2])
        if found is None or not self.is_ours(address):
            return None
        purpose, mail_id, mac = found[1], int(found[2]), found[3]
        # All are compared, so that the time it takes does not reveal which one fits.
        fits = [hmac.compare_digest(mac, _mac(key, purpose, mail_id)) for key in self._keys]
        return Tag(purpose, mail_id) if any(fits) else None


def _mac(key: bytes, purpose: str, mail_id: int) -> str:
    digest = hmac.new(key, f"{purpose}:{mail_id}".encode(), hashlib.sha256).digest()
    return base64.b32encode(digest[:MAC_BYTES]).decode().lower()
