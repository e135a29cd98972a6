"""The server's public address, and its certificate."""

from __future__ import annotations

import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlsplit

from app.base.process.config import Config
from app.upkeep.doctor.finding import Finding, ill, well

SECONDS = 10.0
LEAST_LEFT = 1 / 5
"""Of a certificate's life: programs renew one at a third."""


def look(config: Config, now: datetime, context: ssl.SSLContext | None = None) -> Iterator[Finding]:
    """Check whether the server answers at its address. `context` says whose certificates are trusted."""
    context = context or ssl.create_default_context()
    parts = urlsplit(config.base_url)
    if parts.scheme == "https":
        yield _certificate(parts.hostname or "", parts.port or 443, now, context)
    elif not (parts.hostname or "").startswith(("localhost", "127.")):
        yield ill(
            "certificate", f"{config.base_url} is not encrypted", "Put a proxy with a certificate before the server."
        )
    yield _answer(config, context)


def _answer(config: Config, context: ssl.SSLContext) -> Finding:
    address = f"{config.base_url}/health/live"
    try:
        with urllib.request.urlopen(address, timeout=SECONDS, context=context) as answer:
            alive = json.loads(answer.read(1000)) == {"alive": True}
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        return ill("public address", f"{address}: {reason}", "See that `serve` runs, and that the proxy leads to it.")
    if not alive:
        return ill("public address", f"{address} is answered by something else", "See where the proxy leads.")
    return well("public address", f"{config.base_url} answers")


def _certificate(host: str, port: int, now: datetime, context: ssl.SSLContext) -> Finding:
    try:
        with (
            socket.create_connection((host, port), SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host) as encrypted,
        ):
            of = encrypted.getpeercert() or {}
            begin, end = (ssl.cert_time_to_seconds(str(of[name])) for name in ("notBefore", "notAfter"))
    except ssl.SSLCertVerificationError as error:
        do = "Renew it, and see why that does not happen by itself."
        if "expired" not in error.verify_message:
            do = "Have a certificate made for this name, by an authority that browsers trust."
        return ill("certificate", f"{host}: {error.verify_message}", do)
    except OSError as error:
        return ill("certificate", f"{host}:{port}: {error}", "See that the proxy runs and can be reached.")
    ends = datetime.fromtimestamp(end, UTC)
    if (ends - now).total_seconds() < (end - begin) * LEAST_LEFT:
        return ill("certificate", f"ends on {ends:%Y-%m-%d}", "Renew it, and see why that does not happen by itself.")
    return well("certificate", f"good until {ends:%Y-%m-%d}")
