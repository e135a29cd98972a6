"""Receiving mails over LMTP (RFC 2033) from the mail host on this machine.

The host is told that a mail has been accepted when it has been judged and stored, once after the final dot; until then
the host keeps it. It gives one recipient at a time, since there is one answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import stat
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from app.base.process import failures
from app.base.process.mail_settings import place_of
from app.base.server import Server
from app.post.inbound import gate
from app.post.inbound.incoming import Incoming

log = logging.getLogger("postroad.mail")

MOST_ON_THE_WIRE = 12_000_000
"""Bytes; a larger mail is refused while it arrives. What is only too large to read is accepted and set aside, so that
the host need not return it to its author."""
ONE_AT_A_TIME = "452 4.5.3 one recipient at a time"
TAKEN = "250 2.0.0 taken"
LATER = "451 4.3.0 not now: try again later"
_MOST_LINE = 100_000


class LmtpHandler:
    """The LMTP handler: answers one connection after another, each mail in a thread of its own."""

    def __init__(self, server: Server, clock: Callable[[], datetime]) -> None:
        self._server = server
        self._clock = clock

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if envelope.rcpt_tos:
            return ONE_AT_A_TIME
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 go on"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)  # text only if a server asks for it
        mail = Incoming(envelope.content, (envelope.mail_from or "").strip("<>"), envelope.rcpt_tos[0])
        try:
            await asyncio.to_thread(gate.take, self._server, mail, self._clock())
        except Exception as error:
            failures.report(log, "a mail that came in could not be kept; the host will bring it again", error)
            return LATER
        return TAKEN


class _Wire(LMTP):
    """Lines may be longer than RFC 5321 allows: some hosts fold nothing."""

    line_length_limit = _MOST_LINE


async def serve(server: Server, place: str, stop: threading.Event, ready: Callable[[str], object]) -> None:
    """Receive mails at a socket or a port of this machine until `stop` is set; `ready` is told where."""
    taker = LmtpHandler(server, lambda: datetime.now(UTC))
    loop = asyncio.get_running_loop()

    def protocol() -> _Wire:
        return _Wire(taker, hostname="postroad", data_size_limit=MOST_ON_THE_WIRE, enable_SMTPUTF8=True, loop=loop)

    host, port = place_of(place)
    if port is not None:
        listener = await loop.create_server(protocol, host, port)
    else:
        _clear(Path(place))
        listener = await loop.create_unix_server(protocol, place)
        os.chmod(place, 0o660)  # the mail host belongs to the group of the socket
    ready(place)
    async with listener:
        while not stop.is_set():
            await asyncio.sleep(0.1)
    if port is None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)


class InUse(Exception):
    """Another process is receiving mails there."""


def _clear(path: Path) -> None:
    """Remove a socket left behind by a killed process; raises InUse when one still listens, or something else is
    there."""
    try:
        is_socket = stat.S_ISSOCK(path.stat().st_mode)
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX) as asking:
        if not is_socket or asking.connect_ex(str(path)) == 0:
            raise InUse(f"{path} is in use.")
    path.unlink()
