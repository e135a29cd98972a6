"""Which database connections a thread holds, so that nothing slow is done while a transaction is open."""

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
    """Return the connections that this thread holds; code that takes one adds it, and removes it afterwards."""
    return _here.connections


def nothing_open(what: str) -> None:
    """Assert, before anything slow (painting, rendering, handing over, looking up names), that no transaction of this
    thread is open. Read, close, work: an open one keeps SQLite's log from restarting, and PostgreSQL's rows from being
    vacuumed. Raises RuntimeError in tests; a server goes on."""
    if STRICT in os.environ and any(one.in_transaction() for one in _here.connections):
        raise RuntimeError(f"a transaction is open while {what}")
