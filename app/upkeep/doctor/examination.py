"""Everything that the doctor examines, in an order in which each thing has what it needs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from app.base.server import Server
from app.upkeep.doctor import machine, mail, names, web
from app.upkeep.doctor.finding import Finding, unknown


def look(server: Server, now: datetime, *, wait: float) -> Iterator[Finding]:
    """Yield the findings, one after another; the test mail has so many seconds to come back."""
    config = server.config
    yield from machine.settings(config)
    yield from machine.disk(config)
    yield from machine.database(server, now)
    yield from web.look(config, now)
    if config.mail_host is None:
        yield unknown("mail host", "none: all mails stay in the mailbox of this machine", "Set POSTROAD_SMTP_URL.")
        return
    yield from names.look(config)
    yield from mail.look(server, wait)
