"""Whether the client is on the server's own machine, where the embedded mailbox can be read."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import request

from app.base.process.networks import is_loopback
from app.web.reader import server

_FORWARDING = ("Forwarded", "Via", "X-Real-Ip", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto")


def has_mailbox() -> bool:
    """Return whether mails of this server are read at /mailbox."""
    return server().config.mail_host is None and is_direct_and_local()


def is_direct_and_local() -> bool:
    """Return whether the server listens on loopback and nothing stands between it and the client."""
    named = urlsplit(f"//{request.host}").hostname or ""
    ends = (request.environ.get("SERVER_NAME", ""), request.remote_addr or "", named)
    return all(map(is_loopback, ends)) and not any(name in request.headers for name in _FORWARDING)
