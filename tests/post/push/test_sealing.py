"""Encryption and signature of pushes, against the worked example of RFC 8291 and an implementation of others."""

from __future__ import annotations

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from app.post.push.sealing import (
    CURVE,
    LONGEST_TEXT,
    STEP,
    BadKey,
    DeviceKeys,
    ServerKeys,
    device_keys,
    read64,
    seal,
    seal_with,
    write64,
)
from tests.support.tables import NOW

PUBLIC = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"


def test_the_example_of_rfc_8291() -> None:
    """Appendix A, to the byte."""
    own = ec.derive_private_key(int.from_bytes(read64("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"), "big"), CURVE)
    sealed = seal_with(
        b"When I grow up, I want to be a watermelon",
        device_keys(PUBLIC, AUTH),
        own,
        read64("DGv6ra1nlYgDCS1FRnbzlw"),
        padding=0,
    )
    assert write64(sealed) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
        "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


@given(st.binary(max_size=LONGEST_TEXT))
def test_another_implementation_reads_every_text_and_its_length_is_hidden(text: bytes) -> None:
    phone = ec.generate_private_key(CURVE)
    keys = DeviceKeys(phone.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint), bytes(range(16)))
    sealed = seal(text, keys)
    assert http_ece.decrypt(sealed, private_key=phone, auth_secret=keys.auth, version="aes128gcm") == text
    assert len(sealed) <= 4096 and seal(text, keys) != sealed
    if len(text) < LONGEST_TEXT - STEP:
        assert len(sealed) == len(seal(bytes(len(text) // STEP * STEP), keys))


def test_what_is_too_long_or_no_key_is_refused() -> None:
    with pytest.raises(ValueError):
        seal(bytes(LONGEST_TEXT + 1), device_keys(PUBLIC, AUTH))
    for public, auth in ((PUBLIC[:-4], AUTH), ("BBBB" + PUBLIC[4:], AUTH), (PUBLIC, AUTH[:-2]), ("é", AUTH), ("", "")):
        with pytest.raises(BadKey):
            device_keys(public, auth)


def test_keys_follow_from_the_secret_keys_and_old_ones_still_sign() -> None:
    old, both, new = ServerKeys(["a" * 20]), ServerKeys(["a" * 20, "b" * 20]), ServerKeys(["b" * 20])
    assert both.newest == new.newest != old.newest == ServerKeys(["a" * 20]).newest
    for keys, public, signs in ((both, old.newest, True), (both, new.newest, True), (new, old.newest, False)):
        proof = keys.proof(public, "https://push.example.org", "https://post.example.org", NOW)
        assert (proof is not None) is signs
        assert proof is None or proof.endswith(f", k={public}")
