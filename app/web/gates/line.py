"""The line in which strangers wait for an answer, so that they never hold up those who play.

Drawing a page keeps the interpreter busy, and any stranger can ask for pages without end. So those whom this process
does not know are answered one after another, network by network; and of those whom it knows (a sign-in that was good a
moment ago, a turn link that we signed) two requests each. The rest wait here and take no thread.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, deque
from collections.abc import Hashable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from app.base.links import BadLink
from app.base.process.networks import network_of
from app.base.server import Server

STRANGERS_AT_ONCE = 1
"""Answered at a time in one process. With two, players wait twice as long (`bench.strangers`)."""
EACH_AT_ONCE = 2
LONGEST_WAIT = 20.0
"""Seconds; who has waited longer is asked to come again."""
MOST_WAITING = 256
MOST_KNOWN = 10_000
_TURN = re.compile(rb"[A-Z]+ /t/([A-Za-z0-9_.\-]+)")
_OPERATORS = re.compile(rb"GET /(?:health|health/live|metrics)[ ?]")
"""What watches the server is never kept waiting."""
_COOKIE = re.compile(rb"\r\ncookie:[^\r]*postroad_sign_in=([^;\s]{1,100})", re.IGNORECASE)
_FORWARDED = re.compile(rb"\r\nx-forwarded-for:([^\r]*)", re.IGNORECASE)


class Acquaintances:
    """The sign-ins that this process has lately found good; of each only a hash that changes with every start."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._seen: OrderedDict[int, None] = OrderedDict()

    def met(self, secret: str) -> None:
        """Note that this secret of a browser is a sign-in."""
        self._seen[hash(secret)] = None
        self._seen.move_to_end(hash(secret))
        if len(self._seen) > MOST_KNOWN:
            self._seen.popitem(last=False)

    def who(self, head: bytes, peer: str) -> Asker:
        """Return who asks, by the head of the request and the address that has connected."""
        if _OPERATORS.match(head):
            return OPERATOR
        cookie = _COOKIE.search(head)
        if cookie is not None and hash(secret := cookie[1].decode("latin-1")) in self._seen:
            return Asker(hash(secret), known=True)
        turn = _TURN.match(head)
        if turn is not None:
            try:
                return Asker(self._server.links.read_turn(turn[1].decode("ascii")), known=True)
            except BadLink:
                pass
        forwarded = _FORWARDED.search(head)
        said = forwarded[1].decode("latin-1") if forwarded else ""
        return Asker(network_of(peer, said, self._server.config.proxies), known=False)


@dataclass(frozen=True, slots=True)
class Asker:
    """Who sends a request: a key that is the same for all requests of theirs, and whether we know them."""

    key: Hashable
    known: bool


OPERATOR = Asker(None, known=True)
C = TypeVar("C")


class Line(Generic[C]):
    """Which requests are being answered, and which wait, longest first within their network. For one thread alone."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[Hashable, deque[tuple[C, Asker, float]]] = OrderedDict()
        self._length = 0
        self._answered: dict[C, Asker] = {}
        self._by_key: Counter[Hashable] = Counter()
        self._strangers = 0

    def comes(self, request: C, asker: Asker) -> bool | None:
        """Take a request: it is answered (True), waits (False), or is sent away if too many strangers wait (None)."""
        if self._has_room(asker):
            self._answer(request, asker)
            return True
        if not asker.known and self._length >= MOST_WAITING:
            return None
        self._waiting.setdefault(asker.key, deque()).append((request, asker, monotonic() + LONGEST_WAIT))
        self._length += 1
        return False

    def leaves(self, request: C) -> list[C]:
        """Note that a request has been answered; return those whose turn it is now."""
        asker = self._answered.pop(request, OPERATOR)
        if asker != OPERATOR:
            self._by_key[asker.key] -= 1
            if not self._by_key[asker.key]:
                del self._by_key[asker.key]
            self._strangers -= not asker.known
        return self._next()

    def give_up(self) -> list[C]:
        """Return the requests that have waited too long; they are out of the line."""
        now, gone = monotonic(), []
        for key, line in list(self._waiting.items()):
            while line and line[0][2] <= now:
                gone.append(line.popleft()[0])
            if not line:
                del self._waiting[key]
        self._length -= len(gone)
        return gone

    def _has_room(self, asker: Asker) -> bool:
        if asker == OPERATOR:
            return True
        room = self._by_key[asker.key] < EACH_AT_ONCE if asker.key in self._by_key else True
        return room and (asker.known or self._strangers < STRANGERS_AT_ONCE)

    def _answer(self, request: C, asker: Asker) -> None:
        self._answered[request] = asker
        if asker != OPERATOR:
            self._by_key[asker.key] += 1
            self._strangers += not asker.known

    def _next(self) -> list[C]:
        found: list[C] = []
        for key in list(self._waiting):
            line = self._waiting[key]
            request, asker, _ = line[0]
            if not self._has_room(asker):
                continue
            line.popleft()
            self._length -= 1
            self._answer(request, asker)
            found.append(request)
            if line:
                self._waiting.move_to_end(key)  # the other networks come first now
            else:
                del self._waiting[key]
        return found
