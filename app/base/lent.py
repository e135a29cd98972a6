"""Which connections to the database a thread has in hand, so that nothing takes long while a transaction is open."""

from __future__ import annotations

import os
from threading import local
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

STRICT = "POSTROAD_TEST_STRICT"
"""Set in the environment of tests: `nothing_open` raises."""


class _OfThread(local):
    def __init__(self) -> None:
        self.connections: list[Connection] = []


_here = _OfThread()


def in_hand() -> list[Connection]:
    """The connections that this thread has; who takes one puts it in, and takes it out."""
    return _here.connections


def nothing_open(what: str) -> None:
    """Called by whatever takes long (painting, rendering, handing over, looking up names): no transaction of this
    thread is open. Read, close, work: an open one keeps SQLite's log from beginning anew, and PostgreSQL's rows from
    being cleaned. RuntimeError in tests; a server goes on."""
    if STRICT in os.environ and any(one.in_transaction() for one in _here.connections):
        raise RuntimeError(f"a transaction is open while {what}")
