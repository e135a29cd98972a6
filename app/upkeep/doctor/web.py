"""The server's public address, and its certificate."""

from __future__ import annotations

import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from app.base.process.config import Config
from app.upkeep.doctor.finding import Finding, ill, well

SECONDS = 10.0
LEAST_LEFT = timedelta(days=14)


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
            until = str((encrypted.getpeercert() or {}).get("notAfter", ""))
    except ssl.SSLCertVerificationError as error:
        return ill("certificate", f"{host}: {error.verify_message}", "Have a certificate made for this name.")
    except OSError as error:
        return ill("certificate", f"{host}:{port}: {error}", "See that the proxy runs and can be reached.")
    ends = datetime.fromtimestamp(ssl.cert_time_to_seconds(until), UTC)
    if ends - now < LEAST_LEFT:
        return ill("certificate", f"ends on {ends:%Y-%m-%d}", "Renew it, and see why that does not happen by itself.")
    return well("certificate", f"good until {ends:%Y-%m-%d}")
