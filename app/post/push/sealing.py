"""Encrypting what a device is told, and proving to its push service who we are: RFC 8291, 8188 and 8292.

Our key for push services is derived from the secret key of the settings, so it is kept, moved and replaced with that.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE = ec.SECP256R1()
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Of its group (FIPS 186-5; SEC 2, 2.4.2)."""
LONGEST_TEXT = 3993
"""Bytes: with header, padding mark and tag they make the 4096 that every push service takes (RFC 8291, 4)."""
STEP = 256
"""Texts are filled up to a multiple of this many bytes, so that their length tells nothing of names."""
PROVEN_FOR = timedelta(hours=12)
"""A day is the most (RFC 8292, 2)."""


class BadKey(ValueError):
    """Not the keys of a device."""


@dataclass(frozen=True, slots=True)
class DeviceKeys:
    """What is encrypted to: the device's public key, and its secret that proves who has its consent."""

    public: bytes
    auth: bytes


def device_keys(public: str, auth: str) -> DeviceKeys:
    """Return the keys that a browser gives in base64url. Raises BadKey."""
    try:
        keys = DeviceKeys(read64(public), read64(auth))
        ec.EllipticCurvePublicKey.from_encoded_point(CURVE, keys.public)
    except ValueError:
        raise BadKey("not a point of P-256") from None
    if len(keys.public) != 65 or len(keys.auth) != 16:
        raise BadKey("not of the right length")
    return keys


def seal(text: bytes, to: DeviceKeys) -> bytes:
    """Return the text encrypted to a device, as one record of `aes128gcm`. ValueError if it is too long."""
    return seal_with(text, to, ec.generate_private_key(CURVE), os.urandom(16), padding=-(len(text) + 1) % STEP)


def seal_with(text: bytes, to: DeviceKeys, own: ec.EllipticCurvePrivateKey, salt: bytes, *, padding: int) -> bytes:
    """The same with a given key and salt, which are used once (RFC 8291, 3.4), and this many bytes of padding."""
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"{len(text)} bytes are too long for a push")
    public = _point(own)
    shared = own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, to.public))
    key = _derived(to.auth, shared, b"WebPush: info\0" + to.public + public, 32)
    content = _derived(salt, key, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(salt, key, b"Content-Encoding: nonce\0", 12)
    filled = text + b"\2" + bytes(min(padding, LONGEST_TEXT - len(text)))  # 2: the last record (RFC 8188, 2)
    head = salt + (4096).to_bytes(4, "big") + bytes([len(public)]) + public
    return head + AESGCM(content).encrypt(nonce, filled, None)


def _derived(salt: bytes, secret: bytes, info: bytes, length: int) -> bytes:
    """HKDF with SHA-256, of at most 32 bytes (RFC 5869)."""
    first = hmac.digest(salt, secret, "sha256")
    return hmac.digest(first, info + b"\1", "sha256")[:length]


class ServerKeys:
    """The keys by which push services know this server: one for each secret key of the settings."""

    def __init__(self, secrets: Iterable[str]) -> None:
        made = [_server_key(secret) for secret in secrets]
        self._known: Mapping[str, ec.EllipticCurvePrivateKey] = {write64(_point(key)): key for key in made}
        self.newest = [*self._known][-1]
        """The public key with which browsers subscribe."""

    def proof(self, public: str, origin: str, contact: str, now: datetime) -> str | None:
        """Return the Authorization header for a push service (RFC 8292, 2 and 3), signed by the key that a device has
        subscribed with; None if that is no longer one of ours."""
        key = self._known.get(public)
        if key is None:
            return None
        claims = {"aud": origin, "exp": int((now + PROVEN_FOR).timestamp()), "sub": contact}
        signed = ".".join(write64(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims))
        r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"vapid t={signed}.{write64(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}, k={public}"


@lru_cache(maxsize=16)
def _server_key(secret: str) -> ec.EllipticCurvePrivateKey:
    wide = b"".join(hashlib.sha256(b"postroad.push" + bytes([n]) + secret.encode()).digest() for n in range(2))
    return ec.derive_private_key(int.from_bytes(wide, "big") % (_ORDER - 1) + 1, CURVE)


def _point(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def write64(value: bytes) -> str:
    """Return base64url without padding (RFC 4648, 5)."""
    return urlsafe_b64encode(value).rstrip(b"=").decode()


def read64(value: str) -> bytes:
    """Return what base64url says, with or without padding. ValueError."""
    return urlsafe_b64decode(value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4))
