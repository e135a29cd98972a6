"""Addresses as they are compared: one way of spelling for all doors, whoever types or sends them. Pure."""

from __future__ import annotations

import idna


def ascii_domain(domain: str) -> str:
    """A domain as name servers know it, in lower case (RFC 5891; typed letters are read as UTS 46 says). ValueError for
    one that cannot be."""
    return domain.lower() if domain.isascii() else idna.encode(domain, uts46=True).decode().lower()


def key_of(address: str) -> str:
    """What an address is found by, whatever its case and whichever way its domain is spelled. What is no address is
    only in lower case."""
    local, at, domain = address.strip().rpartition("@")
    try:
        return f"{local}{at}{ascii_domain(domain)}".lower()
    except ValueError:
        return address.strip().lower()


def key_of_2003(key: str) -> str | None:
    """The other key under which the same typed address was kept until 2026, by IDNA 2003, which has no final sigma and
    no joiners. None where there was none, or where it is a domain in plain ASCII: that one may be somebody else's."""
    local, at, domain = key.rpartition("@")
    if "xn--" not in domain:
        return None
    try:
        before = idna.decode(domain).encode("idna").decode().lower()
    except ValueError:
        return None
    return f"{local}{at}{before}" if before != domain and "xn--" in before else None


def are_of_one(address: str, other: str) -> bool:
    """Whether two addresses differ at most in how they are spelled, or in what stands behind a `+` (RFC 5233)."""
    return _without_detail(address) == _without_detail(other)


def _without_detail(address: str) -> str:
    local, at, domain = key_of(address).rpartition("@")
    return f"{local.partition('+')[0] or local}{at}{domain}"
