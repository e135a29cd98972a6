"""The process that receives mails: over LMTP, from a mailbox, or both, until it is told to stop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime

from app.base.process.stopping import until_told
from app.base.server import Server
from app.post.inbound import gate, imap, lmtp
from app.time import outages


class CannotListen(Exception):
    """Nothing can be received at the place that the settings name."""


def run(server: Server, place: str | None, ready: Callable[[str], object]) -> None:
    """Receive mails until SIGTERM or SIGINT; mails in progress are finished."""
    stop = until_told()
    looking: threading.Thread | None = None
    if server.config.mail_in.imap is not None:
        looking = threading.Thread(target=imap.watch, args=(server, stop, lambda: datetime.now(UTC)), daemon=True)
        looking.start()
        ready(f"{server.config.mail_in.imap.host}, {server.config.mail_in.imap.folder}")
    try:
        with outages.Pulse(server.database, gate.WAY_IN):
            if place is not None:
                asyncio.run(lmtp.serve(server, place, stop, ready))
            stop.wait()
    except (OSError, lmtp.InUse) as error:
        raise CannotListen(f"{place}: {error}") from None
    finally:
        stop.set()
        if looking is not None:
            looking.join(5)
