"""The network that a request comes from, by which strangers are told apart and counted; and what is this machine, and
free there."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network


def network_of(peer: str, forwarded: str, proxies: Iterable[IPv4Network | IPv6Network]) -> str:
    """Return the client's network: an IPv4 address, or the /64 of an IPv6 one; "unknown" if there is none.

    `peer` is who has connected, `forwarded` the header X-Forwarded-For, whose last entry counts, but only if the peer
    is one of the proxies, or has no address, as on a socket of this machine. IPv4-mapped addresses are IPv4 (RFC 4291,
    2.5.5.2).
    """
    place = _address(peer)
    if place is None or any(place in proxy for proxy in proxies):
        place = _address(forwarded.rpartition(",")[2].strip()) or place
    if place is None:
        return "unknown"
    return str(ip_network((place, 64), strict=False)) if place.version == 6 else str(place)


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine's own."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def why_not(host: str, port: int) -> OSError | None:
    """Return why nobody could listen there; None if one could."""
    try:
        [family, *_], *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        with socket.socket(family) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind((host, port))
    except OSError as error:
        return error
    return None


def wider(network: str) -> str | None:
    """Return the /48 around a /64, which is what one customer usually has; None for any other network."""
    if "/" not in network:
        return None
    return str(IPv6Network(network).supernet(new_prefix=48))


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return (found.ipv4_mapped if isinstance(found, IPv6Address) else None) or found
