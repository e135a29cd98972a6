"""Addresses in their normal form: one spelling everywhere, however they are typed or sent. Pure."""

from __future__ import annotations

import idna


def ascii_domain(domain: str) -> str:
    """Return a domain as name servers know it, in lower case (RFC 5891; typed letters are read as UTS 46 says).
    ValueError if it cannot be one."""
    return domain.lower() if domain.isascii() else idna.encode(domain, uts46=True).decode().lower()


def key_of(address: str) -> str:
    """Return the key by which an address is found, ignoring case and the spelling of its domain. An invalid address is
    only lower-cased."""
    local, at, domain = address.strip().rpartition("@")
    try:
        return f"{local}{at}{ascii_domain(domain)}".lower()
    except ValueError:
        return address.strip().lower()


def key_of_2003(key: str) -> str | None:
    """Return the other key under which the same typed address was stored until 2026, by IDNA 2003, which has no final
    sigma and no joiners. None if there was none, or if it is a plain ASCII domain: that may belong to another
    person."""
    local, at, domain = key.rpartition("@")
    if "xn--" not in domain:
        return None
    try:
        before = idna.decode(domain).encode("idna").decode().lower()
    except ValueError:
        return None
    return f"{local}{at}{before}" if before != domain and "xn--" in before else None


def are_of_one(address: str, other: str) -> bool:
    """Return whether two addresses differ at most in spelling, or in what follows a `+` (RFC 5233)."""
    return _without_detail(address) == _without_detail(other)


def _without_detail(address: str) -> str:
    local, at, domain = key_of(address).rpartition("@")
    return f"{local.partition('+')[0] or local}{at}{domain}"
