"""Everything that the doctor examines, in an order in which each thing has what it needs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from app.base.server import Server
from app.upkeep.doctor import machine, mail, names, web
from app.upkeep.doctor.finding import Finding, ill, unknown


def look(server: Server, now: datetime, *, wait: float, drift: machine.Drift | None = None) -> Iterator[Finding]:
    """Yield the findings, one after another; the test mail has so many seconds to come back. Tables and
    models are compared by `drift`, which needs Alembic: the page leaves it to the command."""
    config = server.config
    parts = [
        ("settings", machine.settings(config)),
        ("owners", machine.owners(config)),
        ("disk", machine.disk(config)),
        ("database", machine.database(server, now, drift)),
        ("public address", web.look(config, now)),
    ]
    if config.mail_host is not None:
        parts += [("names", names.look(config)), ("mail host", mail.look(server, wait))]
    for check, findings in parts:
        try:
            yield from findings
        except Exception as error:  # the other parts are looked at all the same
            said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            yield ill(check, f"cannot be examined: {said}", "Mend what is named above, and look again.")
    if config.mail_host is None:
        yield unknown("mail host", "none: all mails stay in the mailbox of this machine", "Set POSTROAD_SMTP_URL.")
