"""Addresses in their normal form: one spelling everywhere, however they are typed or sent. Pure."""

from __future__ import annotations

import idna

WITHOUT_DOTS = ("gmail.com", "googlemail.com")
"""Two names of one host that ignores dots in its addresses."""


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
    """Return whether two addresses differ at most in spelling (`mailbox_of`)."""
    return mailbox_of(address) == mailbox_of(other)


def mailbox_of(address: str) -> str:
    """Return one key for all addresses that lead into a mailbox: without case, without what follows a `+` (RFC 5233),
    and without dots at hosts that ignore them."""
    local, at, domain = key_of(address).rpartition("@")
    local = local.partition("+")[0] or local
    if domain in WITHOUT_DOTS:
        local, domain = local.replace(".", ""), WITHOUT_DOTS[0]
    return f"{local}{at}{domain}"
