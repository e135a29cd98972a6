"""Whether a place to listen at is free."""

from __future__ import annotations

import socket


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
