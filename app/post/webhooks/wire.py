"""One HTTP request to an address typed by a player: never into a private network, never for long.

The host is resolved once, every address is judged, and the connection goes to an address that was judged, so that a
name whose address changes gains nothing. Redirects are not followed, and only the first line of the answer is read, or
also its headers if it asks for patience.
"""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from ipaddress import IPv6Address, ip_address, ip_network
from queue import Empty, SimpleQueue
from typing import Any
from urllib.parse import urlsplit

from app.base.process.lent import nothing_open
from app.base.words.addresses import ascii_domain

SECONDS = 10.0
"""For the whole request: the name, connecting, encryption, sending, the first line of the answer."""
LONGEST_URL = 2000
"""Some push services give addresses of more than a thousand characters (RFC 8030 limits none)."""
MOST_OF_ANSWER = 4096
"""Bytes within which the first line of the answer must end."""

_PUBLIC_SIX = ip_network("2000::/3")
_NEVER = tuple(
    map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "2001:db8::/32", "3fff::/20"))
)
"""Where a cloud serves its secrets, of which Python 3.11 takes single addresses for public; retired relays (RFC 7526);
ranges that embed other addresses: translated and tunnelled IPv4 is never a legitimate public webhook."""
_INSIDE_NAMES = ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa")
"""Names of one machine or one network, for which no public name server answers (RFC 6761, 6762, 8375)."""
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)[ \r]")
_RETRY_AFTER = re.compile(rb"(?im)^Retry-After[ \t]*:[ \t]*([^\r\n]{0,100})")
TOO_MANY, UNAVAILABLE = 429, 503
LEAST_PATIENCE, SOME_PATIENCE, MOST_PATIENCE = timedelta(seconds=30), timedelta(minutes=10), timedelta(days=1)


class BadUrl(ValueError):
    """Not an address that a webhook may have; `code` is `form`, `scheme` or `user`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class CallFailed(Exception):
    """The call did not get through; `code` says why, `for_good` that retrying is useless, `retry_after` when the
    receiver wants a retry: None for a failure, not a request for patience."""

    def __init__(self, code: str, *, for_good: bool = False, retry_after: str | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.for_good = for_good
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Target:
    """Where a webhook points."""

    host: str
    port: int
    path: str
    tls: bool

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        named = f"[{self.host}]" if ":" in self.host else self.host
        return named if self.port == (443 if self.tls else 80) else f"{named}:{self.port}"


def read_url(url: str, *, private: bool = False) -> Target:
    """Return where the URL points, or raise BadUrl. Plain http is for servers that allow private targets."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
        host = host if ":" in host else ascii_domain(host)
    except (ValueError, UnicodeError):
        raise BadUrl("form") from None
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not host or len(url) > LONGEST_URL or port == 0 or not re.fullmatch(r"[!-~]+", path):
        raise BadUrl("form")
    if not re.fullmatch(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+", host):
        raise BadUrl("form")
    if parts.scheme not in ("https", "http") or (parts.scheme == "http" and not private):
        raise BadUrl("scheme")
    if parts.username is not None or parts.password is not None:
        raise BadUrl("user")
    tls = parts.scheme == "https"
    return Target(host, port or (443 if tls else 80), path, tls)


def is_inside(host: str) -> bool:
    """Return whether the host as written, without looking it up, belongs to this machine or a private network."""
    name = host.lower().rstrip(".")
    if ":" in name:
        return not is_public(name)
    try:
        return not is_public(socket.inet_ntoa(socket.inet_aton(name)))  # also 127.1, 2130706433 and 0x7f000001
    except OSError:
        pass
    return "." not in name or any(name.endswith(f".{one}") for one in _INSIDE_NAMES)


def is_public(address: str) -> bool:
    """Return whether an IP address is on the public internet."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address) and (ip.scope_id is not None or ip not in _PUBLIC_SIX):
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in one for one in _NEVER)


def addresses(target: Target, *, private: bool = False, seconds: float = SECONDS) -> list[tuple[int, tuple[str, int]]]:
    """Return family and address of the target, each judged. CallFailed if the name is unknown, or not known in time, or
    one of them is private."""
    nothing_open("a name is looked up")
    told: SimpleQueue[list[Any]] = SimpleQueue()

    def look_up() -> None:
        found: list[Any] = []
        with suppress(OSError, UnicodeError):
            found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
        told.put(found)

    # The machine's resolver takes as long as it likes, and cannot be told to hurry.
    threading.Thread(target=look_up, name="looks a name up", daemon=True).start()
    try:
        found = told.get(timeout=seconds)
    except Empty:
        raise CallFailed("timeout") from None
    resolved = list(dict.fromkeys((int(family), (str(at[0]), target.port)) for family, _, _, _, at in found))
    if not private and not all(is_public(ip) for _, (ip, _) in resolved):
        raise CallFailed("private", for_good=True)
    if not resolved:
        raise CallFailed("host")
    return resolved


def call(url: str, body: bytes, headers: dict[str, str], *, private: bool = False, seconds: float = SECONDS) -> None:
    """POST the body. Raises CallFailed unless the answer is a 2xx."""
    try:
        target = read_url(url, private=private)
    except BadUrl as bad:
        raise CallFailed(bad.code, for_good=True) from None
    until = time.monotonic() + seconds
    found = addresses(target, private=private, seconds=seconds)
    status, later = _post(target, found, body, headers, until)
    if not 200 <= status < 300:
        if status == TOO_MANY:
            later = later or ""
        raise CallFailed(f"status {status}", for_good=status in (400, 401, 403, 404, 405, 410), retry_after=later)


def patience(said: str, now: datetime) -> timedelta:
    """Return how long a Retry-After asks to wait (RFC 9110, 10.2.3: seconds or a date), between half a minute and a
    day; ten minutes if it is neither."""
    if re.fullmatch(r"[0-9]{1,12}", said.strip()):
        wait = timedelta(seconds=min(int(said), MOST_PATIENCE.total_seconds()))
    else:
        try:
            at = parsedate_to_datetime(said)
            wait = (at if at.tzinfo else at.replace(tzinfo=UTC)) - now
        except (ValueError, TypeError, OverflowError):
            return SOME_PATIENCE
    return min(max(wait, LEAST_PATIENCE), MOST_PATIENCE)


def _post(
    target: Target, found: list[tuple[int, tuple[str, int]]], body: bytes, headers: dict[str, str], until: float
) -> tuple[int, str | None]:
    head = [f"POST {target.path} HTTP/1.1", f"Host: {target.authority}", "User-Agent: PostRoad", "Accept: */*"]
    head += [f"{name}: {value}" for name, value in headers.items()]
    head += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    try:
        with _connected(target, found, until) as connection:
            connection.settimeout(_left(until))
            connection.sendall("\r\n".join(head).encode("ascii") + body)
            return _answer(connection, until)
    except TimeoutError:
        raise CallFailed("timeout") from None
    except ssl.SSLError:
        raise CallFailed("tls") from None
    except OSError:
        raise CallFailed("connect") from None


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connected(target: Target, found: list[tuple[int, tuple[str, int]]], until: float) -> socket.socket:
    """Return a connection to the first of the addresses that accepts it: to what was judged, without looking the name
    up again."""
    error: OSError = ConnectionError("no address")
    for family, address in found:
        plain = socket.socket(family, socket.SOCK_STREAM)
        try:
            plain.settimeout(_left(until))
            plain.connect(address)
            if not target.tls:
                return plain
            plain.settimeout(_left(until))
            return ssl.create_default_context().wrap_socket(plain, server_hostname=target.host)
        except OSError as failed:
            plain.close()
            error = failed
            if isinstance(failed, ssl.SSLError):
                break
    raise error


def _answer(connection: socket.socket, until: float) -> tuple[int, str | None]:
    """Return the status of the answer, and its Retry-After if that may ask for patience. Nothing else is read."""
    match = _STATUS.match(read := _read_to(connection, b"\n", b"", until))
    if match is None:
        raise CallFailed("answer")
    status = int(match[1])
    if status not in (TOO_MANY, UNAVAILABLE):
        return status, None
    try:
        head = _read_to(connection, b"\r\n\r\n", read, until)
    except (CallFailed, OSError):
        return status, None
    found = _RETRY_AFTER.search(head.partition(b"\r\n\r\n")[0])
    return status, found[1].decode("ascii", "replace") if found else None


def _read_to(connection: socket.socket, end: bytes, read: bytes, until: float) -> bytes:
    """Return what has been `read` and what comes until it contains `end`, or until nothing more comes."""
    while end not in read:
        if len(read) >= MOST_OF_ANSWER:
            raise CallFailed("answer")
        connection.settimeout(_left(until))
        more = connection.recv(MOST_OF_ANSWER - len(read))
        if not more:
            break
        read += more
    return read
